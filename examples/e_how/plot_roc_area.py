"""
The score: a ROC curve between rows and points
==============================================

At every threshold a level set holds a share of the rows and a share of the points. These shares
form a ROC curve. The area below it is the probability that a row scores above a point. The
density ratio of rows and points gives the largest area there is (Neyman and Pearson).
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score, roc_curve

random = np.random.default_rng(0)
correlation = np.array([[1.0, 0.9], [0.9, 1.0]])
X = random.multivariate_normal([0, 0], correlation, 4000)
train, test = X[:2000], X[2000:]
points = np.column_stack([random.permutation(column) for column in test.T])  # product of marginals
inverse = np.linalg.inv(correlation) - np.eye(2)
scores = {
    "density ratio (best)": lambda rows: -np.einsum("ni,ij,nj->n", rows, inverse, rows),
    "density": lambda rows: -np.einsum("ni,ij,nj->n", rows, inverse + np.eye(2), rows),
    "isolation forest": IsolationForest(random_state=0).fit(train).score_samples,
    "distance from the middle": lambda rows: -(rows**2).sum(axis=1),
}
figure, axis = plt.subplots(figsize=(5.5, 5))
is_row = np.r_[np.ones(len(test)), np.zeros(len(points))]
for name, score in scores.items():
    values = np.concatenate([score(test), score(points)])
    area = roc_auc_score(is_row, values)
    print(f"{name:25} {area:.3f}")
    axis.plot(*roc_curve(is_row, values)[:2], label=f"{name}: {area:.3f}")
axis.plot([0, 1], [0, 1], linestyle=":", color="black")
axis.set(xlabel="share of the points", ylabel="share of the rows")
axis.legend(loc="lower right", fontsize=9)
figure.tight_layout()
