"""What people wait for on a table of 3,000 x 8 rows: importances, and the command line."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor

from benchmarks.measurements.one_ranking import clustered_rows
from benchmarks.measurements.timing import table
from oddrank import FeatureSubsampling, feature_importance

SIZE = (3_000, 8)
DETECTORS = {"forest": IsolationForest(random_state=0), "LOF": LocalOutlierFactor(novelty=True)}


def importances() -> list[list[str]]:
    """Measure feature importances: seconds, and the errors that they come with."""
    lines = []
    for name, detector in DETECTORS.items():
        start = time.process_time()
        result = feature_importance(
            detector, clustered_rows(*SIZE), n_jobs=1, random_state=0,
            subsampling=FeatureSubsampling(4, 40, "geometric"),
        )  # fmt: skip
        spent = time.process_time() - start
        error = np.mean([each.standard_error for each in result.importances])
        figure = f"{spent:.2f} s, mean standard error {error:.4f}"
        lines.append([f"importances of {name}, 40 draws", figure, ""])
    return lines


def commands() -> list[list[str]]:
    """Run the command line on a bad argument, on a table, and with a page."""
    with tempfile.TemporaryDirectory() as folder:
        path, page = Path(folder) / "rows.csv", Path(folder) / "page.html"
        np.savetxt(path, clustered_rows(*SIZE), delimiter=",", header=",".join("abcdefgh"),
                   comments="")  # fmt: skip
        missing = min(_command("rank", "nosuch.csv", code=2) for _ in range(3))
        rank = ("rank", str(path), "--jobs", "1", "--quiet")
        plain = _command(*rank)
        whole = _command(*rank, "--html", str(page))
    return [
        ["`oddrank rank nosuch.csv`", f"{missing:.2f} s", "0.5 s"],
        ["`oddrank rank rows.csv`, the default pool", f"{plain:.2f} s", ""],
        ["what its page adds", f"{whole - plain:.2f} s", "3 s"],
    ]


def _command(*words: str, code: int = 0) -> float:
    """Return the processor time of a command, which must end with this code."""
    start = os.times()
    found = subprocess.run(
        [sys.executable, "-m", "oddrank.cli", *words], check=False, capture_output=True
    )
    end = os.times()
    assert found.returncode == code, found.stderr
    return end.children_user + end.children_system - start.children_user - start.children_system


def report() -> str:
    lines = [*importances(), *commands()]
    size = f"{SIZE[0]:,} x {SIZE[1]}"
    return table(f"A table of {size} rows, processor time", ["figure", "measured", "goal"], lines)
