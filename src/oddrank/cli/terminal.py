"""Results to stdout, everything else to stderr."""

from __future__ import annotations

import json
import shutil
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from oddrank._text import UNPRINTABLE, printable
from oddrank.cli.common_options import Common
from oddrank.cli.streams import holds_every_sign, prints_to_stderr, to_stdout

# Text is folded down to this width before numbers would be cut.
SHORTEST_TEXT, LONGEST_TEXT = 10, 48
NARROWEST, WIDEST = 60, 100

__all__ = [
    "clear_stage",
    "complain",
    "notes_from_warnings",
    "print_json",
    "print_screen",
    "print_sentences",
    "print_table",
    "say",
    "stage",
    "terminal_width",
]


def say(message: str, common: Common) -> None:
    """Write a note to stderr, unless it should be quiet."""
    if not common.quiet:
        click.echo(printable(message), err=True)


def stage(doing: str, common: Common) -> None:
    """Say on stderr what is being done; on a terminal the next line takes its place."""
    if common.quiet:
        return
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{printable(doing)} …\r")
        sys.stderr.flush()
    else:
        click.echo(f"{printable(doing)} …", err=True)


def clear_stage(common: Common) -> None:
    """Take the last stage off the terminal."""
    if not common.quiet and sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def terminal_width() -> int:
    """Return how wide text may be: as the terminal, within what is pleasant to read."""
    return min(max(shutil.get_terminal_size((80, 24)).columns - 1, NARROWEST), WIDEST)


@to_stdout
def print_screen(text: str) -> None:
    """Write a screen to stdout, its first words in bold."""
    headline, _, rest = text.partition("\n\n")
    first, _, more = headline.partition("\n")
    use, stop, clarity = first.partition(". ")
    click.echo(click.style(use + stop, bold=True) + clarity + (f"\n{more}" if more else ""))
    click.echo(f"\n{rest}" if rest else "", nl=bool(rest))


def complain(message: str) -> None:
    """Write what went wrong to stderr, in one line."""
    click.echo(f"oddrank: {printable(' '.join(message.split()))}", err=True)


@to_stdout
def print_json(value: Any) -> None:
    """Write plain values to stdout."""
    text = json.dumps(
        value, indent=2, ensure_ascii=not holds_every_sign(sys.stdout), allow_nan=False
    )
    # what a terminal would obey, and what no encoding can hold, is an escape in JSON too
    click.echo(UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


@to_stdout
def print_table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: Sequence[int] = (0,),
) -> None:
    """Write a table to stdout, as wide as the terminal allows.

    `left` are the columns that hold text; they are aligned to the left and may be cut short.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for position, name in enumerate(head):
        is_text = position in left
        longest = max([len(name), *(len(row[position]) for row in rows)])
        table.add_column(
            printable(name),
            justify="left" if is_text else "right",
            no_wrap=not is_text,
            overflow="fold",
            min_width=min(longest, SHORTEST_TEXT if is_text else longest),
            max_width=LONGEST_TEXT if is_text else None,
        )
    for row in rows:
        # Text, not markup: a column may be called "[red]".
        table.add_row(*(Text(printable(cell)) for cell in row))
    _console().print(table)


@to_stdout
def print_sentences(sentences: Sequence[str]) -> None:
    """Write sentences to stdout, wrapped to the terminal; the first one stands out."""
    from rich.text import Text

    console = _console()
    for position, sentence in enumerate(sentences):
        console.print(
            Text(printable(sentence), style="bold" if position == 0 else ""), soft_wrap=False
        )


@contextmanager
def notes_from_warnings(common: Common) -> Iterator[None]:
    """Turn warnings into one line each on stderr, every one of them once.

    Standard output is for results meanwhile: what detectors print goes to stderr, too.
    """
    seen: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = " ".join(str(message).split())
        if text not in seen:
            seen.add(text)
            say(f"Warning: {text}", common)

    with prints_to_stderr(), warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = show
        yield


def _console() -> Any:
    from rich.console import Console

    return Console(highlight=False, emoji=False, markup=False)
