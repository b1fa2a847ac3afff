"""
Which rows are odd, and why
===========================

The committee scores every row with fits that have not seen the row. ``ranking.odd_rows()`` is the
list: every row, oddest first, with reasons.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture

from oddrank import rank_detectors

random = np.random.default_rng(0)
height = random.normal(1.7, 0.1, 800)
people = pd.DataFrame(
    {
        "height": height,
        "weight": 22.0 * height**2 + random.normal(0.0, 3.0, 800),
        "amount": random.gamma(4.0, 12.0, 800),
    }
)
people.loc[10] = [1.52, 92.0, 40.0]  # ordinary values that do not go together
people.loc[20] = [1.70, 64.0, 900.0]  # one far value

ranking = rank_detectors(
    {"mixture": GaussianMixture(2), "forest": IsolationForest()}, people, random_state=0
)
odd = ranking.odd_rows()
print(odd)

# %%
# The frame has every row, oddest first, with the index and columns of the table.

frame = odd.frame()
print(frame.head(4).drop(columns="reasons").round(2))

# %%
# The five oddest rows. Row 10 is odd although neither of its values is.

oddest = frame.index[:5]
figure, axes = plt.subplots(1, 2, figsize=(9, 4))
for axis, (x, y) in zip(axes, (("height", "weight"), ("weight", "amount")), strict=True):
    axis.scatter(people[x], people[y], s=8, alpha=0.4)
    axis.scatter(people.loc[oddest, x], people.loc[oddest, y], s=60, marker="s",
                 facecolors="none", edgecolors="#d55e00", label="oddest")  # fmt: skip
    axis.set(xlabel=x, ylabel=y)
axes[0].legend()
figure.tight_layout()
