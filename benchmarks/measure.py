"""Timing and tables for `make bench`: everything is a ratio of things measured in one run."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from oddrank._plain_text import markdown_table


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
    return f"\n## {title}\n\n" + markdown_table(head, [list(map(str, row)) for row in rows])
