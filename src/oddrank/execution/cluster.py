"""Tasks on a Dask cluster; workers may be lost, and a task that ends its worker fails alone."""

from __future__ import annotations

import pickle
import warnings
from asyncio import CancelledError
from collections.abc import Iterator, Sequence
from typing import Any

import cloudpickle

from oddrank._typing import FloatArray
from oddrank.errors import OddrankError, missing_extra
from oddrank.execution.own_process import OwnProcess, TaskStoppedError

__all__ = ["run_on_cluster", "run_there"]

ATTEMPTS = 4


def run_there(
    position: int, task: Any, shared: Any, limit: tuple[float | None] | None
) -> tuple[int, Any, bool]:
    """Run a task on a worker; return its position, its result, and whether it was stopped.

    With a time limit, or None in its place, the task runs in a process beside the worker: the
    worker survives it.
    """
    plan, rows = shared
    if limit is None:
        return position, plan.run(task, *rows), False
    process = OwnProcess(plan, rows)
    try:
        return position, process.run(position, task, *limit)[1], False
    except TaskStoppedError as stop:
        return position, plan.failed(task, f"{task.name} {stop}"), True
    finally:
        process.close()


def run_on_cluster(
    tasks: Sequence[tuple[int, Any]],
    plan: Any,
    rows: tuple[FloatArray, ...],
    *,
    client: Any,
    timeout: float | None,
) -> Iterator[tuple[int, Any]]:
    """Yield every position with its result, as they come.

    Plan and rows are the result of a task too: the cluster makes them again where a worker that
    held them is lost. What `scatter` sends cannot be made again, and waits for ever if a worker is
    lost meanwhile.
    """
    try:
        from distributed import as_completed
    except ImportError:
        raise missing_extra("client= needs Dask", "cluster") from None
    waiting = dict(tasks)
    limit: tuple[float | None] | None = None if timeout is None else (timeout,)
    for _ in range(ATTEMPTS):
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Sending large graph")  # once, on purpose
                shared = client.submit(pickle.loads, cloudpickle.dumps((plan, rows)), pure=False)
            futures = {
                position: client.submit(run_there, position, task, shared, limit, pure=False)
                for position, task in waiting.items()
            }
        except (Exception, CancelledError) as error:
            raise OddrankError(
                f"The cluster takes no tasks any more: {error!r}. Check that its scheduler runs; "
                "finished tasks are in the checkpoint."
            ) from error
        reason: BaseException | None = None
        for future in as_completed(list(futures.values())):
            try:
                position, result, stopped = future.result()
            except (Exception, CancelledError) as error:  # lost with a worker
                reason = error
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
        limit = (timeout,)  # one of them may have ended its worker: next time beside one
    raise OddrankError(
        f"The cluster lost {len(waiting)} tasks {ATTEMPTS} times: {reason!r}. "
        "Look at the workers' memory and logs; finished tasks are in the checkpoint."
    )
