"""Run the cells that have no row yet, in parallel, and store each as it comes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import joblib

from oddrank.benchmark.cells import cells_of
from oddrank.benchmark.run_cell import run_cell
from oddrank.benchmark.specification import BenchmarkSpec
from oddrank.benchmark.store import append_rows, read_rows, stored_presets
from oddrank.benchmark.verdict import run_pool
from oddrank.execution import progress_bar

__all__ = ["run_benchmark"]


def run_benchmark(
    spec: BenchmarkSpec,
    path: str | os.PathLike[str],
    *,
    data_home: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> list[dict[str, Any]]:
    """Run a benchmark, or what is left of it, and return all its rows.

    Parameters
    ----------
    spec : BenchmarkSpec
    path : path
        A file of JSON lines. Rows that are there are not run again; a run that was stopped goes on.
    data_home : path, optional
        A folder of raw files, as in `oddrank.datasets.load`.
    n_jobs : int, optional
    progress : bool

    Returns
    -------
    list of rows
    """
    cells = list(cells_of(spec))
    stored = stored_presets(read_rows(path))
    missing = [cell for cell in cells if not set(cell.presets) <= stored.get(cell.key, set())]
    home = None if data_home is None else str(Path(data_home))
    bar = progress_bar(len(cells), shown=progress, unit="cell")
    bar.update(len(cells) - len(missing))
    work = run_pool if spec.presets == ("verdict",) else run_cell
    parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    try:
        for rows in parallel(joblib.delayed(work)(cell, spec, home) for cell in missing):
            append_rows(path, rows)
            bar.update(1)
    finally:
        bar.close()
    return read_rows(path)
