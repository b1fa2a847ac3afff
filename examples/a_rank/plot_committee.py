"""
The committee: the safe choice
==============================

Without labels nobody can tell which detector finds the odd rows. The committee follows those that
find a row oddest. It is an ordinary scikit-learn outlier detector.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import LocalOutlierFactor
from sklearn.svm import OneClassSVM

from oddrank import check_against_labels, rank_detectors
from oddrank.io import load_embedded

cancer = load_embedded("breast_cancer")
normal = cancer.X[cancer.y == 0]
half = np.arange(len(normal)) % 2 == 0
test = np.concatenate([normal[~half], cancer.X[cancer.y == 1]])
labels = np.r_[np.zeros((~half).sum(), int), np.ones((cancer.y == 1).sum(), int)]

detectors = {
    "forest": IsolationForest(),
    "lof": LocalOutlierFactor(novelty=True),
    "svm": OneClassSVM(nu=0.1),
    "gaussian": GaussianMixture(reg_covar=1e-3),
}
ranking = rank_detectors(detectors, normal[half], polluted=False, random_state=0)
print(ranking.order, "committee:", ranking.committee.names_)

# %%
# Here labels exist, and only this comparison uses them. The area under the ROC curve of the
# committee beside its members:

areas = dict(check_against_labels(ranking, test, labels).roc_areas)
areas["committee"] = roc_auc_score(labels, -ranking.committee.score_samples(test))
for name, area in areas.items():
    print(f"{name:10} {area:.3f}")

figure, axis = plt.subplots()
axis.barh(list(areas), list(areas.values()), color=["#0072b2"] * len(detectors) + ["#d55e00"])
axis.set(xlim=(0.5, 1.0), xlabel="ROC area on rows with labels")
axis.invert_yaxis()
figure.tight_layout()

# %%
# How well does each detector agree with the others on the rows that it had not seen?

for name, area in ranking.judgement.consensus.items():
    print(f"{name:10} {area:.3f}")
