"""Standard output is for results: whatever detectors print goes to standard error."""

from __future__ import annotations

import codecs
import functools
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

__all__ = [
    "holds_every_sign",
    "is_closed_pipe",
    "leave_closed_pipe",
    "prints_to_stderr",
    "spell_missing_signs",
    "to_stdout",
]

Result = TypeVar("Result")
# Signs of our screens that old encodings lack. One letter for each block keeps columns in line.
_SPELT = {
    **dict.fromkeys("█▉▊▋▌", "#"), **dict.fromkeys("▍▎▏", " "), **dict.fromkeys("–—−─", "-"),
    "…": "...", "×": "x", "·": "|", "±": "+-", "≈": "~",
}  # fmt: skip


def spell_missing_signs() -> None:
    """Let both streams write what their encoding lacks in other letters.

    A pipe or a file has the encoding of the system, which on Windows has no blocks for bars.
    """
    codecs.register_error("oddrank", _spelt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not holds_every_sign(stream):
            stream.reconfigure(errors="oddrank")


def holds_every_sign(stream: Any) -> bool:
    """Return whether a stream's encoding is one of Unicode's."""
    return (getattr(stream, "encoding", None) or "utf-8").lower().startswith("utf")


def _spelt(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    sign = _SPELT.get(error.object[error.start])
    if sign is None:
        return codecs.backslashreplace_errors(error)
    return sign, error.start + 1


def is_closed_pipe(error: BaseException | None) -> bool:
    """Return whether the reader of stdout has closed it, as in `oddrank … | head`.

    click and rich then end the program with a code of their own, which hides the error.
    """
    ended = isinstance(error, SystemExit) and is_closed_pipe(error.__context__)
    return ended or isinstance(error, BrokenPipeError)


def leave_closed_pipe() -> None:
    """Write what is left nowhere: Python would complain again when it flushes at exit."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
