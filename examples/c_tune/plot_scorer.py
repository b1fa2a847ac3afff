"""
scikit-learn's own searches, without labels
===========================================

:func:`oddrank.make_label_free_scorer` makes a scorer for ``GridSearchCV``, ``cross_val_score``
and their relatives. Give it the box of all rows, so that scores of different folds have the
same unit.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

from oddrank import BoundingBox, make_label_free_scorer
from oddrank.io import make_known_density
from oddrank.reference import UniformBox

X = make_known_density("banana", 600, 2, random_state=0).X
scorer = make_label_free_scorer(
    "excess_mass",
    box=BoundingBox.from_arrays(X),
    reference=UniformBox(n_points=2**11, n_replicates=2),
    random_state=0,
)
gammas = [0.1, 1.0, 10.0, 100.0, 1000.0]
search = GridSearchCV(
    make_pipeline(StandardScaler(), OneClassSVM(nu=0.5)),
    {"oneclasssvm__gamma": gammas},
    scoring=scorer,
    cv=3,
).fit(X)
print(search.best_params_)

scores = [search.cv_results_[f"split{k}_test_score"] for k in range(3)]
figure, axis = plt.subplots()
axis.plot(gammas, np.transpose(scores), color="#999999", marker=".", label=["one fold", "", ""])
axis.plot(gammas, search.cv_results_["mean_test_score"], marker="o", linewidth=2, label="mean")
axis.set(xscale="log", xlabel="gamma", ylabel="excess mass (higher is better)")
axis.legend()
figure.tight_layout()
