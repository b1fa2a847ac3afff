"""`oddrank evaluate`: EM and MV of a fitted model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from oddrank.cli.common_options import Common, common_options, example
from oddrank.cli.model_file import model_options
from oddrank.cli.table_options import TableOptions, table_options
from oddrank.cli.terminal import notes_from_warnings, print_json, print_sentences, print_table, say

if TYPE_CHECKING:
    from oddrank.rows import Table

__all__ = ["evaluate"]

NOTHING_CONCLUDED = 2
KNOWN_SHARE = 0.1


@click.command(epilog=example("oddrank evaluate best.skops new_rows.csv"))
@click.argument("model", type=click.Path())
@click.argument("tables", nargs=-1, required=True, metavar="TABLE...", type=click.Path())
@table_options
@click.option(
    "--orientation",
    type=click.Choice(["normality", "abnormality"]),
    help="What high scores mean, if the model follows no known convention.",
)
@model_options
@common_options
def evaluate(
    model: str,
    tables: tuple[str, ...],
    *,
    reading: TableOptions,
    orientation: str | None,
    trust: tuple[str, ...],
    allow_pickle: bool,
    common: Common,
) -> int:
    """Evaluate a fitted MODEL (.skops) on TABLE.

    TABLE should hold rows that the model was not fitted on.
    """
    from oddrank import evaluate_scores
    from oddrank.cli.model_file import as_fitted, fitted_columns, load_model
    from oddrank.cli.user_rows import all_rows_of, mass_range_for, read_rows, rows_of
    from oddrank.reference import ReferenceMixture

    with notes_from_warnings(common):
        detector = load_model(model, trusted=trust, allow_pickle=allow_pickle)
        fitted = fitted_columns(detector)
        read = read_rows(tables, common, reading, columns=reading.columns or fitted)
        rows = as_fitted(read) if fitted else rows_of(read)
        _say_if_known(detector, rows, common)
        evaluation = evaluate_scores(
            detector,
            all_rows_of(read, rows),
            orientation=orientation,
            # there is no volume among categories, dates and gaps
            reference=None if rows.is_plain else ReferenceMixture(),
            mass_range=mass_range_for(rows.n_rows, common),
            random_state=common.seed,
        )
    if common.as_json:
        print_json({"model": model, "table": read.source, **evaluation.to_dict()})
    else:
        _print(evaluation)
    resolved = evaluation.excess_mass.resolved or evaluation.mass_volume.resolved
    return 0 if resolved else NOTHING_CONCLUDED


def _say_if_known(detector: Any, rows: Table, common: Common) -> None:
    """Warn if the model was fitted on these rows: the figures are then too good."""
    from oddrank.judging import FoldCalibrated

    if isinstance(detector, FoldCalibrated):
        known = detector.share_known(rows)
        if known > KNOWN_SHARE:
            say(f"The model was fitted on {known:.0%} of these rows, so the figures are too good. "
                "Give rows that it has not seen.", common)  # fmt: skip


def _print(evaluation: Any) -> None:
    rows = []
    for name, estimate in (
        ("excess mass (bigger is better)", evaluation.excess_mass),
        ("mass volume (smaller is better)", evaluation.mass_volume),
    ):
        low, high = estimate.interval
        value = f"{estimate.value:.4g}" if estimate.resolved else "unresolved"
        interval = f"{low:.4g} to {high:.4g}" if estimate.resolved else "-"
        rows.append([name, value, interval])
    print_table(["criterion", "value", "95 % interval"], rows)
    trusted = evaluation.diagnostics.trustworthy
    verdict = "Trust: yes." if trusted else "Trust: with care."
    print_sentences(
        [verdict, *(check.says("command") for check in evaluation.diagnostics.concerns)]
    )
