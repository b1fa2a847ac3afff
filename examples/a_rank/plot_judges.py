"""
Three judges, and six kinds of anomaly
======================================

The default judge asks how well a detector tells rows from points of six *reference measures*.
Each of them stands for a kind of anomaly. ``judge="volume"`` asks for the paper's criteria
instead, and ``judge="consensus"`` for the agreement with the other detectors. They need not
agree: the kind of anomaly is unknown.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import LocalOutlierFactor

from oddrank import Consensus, References, Volume, rank_detectors

random = np.random.default_rng(0)
X = random.normal(size=(800, 2)) @ random.normal(size=(2, 5)) + 0.3 * random.normal(size=(800, 5))
detectors = {
    "forest": IsolationForest(),
    "lof": LocalOutlierFactor(novelty=True),
    "gaussian": GaussianMixture(),
    "diagonal": GaussianMixture(covariance_type="diag"),
}
rankings = {
    "references": rank_detectors(detectors, X, judge=References(), random_state=0),
    "volume": rank_detectors(detectors, X, judge=Volume(mass_range=(0.9, 0.95)), random_state=0),
    "consensus": rank_detectors(detectors, X, judge=Consensus(), random_state=0),
}
for name, ranking in rankings.items():
    print(f"{name:11}", " > ".join(ranking.order))

# %%
# Why does the default judge decide like this? The area of every detector against every
# reference measure:

judgement = rankings["references"].judgement
areas = np.array([[area.value for area in judgement.areas[name]] for name in judgement.order])
figure, axis = plt.subplots(figsize=(8, 4.8))
image = axis.imshow(areas, vmin=0.5, vmax=1.0, cmap="viridis")
axis.set_xticks(range(areas.shape[1]), judgement.measures, rotation=25, ha="right", fontsize=8)
axis.set_yticks(range(len(judgement.order)), judgement.order)
for (row, column), value in np.ndenumerate(areas):
    colour = "white" if value < 0.8 else "black"
    axis.text(column, row, f"{value:.2f}", ha="center", va="center", color=colour)
figure.colorbar(image, label="ROC area, rows against points")
figure.tight_layout()

# %%
# The diagonal Gaussian does not see that features depend on each other. Against points with
# ordinary values in unusual combinations ("product of marginals") it is little better than a coin.
