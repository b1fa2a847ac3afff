"""
A few labels after all
======================

Sometimes a few anomalies are known. Keep them out of the ranking, and hold them against the
verdict afterwards: :func:`oddrank.check_against_labels` says where the committee stands, and
whether so few labels can tell at all.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import LocalOutlierFactor
from sklearn.svm import OneClassSVM

from oddrank import check_against_labels, rank_detectors
from oddrank.io import load_embedded

cancer = load_embedded("breast_cancer")
detectors = {
    "forest": IsolationForest(),
    "lof": LocalOutlierFactor(novelty=True),
    "svm": OneClassSVM(nu=0.1),
    "gaussian": GaussianMixture(reg_covar=1e-3),
}
normal, odd = cancer.X[cancer.y == 0], cancer.X[cancer.y == 1]
ranking = rank_detectors(detectors, normal[:250], polluted=False, random_state=0)
print(ranking.order)

# %%
# With eight known anomalies, and with all 212 of them:

figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True)
for axis, n_known in zip(axes, (8, len(odd)), strict=True):
    rows = np.concatenate([normal[250:], odd[:n_known]])
    labels = np.r_[np.zeros(len(normal) - 250, int), np.ones(n_known, int)]
    check = check_against_labels(ranking, rows, labels)
    print(f"{n_known} known anomalies: {check.outcome}. {check.sentence}")
    axis.barh(list(ranking.order), [check.roc_areas[name] for name in ranking.order])
    axis.set(title=f"{n_known} known anomalies", xlabel="ROC area", xlim=(0.5, 1.0))
axes[0].invert_yaxis()
figure.tight_layout()
