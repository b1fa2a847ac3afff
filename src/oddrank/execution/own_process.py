"""Tasks in processes of their own: one that dies, or never ends, takes no other with it."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import queue
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import cloudpickle
import joblib
from joblib.externals.loky import ProcessPoolExecutor

from oddrank.execution.task import Finished, run_task

__all__ = ["OwnProcess", "TaskStoppedError", "run_guarded"]

_WINDOWS_CRASH = 0xC0000000  # exit codes from here on
_CRASHED = "it crashed in compiled code"
_IN_WORDS = {
    "SIGKILL": "it was killed, which happens where memory runs out",
    "SIGSEGV": _CRASHED,
    "SIGABRT": _CRASHED,
    "SIGBUS": _CRASHED,
}


class TaskStoppedError(Exception):
    """A task ended its process, or took longer than it may; to be put after a detector's name."""


class TaskKilledError(TaskStoppedError):
    """Its process was killed, maybe because another one took all memory."""


def run_guarded(
    tasks: Sequence[tuple[int, Any]],
    plan: Any,
    rows: tuple[Any, ...],
    *,
    n_jobs: int | None,
    timeout: float | None = None,
) -> Iterator[Finished]:
    """Run every task in a process that no other task shares at that time.

    A process that is killed may be the victim of a neighbour that took all memory. So its task is
    run again when nothing else runs, and fails if it is killed there too.
    """
    n_processes = min(joblib.effective_n_jobs(n_jobs), len(tasks))
    suspects = []
    for position, task, outcome in _outcomes(tasks, plan, rows, n_processes, timeout):
        if not isinstance(outcome, TaskStoppedError):
            yield outcome
        elif isinstance(outcome, TaskKilledError) and n_processes > 1:
            suspects.append((position, task))
        else:
            yield position, plan.failed(task, f"{task.name} {outcome}"), []
    if suspects:
        yield from run_guarded(suspects, plan, rows, n_jobs=1, timeout=timeout)


def _outcomes(
    tasks: Sequence[tuple[int, Any]],
    plan: Any,
    rows: tuple[Any, ...],
    n_processes: int,
    timeout: float | None,
) -> Iterator[tuple[int, Any, Finished | TaskStoppedError]]:
    """Yield tasks with their results, or with what stopped them, as they come.

    Whoever was stopped once is not tried again: one failure is a failure of the detector.
    """
    processes = [OwnProcess(plan, rows, share=n_processes) for _ in range(n_processes)]
    free: queue.SimpleQueue[OwnProcess] = queue.SimpleQueue()
    for process in processes:
        free.put(process)
    stopped: dict[str, TaskStoppedError] = {}

    def run(position: int, task: Any) -> Finished | TaskStoppedError:
        if task.name not in stopped:
            process = free.get()
            try:
                return process.run(position, task, timeout)
            except TaskStoppedError as stop:
                stopped[task.name] = stop
            finally:
                free.put(process)
        return stopped[task.name]

    threads = ThreadPoolExecutor(n_processes)
    futures = {threads.submit(run, *numbered): numbered for numbered in tasks}
    try:
        for future in as_completed(futures):
            yield *futures[future], future.result()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.close()
        threads.shutdown()


class OwnProcess:
    """A process that does one task after the other, and is started anew where one ends it.

    Parameters
    ----------
    plan, rows
        What all tasks share; sent once.
    share : int
        How many such processes share the machine.
    """

    def __init__(self, plan: Any, rows: tuple[Any, ...], *, share: int = 1) -> None:
        self._shared = (plan, rows)
        self._threads = max(1, joblib.cpu_count() // share)
        self._pool: Any = None
        self._closed = False

    def run(self, position: int, task: Any, timeout: float | None = None) -> Finished:
        """Do a task; `TaskStoppedError` says that it ended the process, or took too long."""
        message = _packed((position, task))
        if self._pool is None:
            self._start()
        finished: Finished = pickle.loads(self._ask(timeout, _answer, message))
        return finished

    def close(self) -> None:
        """End the process, and whatever it has started; nothing is run any more."""
        self._closed = True
        self._end()

    def _start(self) -> None:
        if multiprocessing.current_process().daemon:  # a Dask worker, which may have no children
            multiprocessing.current_process().daemon = False
        self._pool = ProcessPoolExecutor(
            max_workers=1,
            initializer=_begin,
            initargs=(_packed(self._shared),),
            env={"OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", str(self._threads))},
        )
        self._ask(None, os.getpid)  # imports are not part of a fit
        if self._closed:  # meanwhile
            self._end()
            raise TaskStoppedError("was not started.")

    def _ask(self, timeout: float | None, function: Any, *arguments: Any) -> Any:
        before = list(self._pool._processes.values())
        answer = self._pool.submit(function, *arguments)
        # the first is there already, or was started just now; nothing else knows exit codes
        process = [*before, *self._pool._processes.values()][-1]
        try:
            return answer.result(timeout)
        except BrokenProcessPool as error:
            self._end()
            raise _death(process.exitcode) from error
        except TimeoutError:
            if answer.done():  # an error of the task itself
                raise
            self._end()
            raise TaskStoppedError(
                f"did not finish one fit within the time limit of {timeout:g} seconds."
            ) from None

    def _end(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(kill_workers=True)


def _packed(question: Any) -> bytes:
    try:
        return bytes(cloudpickle.dumps(question))
    except Exception as error:
        raise TaskStoppedError(f"cannot be sent to another process: {error}.") from error


def _death(code: int) -> TaskStoppedError:
    if code >= _WINDOWS_CRASH:
        return TaskStoppedError(f"ended its process: {_CRASHED}.")
    if code >= 0:
        return TaskStoppedError(f"ended its process with exit code {code}, as os._exit does.")
    name = next((each.name for each in signal.Signals if each == -code), f"signal {-code}")
    reason = f"ended its process by {name}: {_IN_WORDS.get(name, 'it was stopped from outside')}."
    return (TaskKilledError if name == "SIGKILL" else TaskStoppedError)(reason)


# What follows runs in the other process.
_shared: tuple[Any, tuple[Any, ...]]


def _begin(shared: bytes) -> None:
    global _shared  # noqa: PLW0603
    _shared = pickle.loads(shared)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that ends this one
    os.dup2(2, 1)  # whatever a detector prints must not get between results
    sys.stdout = sys.stderr
    threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()


def _leave_with(parent: int) -> None:
    """End when the other process is gone: an endless fit must not outlive it."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(0)


def _answer(message: bytes) -> bytes:
    plan, rows = _shared
    return bytes(cloudpickle.dumps(run_task(*pickle.loads(message), plan, *rows)))
