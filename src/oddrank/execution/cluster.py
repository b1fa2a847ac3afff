"""Tasks on a Dask cluster; workers may be lost, and a task that ends its worker fails alone."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Iterator, Sequence
from typing import Any, cast

from oddrank._typing import FloatArray
from oddrank.errors import OddrankError, missing_extra

__all__ = ["run_on_cluster", "run_there"]

# A cluster that loses a worker may lose rows that were sent to it: they are sent again.
CLUSTER_ATTEMPTS = 4


def run_there(
    position: int,
    task: Any,
    at_hand: Any,
    plan: Any,
    limit: tuple[float | None] | None,
    *rows: FloatArray,
) -> tuple[int, Any, bool]:
    """Run a task on a worker, and say which one it was and whether it was stopped.

    Parameters
    ----------
    position : int
    task : object
    at_hand : object
        Rows of the task that the cluster has computed; None if the task has none of its own.
    plan : Plan
    limit : tuple of a time limit, or None
        With it the task runs in a process of its own, beside the worker: the worker survives.
    *rows : arrays
    """
    if at_hand is not None:
        task = task.with_rows(at_hand)
    if limit is None:
        return position, plan.run(task, *rows), False
    from oddrank.execution.own_process import OwnProcess, TaskStoppedError

    process = OwnProcess(plan, rows)
    try:
        return position, process.run(task, *limit), False
    except TaskStoppedError as stop:
        return position, plan.failed(task, f"{task.name} {stop.reason}"), True
    finally:
        process.end()


def run_on_cluster(
    tasks: Sequence[tuple[int, Any]],
    plan: Any,
    rows: tuple[FloatArray, ...],
    *,
    client: Any,
    timeout: float | None,
) -> Iterator[tuple[int, Any]]:
    """Yield every position with its result, as they come."""
    try:
        from distributed import as_completed
    except ImportError:
        raise missing_extra("client= needs Dask", "cluster") from None
    waiting, suspects = dict(tasks), set(dict(tasks)) if timeout is not None else set()
    for _ in range(CLUSTER_ATTEMPTS):
        try:
            futures = _submitted(waiting, suspects, plan, rows, client=client, timeout=timeout)
        except (Exception, CancelledError) as error:
            raise OddrankError(
                f"The cluster takes no tasks any more: {error!r}. Check that its scheduler runs; "
                "finished tasks are in the checkpoint."
            ) from error
        for future in as_completed(list(futures.values())):
            try:
                position, result, stopped = future.result()
            except (Exception, CancelledError):  # lost with a worker, maybe after it was finished
                continue
            if position in waiting:
                name = waiting.pop(position).name
                yield position, result
                for other in [each for each in waiting if stopped and waiting[each].name == name]:
                    # one failure is a failure of the detector: its other fits are not waited for
                    futures[other].cancel()
                    yield other, plan.failed(waiting.pop(other), result.failure)
        if not waiting:
            return
        suspects = set(waiting)  # one of them may have ended its worker: next time beside one
    reason = _reason(futures[next(iter(waiting))])
    raise OddrankError(
        f"The cluster lost {len(waiting)} tasks {CLUSTER_ATTEMPTS} times: {reason!r}. "
        "Look at the workers' memory and logs; finished tasks are in the checkpoint."
    )


def _submitted(
    waiting: dict[int, Any],
    suspects: set[int],
    plan: Any,
    rows: tuple[FloatArray, ...],
    *,
    client: Any,
    timeout: float | None,
) -> dict[int, Any]:
    shared, *sent = client.scatter([plan, *rows], broadcast=True, hash=False)
    futures = {}
    for position, task in waiting.items():
        # rows that the cluster holds stay where they are: the task goes there
        lazy = getattr(task, "lazy_rows", None)
        given = task if lazy is None else task.with_rows(None)
        at_hand = None if lazy is None else client.compute(lazy)
        limit = (timeout,) if position in suspects else None
        futures[position] = client.submit(
            run_there, position, given, at_hand, shared, limit, *sent, pure=False
        )
    return futures


def _reason(future: Any) -> BaseException:
    try:
        return cast(BaseException, future.exception())
    except (Exception, CancelledError) as error:
        return error
