"""
Discrete features: volume means nothing
=======================================

**What fails.** If features take a handful of values, the rows fill no volume at all. A detector
can shrink its level sets to spikes on these values. Excess mass then grows without bound,
although the order of the rows has not changed.

**The experiment.** Three counts from 0 to 4. A kernel density with ever smaller bandwidth;
anomalies are rare combinations.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KernelDensity

from oddrank import evaluate_detector
from oddrank.errors import OddrankWarning
from oddrank.reference import ImportanceMixture

random = np.random.default_rng(0)


def counts(n):
    """Three counts that rise and fall together."""
    return np.minimum(random.poisson(1.0, (n, 1)) + random.binomial(1, 0.3, (n, 3)), 4).astype(
        float
    )


X = counts(800)
X_new = np.concatenate([counts(1350), random.integers(0, 5, (150, 3))])
labels = np.r_[np.zeros(1350), np.ones(150)]
bandwidths = [1.0, 0.5, 0.3, 0.1, 0.03]
excess, areas = [], []
with warnings.catch_warnings():
    warnings.simplefilter("ignore", OddrankWarning)  # the checks are printed below
    for bandwidth in bandwidths:
        detector = KernelDensity(bandwidth=bandwidth)
        evaluation = evaluate_detector(
            detector, X, reference=ImportanceMixture(n_points=2**11, n_replicates=4), random_state=0
        )
        excess.append(evaluation.excess_mass.value)
        areas.append(roc_auc_score(labels, -detector.fit(X).score_samples(X_new)))
        print(f"bandwidth {bandwidth:5}: EM {excess[-1]:10.4g}   ROC with labels {areas[-1]:.3f}")

# %%
# **What was seen.** From a bandwidth of 0.3 on, the ROC area stays the same, and EM goes on
# rising by orders of magnitude. So EM says nothing here about which detector is better. The
# checks say so:

for diagnostic in (
    evaluation.diagnostics["discrete features"],
    evaluation.diagnostics["tied scores"],
):
    print(diagnostic)

figure, left = plt.subplots()
left.plot(bandwidths, excess, marker="o", label="EM without labels")
left.set(xscale="log", yscale="log", xlabel="bandwidth", ylabel="EM (log scale)")
right = left.twinx()
right.plot(bandwidths, areas, marker="s", color="#d55e00", label="ROC with labels")
right.set(ylim=(0.5, 1.0), ylabel="ROC area")
figure.legend(loc="upper center", ncols=2)

# %%
# **What to do.** Keep the default judge: its reference measures draw discrete columns from
# their own values. Never use ``judge="volume"`` on counts, grades or codes.
