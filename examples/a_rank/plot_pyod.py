"""
PyOD's detectors beside scikit-learn's
======================================

PyOD's scores grow with oddness, scikit-learn's with normality. oddrank knows both conventions,
so you can mix the libraries in one ranking. :func:`oddrank.check_detector` says beforehand
whether a detector can be ranked.
"""

from pyod.models.hbos import HBOS
from pyod.models.knn import KNN
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor

from oddrank import check_detector, rank_detectors
from oddrank.io import make_known_density

X = make_known_density("banana", 1200, 2, random_state=0).X
print(check_detector(KNN()))
print(check_detector(LocalOutlierFactor()))

# %%
# The second one is refused in one sentence: with ``novelty=False`` it cannot score new points.

ranking = rank_detectors(
    {"hbos": HBOS(), "knn": KNN(n_neighbors=10), "forest": IsolationForest()}, X, random_state=0
)
print(ranking)

# %%
# HBOS looks at one feature at a time, so it cannot see the bend. The level sets of the best and
# of the worst detector show it: both hold the same shares of the rows, and one needs far more
# space.

import matplotlib.pyplot as plt

from oddrank import LevelSetDisplay

members = {"hbos": HBOS(), "knn": KNN(n_neighbors=10), "forest": IsolationForest()}
figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharex=True, sharey=True)
for axis, name in zip(axes, (ranking.order[0], ranking.order[-1]), strict=True):
    LevelSetDisplay.from_estimator(members[name], X, random_state=0, ax=axis)
    axis.set_title(name)
figure.tight_layout()
