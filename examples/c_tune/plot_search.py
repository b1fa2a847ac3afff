"""
Choose settings without labels
==============================

:class:`oddrank.LabelFreeSearchCV` ranks every setting of a grid, as ``rank_detectors`` ranks
detectors, and says which settings cannot be told from the best one. Afterwards it is a detector
itself, with a calibrated threshold.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.neighbors import KernelDensity

from oddrank import LabelFreeSearchCV, LevelSetDisplay
from oddrank.io import make_known_density

X = make_known_density("banana", 800, 2, random_state=0).X
bandwidths = [0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6]
search = LabelFreeSearchCV(KernelDensity(), {"bandwidth": bandwidths}, random_state=0).fit(X)
results = search.cv_results_
print("best:", search.best_params_)
print("ties with it:", [results["params"][i]["bandwidth"] for i in search.inseparable_])

figure, axes = plt.subplots(1, 2, figsize=(10, 4))
axes[0].errorbar(
    bandwidths, results["mean_test_score"], results["error_of_score"], marker="o", capsize=3
)
axes[0].set(xscale="log", xlabel="bandwidth", ylabel="mean area (higher is better)")
LevelSetDisplay.from_estimator(search.best_estimator_, X, fitted=True, ax=axes[1])
figure.tight_layout()

# %%
# The ranking of all settings is there as well, with its verdict.

print(search.ranking_)

# %%
# The threshold is calibrated: about one fresh row in twenty is flagged.

fresh = make_known_density("banana", 2000, 2, random_state=1).X
print(f"flagged among fresh rows: {np.mean(search.predict(fresh) == -1):.3f}")
