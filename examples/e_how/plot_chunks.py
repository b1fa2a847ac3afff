"""
Chunks add up to exactly the same areas
=======================================

Rows that do not fit into memory, or that lie on several machines, are counted chunk by chunk
against the same reference scores. The counts add up: :func:`oddrank.count_level_sets`.
"""

import matplotlib.pyplot as plt
import numpy as np

from oddrank import count_level_sets, level_sets, mass_volume_curve

random = np.random.default_rng(0)
X = random.normal(size=(20_000, 2))
points = random.uniform(-5, 5, size=(20_000, 2))


def score(rows):
    """The density of the rows, up to a constant."""
    return -(rows**2).sum(axis=1)


reference_scores = score(points)
at_once = mass_volume_curve(
    level_sets(score(X), reference_scores, log_volume=2 * np.log(10.0))
).area()
areas, total = [], None
for chunk in np.array_split(X, 20):
    counts = count_level_sets(score(chunk), reference_scores, log_volume=2 * np.log(10.0))
    total = counts if total is None else total + counts
    areas.append(mass_volume_curve(total.level_sets()).area())
print(f"all rows at once {at_once:.12f}")
print(f"twenty chunks    {areas[-1]:.12f}")

figure, axis = plt.subplots()
axis.plot(np.arange(1, 21) * 1000, areas, marker="o", label="chunks so far")
axis.axhline(at_once, linestyle=":", color="black", label="all rows at once")
axis.set(xlabel="rows counted", ylabel="MV")
axis.legend()
figure.tight_layout()
