"""Running tasks: in this process, on all cores, or on a cluster, with the same results."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Protocol, TypeVar

import joblib
import numpy as np
from threadpoolctl import ThreadpoolController

from oddrank._typing import FloatArray
from oddrank.errors import InvalidParameterError, MissingExtraError, OddrankError
from oddrank.execution.checkpoint import (
    StoredResult,
    StoredTask,
    check_folder,
    open_checkpoint,
    remembered_root,
)

__all__ = ["Plan", "Progress", "Workers", "progress_bar", "run_tasks", "single_threaded"]

# A cluster that loses a worker may lose rows that were sent to it: they are sent again.
CLUSTER_ATTEMPTS = 4

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
    """

    n_jobs: int | None = None
    client: Any = None
    checkpoint: Any = None
    progress: bool = False

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
    shared: Rows = (),
) -> list[ResultT]:
    """Run every task that is not in the checkpoint, and return all results in order.

    Results are stored as they come, in whatever order that is; what they are does not depend on it.
    Tasks are given `shared` behind the rows: arrays that are made from rows, plan and seed.
    """
    store = open_checkpoint(workers.checkpoint, plan.identity, plan.root, rows)
    results: dict[int, ResultT] = {}
    for position, task in enumerate(tasks):
        finished = store.load(task)
        if finished is not None:
            results[position] = plan.read(finished)
    chosen = [(position, task) for position, task in enumerate(tasks) if position not in results]
    bar = progress_bar(len(tasks), shown=workers.progress, unit="fit")
    bar.update(len(results))
    run_all = _on_cluster if workers.client is not None else _with_joblib
    try:
        for position, result in run_all(chosen, plan, (*rows, *shared), workers):
            store.store(tasks[position], result)
            results[position] = result
            bar.update(1)
    finally:
        bar.close()
    return [results[position] for position in range(len(tasks))]


def run_numbered(position: int, task: Any, plan: Any, *rows: FloatArray) -> tuple[int, Any]:
    """Run a task and say which one it was."""
    return position, plan.run(task, *rows)


def _with_joblib(
    tasks: Sequence[tuple[int, Any]], plan: Any, rows: Rows, workers: Workers
) -> Iterator[tuple[int, Any]]:
    # Rows are arguments of their own: joblib maps large arrays into memory once for all workers.
    calls = (joblib.delayed(run_numbered)(*task, plan, *rows) for task in tasks)
    yield from _parallel(workers.n_jobs)(calls)


def _parallel(n_jobs: int | None) -> Any:
    try:
        return joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    except ValueError:  # a backend, such as multiprocessing, that gives results at the end only
        return joblib.Parallel(n_jobs=n_jobs)


def _on_cluster(
    tasks: Sequence[tuple[int, Any]], plan: Any, rows: Rows, workers: Workers
) -> Iterator[tuple[int, Any]]:
    try:
        from distributed import as_completed
    except ImportError:
        raise MissingExtraError(
            "client= needs Dask. Install it with: pip install 'oddrank[cluster]'"
        ) from None
    client, waiting = workers.client, dict(tasks)
    for _ in range(CLUSTER_ATTEMPTS):
        sent = client.scatter(list(rows), broadcast=True, hash=False)
        futures = [
            client.submit(run_numbered, *task, plan, *sent, pure=False) for task in waiting.items()
        ]
        for future in as_completed(futures):
            if future.status == "finished":
                position, result = future.result()
                del waiting[position]
                yield position, result
        if not waiting:
            return
    reason = next(future for future in futures if future.status != "finished").exception()
    raise OddrankError(
        f"The cluster lost {len(waiting)} tasks {CLUSTER_ATTEMPTS} times: {reason!r}. "
        "Look at the workers' memory and logs; finished tasks are in the checkpoint."
    )


class Progress(Protocol):
    """What work reports to."""

    def update(self, done: int) -> Any:
        """Count finished tasks."""

    def close(self) -> Any:
        """End the bar."""


class _Silent:
    def update(self, done: int) -> None:
        pass

    def close(self) -> None:
        pass


def progress_bar(total: int, *, shown: bool, unit: str) -> Progress:
    """Return a bar with the time left, or something silent."""
    if not shown:
        return _Silent()
    try:
        from tqdm import tqdm
    except ImportError:
        raise MissingExtraError(
            "progress=True needs tqdm. Install it with: pip install 'oddrank[progress]'"
        ) from None
    bar: Progress = tqdm(total=total, unit=unit, disable=None, dynamic_ncols=True)
    return bar


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
