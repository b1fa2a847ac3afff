"""
Six kinds of points that are not like the rows
==============================================

The default judge asks how well a detector tells rows from points. Each *reference measure*
draws points of another kind, and so stands for a kind of anomaly.
"""

import matplotlib.pyplot as plt
import numpy as np

from oddrank import BoundingBox
from oddrank.reference import ReferenceMixture

random = np.random.default_rng(0)
first = random.normal(size=600)
X = np.column_stack([first, 0.9 * first + 0.3 * random.normal(size=600)])
box = BoundingBox.from_arrays(X)
figure, axes = plt.subplots(2, 3, figsize=(10, 6.4), sharex=True, sharey=True)
for axis, measure in zip(axes.flat, ReferenceMixture().measures, strict=True):
    drawn = measure.replicate(box, X, np.random.default_rng(0))
    points = np.concatenate([part.points for part in drawn])[:300]
    axis.scatter(*X.T, s=5, color="#999999")
    axis.scatter(*points.T, s=7, color="#d55e00", alpha=0.7)
    axis.set_title(measure.measure, fontsize=10)
    print(measure.measure)
figure.tight_layout()
