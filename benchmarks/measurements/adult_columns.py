"""What categories add: the census data with its six numbers alone, and with all of its columns.

The training rows are polluted (people who earn more than 50,000 dollars are the anomalies).
Labels are used only at the end, on rows that no detector was fitted on.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score, roc_auc_score

from benchmarks.datasets.files import data_folder
from benchmarks.measurements.timing import table
from oddrank import rank_detectors
from oddrank.io import Reading, read_table
from oddrank.rows import as_table

SEEDS = range(5)
N_ROWS = 4000
NAMES = (
    "age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation",
    "relationship", "race", "sex", "capital_gain", "capital_loss", "hours_per_week",
    "native_country", "income",
)  # fmt: skip


def read_census() -> tuple[pd.DataFrame, np.ndarray]:
    """Return all columns of the raw file, as the command line reads them, and the labels."""
    path = data_folder() / "adult" / "adult.data"
    read = read_table(path, reading=Reading(header=False), label="x14")
    names = [NAMES[int(name[1:])] for name in read.feature_names]
    return read.X.set_axis(names, axis="columns"), np.asarray(read.labels) == ">50K"


def measure_one(frame: pd.DataFrame, odd: np.ndarray, seed: int) -> dict[str, float]:
    """Rank on some rows, and compare best and committee with the labels of others."""
    order = np.random.default_rng(seed).permutation(len(frame))
    train, test = order[:N_ROWS], order[N_ROWS : 2 * N_ROWS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranking = rank_detectors(
            "default",
            frame.iloc[train].reset_index(drop=True),
            preprocess="auto",
            n_jobs=2,
            random_state=seed,
        )
        rows = frame.iloc[test].reset_index(drop=True)
        scores = {
            "best": -ranking.score_samples(rows),
            "committee": -ranking.committee.score_samples(rows),
            **{name: -ranking.refit.fitted(name).score(as_table(rows)) for name in ranking.order},
        }
    areas = {name: roc_auc_score(odd[test], each) for name, each in scores.items()}
    single = [areas[name] for name in ranking.order]
    return {
        "best": areas["best"],
        "committee": areas["committee"],
        "mean of all": float(np.mean(single)),
        "highest of all": float(np.max(single)),
        "best, PR": average_precision_score(odd[test], scores["best"]),
        "committee, PR": average_precision_score(odd[test], scores["committee"]),
    }


def report() -> str:
    frame, odd = read_census()
    numbers = frame.select_dtypes("number")
    rows = []
    for title, columns in (("numbers alone", numbers), ("all columns", frame)):
        found = pd.DataFrame([measure_one(columns, odd, seed) for seed in SEEDS])
        rows.append([title, str(columns.shape[1]), *_with_errors(found)])
    head = ["columns", "number", "best", "committee", "mean of all", "highest of all",
            "best, PR", "committee, PR"]  # fmt: skip
    title = (
        f"Census data, polluted rows: ROC areas on {N_ROWS:,} other rows, {len(SEEDS)} seeds "
        f"(anomalies: {odd.mean():.0%})"
    )
    return table(title, head, rows)


def _with_errors(found: pd.DataFrame) -> list[str]:
    errors = found.std() / np.sqrt(len(found))
    return [f"{found[name].mean():.3f} ± {errors[name]:.3f}" for name in found]


if __name__ == "__main__":
    print(report())
