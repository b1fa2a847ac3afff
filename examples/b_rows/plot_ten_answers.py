"""
Ten answers
===========

Without labels nobody can know which rows *you* call odd. Here a group of rows lies close to the
others, and detectors hardly see it. ``ranking.ask()`` chooses rows that are worth an answer, and
``ranking.tell()`` teaches the committee.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import average_precision_score

from oddrank import rank_detectors
from oddrank.rows import as_table


def rows(seed):
    """Return ordinary rows, and a group of odd ones at the edge of them."""
    random = np.random.default_rng(seed)
    ordinary = random.normal(size=(560, 4)) @ np.triu(np.ones((4, 4)))
    odd = random.normal([2.2, 4.2, 4.0, 3.0], 0.5, size=(40, 4))
    return np.vstack([ordinary, odd]), np.repeat([False, True], [560, 40])


table, is_odd = rows(0)
fresh, labels = rows(1)
ranking = rank_detectors("fast", table, random_state=0)

# %%
# One question at a time. The answer is what you would say of the row; here it is the truth.

precision = [average_precision_score(labels, -ranking.score_samples(fresh))]
for _ in range(30):
    (row,) = ranking.ask(1)
    ranking = ranking.tell({row: bool(is_odd[row])})
    precision.append(average_precision_score(labels, -ranking.score_samples(fresh)))
print(f"{sum(ranking.answers.values())} of {len(ranking.answers)} rows were odd")

# %%
# Average precision on fresh rows, beside the best single detector, chosen with all labels.

singles = {
    name: average_precision_score(labels, -ranking.refit.fitted(name).score(as_table(fresh)))
    for name in ranking.order
}
best = max(singles, key=singles.get)
figure, axis = plt.subplots(figsize=(6, 4))
axis.plot(precision, marker=".", label="committee, taught by the answers")
axis.axhline(singles[best], linestyle="--", color="#666666", label=f"{best}, best by all labels")
axis.set(xlabel="answers", ylabel="average precision on fresh rows", ylim=(0.0, 1.0))
axis.legend()
figure.tight_layout()
