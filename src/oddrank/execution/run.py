"""Running tasks: in this process, on all cores, or on a cluster, with the same results."""

from __future__ import annotations

import pickle
import pickletools
import sys
from collections.abc import Generator, Hashable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass, replace
from math import isfinite
from numbers import Integral
from time import perf_counter
from types import SimpleNamespace
from typing import Any, Protocol, TypeVar

import joblib
import numpy as np
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

from oddrank._typing import FloatArray
from oddrank._validation import is_real
from oddrank.errors import InvalidParameterError, missing_extra
from oddrank.execution.checkpoint import check_folder, open_checkpoint, remembered_root
from oddrank.execution.cluster import run_on_cluster
from oddrank.execution.interrupts import hearing_interrupts
from oddrank.execution.own_process import run_guarded
from oddrank.execution.task import Finished, ToldOnce, run_task

__all__ = [
    "Plan",
    "Workers",
    "each_result",
    "finished_tasks",
    "progress_bar",
    "single_threaded",
]

TaskT_contra = TypeVar("TaskT_contra", contravariant=True)
ResultT_co = TypeVar("ResultT_co", covariant=True)
TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT")
Rows = tuple[FloatArray, ...]

# What it costs to start workers: they import what this process has imported long ago.
START_SECONDS = 1.5
# Up to so many rows, and with code of these packages only, no fit is expected to end its process.
FEW_ROWS = 5000
HARMLESS = {"oddrank", "sklearn", "numpy", "scipy"}


class Plan(Protocol[TaskT_contra, ResultT_co]):
    """What all tasks share, and what is done for each: it is sent to workers, rows apart.

    A task has a `name`, for messages, and an `identity` that tells it from the others of the run.
    A result has `to_arrays()`, all of it by names, and a `failure`: why there is none, or "".
    """

    @property
    def identity(self) -> Hashable | Sequence[Any]:
        """What a checkpoint knows the whole run by, beside its rows."""

    @property
    def root(self) -> np.random.SeedSequence:
        """The seed of the run, which a checkpoint remembers."""

    def run(self, task: TaskT_contra, *rows: FloatArray) -> ResultT_co:
        """Do one task."""

    def read(self, arrays: Any) -> ResultT_co:
        """Return a result from what it gave to be stored."""

    def failed(self, task: TaskT_contra, reason: str) -> ResultT_co:
        """Return the result of a task that ended its worker, or took too long."""


@dataclass(frozen=True, kw_only=True)
class Workers:
    """Where tasks run, and where finished ones are kept.

    Attributes
    ----------
    n_jobs : int or None
        Processes; None leaves it to `joblib.parallel_config`.
    client : dask Client or None
    checkpoint : path or None
    progress : bool
    timeout : float or None
        Seconds that one task may take; then every task runs in a process of its own.
    """

    n_jobs: int | None = None
    client: Any = None
    checkpoint: Any = None
    progress: bool = False
    timeout: float | None = None

    @classmethod
    def of(cls, workers: Workers | None, n_jobs: int | None) -> Workers:
        """Return what `workers` says, with this number of processes if one is given."""
        if workers is None:
            return cls(n_jobs=n_jobs)
        if not isinstance(workers, Workers):
            raise InvalidParameterError(
                "The 'workers' parameter must be an oddrank.Workers, such as "
                f"Workers(checkpoint='folder'). Got {workers!r} instead."
            )
        return workers if n_jobs is None else replace(workers, n_jobs=n_jobs)

    @property
    def remembered_root(self) -> np.random.SeedSequence | None:
        """The seed of the run that the checkpoint belongs to, for runs without one of their own."""
        return remembered_root(self.checkpoint)

    def __post_init__(self) -> None:
        check_folder(self.checkpoint)
        if self.n_jobs is not None and (not isinstance(self.n_jobs, Integral) or self.n_jobs == 0):
            raise InvalidParameterError(
                "The 'n_jobs' parameter must be None or an int other than 0. "
                f"Got {self.n_jobs!r} instead."
            )
        timeout: Any = self.timeout
        if timeout is not None and not (is_real(timeout) and isfinite(timeout) and timeout > 0):
            raise InvalidParameterError(
                "The 'timeout' parameter must be None or a number of seconds above 0. "
                f"Got {timeout!r} instead."
            )
        client = self.client
        if client is not None and not (hasattr(client, "submit") and hasattr(client, "scheduler")):
            raise InvalidParameterError(
                "The 'client' parameter must be a dask.distributed.Client. "
                f"Got {client!r} instead; connect with Client(address) first."
            )


