"""How steady the list of odd rows is, and whether p-values of new rows hold what they say.

Jaccard: of the 20 oddest rows of two seeds, the share that both have, over ten pairs of seeds, by
how often the rows are split. P-values: the share of ordinary new rows at or below each level, with
tables of 60 and 200 rows. Flags: the share of ordinary rows among those that Benjamini and
Hochberg's procedure flags at 0.1, where 10 of 200 new rows are odd.
"""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import Any

import numpy as np
from scipy.stats import false_discovery_control
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity, LocalOutlierFactor

from benchmarks.datasets import load
from benchmarks.measurements.timing import table
from oddrank import Committee
from oddrank._typing import FloatArray
from oddrank.detectors import pool_of

TABLES = ("pima", "annthyroid", "wilt", "page_blocks", "ionosphere", "mammography")
ROWS, SEEDS, LOOKED_AT = 600, range(5), 20
REPEATS = (1, 2, 3, 5)
LEVELS = (0.02, 0.05, 0.1, 0.2)
POOLS: dict[str, dict[str, Any]] = {
    "forest of 5 trees": {"forest": IsolationForest(n_estimators=5)},
    "LOF, 3 neighbours": {"lof": LocalOutlierFactor(3, novelty=True)},
    "kernel density": {"density": KernelDensity(bandwidth=0.3)},
    "Gaussian": {"gaussian": GaussianMixture(1)},
    "these four": {
        "forest": IsolationForest(n_estimators=5),
        "lof": LocalOutlierFactor(3, novelty=True),
        "density": KernelDensity(bandwidth=0.3),
        "gaussian": GaussianMixture(1),
    },
}


def jaccard(name: str) -> list[str]:
    """Return mean and least Jaccard index of the oddest rows of two seeds, by splits."""
    X = np.asarray(load(name).X, dtype=float)
    X = X[np.random.default_rng(0).permutation(len(X))[:ROWS]]
    X = X[:, np.ptp(X, axis=0) > 0.0]
    cells = []
    for n_repeats in REPEATS:
        oddest = []
        for seed in SEEDS:
            model = Committee(pool_of(["default"]), n_repeats=n_repeats, random_state=seed).fit(X)
            oddest.append(set(np.argsort(-model.row_oddness_.mean(axis=0))[:LOOKED_AT].tolist()))
        found = [len(a & b) / len(a | b) for a, b in combinations(oddest, 2)]
        cells.append(f"{np.mean(found):.2f} ({min(found):.2f})")
    return cells


def p_values(pool: dict[str, Any], n_rows: int, n_tables: int = 60) -> list[str]:
    """Return the share of ordinary new rows at or below each level, with its error."""
    shares = np.array([
        [(found <= level).mean() for level in LEVELS]
        for found in (_new_p_values(pool, n_rows, seed)[0] for seed in range(n_tables))
    ])  # fmt: skip
    errors = shares.std(axis=0, ddof=1) / np.sqrt(n_tables)
    return [f"{a:.3f} ± {b:.3f}" for a, b in zip(shares.mean(axis=0), errors, strict=True)]


def _new_p_values(pool: dict[str, Any], n_rows: int, seed: int) -> tuple[FloatArray, FloatArray]:
    random = np.random.default_rng(seed)
    model = Committee(pool, random_state=seed).fit(random.normal(size=(n_rows, 3)))
    ordinary, odd = random.normal(size=(190, 3)), random.normal(size=(10, 3)) + 6.0
    return model.p_values(ordinary), model.p_values(odd)


def false_discoveries(pool: dict[str, Any], n_rows: int, n_tables: int = 60) -> list[str]:
    """Return the mean share of ordinary rows among the flagged ones, and of odd rows flagged."""
    false, power = [], []
    for seed in range(n_tables):
        ordinary, odd = _new_p_values(pool, n_rows, seed)
        flagged = false_discovery_control(np.r_[ordinary, odd]) <= 0.1
        false.append(flagged[:190].sum() / max(flagged.sum(), 1))
        power.append(flagged[190:].mean())
    error = np.std(false, ddof=1) / np.sqrt(n_tables)
    return [f"{np.mean(false):.3f} ± {error:.3f}", f"{np.mean(power):.2f}"]


def report() -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same = [[name, *jaccard(name)] for name in TABLES]
        p = [[name, str(n), *p_values(pool, n)] for name, pool in POOLS.items() for n in (60, 200)]
        flags = [[name, *false_discoveries(pool, 1000, 30)] for name, pool in POOLS.items()]
    splits = [f"{n} split{'s' * (n > 1)}: mean (least)" for n in REPEATS]
    return "\n".join([
        table(f"The {LOOKED_AT} oddest rows of two seeds: Jaccard index", ["table", *splits], same),
        table("Ordinary new rows with a p-value of at most", ["model", "rows", *map(str, LEVELS)],
              p),
        table("Flags of new rows at a false-discovery rate of 0.1, 1,000 rows in the table",
              ["model", "ordinary among the flagged", "odd rows flagged"], flags),
    ])  # fmt: skip
