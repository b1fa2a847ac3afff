"""One task: what runs it, and what its libraries warn of."""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Sequence
from typing import Any

from oddrank._text import listed
from oddrank.errors import OddrankWarning

__all__ = ["Finished", "ToldOnce", "Warned", "run_task"]

Warned = Sequence[tuple[type[Warning], str]]
Finished = tuple[int, Any, Warned]


def run_task(position: int, task: Any, plan: Any, *rows: Any) -> Finished:
    """Run a task, and return its number, its result and what libraries warned of."""
    # filters belong to the process: with several threads nobody may exchange them
    if threading.current_thread() is not threading.main_thread():
        return position, plan.run(task, *rows), []
    with warnings.catch_warnings(record=True) as caught:
        result = plan.run(task, *rows)
    return position, result, [(each.category, str(each.message)) for each in caught]


class ToldOnce:
    """Warnings of libraries, counted over all tasks and told once."""

    def __init__(self) -> None:
        self._found: dict[tuple[type[Warning], str], list[tuple[str, str]]] = {}

    def add(self, name: str, warned: Warned) -> None:
        """Note what the fit of a detector warned of."""
        for category, text in warned:
            # numbers differ from fit to fit
            alike = re.sub(r"\d+", "0", text)
            self._found.setdefault((category, alike), []).append((text, name))

    def tell(self) -> None:
        """Warn, once for all that differs in numbers only."""
        for (category, _), found in self._found.items():
            text, _ = found[0]
            if not issubclass(category, OddrankWarning):
                names = sorted({name for _, name in found if name})
                times = f"{len(found)} times" if len(found) > 1 else "once"
                text += f" (told {times}{f', while fitting {listed(names)}' if names else ''})"
            try:
                warnings.warn(category(text), stacklevel=2)
            except TypeError:  # some categories need more than a text, such as versions
                warnings.warn(text, stacklevel=2)
