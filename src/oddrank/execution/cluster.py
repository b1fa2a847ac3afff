"""Tasks on a Dask cluster; workers may be lost, and a task that ends its worker fails alone."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Iterator, Sequence
from typing import Any, cast

from oddrank._typing import FloatArray
from oddrank.errors import OddrankError, missing_extra

__all__ = ["run_in_own_process", "run_numbered", "run_on_cluster"]

# A cluster that loses a worker may lose rows that were sent to it: they are sent again.
CLUSTER_ATTEMPTS = 4


def run_numbered(position: int, task: Any, plan: Any, *rows: FloatArray) -> tuple[int, Any, bool]:
    """Run a task, and say which one it was and whether it was stopped."""
    return position, plan.run(task, *rows), False


def run_in_own_process(
    position: int, task: Any, plan: Any, timeout: float | None, *rows: FloatArray
) -> tuple[int, Any, bool]:
    """Do the same in a process of its own, beside the worker: the worker survives."""
    from oddrank.execution.own_process import OwnProcess, TaskStoppedError

    process = OwnProcess(plan, rows)
    try:
        return position, process.run(task, timeout), False
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
        sent = client.scatter(list(rows), broadcast=True, hash=False)
        futures = {}
        for position, task in waiting.items():
            call: tuple[Any, ...] = (run_numbered, position, task, plan)
            if position in suspects:
                call = (run_in_own_process, position, task, plan, timeout)
            futures[position] = client.submit(*call, *sent, pure=False)
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


def _reason(future: Any) -> BaseException:
    try:
        return cast(BaseException, future.exception())
    except (Exception, CancelledError) as error:
        return error
