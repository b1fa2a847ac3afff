"""
Rank detectors without labels
=============================

Five detectors, one table, no labels: which one should you trust?

:func:`oddrank.rank_detectors` fits every detector on two halves of the rows. Each fit is asked
to tell the other half from points that are not like the rows. A detector that does this well,
whatever the kind of point, comes first.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.svm import OneClassSVM

from oddrank import rank_detectors

X = load_breast_cancer(as_frame=True).data
detectors = {
    "forest": IsolationForest(),
    "svm": OneClassSVM(nu=0.1),
    "lof": LocalOutlierFactor(novelty=True),
    "density": KernelDensity(),
    "mixture": GaussianMixture(2),
}
ranking = rank_detectors(detectors, X, random_state=0)
print(ranking)

# %%
# The same as a picture, a :class:`oddrank.RankingDisplay`. Bars are 95 % intervals of the
# score. Detectors that share a letter cannot be told apart. Two detectors can differ although
# their bars overlap, because both were measured on the same rows and points.

display = ranking.plot()

# %%
# Every pair has a *lead*, an error and a p-value.

first, second = ranking.order[:2]
comparison = ranking.compare(first, second)
print(f"{first} leads {second} by {comparison.lead}")
print(f"p-value after correction for all pairs: {comparison.adjusted_p_value:.2g}")
