"""
Twins must tie
==============

Two isolation forests that differ in their seed only are equally good. A test at 5 % should
hardly ever tell them apart. An error that counts rows and points alone would do so often,
because another seed is not in it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import IsolationForest

from oddrank import rank_detectors

leads, errors, separated = [], [], 0
for seed in range(6):
    X = np.random.default_rng(seed).normal(size=(500, 4))
    twins = {
        name: IsolationForest(n_estimators=20, random_state=number)
        for number, name in enumerate(("first", "second"))
    }
    comparison = rank_detectors(twins, X, random_state=seed).compare("first", "second")
    sign = 1.0 if comparison.better == "first" else -1.0
    leads.append(sign * comparison.lead.value)
    errors.append(comparison.lead.standard_error)
    separated += comparison.separated
print(f"{separated} of {len(leads)} pairs of twins are told apart")

figure, axis = plt.subplots()
axis.errorbar(range(len(leads)), leads, yerr=2 * np.array(errors), fmt="o", capsize=4)
axis.axhline(0.0, linestyle=":", color="black")
axis.set(xlabel="table", ylabel="lead of the first twin, with two errors")
figure.tight_layout()
