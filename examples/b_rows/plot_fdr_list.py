"""
A list of new rows with few false alarms
========================================

New rows get *conformal* p-values: a row like the training rows has a uniform p-value, whatever
the detector. The procedure of Benjamini and Hochberg turns them into a list in which about one
row in ten is a false alarm.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import false_discovery_control
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture

from oddrank import rank_detectors

random = np.random.default_rng(1)
train = random.normal(size=(4000, 3))
new = random.normal(size=(1000, 3))
is_odd = np.arange(len(new)) < 50
new[is_odd] += 4.0 * random.choice([-1, 1], size=(50, 3))

ranking = rank_detectors(
    {"gaussian": GaussianMixture(), "forest": IsolationForest(n_estimators=50)},
    train,
    polluted=False,
    random_state=0,
)
p_values = ranking.p_values(new)

figure, axis = plt.subplots()
axis.hist(
    [p_values[~is_odd], p_values[is_odd]], bins=20, stacked=True, label=["ordinary", "planted"]
)
axis.set(xlabel="p-value", ylabel="new rows")
axis.legend()
figure.tight_layout()

# %%
# Without correction, one ordinary row in twenty would be flagged at 0.05. The list asks for a
# false-discovery rate of 0.1:

for name, flagged in (
    ("p-value below 0.05", p_values < 0.05),
    ("false-discovery rate 0.1", false_discovery_control(p_values) < 0.1),
):
    false = (flagged & ~is_odd).sum()
    print(f"{name:25} {flagged.sum():3} flagged, {false:2} of them ordinary, "
          f"{(flagged & is_odd).sum()} of 50 planted rows found")  # fmt: skip
