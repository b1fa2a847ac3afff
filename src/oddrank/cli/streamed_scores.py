"""`oddrank score` on Parquet tables that are too large for memory: chunk by chunk."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from oddrank._text import counted
from oddrank.cli.common_options import Common
from oddrank.cli.model_rows import as_fitted, fitted_columns, model_reading
from oddrank.cli.output_files import OutputFiles, show_and_write
from oddrank.cli.row_file import write_cells
from oddrank.cli.table_options import TableOptions
from oddrank.cli.terminal import (
    clear_stage,
    print_json,
    print_sentences,
    print_table,
    say,
    stage,
)

if TYPE_CHECKING:
    from oddrank.inspection import LargeScores
    from oddrank.io import Reading

__all__ = ["is_streamed", "score_streamed"]

SHOWN_ROWS = 5
HEAD = ("row", "oddness", "p_value", "adjusted_p_value", "flagged")


def is_streamed(model: Any, tables: Sequence[str], reading: TableOptions) -> bool:
    """Return whether a table is Parquet, and has more rows than are held in memory."""
    from oddrank.io import is_parquet
    from oddrank.ranking import FoldCalibrated
    from oddrank.rows import large_table

    if len(tables) != 1 or not is_parquet(tables[0]) or not isinstance(model, FoldCalibrated):
        return False
    return large_table(tables[0], tables[0]).n_rows > reading.sample


def score_streamed(
    model: Any, table: str, reading: TableOptions, *, out: str | None, fdr: float, common: Common
) -> int:
    """Score all rows, show the oddest, and write every row if a file was asked for."""
    from oddrank.inspection import collect_scores
    from oddrank.io import parquet_cells, parquet_names
    from oddrank.rows import large_table

    if reading.drop_duplicates:
        raise click.UsageError(
            "--drop-duplicates needs all rows in memory, and this table is scored chunk by chunk. "
            "Raise --sample, or leave it out."
        )
    source = Path(table).expanduser()
    cells = parquet_cells(source, table)
    with tempfile.TemporaryFile("w+", newline="", encoding="utf-8") as kept:
        like = model_reading(model)
        say(f"{table}  {counted(large_table(table).n_rows, 'row')}, chunk by chunk; columns are "
            "read as those of the model.", common)  # fmt: skip
        stage(f"Scoring {table}", common)
        compare = partial(_compared, model, reading, like, table)
        keep = None if out is None else _Keeper(kept)
        found = collect_scores(large_table(table).map(compare), fdr=fdr, on_chunk=keep)
        clear_stage(common)
        if found.n_not_scored:
            say(f"{counted(found.n_not_scored, 'row')} with gaps not scored (--drop-gaps).",
                common)  # fmt: skip
        if not found.n_flagged:
            say("Rows are compared with those that the model was fitted on. If these are a sample "
                "of this table, odd rows are as common there: go by the oddness.",
                common)  # fmt: skip
        files = OutputFiles(common)
        show_and_write(
            lambda: _report(table, found, common),
            lambda: files.write(
                out,
                lambda path: write_cells(path, _lines(kept, parquet_names(source), cells(), found)),
            ),
        )
        return files.code(0)


def _compared(
    model: Any, options: TableOptions, like: Reading | None, name: str, chunk: Any
) -> tuple[Any, Any]:
    """Read a chunk as the ranked table was read, and compare its rows; NaN for those left out."""
    import numpy as np

    from oddrank.io import Reading, read_table

    read = read_table(
        chunk,
        reading=(like or Reading()).with_told(options.told),
        name=name,
        columns=options.columns or fitted_columns(model),
        categories=options.categories,
        drop_gaps=options.drop_gaps,
        min_rows=1,
    )
    rows, _ = as_fitted(model, read)
    oddness, p_values = np.full((2, len(chunk)), np.nan)
    places = read.row_numbers
    oddness[places], p_values[places] = model.compare(rows.wrap(rows.values))
    return oddness, p_values


class _Keeper:
    """Keeps the scores of every row until all p-values are known."""

    def __init__(self, file: IO[str]) -> None:
        self._writer = csv.writer(file)

    def __call__(self, start: int, chunk: Any, oddness: Any, p_values: Any) -> None:  # noqa: ARG002
        scores = zip(oddness.tolist(), p_values.tolist(), strict=True)
        self._writer.writerows([repr(odd), repr(p_value)] for odd, p_value in scores)


def _lines(
    kept: IO[str], names: list[str], cells: Iterator[Sequence[Any]], found: LargeScores
) -> Iterator[list[Any]]:
    """Yield every row as it stands in the table, with what was found."""
    kept.seek(0)
    yield [*HEAD, *names]
    adjusted_of = dict(zip(found.levels.tolist(), found.adjusted_levels.tolist(), strict=True))
    for number, ((oddness, p_value), row) in enumerate(zip(csv.reader(kept), cells, strict=True)):
        adjusted = adjusted_of.get(float(p_value))
        if adjusted is None:
            yield [number, "", "", "", "not scored", *row]
            continue
        flagged = "yes" if adjusted <= found.fdr else "no"
        shown = [f"{float(each):.4g}" for each in (oddness, p_value, adjusted)]
        yield [number, *shown, flagged, *row]


def _report(table: str, found: LargeScores, common: Common) -> None:
    rows = list(zip(*(part.tolist() for part in (
        found.numbers, found.oddness, found.p_values, found.adjusted_p_values
    )), strict=True))  # fmt: skip
    if common.as_json:
        oddest = [
            {"row": number, "oddness": oddness, "p_value": p_value,
             "flagged": adjusted <= found.fdr}
            for number, oddness, p_value, adjusted in rows[:20]
        ]  # fmt: skip
        print_json({"table": table, "n_rows": found.n_rows, "n_flagged": found.n_flagged,
                    "fdr": found.fdr, "oddest": oddest})  # fmt: skip
        return
    stand = "stands" if found.n_flagged == 1 else "stand"
    print_sentences([
        f"{found.n_flagged:,} of {counted(found.n_rows, 'row')} {stand} out (false-discovery rate "
        f"{found.fdr:g})."
    ])  # fmt: skip
    print_table(
        ["row", "oddness", "p-value", "out"],
        [
            [str(number), f"{oddness:.4g}", f"{p_value:.4g}",
             "yes" if adjusted <= found.fdr else "no"]
            for number, oddness, p_value, adjusted in rows[:SHOWN_ROWS]
        ],
        left=(),
    )  # fmt: skip
