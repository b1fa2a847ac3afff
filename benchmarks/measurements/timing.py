"""Timing, and tables under a title."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from benchmarks import markdown


def seconds(function: Callable[[], object], repetitions: int = 3) -> float:
    """Return the shortest of several runs: the one that was disturbed least."""
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table under a title."""
    return f"\n## {title}\n\n" + markdown.table(head, rows)
