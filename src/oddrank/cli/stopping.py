"""SIGTERM is treated as Ctrl-C is: workers end, temporary folders go, the checkpoint stays."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["INTERRUPTED", "TERMINATED", "Stops", "stops"]

INTERRUPTED, TERMINATED = 130, 143


class Stops:
    """Which signal has stopped the command."""

    code = INTERRUPTED

    def terminate(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """Stop as Ctrl-C does."""
        self.code = TERMINATED
        raise KeyboardInterrupt

    @property
    def sentence(self) -> str:
        """What to say in the end."""
        kept = any(word.split("=")[0] == "--checkpoint" for word in sys.argv[1:])
        if kept:
            return "Stopped. Finished work is in the checkpoint: the same command goes on there."
        return "Stopped."


@contextmanager
def stops() -> Iterator[Stops]:
    """Listen to SIGTERM; only the main thread of a program can."""
    found = Stops()
    try:
        before = signal.signal(signal.SIGTERM, found.terminate)
    except ValueError:
        yield found
        return
    try:
        yield found
    finally:
        signal.signal(signal.SIGTERM, before)
