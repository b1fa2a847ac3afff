"""Standard output is for results: whatever detectors print goes to standard error."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

__all__ = ["prints_to_stderr", "to_stdout"]

Result = TypeVar("Result")


class _Redirection:
    """What standard output was, while detectors are at work."""

    def __init__(self) -> None:
        self.stream = sys.stdout
        # compiled code and workers write to the file descriptor, which tests do not have
        real = _descriptor(sys.stdout) == 1 and _descriptor(sys.stderr) is not None
        self.saved = os.dup(1) if real else None

    def begin(self) -> None:
        self.stream.flush()
        if self.saved is not None:
            os.dup2(sys.stderr.fileno(), 1)
        sys.stdout = sys.stderr

    def pause(self) -> None:
        sys.stdout = self.stream
        if self.saved is not None:
            os.dup2(self.saved, 1)


_current: list[_Redirection] = []


@contextmanager
def prints_to_stderr() -> Iterator[None]:
    """Send what is printed meanwhile, here and in workers, to standard error."""
    if _current or sys.stdout is None or sys.stderr is None:
        yield
        return
    redirection = _Redirection()
    _current.append(redirection)
    redirection.begin()
    try:
        yield
    finally:
        _current.remove(redirection)
        redirection.pause()
        if redirection.saved is not None:
            os.close(redirection.saved)


def to_stdout(function: Callable[..., Result]) -> Callable[..., Result]:
    """Let a function print results where they belong, while detectors may not."""

    @functools.wraps(function)
    def printing(*arguments: Any, **options: Any) -> Result:
        if not _current:
            return function(*arguments, **options)
        (redirection,) = _current
        redirection.pause()
        try:
            result = function(*arguments, **options)
            sys.stdout.flush()
            return result
        finally:
            redirection.begin()

    return printing


def _descriptor(stream: Any) -> int | None:
    try:
        number: int = stream.fileno()
    except (AttributeError, OSError, ValueError):
        return None
    return number
