"""Run the cells of a study that have no row yet, and store each row when it is done."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any, Protocol

import joblib
import numpy as np
import scipy
import sklearn
from threadpoolctl import threadpool_limits
from tqdm import tqdm

import oddrank
from benchmarks.rows import append_row, read_rows, row_key


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What gives one row: a detector, or a whole pool, on one dataset, setting and seed."""

    dataset: str
    setting: str
    seed: int
    detector: str = "pool"


class Study(Protocol):
    """Cells, and what is measured in each of them."""

    @property
    def options(self) -> Mapping[str, Any]:
        """What changes the rows of a cell: rows of other options are no rows of this study."""

    def cells(self) -> Iterator[Cell]:
        """Yield every cell, in the same order every time."""

    def measure(self, cell: Cell) -> dict[str, Any]:
        """Return what the row of a cell says."""


def run(
    study: Study, path: str | os.PathLike[str], *, n_jobs: int = 1, progress: bool = False
) -> list[dict[str, Any]]:
    """Run a study, or what is left of it, and return its rows.

    Cells that are done are not run again, so a run that was stopped goes on. What failed is tried
    again.
    """
    wanted = {row_key(asdict(cell)): cell for cell in study.cells()}
    done = {row_key(row) for row in read_rows(path) if _is_done(row, study)}
    missing = [cell for key, cell in wanted.items() if key not in done]
    tasks = (joblib.delayed(run_cell)(study, cell) for cell in missing)
    parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    with tqdm(total=len(missing), unit="cell", disable=not progress) as bar:
        for row in parallel(tasks):
            append_row(path, row)
            bar.update()
    return [row for row in read_rows(path) if row_key(row) in wanted]


def _is_done(row: Mapping[str, Any], study: Study) -> bool:
    return bool(row["status"] == "done" and row["options"] == dict(study.options))


def run_cell(study: Study, cell: Cell) -> dict[str, Any]:
    """Return the row of a cell; a failure is a row with its reason."""
    facts = {**asdict(cell), "options": dict(study.options), "versions": _versions()}
    start = perf_counter()
    try:
        with threadpool_limits(limits=1, user_api="blas"):
            measured = study.measure(cell)
    except Exception as error:  # detectors raise what they like, and the other cells go on
        return {**facts, "status": "failed", "reason": f"{type(error).__name__}: {error}"}
    return {**facts, "status": "done", "seconds": perf_counter() - start, **measured}


def _versions() -> dict[str, str]:
    return {
        "python": platform.python_version(),
        "oddrank": oddrank.__version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }
