"""`oddrank score`: EM and MV of a model that is fitted already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from oddrank.cli.common_options import Common, common_options, example
from oddrank.cli.table_options import TableOptions, table_options
from oddrank.cli.terminal import notes_from_warnings, print_json, print_sentences, print_table

if TYPE_CHECKING:
    from oddrank.datasets import UserTable
    from oddrank.rows import Table

__all__ = ["score"]

NOTHING_CONCLUDED = 1


@click.command(epilog=example("oddrank score best.skops new_rows.csv"))
@click.argument("model", type=click.Path())
@click.argument("tables", nargs=-1, required=True, metavar="TABLE...", type=click.Path())
@table_options
@click.option(
    "--orientation",
    type=click.Choice(["normality", "abnormality"]),
    help="What high scores mean, for models that follow no known convention.",
)
@click.option(
    "--trust",
    multiple=True,
    metavar="TYPE",
    help="A type in the model file that you vouch for; may be given several times.",
)
@click.option(
    "--allow-pickle",
    is_flag=True,
    help="Read pickle and joblib files. They run code: only for files you made.",
)
@common_options
def score(
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
    from oddrank.cli.model_file import load_model
    from oddrank.cli.user_rows import mass_range_for, read_rows, rows_of
    from oddrank.reference import ReferenceMixture

    with notes_from_warnings(common):
        detector = load_model(model, trusted=trust, allow_pickle=allow_pickle)
        fitted = _fitted_columns(detector)
        read = read_rows(tables, common, reading, columns=reading.columns or fitted)
        rows = _as_fitted(detector, read) if fitted else rows_of(read)
        evaluation = evaluate_scores(
            detector,
            rows,
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


def _fitted_columns(detector: Any) -> list[str] | None:
    names = getattr(detector, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def _as_fitted(detector: Any, read: UserTable) -> Table:
    """Return a frame of the columns that a model was fitted on, as they were then."""
    from oddrank.cli.user_rows import rows_of
    from oddrank.rows import as_table

    first = detector.steps[0][1] if hasattr(detector, "steps") else detector
    if hasattr(first, "kinds_") or not rows_of(read).is_plain:
        return as_table(read.frame().reset_index(drop=True), discrete_as_levels=True)
    return as_table(read.frame().reset_index(drop=True))


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
    verdict = "To be trusted: yes." if trusted else "To be trusted: with care."
    print_sentences([verdict, *(check.message for check in evaluation.diagnostics.concerns)])
