"""The other side of `own_process`: a process that does the tasks it is sent."""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
from typing import IO, Any

from oddrank.execution.own_process import read_message, write_message

__all__ = ["main"]


def main() -> None:
    """Do every task that comes in through standard input, until nobody is there any more."""
    # Answers go where standard output was; whatever a detector prints goes to standard error.
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    messages: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(questions, messages), daemon=True).start()
    shared: tuple[Any, Any] | None = None
    while True:
        kind, answer = "done", None
        try:
            question = pickle.loads(messages.get())
            if shared is None:
                shared = question
            else:
                plan, rows = shared
                answer = plan.run(question, *rows)
        except Exception as error:
            kind, answer = "raised", error
        write_message(answers, _packed(kind, answer))


def _listen(questions: IO[bytes], messages: queue.SimpleQueue[bytes]) -> None:
    while True:
        message = read_message(questions)
        if message is None:  # whoever asked is gone: an endless fit must not outlive it
            os._exit(0)
        messages.put(message)


def _packed(kind: str, answer: Any) -> bytes:
    try:
        return pickle.dumps((kind, answer))
    except Exception as error:
        return pickle.dumps(("raised", RuntimeError(f"{answer!r} cannot be sent: {error}")))
