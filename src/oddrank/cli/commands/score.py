"""`oddrank score`: EM and MV of a model that is fitted already."""

from __future__ import annotations

from typing import Any

import click

from oddrank.cli.common_options import Common, common_options, example, impute_option
from oddrank.cli.terminal import notes_from_warnings, print_json, print_sentences, print_table

__all__ = ["score"]

NOTHING_CONCLUDED = 1


@click.command(epilog=example("oddrank score best.skops new_rows.csv"))
@click.argument("model", type=click.Path())
@click.argument("table", type=click.Path())
@click.option(
    "--columns",
    metavar="NAMES",
    help="Columns to use; by default those that the model was fitted on.",
)
@impute_option
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
    table: str,
    *,
    columns: str | None,
    impute: str | None,
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
    from oddrank.cli.user_rows import column_names, mass_range_for, read_rows

    with notes_from_warnings(common):
        detector = load_model(model, trusted=trust, allow_pickle=allow_pickle)
        names = column_names(columns) or _fitted_columns(detector)
        rows = read_rows(table, common, columns=names, impute=impute)
        evaluation = evaluate_scores(
            detector,
            rows.frame().reset_index(drop=True) if _fitted_columns(detector) else rows.X,
            orientation=orientation,
            mass_range=mass_range_for(rows.n_rows, common),
            random_state=common.seed,
        )
    if common.as_json:
        print_json({"model": model, "table": rows.source, **evaluation.to_dict()})
    else:
        _print(evaluation)
    resolved = evaluation.excess_mass.resolved or evaluation.mass_volume.resolved
    return 0 if resolved else NOTHING_CONCLUDED


def _fitted_columns(detector: Any) -> list[str] | None:
    names = getattr(detector, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


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
