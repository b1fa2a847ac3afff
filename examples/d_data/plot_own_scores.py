"""
A scoring function of your own
==============================

oddrank needs scores, not models. :func:`oddrank.evaluate_scores` takes any function of rows,
:func:`oddrank.evaluate_detector` anything with ``fit``. :func:`oddrank.normality_function` is
the one place that knows what a high score means.
"""

import matplotlib.pyplot as plt
import numpy as np
from pyod.models.knn import KNN
from sklearn.mixture import GaussianMixture

from oddrank import (
    ExcessMassDisplay,
    MassVolumeDisplay,
    evaluate_detector,
    evaluate_scores,
    normality_function,
)

random = np.random.default_rng(0)
X = random.normal(size=(3000, 2)) * [1.0, 3.0]


def round_score(rows):
    """A rule that ignores that the second feature varies more."""
    return -np.hypot(rows[:, 0], rows[:, 1])


def oval_score(rows):
    """A rule that does not."""
    return -np.hypot(rows[:, 0], rows[:, 1] / 3.0)


evaluations = {
    "round": evaluate_scores(round_score, X, random_state=0),
    "oval": evaluate_scores(oval_score, X, random_state=0),
}
for name, evaluation in evaluations.items():
    print(f"{name:6} mass volume {evaluation.mass_volume} (smaller is better)")

# %%
# The same as curves with error bands. A lower mass-volume curve is better: the score needs less
# space for the same share of the rows. A higher excess-mass curve is better.

figure, axes = plt.subplots(1, 2, figsize=(10, 4.4))
MassVolumeDisplay.from_evaluations(evaluations, ax=axes[0])
ExcessMassDisplay.from_evaluations(evaluations, ax=axes[1])
figure.tight_layout()

# %%
# A detector is fitted on one part of the rows and evaluated on the other.

print(evaluate_detector(GaussianMixture(), X, scale=False, random_state=0))

# %%
# Signs: PyOD's scores grow with oddness. The normality function turns them round.

knn = KNN().fit(X)
middle, far = [[0.0, 0.0]], [[9.0, 9.0]]
print(
    "PyOD's own score is higher for the far point:",
    knn.decision_function(far) > knn.decision_function(middle),
)
normality = normality_function(knn)
print("normality is higher for the middle:", normality(np.array(middle)) > normality(np.array(far)))
