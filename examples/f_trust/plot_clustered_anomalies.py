"""
Anomalies that form a cluster near the data
===========================================

**What fails.** Every label-free criterion takes for normal what is frequent. A tight cluster of
anomalies near the data is frequent *there*. So the detector that models it best looks best, and
it calls the anomalies normal.

**The experiment.** 1,000 rows, 8 % of them in a small cluster beside the cloud. Labels are used
at the end only.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity, LocalOutlierFactor

from oddrank import LevelSetDisplay, check_against_labels, rank_detectors


def draw(seed, n=1000, n_odd=80):
    """Rows, and which of them are odd."""
    random = np.random.default_rng(seed)
    normal = random.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], n - n_odd)
    odd = random.normal([2.2, -1.6], 0.15, (n_odd, 2))
    return np.concatenate([normal, odd]), np.r_[np.zeros(n - n_odd, int), np.ones(n_odd, int)]


X, _ = draw(0)
X_new, labels = draw(1)
detectors = {
    "density": KernelDensity(bandwidth=0.2),
    "lof": LocalOutlierFactor(novelty=True),
    "forest": IsolationForest(),
    "gaussian": GaussianMixture(1),
    "mixture": GaussianMixture(2),
}
ranking = rank_detectors(detectors, X, random_state=0)
check = check_against_labels(ranking, X_new, labels)
print("score without labels, and ROC area with labels")
for name in ranking.order:
    print(f"  {name:9} {ranking.judgement.scores[name].value:.3f}  {check.roc_areas[name]:.3f}")

# %%
# **What was seen.** The pick is nearly the worst detector by labels, and the last of the
# ranking the best.

figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.2), sharex=True, sharey=True)
for axis, name in zip(axes, (ranking.best, check.best), strict=True):
    LevelSetDisplay.from_estimator(detectors[name], X, random_state=0, ax=axis)
    axis.set_title(f"{name}: ROC {check.roc_areas[name]:.2f}")
figure.tight_layout()

# %%
# **What to do.** Look at the oddest rows, and at small dense groups. If your anomalies come in
# groups (fraud by one script, one broken machine), rank on rows from before, or prefer
# detectors that cannot model a small cluster.
