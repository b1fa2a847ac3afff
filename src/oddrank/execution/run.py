"""Running tasks: in this process, on all cores, or on a cluster, with the same results."""

from __future__ import annotations

import re
import sys
import threading
import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import isfinite
from numbers import Integral
from typing import Any, Protocol, TypeVar, cast

import joblib
import numpy as np
from threadpoolctl import ThreadpoolController

from oddrank._text import listed
from oddrank._typing import FloatArray
from oddrank._validation import is_real
from oddrank.errors import InvalidParameterError, OddrankWarning, missing_extra
from oddrank.execution.checkpoint import (
    StoredResult,
    StoredTask,
    check_folder,
    open_checkpoint,
    remembered_root,
)

__all__ = [
    "Plan",
    "Progress",
    "Workers",
    "each_result",
    "finished_tasks",
    "hearing_interrupts",
    "progress_bar",
    "run_tasks",
    "single_threaded",
]

TaskT_contra = TypeVar("TaskT_contra", bound=StoredTask, contravariant=True)
ResultT_co = TypeVar("ResultT_co", bound=StoredResult, covariant=True)
TaskT = TypeVar("TaskT", bound=StoredTask)
ResultT = TypeVar("ResultT", bound=StoredResult)
Rows = tuple[FloatArray, ...]


class Plan(Protocol[TaskT_contra, ResultT_co]):
    """What all tasks share, and what is done for each: it is sent to workers, rows apart."""

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
        if client is not None and not (hasattr(client, "scatter") and hasattr(client, "submit")):
            raise InvalidParameterError(
                "The 'client' parameter must be a dask.distributed.Client. "
                f"Got {client!r} instead; connect with Client(address) first."
            )


def run_tasks(
    tasks: Sequence[TaskT],
    plan: Plan[TaskT, ResultT],
    rows: Rows,
    workers: Workers,
    *,
    shared: Rows = (),
) -> list[ResultT]:
    """Run every task that is not in the checkpoint, and return all results in order."""
    results = dict(finished_tasks(tasks, plan, rows, workers, shared=shared))
    return [results[position] for position in range(len(tasks))]


def finished_tasks(
    tasks: Sequence[TaskT],
    plan: Plan[TaskT, ResultT],
    rows: Rows,
    workers: Workers,
    *,
    shared: Rows = (),
    unit: str = "fit",
) -> Iterator[tuple[int, ResultT]]:
    """Yield the place of every task with its result, from the checkpoint or as they come.

    Tasks are given `shared` behind the rows: arrays that are made from rows, plan and seed.
    """
    store = open_checkpoint(workers.checkpoint, plan.identity, plan.root, rows)
    bar = progress_bar(len(tasks), shown=workers.progress, unit=unit)
    chosen = []
    try:
        for position, task in enumerate(tasks):
            if (finished := store.load(task)) is None:
                chosen.append((position, task))
                continue
            yield position, plan.read(finished)
            bar.update(1)
        with hearing_interrupts() as check_interrupts:
            for position, result in each_result(chosen, plan, (*rows, *shared), workers):
                check_interrupts()
                store.store(tasks[position], result)
                bar.update(1)
                yield position, result
    finally:
        bar.close()


@contextmanager
def hearing_interrupts() -> Iterator[Callable[[], None]]:
    """Give a function that raises an interrupt which compiled code has swallowed.

    Some of it ignores exceptions, those of Ctrl-C too, and goes on with numbers it has not got:
    what it returns must not be kept.
    """
    swallowed: list[bool] = []
    unraisable, printed = sys.unraisablehook, sys.excepthook

    def hear_unraisable(ignored: Any) -> None:
        if ignored.exc_type is KeyboardInterrupt:
            swallowed.append(True)
        else:
            unraisable(ignored)

    def hear_printed(kind: Any, error: Any, traceback: Any) -> None:
        # compiled code prints what it ignores, as if nobody had caught it
        if kind is KeyboardInterrupt:
            swallowed.append(True)
        else:
            printed(kind, error, traceback)

    def check() -> None:
        if swallowed:
            raise KeyboardInterrupt

    sys.unraisablehook, sys.excepthook = hear_unraisable, hear_printed
    try:
        yield check
    finally:
        sys.unraisablehook, sys.excepthook = unraisable, printed


