"""
Level sets: the picture behind the idea
=======================================

A detector orders the space from normal to odd. The region of its most normal points that holds
90 % of the rows is one of its *level sets*. A good detector needs little space for it.
"""

import matplotlib.pyplot as plt
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture

from oddrank import LevelSetDisplay
from oddrank.io import make_known_density

X = make_known_density("banana", 2000, 2, random_state=0).X
figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), sharex=True, sharey=True)
for axis, (name, detector) in zip(
    axes,
    {"isolation forest": IsolationForest(), "four Gaussians": GaussianMixture(4)}.items(),
    strict=True,
):
    display = LevelSetDisplay.from_estimator(detector, X, random_state=0, ax=axis)
    axis.set_title(name)
    print(name)
    print(display.frame().round(3).to_string(index=False))
figure.tight_layout()
