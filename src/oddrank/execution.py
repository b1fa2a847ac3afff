"""Running tasks: in this process, on all cores, or on a cluster, with the same results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import Any

import joblib

from oddrank.checkpoint import open_checkpoint
from oddrank.errors import InvalidParameterError, MissingExtraError, OddrankError
from oddrank.evaluation_task import EvaluationPlan, EvaluationTask, run_task
from oddrank.progress import progress_bar
from oddrank.table import FloatArray
from oddrank.task_results import NamedArrays

__all__ = ["run_tasks"]

# A cluster that loses a worker may lose rows that were sent to it: they are sent again.
CLUSTER_ATTEMPTS = 4


def run_tasks(
    tasks: Sequence[EvaluationTask],
    plan: EvaluationPlan,
    train_values: FloatArray,
    test_values: FloatArray,
    *,
    n_jobs: int | None = None,
    client: Any = None,
    checkpoint: Any = None,
    progress: bool = False,
) -> list[NamedArrays]:
    """Run every task that is not in the checkpoint, and return all results in order.

    Results are stored as they come, in whatever order that is; what they are does not depend on it.
    """
    _check_workers(n_jobs, client)
    store = open_checkpoint(checkpoint, plan, train_values, test_values)
    results: dict[int, NamedArrays] = {}
    for position, task in enumerate(tasks):
        finished = store.load(task)
        if finished is not None:
            results[position] = finished
    missing = [position for position in range(len(tasks)) if position not in results]
    bar = progress_bar(len(tasks), shown=progress, unit="fit")
    bar.update(len(results))
    rows = (train_values, test_values)
    chosen = [(position, tasks[position]) for position in missing]
    if client is not None:
        arriving = _on_cluster(chosen, plan, rows, client)
    else:
        arriving = _with_joblib(chosen, plan, rows, n_jobs)
    try:
        for position, result in arriving:
            store.store(tasks[position], result)
            results[position] = result
            bar.update(1)
    finally:
        bar.close()
    return [results[position] for position in range(len(tasks))]


def _check_workers(n_jobs: Any, client: Any) -> None:
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or n_jobs == 0):
        raise InvalidParameterError(
            f"The 'n_jobs' parameter must be None or an int other than 0. Got {n_jobs!r} instead."
        )
    if client is not None and not (hasattr(client, "scatter") and hasattr(client, "submit")):
        raise InvalidParameterError(
            "The 'client' parameter must be a dask.distributed.Client. "
            f"Got {client!r} instead; connect with Client(address) first."
        )


Numbered = tuple[int, EvaluationTask]
Rows = tuple[FloatArray, FloatArray]
Arriving = Iterator[tuple[int, NamedArrays]]


def run_numbered(
    position: int,
    task: EvaluationTask,
    plan: EvaluationPlan,
    train_values: FloatArray,
    test_values: FloatArray,
) -> tuple[int, NamedArrays]:
    """Run a task and say which one it was."""
    return position, run_task(task, plan, train_values, test_values)


def _with_joblib(
    tasks: Sequence[Numbered], plan: EvaluationPlan, rows: Rows, n_jobs: int | None
) -> Arriving:
    # Rows are arguments of their own: joblib maps large arrays into memory once for all workers.
    calls = (joblib.delayed(run_numbered)(*task, plan, *rows) for task in tasks)
    arriving: Arriving = iter(_parallel(n_jobs)(calls))
    return arriving


def _parallel(n_jobs: int | None) -> Any:
    try:
        return joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    except ValueError:  # a backend, such as multiprocessing, that gives results at the end only
        return joblib.Parallel(n_jobs=n_jobs)


def _on_cluster(
    tasks: Sequence[Numbered], plan: EvaluationPlan, rows: Rows, client: Any
) -> Arriving:
    try:
        from distributed import as_completed
    except ImportError:
        raise MissingExtraError(
            "client= needs Dask. Install it with: pip install 'oddrank[cluster]'"
        ) from None
    waiting = dict(tasks)
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
