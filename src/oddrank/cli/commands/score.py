"""`oddrank score`: which rows of a new table are odd, by a fitted model."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from oddrank._text import counted
from oddrank.cli.common_options import Common, common_options, example
from oddrank.cli.model_rows import model_options
from oddrank.cli.table_options import TableOptions, table_options
from oddrank.cli.terminal import (
    notes_from_warnings,
    print_json,
    print_sentences,
    print_table,
    say,
)

if TYPE_CHECKING:
    from oddrank._typing import BoolArray, FloatArray
    from oddrank.inspection import Reason
    from oddrank.ranking import FoldCalibrated
    from oddrank.rows import Table

__all__ = ["score"]

EXPLAINED_ROWS = 20
# More rows to compare with would not improve the reasons.
COMPARED_ROWS = 10_000
SHOWN_ROWS = 5


@click.command(epilog=example("oddrank score best.skops new_rows.csv --out odd_rows.csv"))
@click.argument("model", type=click.Path())
@click.argument("tables", nargs=-1, required=True, metavar="TABLE...", type=click.Path())
@click.option(
    "--out",
    type=click.Path(dir_okay=False),
    help="Write every row as CSV: oddness, p-value, flag, reasons (not of a table that is scored "
    "chunk by chunk), and its own columns.",
)
@click.option(
    "--fdr",
    type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
    default=0.1,
    show_default=True,
    help="False-discovery rate: the expected share of false alarms among the flagged rows.",
)
@click.option("--label", metavar="COLUMN", help="Hide this column from the model.")
@table_options
@model_options
@common_options
def score(
    model: str,
    tables: tuple[str, ...],
    *,
    out: str | None,
    fdr: float,
    label: str | None,
    reading: TableOptions,
    trust: tuple[str, ...],
    allow_pickle: bool,
    common: Common,
) -> int:
    """Score the rows of TABLE by MODEL (.skops), and flag those that stand out.

    `oddrank rank --save` writes MODEL. TABLE holds new, raw rows with the
    columns of the table that was ranked. A Parquet table of more rows than --sample is scored chunk
    by chunk, in bounded memory.
    """
    from oddrank.cli.model_rows import as_fitted, read_rows_for
    from oddrank.cli.output_files import OutputFiles, check_outputs, show_and_write
    from oddrank.cli.row_file import NEW_HEAD, write_rows
    from oddrank.cli.streamed_scores import is_streamed, score_streamed
    from oddrank.cli.user_rows import gaps_told, say_filled
    from oddrank.io import load_model

    check_outputs({"--out": out}, inputs=[model, *tables])
    with notes_from_warnings(common):
        detector = load_model(model, trusted=trust, allow_pickle=allow_pickle)
        if is_streamed(detector, tables, reading):
            return score_streamed(detector, tables[0], reading, out=out, fdr=fdr, common=common)
        read = read_rows_for(
            detector, tables, common, reading,
            label=label, sampled=False, min_rows=1,
        )  # fmt: skip
        rows, n_filled = as_fitted(detector, read)
        say_filled(n_filled, common)
        with gaps_told(rows):
            found = compare_rows(detector, rows, fdr, common)
    files = OutputFiles(common)
    show_and_write(
        lambda: _report(read, found, common),
        lambda: files.write(out, lambda path: write_rows(path, read, found.cells, NEW_HEAD)),
    )
    return files.code(0)


@dataclass(frozen=True, kw_only=True, eq=False)
class NewRows:
    """New rows, compared with those of a model.

    Attributes
    ----------
    oddness, p_values, adjusted_p_values : arrays
        P-values are adjusted after Benjamini and Hochberg; NaN where the model has none.
    flagged : array of bool
        Whether the adjusted p-value is at most `fdr`.
    reasons : mapping of place to tuple of Reason
        Of the oddest rows, oddest first.
    fdr : float
    problem : str
        Why nothing can be flagged.
    """

    oddness: FloatArray
    p_values: FloatArray
    adjusted_p_values: FloatArray
    flagged: BoolArray
    reasons: Mapping[int, tuple[Reason, ...]]
    fdr: float
    problem: str

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.oddness)

    @property
    def verdict(self) -> str:
        """How many rows are flagged, in one sentence."""
        if self.problem:
            return f"No row is flagged: {self.problem}."
        n_flagged = int(self.flagged.sum())
        stand = "stands" if 1 in (n_flagged, self.n_rows) else "stand"
        return (
            f"{n_flagged:,} of {counted(self.n_rows, 'row')} {stand} out (false-discovery rate "
            f"{self.fdr:g})."
        )

    def cells(self, place: int) -> list[str]:
        """Return what is written beside a row."""
        return [
            f"{self.oddness[place]:.4g}",
            _number(self.p_values[place]),
            _number(self.adjusted_p_values[place]),
            "yes" if self.flagged[place] else "no",
            "; ".join(each.sentence for each in self.reasons.get(place, ())),
        ]


def compare_rows(detector: Any, rows: Table, fdr: float, common: Common) -> NewRows:
    """Compare rows with those that the model holds, and explain the oddest."""
    import numpy as np
    from scipy.stats import false_discovery_control

    from oddrank.cli.model_rows import KNOWN_SHARE, compared_rows, known_share
    from oddrank.criteria import spreads_below
    from oddrank.detectors import FittedDetector
    from oddrank.inspection import explain_rows
    from oddrank.ranking import FoldCalibrated
    from oddrank.rows import CHUNK_ROWS

    fitted = FittedDetector(name="the model", detector=detector)
    if isinstance(detector, FoldCalibrated):
        parts = [
            detector.compare(rows.wrap(rows.values[start : start + CHUNK_ROWS]))
            for start in range(0, rows.n_rows, CHUNK_ROWS)
        ]
        oddness, p_values = (np.concatenate(each) for each in zip(*parts, strict=True))
        adjusted = false_discovery_control(p_values)
        problem = _too_few(detector, rows.n_rows, fdr)
        known = known_share(detector, rows)
        if known > KNOWN_SHARE:
            say(f"The model was fitted on {100 * known:.0f} % of these rows, and finds them less "
                "odd than new rows. oddrank rank lists the rows of its own table.",
                common)  # fmt: skip
    else:
        problem = (
            "the model holds no scores of rows that it was not fitted on, so there are no p-values."
            " Models saved by oddrank rank --save hold such scores"
        )
        scores = fitted.score(rows)
        oddness = spreads_below(scores, scores)
        p_values = adjusted = np.full(rows.n_rows, np.nan)
    flagged = adjusted <= fdr
    oddest = np.argsort(-oddness, kind="stable")[:EXPLAINED_ROWS]
    sample = np.random.default_rng(common.seed).permutation(rows.n_rows)[:COMPARED_ROWS]
    odd, ordinary = compared_rows(detector, rows.rows(oddest), rows.rows(np.sort(sample)))
    root = np.random.SeedSequence(common.seed)
    explained = explain_rows(fitted, odd, ordinary, root=root)
    return NewRows(
        oddness=oddness,
        p_values=p_values,
        adjusted_p_values=adjusted,
        flagged=flagged,
        reasons=dict(zip(oddest.tolist(), explained, strict=True)),
        fdr=fdr,
        problem="" if flagged.any() else problem,
    )


def _too_few(detector: FoldCalibrated, n_rows: int, fdr: float) -> str:
    """Return why single rows cannot be flagged, if the model holds too few rows for that."""
    n_held_out = len(detector.held_out_)
    smallest = 1.0 / (n_held_out + 1)
    needed = math.ceil(n_rows * smallest / fdr)
    if needed <= 1:
        return ""
    return (
        f"the model compares a row with {n_held_out:,} others, so no p-value is below "
        f"{smallest:.2g}, and {needed:,} of {n_rows:,} rows must be that odd before one is "
        "flagged. Go by the oddness"
    )


def _report(read: Any, found: NewRows, common: Common) -> None:
    where = read.places()
    called = "line" if read.has_lines else "row"
    oddest = list(found.reasons)
    if common.as_json:
        rows = [
            {**({"file": where[place][0]} if read.files else {}), called: int(where[place][-1]),
             "oddness": float(found.oddness[place]),
             "p_value": _or_none(found.p_values[place]), "flagged": bool(found.flagged[place]),
             "reasons": [each.sentence for each in found.reasons[place]]}
            for place in oddest
        ]  # fmt: skip
        print_json({"table": read.source, "reading": read.reading.to_dict(),
                    "n_rows": found.n_rows, "n_flagged": int(found.flagged.sum()),
                    "fdr": found.fdr, "problem": found.problem, "oddest": rows})  # fmt: skip
        return
    print_sentences(["Look at these rows first:"])
    print_table(
        [called, "oddness", "p-value", "flagged", "why"],
        [[" ".join(where[place]), *_shown(found.cells(place))] for place in oddest[:SHOWN_ROWS]],
        left=(0, 4) if read.files else (4,),
    )
    print_sentences([found.verdict])


def _shown(cells: list[str]) -> list[str]:
    oddness, p_value, _, flagged, reasons = cells
    return [oddness, p_value or "none", flagged,
            reasons or "no single value or pair of values is to blame"]  # fmt: skip


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.4g}"


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
