"""
Volumes in twenty dimensions
============================

In many features no fixed set of points falls into a level set.
:class:`oddrank.reference.MultilevelSplitting` goes inwards in steps: chains stay inside one
level set until enough of them have found the next. The volume is the product of the shares.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import gammaln
from scipy.stats import chi2

from oddrank import BoundingBox, evaluate_scores, mass_volume_curve
from oddrank.reference import MultilevelSplitting


def score(rows):
    """The density of the rows, up to a constant."""
    return -(rows**2).sum(axis=1)


masses = np.array([0.5, 0.9, 0.95, 0.99])
figure, axis = plt.subplots()
for d, colour in ((5, "#0072b2"), (10, "#009e73"), (20, "#d55e00")):
    X = np.random.default_rng(0).normal(size=(2000, d))
    evaluation = evaluate_scores(
        score,
        X,
        reference=MultilevelSplitting(n_points=2**16),
        box=BoundingBox(lower=np.full(d, -5.0), upper=np.full(d, 5.0)),
        mass_range=(0.9, 0.99),
        random_state=0,
    )
    estimated = np.log(mass_volume_curve(evaluation.level_sets)(masses))
    radius = np.sqrt(chi2(d).ppf(masses))
    exact = 0.5 * d * np.log(np.pi) - gammaln(d / 2 + 1) + d * np.log(radius)
    print(f"d = {d:2}: log volume of the 0.9 set {estimated[1]:.2f}, exact {exact[1]:.2f}; "
          f"the box has {d * np.log(10.0):.1f}")  # fmt: skip
    axis.plot(masses, exact, color=colour, label=f"exact, d = {d}")
    axis.plot(masses, estimated, "o", color=colour, label=f"splitting, d = {d}")
axis.set(xlabel="mass", ylabel="log volume")
axis.legend()
figure.tight_layout()
