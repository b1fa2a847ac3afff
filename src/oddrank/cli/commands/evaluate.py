"""`oddrank evaluate`: EM and MV of a fitted model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from oddrank.cli.common_options import Common, common_options, example
from oddrank.cli.model_rows import model_options
from oddrank.cli.table_options import TableOptions, table_options
from oddrank.cli.terminal import notes_from_warnings, print_json, print_sentences, print_table

__all__ = ["evaluate"]

NOTHING_CONCLUDED = 2
NOT_IN_SPACE = (
    "There is no volume among categories, dates and gaps. Here a volume is a share of made-up "
    "rows, and the ROC area is the chance that a row scores better than one of them."
)


@click.command(epilog=example("oddrank evaluate best.skops new_rows.csv"))
@click.argument("model", type=click.Path())
@click.argument("tables", nargs=-1, required=True, metavar="TABLE...", type=click.Path())
@click.option("--label", metavar="COLUMN", help="Hide this column from the model.")
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
    label: str | None,
    reading: TableOptions,
    orientation: str | None,
    trust: tuple[str, ...],
    allow_pickle: bool,
    common: Common,
) -> int:
    """Evaluate a fitted MODEL (.skops) on TABLE.

    TABLE should hold rows that the model was not fitted on.
    """
    import numpy as np

    from oddrank import evaluate_scores
    from oddrank.cli.model_rows import as_fitted, known_share, read_rows_for
    from oddrank.cli.user_rows import gaps_told, say_filled
    from oddrank.io import load_model
    from oddrank.reference import ReferenceMixture

    with notes_from_warnings(common):
        detector = load_model(model, trusted=trust, allow_pickle=allow_pickle)
        read = read_rows_for(
            detector,
            tables,
            common,
            reading,
            label=label,
            # the same sample as that of `rank` would be the rows that the model was fitted on
            random_state=np.random.SeedSequence(common.seed, spawn_key=(1,)),
        )
        rows, n_filled = as_fitted(detector, read)
        say_filled(n_filled, common)
        known = known_share(detector, rows)
        with gaps_told(rows):
            evaluation = evaluate_scores(
                detector,
                rows,
                orientation=orientation,
                # there is no volume among categories, dates and gaps
                reference=None if rows.is_plain else ReferenceMixture(),
                random_state=common.seed,
            )
    concerns = list(_concerns(evaluation, known))
    if common.as_json:
        found = {**evaluation.to_dict(), "trustworthy": not concerns, "concerns": concerns}
        print_json({"model": model, "table": read.source, **found})
    else:
        _print(evaluation, concerns, in_space=rows.is_plain)
    resolved = evaluation.excess_mass.resolved or evaluation.mass_volume.resolved
    return 0 if resolved else NOTHING_CONCLUDED


def _concerns(evaluation: Any, known: float) -> Iterator[str]:
    from oddrank.cli.model_rows import KNOWN_SHARE

    if known > KNOWN_SHARE:
        yield (
            f"The model was fitted on {100 * known:.0f} % of these rows, so the figures are too "
            "good. Give rows that it has not seen."
        )
    yield from (check.says("command") for check in evaluation.diagnostics.concerns)


def _print(evaluation: Any, concerns: list[str], *, in_space: bool) -> None:
    named = [
        ("excess mass (bigger is better)", evaluation.excess_mass),
        ("mass volume (smaller is better)", evaluation.mass_volume),
    ]
    if evaluation.roc_area is not None:
        named.append(("ROC area (bigger is better)", evaluation.roc_area))
    rows = []
    for name, estimate in named:
        low, high = estimate.interval
        value = f"{estimate.value:.4g}" if estimate.resolved else "unresolved"
        interval = f"{low:.4g} to {high:.4g}" if estimate.resolved else "–"
        rows.append([name, value, interval])
    print_table(["criterion", "value", "95 % interval"], rows)
    verdict = "Trust: with care." if concerns else "Trust: yes."
    print_sentences([verdict, *concerns, *([] if in_space else [NOT_IN_SPACE])])
