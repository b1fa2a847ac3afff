"""Ctrl-C, also where compiled code swallows it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["hearing_interrupts"]


@contextmanager
def hearing_interrupts() -> Iterator[Callable[[], None]]:
    """Give a function that raises an interrupt which compiled code has swallowed.

    Some compiled code prints or ignores an exception, and goes on with numbers that were never
    computed: what it returns must not be kept.
    """
    swallowed: list[bool] = []
    unraisable, printed = sys.unraisablehook, sys.excepthook

    def listening(hook: Callable[..., Any], kind_of: Callable[..., Any]) -> Callable[..., Any]:
        def hear(*ignored: Any) -> None:
            if kind_of(*ignored) is KeyboardInterrupt:
                swallowed.append(True)
            else:
                hook(*ignored)

        return hear

    def check() -> None:
        if swallowed:
            raise KeyboardInterrupt

    sys.unraisablehook = listening(unraisable, lambda ignored: ignored.exc_type)
    sys.excepthook = listening(printed, lambda kind, *_: kind)
    try:
        yield check
    finally:
        sys.unraisablehook, sys.excepthook = unraisable, printed
