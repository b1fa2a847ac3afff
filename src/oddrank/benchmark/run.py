"""Run the cells that have no row yet, in parallel, and store each row when it is done."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from time import perf_counter
from typing import Any

import joblib
import numpy as np
import scipy
import sklearn
from threadpoolctl import threadpool_limits

from oddrank import __version__
from oddrank.benchmark.cell_measurement import measure_cell
from oddrank.benchmark.cells import Cell, cells_of
from oddrank.benchmark.labelled_rows import split_of
from oddrank.benchmark.specification import BenchmarkSpec
from oddrank.benchmark.store import append_rows, read_rows, stored_presets
from oddrank.benchmark.verdict import measure_pool
from oddrank.errors import DetectorError, InvalidDataError
from oddrank.execution import progress_bar

__all__ = ["run_benchmark", "run_cell"]


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
        A file of JSON lines. Stored rows are not run again, so a run that was stopped continues.
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
    parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    try:
        for rows in parallel(joblib.delayed(run_cell)(cell, spec, home) for cell in missing):
            append_rows(path, rows)
            bar.update(1)
    finally:
        bar.close()
    return read_rows(path)


def run_cell(cell: Cell, spec: BenchmarkSpec, data_home: str | None) -> list[dict[str, Any]]:
    """Return one row per preset; a failure is a row with its reason."""
    facts = _facts(cell, spec)
    measure = measure_pool if cell.presets == ("verdict",) else measure_cell
    start = perf_counter()
    try:
        split, data_hash = split_of(cell.dataset, cell.setting, cell.seed, spec.max_rows, data_home)
        with threadpool_limits(limits=1, user_api="blas"):
            measured = measure(cell, spec, split)
    except (DetectorError, InvalidDataError) as error:
        facts |= {"status": "failed", "reason": str(error)}
        return [{**facts, "preset": preset} for preset in cell.presets]
    facts |= {"status": "done", "data_hash": data_hash, "seconds": perf_counter() - start}
    return [{**facts, "preset": preset, **measured[preset]} for preset in cell.presets]


def _facts(cell: Cell, spec: BenchmarkSpec) -> dict[str, Any]:
    """Return what every row of a cell says about itself."""
    return {
        "dataset": cell.dataset.name,
        "setting": cell.setting,
        "detector": cell.detector.name,
        "seed": cell.seed,
        "draw": cell.draw,
        "parameters": dict(cell.detector.parameters),
        "max_rows": spec.max_rows,
        "versions": {
            "python": platform.python_version(),
            "oddrank": __version__,
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "scikit-learn": sklearn.__version__,
        },
    }
