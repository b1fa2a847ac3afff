"""
Which features help?
====================

:func:`oddrank.feature_importance` compares the criterion in draws of features that hold a
feature with draws that do not. In these rows only ``x1`` and ``x4`` have structure: they lie on
one of two spots. The others are noise. The picture is a
:class:`oddrank.FeatureImportanceDisplay`.
"""

import numpy as np
from sklearn.neighbors import KernelDensity

from oddrank import FeatureSubsampling, feature_importance
from oddrank.reference import UniformBox

random = np.random.default_rng(0)
X = random.uniform(-1, 1, size=(600, 6))
X[:, [1, 4]] = random.choice([-1, 1], size=(600, 1)) + 0.1 * random.normal(size=(600, 2))
importance = feature_importance(
    KernelDensity(bandwidth=0.3),
    X,
    mass_range=(0.9, 0.99),
    subsampling=FeatureSubsampling(3, n_draws=20, aggregation="geometric"),
    reference=UniformBox(n_points=2**10, n_replicates=2),
    random_state=0,
)
print(importance)
display = importance.plot()
