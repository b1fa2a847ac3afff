"""Tables that a command reads, with a list of what was skipped."""

from __future__ import annotations

import csv
import io
import shlex
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from oddrank._text import counted, printable
from oddrank.cli.common_options import Common
from oddrank.cli.table_options import TableOptions
from oddrank.cli.terminal import say, stage, terminal_width

if TYPE_CHECKING:
    from oddrank.cli.answers_file import KeptAnswers
    from oddrank.io import LeftOut, Reading, UserTable
    from oddrank.rows import Table

SHOWN_COLUMNS = 6

__all__ = [
    "anomalies_of",
    "answers_of",
    "encoder_of",
    "gaps_told",
    "known_labels",
    "label_flags",
    "read_rows",
    "row_names",
    "row_notes",
    "rows_of",
    "say_filled",
]


def read_rows(
    paths: Sequence[str],
    common: Common,
    options: TableOptions,
    *,
    label: str | None = None,
    columns: Sequence[str] | None = None,
    sampled: bool = True,
    random_state: Any = None,
    like: Reading | None = None,
    min_rows: int = 2,
) -> UserTable:
    """Read a table of any kind, and say on stderr how it was understood.

    Of a large table a sample is used, unless `sampled` says otherwise. The seed of the command
    chooses it, or `random_state`. `like` is how a table before was read; flags come first.
    """
    stage(f"Reading {paths[0]}{' and others' if len(paths) > 1 else ''}", common)
    from oddrank.io import Reading, read_table

    table = read_table(
        paths[0] if len(paths) == 1 else list(paths),
        reading=(like or Reading()).with_told(options.told),
        label=label,
        columns=columns or options.columns,
        use=options.use,
        ignore=options.ignore,
        categories=options.categories,
        drop_gaps=options.drop_gaps,
        drop_duplicates=options.drop_duplicates,
        min_rows=min_rows,
        sample=options.sample if sampled else None,
        random_state=common.seed if random_state is None else random_state,
    )
    say("\n".join(_account(table, options, common, like)), common)
    return table


def _account(
    table: UserTable, options: TableOptions, common: Common, like: Reading | None
) -> Iterator[str]:
    """Yield lines: what was read and how, what was skipped, and what people may want to change."""
    rows = counted(table.n_rows, "row")
    if table.sample is not None:
        rows = f"a sample of {table.n_rows:,} of {table.sample.n_rows:,} rows (--sample)"
    yield f"{table.source}  {rows} · {counted(table.n_features, 'feature')}"
    yield _filled(f"Read as: {table.reading}.")
    if table.left_out:
        shown = table.left_out if common.verbose else table.left_out[:SHOWN_COLUMNS]
        more = len(table.left_out) - len(shown)
        named = ", ".join(str(column) for column in shown)
        yield _filled(f"Skipped: {named}{f' and {more:,} more (--verbose)' if more else ''}."
                      f"{_take_back(table.left_out)}")  # fmt: skip
    for mark in _marks(table, options, like):
        yield _filled(f"! {mark}")


def _filled(text: str) -> str:
    return textwrap.fill(
        printable(text), terminal_width(), initial_indent="  ", subsequent_indent="    ",
        break_on_hyphens=False, break_long_words=False,
    )  # fmt: skip


def _take_back(left_out: Sequence[LeftOut]) -> str:
    """Return the flags that take skipped columns back."""
    usable = [each.column for each in left_out if each.remedy.startswith("--use")]
    labels = [each.remedy for each in left_out if each.remedy.startswith("--label")]
    if not usable:
        return f" If it is one: {labels[0]}." if labels else ""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(usable)
    flags = [f"--use {shlex.quote(line.getvalue())}" if len(usable) <= 5 else "--use NAMES"]
    return f" To change that: {' or '.join([*flags, *labels[:1]])}."


def _marks(table: UserTable, options: TableOptions, like: Reading | None) -> Iterator[str]:
    yield from table.notes
    if table.n_infinite:
        yield f"{counted(table.n_infinite, 'infinite value')} read as {_gaps(table.n_infinite)}."
    if table.n_gaps:
        yield (
            f"{counted(table.n_gaps, 'gap')} filled with the median (in text: a level of its own)"
            f"{'' if like else '; detectors see where gaps were'} (--drop-gaps leaves out such "
            "rows)."
        )
    if not options.drop_duplicates and (n_repeated := table.n_repeated):
        yield f"{counted(n_repeated, 'repeated row')} (--drop-duplicates leaves them out)."


def _gaps(number: int) -> str:
    return "a gap" if number == 1 else "gaps"