def finished_tasks(
    tasks: Sequence[TaskT],
    plan: Plan[TaskT, ResultT],
    rows: Rows,
    workers: Workers,
    *,
    shared: Rows = (),
) -> Iterator[tuple[int, ResultT]]:
    """Yield the place of every task with its result, from the checkpoint or as they come.

    Tasks are given `shared` behind the rows: arrays that are made from rows, plan and seed.
    """
    store = open_checkpoint(workers.checkpoint, plan.identity, plan.root, rows)
    bar = progress_bar(len(tasks), shown=workers.progress)
    left = []
    try:
        for position, task in enumerate(tasks):
            stored = None if store is None else store.load(task)
            if stored is None:
                left.append((position, task))
            else:
                bar.update(1)
                yield position, plan.read(stored)
        found = each_result(left, plan, (*rows, *shared), workers)
        with hearing_interrupts() as check_interrupts, closing(found):
            for position, result in found:
                check_interrupts()
                if store is not None:
                    store.store(tasks[position], result)
                bar.update(1)
                yield position, result
    finally:
        bar.close()


def each_result(
    tasks: Sequence[tuple[int, Any]], plan: Any, rows: Rows, workers: Workers
) -> Generator[tuple[int, Any], None, None]:
    """Yield numbers of tasks with their results; one that ends its worker has a failure."""
    client, n_jobs, timeout = workers.client, workers.n_jobs, workers.timeout
    if client is None and n_jobs != 1:  # joblib.parallel_config("dask")
        client = getattr(get_active_backend()[0], "client", None)
    if client is not None:
        yield from run_on_cluster(tasks, plan, rows, client=client, timeout=timeout)
        return
    left, told = dict(tasks), ToldOnce()

    def run() -> Iterator[Finished]:
        if timeout is None:
            yield from _begin_here(tasks, plan, rows, joblib.effective_n_jobs(n_jobs))
            yield from _run_in_workers(list(left.items()), plan, rows, n_jobs)
        if left:  # what ended a worker is among them, or there is a time limit
            yield from run_guarded(list(left.items()), plan, rows, n_jobs=n_jobs, timeout=timeout)

    try:
        for position, result, warned in run():
            told.add(getattr(left.pop(position), "name", ""), warned)
            yield position, result
    finally:
        told.tell()


def _begin_here(
    tasks: Sequence[tuple[int, Any]], plan: Any, rows: Rows, n_workers: int
) -> Iterator[Finished]:
    """Run tasks in this process, until workers would save more time than it takes to start them.

    A fit that ends its process would end this one: tasks that might are left to the workers.
    """
    if n_workers > 1 and not _is_small(tasks, rows):
        return
    seconds = 0.0
    for n_done, (position, task) in enumerate(tasks):
        left = len(tasks) - n_done
        saved = (1 - 1 / n_workers) * left * seconds / max(n_done, 1)
        if saved > START_SECONDS:
            return
        start = perf_counter()
        finished = run_task(position, task, plan, *rows)
        seconds += perf_counter() - start
        yield finished


def _is_small(tasks: Sequence[tuple[int, Any]], rows: Rows) -> bool:
    if not rows or len(rows[0]) > FEW_ROWS:
        return False
    try:
        pickled = pickle.dumps([task.identity for _, task in tasks], protocol=3)
    except Exception:
        return False  # such as a class within a function
    named = {name for code, name, _ in pickletools.genops(pickled) if code.name == "GLOBAL"}
    packages = {str(name).partition(" ")[0].partition(".")[0] for name in named}
    return "__main__" not in packages and packages <= HARMLESS | sys.stdlib_module_names


def _run_in_workers(
    tasks: Sequence[tuple[int, Any]], plan: Any, rows: Rows, n_jobs: int | None
) -> Iterator[Finished]:
    """Run tasks by joblib, until one of them ends its worker."""
    if not tasks:
        return
    # Rows are arguments of their own: joblib maps large arrays into memory once for all.
    calls = (joblib.delayed(run_task)(*task, plan, *rows) for task in tasks)
    try:
        parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    except ValueError:  # a backend, such as multiprocessing, that gives results at the end only
        parallel = joblib.Parallel(n_jobs=n_jobs)
    try:
        yield from parallel(calls)
    except BrokenProcessPool:
        return


def progress_bar(total: int, *, shown: bool) -> Any:
    """Return a bar with `update` and `close` that tells the time left, or something silent."""
    if not shown:
        return SimpleNamespace(update=lambda _: None, close=lambda: None)
    try:
        from tqdm import tqdm
    except ImportError:
        raise missing_extra("progress=True needs tqdm", "progress") from None
    return tqdm(total=total, desc="Fitting", unit="fit", disable=None, dynamic_ncols=True)


# How many modules were imported when the libraries were last looked for, and what was found.
_found: tuple[int, Any] = (0, None)


def single_threaded() -> Any:
    """Return a context in which linear algebra runs on one thread.

    Sums depend on the number of threads, and small products on a busy machine wait for each other.
    Libraries are looked for again when something was imported meanwhile: the search takes longer
    than a small task.
    """
    global _found  # noqa: PLW0603
    if _found[0] != len(sys.modules):
        _found = (len(sys.modules), ThreadpoolController())
    return _found[1].limit(limits=1, user_api="blas")
