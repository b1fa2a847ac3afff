"""The command that repeats a result."""

from __future__ import annotations

import shlex
import sys

from oddrank.cli.common_options import Common

__all__ = ["repeating_call"]


def repeating_call(common: Common) -> str:
    """Return this command with its seed."""
    words = sys.argv[1:]
    seed = [] if any(word.startswith("--seed") for word in words) else ["--seed", str(common.seed)]
    return shlex.join(["oddrank", *words, *seed])
