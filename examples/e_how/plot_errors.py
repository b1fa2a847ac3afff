"""
Do the intervals hold the truth?
================================

Every figure has a standard error from rows and reference points. Here the truth is known: a
Gaussian in the plane, scored by its density. Thirty tables are drawn, and each interval of 95 %
either holds the truth or does not.
"""

import matplotlib.pyplot as plt
import numpy as np

from oddrank import evaluate_scores
from oddrank.reference import ImportanceMixture

TRUTH = 2.0254


def score(rows):
    """The density of the rows, up to a constant."""
    return -(rows**2).sum(axis=1)


estimates = [
    evaluate_scores(
        score,
        np.random.default_rng(seed).normal(size=(4000, 2)),
        reference=ImportanceMixture(n_points=2**9, n_replicates=4),
        random_state=seed,
    ).mass_volume
    for seed in range(30)
]
intervals = np.array([estimate.interval for estimate in estimates])
holds = (intervals[:, 0] <= TRUTH) & (intervals[:, 1] >= TRUTH)
print(f"{holds.sum()} of {len(holds)} intervals hold the truth")
values = [estimate.value for estimate in estimates]
reported = np.mean([estimate.standard_error for estimate in estimates])
print(f"reported error {reported:.3f}, spread seen {np.std(values):.3f}")

figure, axis = plt.subplots(figsize=(8, 3.6))
for number, ((lower, upper), inside) in enumerate(zip(intervals, holds, strict=True)):
    axis.plot(
        [number, number], [lower, upper], color="#0072b2" if inside else "#d55e00", linewidth=2
    )
axis.axhline(TRUTH, linestyle=":", color="black", label="truth")
axis.set(xlabel="table", ylabel="MV with its interval")
axis.legend()
figure.tight_layout()