def each_result(
    tasks: Sequence[tuple[int, Any]], plan: Any, rows: Rows, workers: Workers
) -> Iterator[tuple[int, Any]]:
    """Yield numbers of tasks with their results; one that ends its worker has a failure."""
    if workers.client is not None:
        from oddrank.execution.cluster import run_on_cluster

        yield from run_on_cluster(tasks, plan, rows, client=workers.client, timeout=workers.timeout)
        return
    left = dict(tasks)
    if workers.timeout is None:
        # Rows are arguments of their own: joblib maps large arrays into memory once for all.
        calls = (joblib.delayed(run_numbered)(*task, plan, *rows) for task in tasks)
        told = _Told()
        try:
            for position, result, warned in _parallel(workers.n_jobs)(calls):
                told.add(left.pop(position), warned)
                yield position, result
        except Exception as error:
            # a worker died: what is left is run again, to find out in which task
            if not isinstance(error, BrokenProcessPool) and type(error).__name__ != "KilledWorker":
                raise
        finally:
            told.tell()
    if left:
        from oddrank.execution.own_process import run_guarded

        yield from run_guarded(
            list(left.items()), plan, rows, n_jobs=workers.n_jobs, timeout=workers.timeout
        )


def run_numbered(
    position: int, task: Any, plan: Any, *rows: FloatArray
) -> tuple[int, Any, list[tuple[type[Warning], str]]]:
    """Run a task, and return its number, its result and what libraries warned of."""
    # filters belong to the process: with several threads nobody may exchange them
    if threading.current_thread() is not threading.main_thread():
        return position, plan.run(task, *rows), []
    with warnings.catch_warnings(record=True) as caught:
        result = plan.run(task, *rows)
    return position, result, [(each.category, str(each.message)) for each in caught]


class _Told:
    """Warnings of libraries, counted over all tasks and told once."""

    def __init__(self) -> None:
        self._found: dict[tuple[type[Warning], str], list[tuple[str, str]]] = {}

    def add(self, task: Any, warned: Sequence[tuple[type[Warning], str]]) -> None:
        for category, text in warned:
            # numbers differ from fit to fit
            alike = re.sub(r"\d+", "0", text)
            self._found.setdefault((category, alike), []).append((text, getattr(task, "name", "")))

    def tell(self) -> None:
        for (category, _), found in self._found.items():
            text, _ = found[0]
            if not issubclass(category, OddrankWarning):
                names = sorted({name for _, name in found if name})
                times = f"{len(found)} times" if len(found) > 1 else "once"
                text += f" (told {times}{f', while fitting {listed(names)}' if names else ''})"
            try:
                warnings.warn(category(text), stacklevel=2)
            except TypeError:  # some categories need more than a text, such as versions
                warnings.warn(text, stacklevel=2)


def _parallel(n_jobs: int | None) -> Any:
    try:
        return joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    except ValueError:  # a backend, such as multiprocessing, that gives results at the end only
        return joblib.Parallel(n_jobs=n_jobs)


class Progress:
    """What work reports to; this one says nothing."""

    def update(self, done: int) -> Any:
        """Count finished tasks."""

    def close(self) -> Any:
        """End the bar."""


def progress_bar(total: int, *, shown: bool, unit: str) -> Progress:
    """Return a bar with the time left, or something silent."""
    if not shown:
        return Progress()
    try:
        from tqdm import tqdm
    except ImportError:
        raise missing_extra("progress=True needs tqdm", "progress") from None
    doing = {"fit": "Fitting", "cell": "Running cells", "chunk": "Scoring all rows"}.get(unit)
    bar = tqdm(total=total, desc=doing, unit=unit, disable=None, dynamic_ncols=True)
    return cast("Progress", bar)


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
