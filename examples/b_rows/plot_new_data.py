"""
New data every day
==================

Rank once, keep the committee, and score what comes in. If the share of flagged rows leaves its
band, the data has changed, and it is time to rank again.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import binom
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor

from oddrank import rank_detectors

random = np.random.default_rng(0)


def one_day(day, n=300):
    """Rows of one day; from day 20 on, a sensor drifts."""
    rows = random.normal(size=(n, 4))
    rows[:, 2] += 0.15 * max(day - 20, 0)
    return rows


history = np.concatenate([one_day(0) for _ in range(5)])
ranking = rank_detectors(
    {"forest": IsolationForest(n_estimators=50), "lof": LocalOutlierFactor(novelty=True)},
    history,
    random_state=0,
)
model = ranking.committee
print(f"{ranking.best} scores the new days")

# %%
# A day of 300 ordinary rows has 5 % flags, give or take. The band holds 99.9 % of such days.

shares = [(model.predict(one_day(day)) == -1).mean() for day in range(1, 41)]
lower, upper = binom.ppf([0.0005, 0.9995], 300, 0.05) / 300
alarms = [day for day, share in enumerate(shares, start=1) if not lower <= share <= upper]
print(f"drift begins on day 21; first alarm on day {alarms[0] if alarms else 'none'}")

figure, axis = plt.subplots()
axis.axhspan(lower, upper, color="#56b4e9", alpha=0.3, label="99.9 % of ordinary days")
axis.plot(range(1, 41), shares, marker="o")
axis.axvline(20.5, linestyle=":", color="black", label="drift begins")
axis.set(xlabel="day", ylabel="share of flagged rows")
axis.legend()
figure.tight_layout()
