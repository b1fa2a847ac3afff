"""How often flags of a table's own rows are right: planted outliers, and datasets with labels.

Flags come from a model of the tail of held-out scores at a false-discovery rate of 0.1. Rows are
stored one by one (`build/row_flags.jsonl`), and a run that was stopped continues. Scores of large
tables are simulated: the model is asked alone.
"""

from __future__ import annotations

import itertools
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import SOURCES
from benchmarks.measurements.timing import table
from benchmarks.prepare import split_of
from oddrank import rank_detectors
from oddrank.criteria import model_tail
from oddrank.rows import Table

FDR, SEEDS, MAX_ROWS = 0.1, 3, 2000
SHARES = (0.0, 0.02, 0.05, 0.1)
STORE = Path("build") / "row_flags.jsonl"
LAWS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "Gaussian": lambda random, n: random.normal(size=n),
    "beta(2, 5)": lambda random, n: random.beta(2.0, 5.0, size=n),
    "gamma(5)": lambda random, n: random.gamma(5.0, size=n),
    "exponential": lambda random, n: random.exponential(size=n),
    "log-normal": lambda random, n: np.exp(random.normal(size=n)),
    "Student, 4": lambda random, n: np.abs(random.standard_t(4, size=n)),
    "Student, 2": lambda random, n: np.abs(random.standard_t(2, size=n)),
}
SIZES, N_PLANTED, LARGE_SEEDS = (1_000, 20_000, 200_000, 1_000_000), 20, 5


def planted(kind: str, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return 1,000 rows of 5 features and which of them are planted."""
    random = np.random.default_rng(seed)
    X = {
        "Gaussian": lambda: random.normal(size=(1000, 5)) @ (np.eye(5) + 0.5),
        "two clusters": lambda: (
            random.normal(size=(1000, 5)) + 6.0 * random.integers(0, 2, (1000, 1))
        ),
        "lognormal": lambda: np.exp(0.7 * random.normal(size=(1000, 5))),
        "heavy tails": lambda: random.standard_t(4, size=(1000, 5)),
    }[kind]()
    n_odd = round(1000 * share)
    far = random.uniform(4.0, 8.0, (n_odd, 5)) * random.choice([-1.0, 1.0], (n_odd, 5))
    X[:n_odd] = X.mean(axis=0) + X.std(axis=0) * far
    return X, np.arange(1000) < n_odd


def labelled(name: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    split = split_of(name, "unsupervised", seed, MAX_ROWS)
    usable = np.ptp(split.X_test, axis=0) > 0.0
    return split.X_test[:, usable], split.y_test == 1


def measure_one(X: np.ndarray, odd: np.ndarray, seed: int) -> dict[str, Any]:
    """Rank, flag, and count which flags are right."""
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranking = rank_detectors(
            "fast", Table(values=X, feature_names=names),
            n_jobs=2, random_state=seed,
        )  # fmt: skip
        found = {of: ranking.odd_rows(FDR, of=of, n_explained=0) for of in ("best",)}
    return {
        of: {
            "flagged": each.n_flagged,
            "right": int((each.flagged & odd).sum()),
            "odd": int(odd.sum()),
            "problem": each.problem,
        }
        for of, each in found.items()
    }


def rows() -> list[dict[str, Any]]:
    """Return all measured rows, and measure those that are not stored yet."""
    STORE.parent.mkdir(exist_ok=True)
    done = [json.loads(line) for line in STORE.read_text().splitlines()] if STORE.exists() else []
    known = {tuple(row["key"]) for row in done}
    kinds = ("Gaussian", "two clusters", "lognormal", "heavy tails")
    keys: list[tuple[Any, ...]] = [
        ("planted", kind, share, seed)
        for kind in kinds
        for share in SHARES
        for seed in range(SEEDS)
    ]
    keys += [("labelled", name, 0, 0) for name in SOURCES]
    for key in keys:
        if key in known:
            continue
        origin, name, share, seed = key
        X, odd = planted(name, share, seed) if origin == "planted" else labelled(name, seed)
        done.append({"key": list(key), **measure_one(X, odd, seed)})
        with STORE.open("a", encoding="utf-8") as file:
            file.write(json.dumps(done[-1]) + "\n")
    return done


def _line(title: str, found: list[dict[str, Any]]) -> list[str]:
    false = [1.0 - each["right"] / each["flagged"] if each["flagged"] else 0.0 for each in found]
    power = [each["right"] / each["odd"] for each in found if each["odd"]]
    problems = sum(bool(each["problem"]) for each in found)
    shown = f"{np.mean(power):.2f}" if power else "–"
    return [title, str(len(found)), f"{np.mean(false):.2f}", shown, str(problems)]


def large_tables() -> str:
    """Return how many ordinary rows are flagged by the model, and how many of 20 planted ones.

    Planted rows lie 1.3 to 3 times as far from the median as the oddest of n ordinary rows does.
    """
    lines = []
    for law, n_rows in itertools.product(LAWS, SIZES):
        false, found, problems = [], [], 0
        for seed in range(LARGE_SEEDS):
            random = np.random.default_rng(seed)
            oddness = LAWS[law](random, n_rows)
            oddness -= np.median(oddness)
            alone = model_tail(oddness, FDR)
            reach = np.quantile(oddness, 1.0 - 1.0 / n_rows)
            oddness[:N_PLANTED] = reach * random.uniform(1.3, 3.0, N_PLANTED)
            both = model_tail(oddness, FDR)
            false.append(int(alone.flagged.sum()))
            found.append(int(both.flagged[:N_PLANTED].sum()))
            problems += bool(alone.problem)
        lines.append([
            law, f"{n_rows:,}", f"{np.mean(false):.1f}", str(max(false)), f"{np.mean(found):.1f}",
            str(problems),
        ])  # fmt: skip
    head = ["scores", "rows", "ordinary flagged, mean", "most", "found of 20", "no model"]
    return table(f"Simulated scores, {LARGE_SEEDS} tables each", head, lines)


def report() -> str:
    done = rows()
    head = ["rows", "runs", "false discoveries", "power", "nothing flagged, with a reason"]
    parts = []
    for of in ("best",):
        lines = []
        for share in SHARES:
            chosen = [r[of] for r in done if r["key"][0] == "planted" and r["key"][2] == share]
            lines.append(_line(f"{share:.0%} planted", chosen))
        labelled_rows = [row for row in done if row["key"][0] == "labelled"]
        lines.append(_line("datasets with labels", [row[of] for row in labelled_rows]))
        parts.append(table(f"Rows flagged by the {of}, false-discovery rate {FDR:g}", head, lines))
    each = [
        [row["key"][1], str(row["best"]["odd"]), str(row["best"]["flagged"]),
         str(row["best"]["right"]), row["best"]["problem"] or "–"]
        for row in done if row["key"][0] == "labelled"
    ]  # fmt: skip
    head = ["dataset", "anomalies", "flagged", "right", "why nothing is flagged"]
    parts.append(table("Datasets with labels, one by one", head, each))
    return "\n".join([*parts, large_tables()])


if __name__ == "__main__":
    print(report())