def rows_of(table: UserTable) -> Table:
    """Return the rows with their names: plain arrays where all of it is continuous numbers."""
    from oddrank.rows import Table, as_table

    mixed = as_table(table.X, minimum_rows=1, discrete_as_levels=True)
    if not mixed.is_plain:
        return mixed
    return Table(values=mixed.values, feature_names=table.feature_names)


def anomalies_of(table: UserTable, anomaly: str | None, common: Common) -> Any:
    """Return which rows are labelled as anomalies, before any work is done; None without labels."""
    from oddrank.inspection import anomaly_labels

    if table.labels is None:
        return None
    odd = anomaly_labels(table.labels, anomaly)
    n_odd, n_known = int((odd == 1.0).sum()), int((odd >= 0.0).sum())
    say(f"{n_odd:,} of {n_known:,} rows are labelled as anomalies.", common)
    return odd


def known_labels(table: UserTable, anomaly: str | None, common: Common) -> Any:
    """Return labels that are to teach: 1 for an odd row, 0 for another, NaN where there is none.

    Without `anomaly` they are read as answers are: yes and no, 1 and 0, true and false. The rarer
    of two values is no sign of an odd row here: people label rows that they looked for.
    """
    from oddrank.errors import InvalidDataError
    from oddrank.inspection import anomaly_labels

    assert table.labels is not None
    if not any(str(value).strip() for value in table.labels):
        raise InvalidDataError("No row has a label that could teach. Leave --label out.")
    odd = (
        anomaly_labels(table.labels, anomaly)
        if anomaly is not None
        else _labels_like_answers(table.labels)
    )
    n_known, n_odd = int((odd >= 0.0).sum()), int((odd == 1.0).sum())
    teach = "teaches" if n_known == 1 else "teach"
    shown = f"{n_odd:,} of them odd" if n_odd else "none of them odd"
    say(f"{counted(n_known, 'known label')}, {shown}, {teach} the committee.", common)
    return odd


def _labels_like_answers(labels: Any) -> Any:
    import numpy as np

    from oddrank.errors import InvalidDataError, InvalidParameterError
    from oddrank.ranking import parsed_answer

    try:
        told = [parsed_answer(label, "a row") for label in labels]
    except InvalidParameterError:
        found = list(dict.fromkeys(str(label) for label in labels if str(label).strip()))
        raise InvalidDataError(
            f"The labels are {', '.join(map(repr, found[:5]))}{' …' * (len(found) > 5)}. Name the "
            "value that marks an odd row: --anomaly VALUE."
        ) from None
    return np.array([np.nan if label is None else float(label) for label in told])


def answers_of(table: UserTable, path: str, common: Common) -> KeptAnswers:
    """Return the answers in a file, before any work is done, and say how many there are."""
    from oddrank.cli.answers_file import read_answers

    kept = read_answers(path, table)
    for sentence in kept.sentences:
        say(f"! {sentence}", common)
    say(f"{counted(len(kept.answers), 'answer')} read from {path}.", common)
    return kept


def label_flags(label: str | None, anomaly: str | None) -> str:
    """Return the flags of `oddrank rank` that teach with the same labels."""
    words = [] if label is None else ["--label", label, "--teach"]
    words += [] if anomaly is None else ["--anomaly", anomaly]
    return "".join(f" {shlex.quote(word)}" for word in words)


def encoder_of(rows: Table) -> Any:
    """Return the encoder for rows that are not all numbers, or None."""
    from oddrank.rows import TableEncoder

    return None if rows.is_plain else TableEncoder()


def say_filled(n_filled: int, common: Common) -> None:
    """Say that a model which knows no gaps got medians in their place."""
    if n_filled:
        say(f"The model has seen no gaps: {counted(n_filled, 'gap')} in these rows "
            f"{'gets' if n_filled == 1 else 'get'} the median of the rows that it was fitted on.",
            common)  # fmt: skip


@contextmanager
def gaps_told(rows: Table) -> Iterator[None]:
    """Say it in a sentence if a model of another library fails because of gaps."""
    import numpy as np

    from oddrank.errors import InvalidDataError

    try:
        yield
    except Exception as error:
        if not np.isnan(rows.values).any():
            raise
        raise InvalidDataError(
            "The model cannot score rows with gaps. Add --drop-gaps: such rows are then listed as "
            "not scored."
        ) from error


def row_names(table: UserTable) -> list[str]:
    """Return what a reader looks for: the line of a text file or sheet, or the row from 0."""
    called = "line" if table.has_lines else "row"
    return [" ".join((*file, called, number)) for *file, number in table.places()]


def row_notes(table: UserTable) -> list[str]:
    """Return what the report says about the rows, a sentence each."""
    skipped = [f"Skipped {each.column!r}: {each.reason}" for each in table.left_out]
    return [f"Read as: {table.reading}.", *table.notes, *skipped]
