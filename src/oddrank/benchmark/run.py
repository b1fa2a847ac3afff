"""Run the cells that have no row yet, in parallel, and store each row when it is done."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import scipy
import sklearn
from threadpoolctl import threadpool_limits

from oddrank import __version__
from oddrank.benchmark.cell_measurement import measure_cell
from oddrank.benchmark.cells import Cell, CellDigests, CellKey, cells_of
from oddrank.benchmark.labelled_rows import split_of
from oddrank.benchmark.specification import BenchmarkSpec
from oddrank.benchmark.store import append_rows, latest, read_rows, row_key, stored_rows
from oddrank.benchmark.verdict import measure_pool
from oddrank.errors import DetectorError, InvalidDataError
from oddrank.execution import Workers, each_result, hearing_interrupts, progress_bar

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
        A file of JSON lines. Cells that have rows there are not run again, and a run that was
        stopped goes on. Other parameters, `max_rows`, data or code are another cell; what failed
        is tried again.
    data_home : path, optional
        A folder of raw files, as in `oddrank.datasets.load`.
    n_jobs : int, optional
    progress : bool

    Returns
    -------
    list of rows

    Notes
    -----
    Guide: :doc:`/benchmark`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from oddrank.benchmark import load_spec, run_benchmark
    >>> text = '''
    ... name = "mine"
    ... presets = ["oddrank"]
    ... settings = ["unsupervised"]
    ... seeds = [0]
    ... datasets = [{ name = "normal", path = 'TABLE' }]
    ... detectors = [{ name = "gaussian", path = "sklearn.mixture.GaussianMixture" }]
    ... '''
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table, spec = Path(folder) / "normal.csv", Path(folder) / "mine.toml"
    ...     np.savetxt(table, X, delimiter=",", header="a,b", comments="")
    ...     _ = spec.write_text(text.replace("TABLE", str(table)), "utf-8")
    ...     rows = run_benchmark(load_spec(spec), Path(folder) / "rows.jsonl")
    >>> [(row["dataset"], row["detector"], row["status"]) for row in rows]
    [('normal', 'gaussian', 'done')]
    """
    home = None if data_home is None else str(Path(data_home))
    cells, of_cell = list(cells_of(spec)), CellDigests(spec)
    digests = {cell.key: of_cell.of(cell) for cell in cells}
    missing = _missing(cells, digests, path)
    plan = _CellPlan(spec=spec, data_home=home, digests=digests)
    bar = progress_bar(len(cells), shown=progress, unit="cell")
    bar.update(len(cells) - len(missing))
    try:
        workers = Workers(n_jobs=n_jobs)
        with hearing_interrupts() as check_interrupts:
            for _, rows in each_result(list(enumerate(missing)), plan, (), workers):
                check_interrupts()
                append_rows(path, rows)
                bar.update(1)
    finally:
        bar.close()
    rows = read_rows(path)
    return [row for row in rows if digests.get(row_key(row), "") == row.get("cell")]


def _missing(
    cells: Sequence[Cell], digests: Mapping[CellKey, str], path: str | os.PathLike[str]
) -> list[Cell]:
    """Return the cells that have to be run; rows of a former run are made the latest again."""
    stored = stored_rows(path)
    done = {
        (*row_key(row), row.get("cell"), row["preset"]): row
        for row in stored
        if row["status"] == "done"
    }
    current = {(*row_key(row), row["preset"]): row for row in latest(stored)}
    missing, former = [], []
    for cell in cells:
        rows = [done.get((*cell.key, digests[cell.key], preset)) for preset in cell.presets]
        found = [row for row in rows if row is not None]
        if len(found) < len(rows):
            missing.append(cell)
        former += [row for row in found if current[*cell.key, row["preset"]] is not row]
    if former:
        append_rows(path, former)
    return missing


@dataclass(frozen=True, kw_only=True)
class _CellPlan:
    """What is done for every cell, here or in another process."""

    spec: BenchmarkSpec
    data_home: str | None
    digests: Mapping[CellKey, str]

    def run(self, cell: Cell) -> list[dict[str, Any]]:
        return run_cell(cell, self.spec, self.data_home, self.digests[cell.key])

    def failed(self, cell: Cell, reason: str) -> list[dict[str, Any]]:
        return _failed(cell, self.spec, self.digests[cell.key], reason)


def run_cell(
    cell: Cell, spec: BenchmarkSpec, data_home: str | None, digest: str = ""
) -> list[dict[str, Any]]:
    """Return one row per preset; a failure is a row with its reason."""
    facts = _facts(cell, spec, digest)
    measure = measure_pool if cell.presets == ("verdict",) else measure_cell
    start = perf_counter()
    try:
        split, data_hash = split_of(cell.dataset, cell.setting, cell.seed, spec.max_rows, data_home)
        with threadpool_limits(limits=1, user_api="blas"):
            measured = measure(cell, spec, split)
    except (DetectorError, InvalidDataError) as error:
        return _failed(cell, spec, digest, str(error))
    facts |= {"status": "done", "data_hash": data_hash, "seconds": perf_counter() - start}
    return [{**facts, "preset": preset, **measured[preset]} for preset in cell.presets]


def _failed(cell: Cell, spec: BenchmarkSpec, digest: str, reason: str) -> list[dict[str, Any]]:
    facts = _facts(cell, spec, digest) | {"status": "failed", "reason": reason}
    return [{**facts, "preset": preset} for preset in cell.presets]


def _facts(cell: Cell, spec: BenchmarkSpec, digest: str) -> dict[str, Any]:
    """Return what every row of a cell says about itself."""
    return {
        "dataset": cell.dataset.name,
        "setting": cell.setting,
        "detector": cell.detector.name,
        "seed": cell.seed,
        "draw": cell.draw,
        "parameters": dict(cell.detector.parameters),
        "max_rows": spec.max_rows,
        "cell": digest,
        "versions": {
            "python": platform.python_version(),
            "oddrank": __version__,
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "scikit-learn": sklearn.__version__,
        },
    }
