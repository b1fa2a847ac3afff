"""
Where reference points go
=========================

A level set that holds 90 % of the rows may fill a thousandth of their box. Evenly spread points
hardly ever hit it. Points around the rows, with weights that make up for it, do.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from oddrank import BoundingBox, evaluate_scores
from oddrank.errors import OddrankWarning
from oddrank.reference import ImportanceMixture, UniformBox

random = np.random.default_rng(0)
X = np.concatenate(
    [random.normal(0, 0.02, (1000, 2)), random.normal(5, 0.06, (1000, 2)), [[9, -9]]]
)
box = BoundingBox.from_arrays(X)


def score(rows):
    """Nearness to the nearer of the two centres, in their own units."""
    return -np.minimum((rows**2).sum(axis=1) / 0.0004, ((rows - 5.0) ** 2).sum(axis=1) / 0.0036)


samplers = {
    "UniformBox": UniformBox(n_points=2**10, n_replicates=4),
    "ImportanceMixture": ImportanceMixture(n_points=2**10, n_replicates=4),
}
spread = {name: [] for name in samplers}
with warnings.catch_warnings():
    warnings.simplefilter("ignore", OddrankWarning)  # the uniform points are too few, on purpose
    for name, sampler in samplers.items():
        for seed in range(8):
            evaluation = evaluate_scores(score, X, reference=sampler, random_state=seed)
            spread[name].append(evaluation.excess_mass.value)
for name, values in spread.items():
    found = np.array([value for value in values if np.isfinite(value)])
    spread_of_found = (
        f"spread {100 * found.std() / found.mean():.1f} %" if len(found) > 1 else "no spread"
    )
    print(f"{name:18} EM has a value for {len(found)} of 8 seeds of the points, {spread_of_found}")

figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharex=True, sharey=True)
for axis, (name, sampler) in zip(axes, samplers.items(), strict=True):
    drawn = sampler.replicate(box, X, np.random.default_rng(0))
    points = np.concatenate([part.points for part in drawn])
    axis.scatter(*X.T, s=4, color="#999999", label="rows")
    axis.scatter(*points.T, s=4, color="#d55e00", alpha=0.5, label="points")
    axis.set_title(name)
axes[0].legend(markerscale=3)
figure.tight_layout()
