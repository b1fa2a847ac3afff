"""What rankings of small tables cost beside the detectors themselves.

All times are of the processor. With `ODDRANK_BEFORE`, the `src` folder of another checkout, the
same measurements run there in turn, so that both columns come from one run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor
from threadpoolctl import threadpool_limits

from benchmarks.measurements.timing import table
from benchmarks.verdict.study import TWIN, pool
from oddrank import FeatureSubsampling, evaluate_scores, feature_importance, rank_detectors
from oddrank import normality_function as normality
from oddrank.reference import AutoReference

SIZES = ((214, 7), (3_000, 8), (10_000, 30))
# Points of volumes that decide nothing are scored in calls of these sizes, then and now.
VOLUME_CALLS = (2**11, 2**10)
PARTS = ("ranking", "auto", "importance", "command")


class Clock:
    """Counts the time inside methods of detectors, whoever calls them."""

    def __init__(self) -> None:
        self.seconds, self.of_volumes, self._inside = 0.0, 0.0, False

    def watch(self, kind: type, name: str) -> None:
        method = getattr(kind, name, None)
        if method is None:
            return

        def timed(detector: object, rows: np.ndarray, *rest: object, **options: object) -> object:
            if self._inside:
                return method(detector, rows, *rest, **options)
            self._inside, start = True, time.process_time()
            try:
                return method(detector, rows, *rest, **options)
            finally:
                spent, self._inside = time.process_time() - start, False
                self.seconds += spent
                self.of_volumes += spent * (name != "fit" and len(rows) in VOLUME_CALLS)

        setattr(kind, name, timed)


def _cpu(function: Callable[[], object]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


def _rows(n_rows: int, n_features: int) -> np.ndarray:
    random, n_factors = np.random.default_rng(0), max(2, n_features // 2)
    centres, mixing = (
        random.normal(0, 3, (5, n_features)),
        random.normal(size=(n_factors, n_features)),
    )
    rows = centres[random.integers(0, 5, n_rows)] + random.normal(size=(n_rows, n_factors)) @ mixing
    rows += 0.3 * random.normal(size=rows.shape)
    return (rows - rows.mean(axis=0)) / rows.std(axis=0)


def ranking() -> dict[str, float]:
    """Thirteen detectors, as people rank them."""
    detectors = {name: each for name, each in pool().items() if not name.startswith(TWIN)}
    clock, found = Clock(), {}
    for kind in {type(each) for each in detectors.values()}:
        for name in ("fit", "score_samples", "decision_function"):
            clock.watch(kind, name)
    for n_rows, n_features in SIZES:
        rows = _rows(n_rows, n_features)
        train, test = rows[: n_rows // 2], rows[n_rows // 2 :]

        def once(train: np.ndarray = train, test: np.ndarray = test) -> None:
            with threadpool_limits(limits=1, user_api="blas"):
                for detector in detectors.values():
                    normality(clone(detector).fit(train))(test)

        def rank(rows: np.ndarray = rows) -> None:
            rank_detectors(detectors, rows, scale=False, n_jobs=1, random_state=0)

        ratios = []
        for _ in range(3 if n_rows < 5_000 else 1):
            alone, clock.seconds, clock.of_volumes = _cpu(once), 0.0, 0.0
            whole, inside = _cpu(rank), clock.seconds
            ratios.append((whole / inside - 1.0, whole / alone))
        size = f"{n_rows:,} x {n_features}"
        found[f"own time over the detectors' ({size})"] = median(each[0] for each in ratios)
        found[f"whole over fitting and scoring once ({size})"] = median(each[1] for each in ratios)
        if n_features <= 8:
            share = clock.of_volumes / (clock.seconds - clock.of_volumes)
            found[f"volumes' points over all else in detectors ({size})"] = share
    return found


def auto() -> dict[str, float]:
    """Volumes that decide: `AutoReference` around an isolation forest."""
    found = {}
    for n_features in (2, 5, 8):
        rows = np.random.default_rng(0).normal(size=(20_000, n_features))
        forest, ratios, errors = IsolationForest(random_state=0).fit(rows), [], []
        for seed in range(5):
            inside: list[float] = []

            def score(points: np.ndarray, inside: list[float] = inside) -> np.ndarray:
                start = time.process_time()
                scores = forest.score_samples(points)  # noqa: B023
                inside.append(time.process_time() - start)
                return scores

            start = time.process_time()
            evaluation = evaluate_scores(score, rows, reference=AutoReference(), random_state=seed)
            ratios.append((time.process_time() - start) / sum(inside) - 1.0)
            errors.append(evaluation.diagnostics["accuracy"].value)
        found[f"auto: own time over the forest's scoring ({n_features} features)"] = median(ratios)
        found[f"auto: error of the points ({n_features} features)"] = median(errors)
    return found


def importance() -> dict[str, float]:
    """Feature importances: seconds, and the errors that they come with."""
    found, rows = {}, _rows(3_000, 8)
    detectors = {"forest": IsolationForest(random_state=0), "LOF": LocalOutlierFactor(novelty=True)}
    for name, detector in detectors.items():
        for criterion in ("excess_mass", "mass_volume"):
            start = time.process_time()
            result = feature_importance(
                detector, rows, criterion=criterion, n_jobs=1, random_state=0,
                subsampling=FeatureSubsampling(4, 40, "geometric"),
            )  # fmt: skip
            spent = time.process_time() - start
            error = np.mean([each.standard_error for each in result.importances])
            label = f"{name}, {criterion.replace('_', ' ')}"
            found[f"importance: seconds for 40 draws ({label})"] = spent
            found[f"importance: mean standard error ({label})"] = float(error)
    return found


def command() -> dict[str, float]:
    """The command line: bad arguments, a table, and its page."""
    with tempfile.TemporaryDirectory() as folder:
        path, page = Path(folder) / "rows.csv", Path(folder) / "page.html"
        np.savetxt(path, _rows(3_000, 8), delimiter=",", header="a,b,c,d,e,f,g,h", comments="")
        missing = min(_command("rank", "nosuch.csv") for _ in range(3))
        rank = ("rank", str(path), "--jobs", "1", "--quiet")
        plain = _command(*rank)
        whole = _command(*rank, "--html", str(page))
    return {
        "command: seconds until a missing file is told": missing,
        "command: seconds for 3,000 x 8 rows, seven detectors": plain,
        "command: seconds that the page adds": whole - plain,
    }


def _command(*words: str) -> float:
    start = os.times()
    subprocess.run([sys.executable, "-m", "oddrank.cli", *words], check=False, capture_output=True)
    end = os.times()
    return end.children_user + end.children_system - start.children_user - start.children_system


GOALS = {
    "own time": "0.25",
    "whole": "5",
    "volumes' points": "0.25",
    "auto: own": "0.5",
    "auto: error": "0.02",
    "importance: seconds": "a quarter",
    "importance: mean": "as before",
    "command: seconds until": "0.5",
    "command: seconds that": "3",
}


def _goal(name: str) -> str:
    return next((goal for start, goal in GOALS.items() if name.startswith(start)), "")


def _measured(part: str, source: str | None) -> dict[str, float]:
    environment = os.environ | ({"PYTHONPATH": source} if source else {})
    result = subprocess.run(
        [sys.executable, "-m", "benchmarks.measurements.small_tables", part],
        check=True, capture_output=True, text=True, env=environment,
    )  # fmt: skip
    return dict(json.loads(result.stdout.splitlines()[-1]))


def report() -> str:
    before, rows = os.environ.get("ODDRANK_BEFORE"), []
    for part in PARTS:
        now = _measured(part, None)
        then = _measured(part, before) if before else {}
        for name, value in now.items():
            past = f"{then[name]:.3g}" if name in then else ""
            rows.append([name, past, f"{value:.3g}", _goal(name)])
    return table("Small tables, processor time", ["figure", "before", "now", "goal"], rows)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(globals()[sys.argv[1]]()))
