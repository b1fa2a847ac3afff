"""What all commands share: five options, an example, and how to repeat them."""

from __future__ import annotations

import functools
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

__all__ = ["Common", "common_options", "example", "repeating_call"]


@dataclass(frozen=True, kw_only=True)
class Common:
    """The options that every command has.

    Attributes
    ----------
    as_json : bool
        Print JSON instead of a table.
    seed : int
    jobs : int
    quiet : bool
        Print nothing but the result: no progress, no warnings, no notes.
    verbose : bool
        Name all skipped columns, where there are many.
    """

    as_json: bool
    seed: int
    jobs: int
    quiet: bool
    verbose: bool


_OPTIONS = (
    click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table."),
    click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
                 help="The same seed gives the same result."),
    click.option("--jobs", type=int, default=-1, show_default=True,
                 help="Processes; -1 uses every core. Results do not depend on it."),
    click.option("--quiet", "-q", is_flag=True, help="No progress, notes or warnings on stderr."),
    click.option("--verbose", "-v", is_flag=True,
                 help="Name all skipped columns, where there are many."),
)  # fmt: skip


def common_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command, which gets them as one `common` argument."""

    @functools.wraps(function)
    def with_common(
        *arguments: Any,
        as_json: bool,
        seed: int,
        jobs: int,
        quiet: bool,
        verbose: bool,
        **options: Any,
    ) -> Any:
        if jobs == 0:
            raise click.BadParameter("must be a number of processes, or -1 for every core.",
                                     param_hint="'--jobs'")  # fmt: skip
        common = Common(as_json=as_json, seed=seed, jobs=jobs, quiet=quiet, verbose=verbose)
        return function(*arguments, common=common, **options)

    decorated: Callable[..., Any] = with_common
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def example(*lines: str) -> str:
    """Return the end of a help text: commands to copy, one per line."""
    shown = "".join(f"\n  {line}" for line in lines)
    # \b keeps click from joining the lines.
    return f"\b\nExample:{shown}"


def repeating_call(common: Common) -> str:
    """Return this command with its seed."""
    words = sys.argv[1:]
    seed = [] if any(word.startswith("--seed") for word in words) else ["--seed", str(common.seed)]
    return shlex.join(["oddrank", *words, *seed])
