"""Tasks in processes of their own: one that dies, or never ends, takes no other with it."""

from __future__ import annotations

import json
import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import IO, Any

import cloudpickle
import joblib

__all__ = ["OwnProcess", "TaskStoppedError", "read_message", "run_guarded", "write_message"]

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from oddrank.execution.task_process import main; main()"
)
_LENGTH = struct.Struct("!Q")
_WINDOWS_CRASH = 0xC0000000  # exit codes from here on
_IN_WORDS = {
    "SIGKILL": "it was killed, which happens where memory runs out",
    "SIGSEGV": "it crashed in compiled code",
    "SIGABRT": "it crashed in compiled code",
    "SIGBUS": "it crashed in compiled code",
}


class TaskStoppedError(Exception):
    """A task brought its process to an end, or took longer than it may.

    Parameters
    ----------
    reason : str
        What happened, to be put after the name of the detector.
    by_neighbour : bool
        Whether it may have been the victim of another process, that took all memory.
    """

    def __init__(self, reason: str, *, by_neighbour: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.by_neighbour = by_neighbour


def run_guarded(
    tasks: Sequence[tuple[int, Any]],
    plan: Any,
    rows: tuple[Any, ...],
    *,
    n_jobs: int | None,
    timeout: float | None = None,
) -> Iterator[tuple[int, Any]]:
    """Run every task in a process that no other task shares at that time.

    A process that is killed may be the victim of a neighbour that took all memory. So its task is
    run again when nothing else runs, and fails if it is killed there too.
    """
    lanes = min(joblib.effective_n_jobs(n_jobs), len(tasks))
    suspects = []
    for position, task, outcome in _in_lanes(tasks, plan, rows, lanes, timeout):
        if lanes > 1 and isinstance(outcome, TaskStoppedError) and outcome.by_neighbour:
            suspects.append((position, task))
        else:
            yield position, _result(task, plan, outcome)
    for position, task, outcome in _in_lanes(suspects, plan, rows, 1, timeout):
        yield position, _result(task, plan, outcome)


def _result(task: Any, plan: Any, outcome: Any) -> Any:
    if isinstance(outcome, TaskStoppedError):
        return plan.failed(task, f"{task.name} {outcome.reason}")
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def _in_lanes(
    tasks: Sequence[tuple[int, Any]],
    plan: Any,
    rows: tuple[Any, ...],
    lanes: int,
    timeout: float | None,
) -> Iterator[tuple[int, Any, Any]]:
    """Yield tasks with their results, or with what ended them, as they come.

    Whoever was stopped once is not tried again: one failure is a failure of the detector.
    """
    waiting = deque(tasks)
    finished: queue.SimpleQueue[tuple[int, Any, Any]] = queue.SimpleQueue()
    stopped: dict[str, TaskStoppedError] = {}
    processes = [OwnProcess(plan, rows, share=lanes) for _ in range(lanes)]
    threads = [
        threading.Thread(
            target=_work, args=(each, waiting, finished, stopped, timeout), daemon=True
        )
        for each in processes
    ]
    for thread in threads:
        thread.start()
    try:
        for _ in tasks:
            yield finished.get()
    finally:
        waiting.clear()
        for process in processes:
            process.end()
        for thread in threads:
            thread.join(timeout=5.0)


def _work(
    process: OwnProcess,
    waiting: deque[tuple[int, Any]],
    finished: queue.SimpleQueue[tuple[int, Any, Any]],
    stopped: dict[str, TaskStoppedError],
    timeout: float | None,
) -> None:
    while True:
        try:
            position, task = waiting.popleft()
        except IndexError:
            return
        outcome: Any = stopped.get(task.name)
        if outcome is None:
            try:
                outcome = process.run(task, timeout)
            except TaskStoppedError as stop:
                outcome = stopped[task.name] = stop
            except BaseException as error:
                outcome = error
        finished.put((position, task, outcome))


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
        self._share = share
        self._child: subprocess.Popen[bytes] | None = None
        self._answers: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()

    def run(self, task: Any, timeout: float | None = None) -> Any:
        """Do a task; `TaskStoppedError` says that it ended the process, or took too long."""
        if self._child is None:
            self._start()
            try:
                self._ask(self._shared, None)  # imports are not part of a fit
            except BaseException:
                self.end()  # a process without rows would take the next task for them
                raise
        return self._ask(task, timeout)

    def end(self) -> None:
        """End the process, and whatever it has started."""
        child, self._child = self._child, None
        if child is None:
            return
        with suppress(OSError):
            if os.name == "nt":
                child.kill()
            else:
                os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _start(self) -> None:
        answers: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        threads = str(max(1, joblib.cpu_count() // self._share))
        self._child = child = subprocess.Popen(
            [sys.executable, "-c", _START, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"OMP_NUM_THREADS": threads, **os.environ},
            start_new_session=True,  # Ctrl-C reaches this process, which ends the other one
        )
        self._answers = answers
        threading.Thread(target=_listen, args=(child.stdout, answers), daemon=True).start()

    def _ask(self, question: Any, timeout: float | None) -> Any:
        child = self._child
        assert child is not None
        assert child.stdin is not None
        try:
            message = cloudpickle.dumps(question)
        except Exception as error:
            raise TaskStoppedError(f"cannot be sent to another process: {error}.") from error
        with suppress(OSError):  # it is gone already: the answer says so
            write_message(child.stdin, message)
        try:
            kind, answer = self._answers.get(timeout=timeout)
        except queue.Empty:
            self.end()
            raise TaskStoppedError(
                f"did not finish one fit within the time limit of {timeout:g} seconds."
            ) from None
        if kind == "ended":
            code = child.wait()
            self.end()
            name = _signal(code)
            raise TaskStoppedError(_in_words(code, name), by_neighbour=name == "SIGKILL")
        if kind == "raised":
            raise answer
        return answer


def _signal(code: int) -> str:
    """Return the name of the signal that ended a process; not every system has every signal."""
    return next((each.name for each in signal.Signals if each == -code), f"signal {-code}")


def _in_words(code: int, name: str) -> str:
    if code >= _WINDOWS_CRASH:
        return "ended its process: it crashed in compiled code."
    if code >= 0:
        return f"ended its process with exit code {code}, as os._exit does."
    return f"ended its process by {name}: {_IN_WORDS.get(name, 'it was stopped from outside')}."


def _listen(pipe: IO[bytes], answers: queue.SimpleQueue[tuple[str, Any]]) -> None:
    while True:
        try:
            message = read_message(pipe)
        except (OSError, ValueError):  # the pipe is closed
            message = None
        if message is None:
            answers.put(("ended", None))
            return
        try:
            answer = pickle.loads(message)
        except Exception as error:
            answer = ("raised", error)
        answers.put(answer)


def write_message(pipe: IO[bytes], content: bytes) -> None:
    """Write bytes, and before them how many they are."""
    pipe.write(_LENGTH.pack(len(content)))
    pipe.write(content)
    pipe.flush()


def read_message(pipe: IO[bytes]) -> bytes | None:
    """Read what `write_message` wrote; None where the other side is gone."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    content = pipe.read(length)
    return content if len(content) == length else None
