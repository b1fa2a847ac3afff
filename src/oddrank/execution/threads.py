"""Linear algebra on one thread."""

from __future__ import annotations

import sys
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["single_threaded"]

# How many modules were imported when the libraries were last looked for, and what was found.
_found: tuple[int, Any] = (0, None)


def single_threaded() -> Any:
    """Return a context in which linear algebra runs on one thread.

    Sums depend on the number of threads, and small products on a busy machine wait for each other.
    Libraries are looked for again when something was imported meanwhile: the search takes longer
    than a small task.
    """
    global _found  # noqa: PLW0603
    if _found[0] != len(sys.modules):
        _found = (len(sys.modules), ThreadpoolController())
    return _found[1].limit(limits=1, user_api="blas")
