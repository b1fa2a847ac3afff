"""`oddrank importance`: which features help a detector."""

from __future__ import annotations

from typing import Any

import click

from oddrank.cli.common_options import Common, common_options, example
from oddrank.cli.table_options import TableOptions, table_options
from oddrank.cli.terminal import notes_from_warnings, print_json, print_sentences, print_table

__all__ = ["importance"]

NOTHING_CONCLUDED = 2


@click.command(epilog=example("oddrank importance transactions.csv --detector forest"))
@click.argument("tables", nargs=-1, required=True, metavar="TABLE...", type=click.Path())
@click.option(
    "--detector",
    default="forest",
    show_default=True,
    metavar="NAME",
    help="Name of a detector; oddrank rank --help lists them.",
)
@click.option(
    "--criterion",
    type=click.Choice(["excess_mass", "mass_volume"]),
    default="excess_mass",
    show_default=True,
    help="The criterion that a feature should improve.",
)
@click.option("--label", metavar="COLUMN", help="Hide this column from the detector.")
@table_options
@click.option(
    "--draws",
    type=click.IntRange(min=2),
    default=200,
    show_default=True,
    metavar="N",
    help="Number of draws of features; more draws give narrower intervals.",
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False),
    help="Save a picture (.png, .svg or .pdf); needs the extra 'plot'.",
)
@click.option(
    "--checkpoint",
    type=click.Path(file_okay=False),
    help="A folder for finished work: a run that was stopped continues there.",
)
@common_options
def importance(
    tables: tuple[str, ...],
    *,
    detector: str,
    criterion: str,
    label: str | None,
    reading: TableOptions,
    draws: int,
    plot: str | None,
    checkpoint: str | None,
    common: Common,
) -> int:
    """Find out which features of TABLE help a detector, without labels."""
    from dataclasses import replace

    from oddrank import FeatureSubsampling, Workers, feature_importance
    from oddrank.cli.output_files import OutputFiles, check_outputs, show_and_write
    from oddrank.cli.own_detectors import named_detector
    from oddrank.cli.user_rows import encoder_of, read_rows, rows_of

    detector, chosen = named_detector(detector, "--detector")
    check_outputs({"--plot": plot}, inputs=tables)
    with notes_from_warnings(common):
        read = read_rows(tables, common, reading, label=label)
        rows = rows_of(read)
        subsampling: Any = "auto"
        if rows.n_features > 1:
            n_features = min(5, rows.n_features // 2)
            subsampling = FeatureSubsampling(n_features, draws, "geometric")
        result = feature_importance(
            chosen,
            rows,
            preprocess=encoder_of(rows),
            criterion=criterion,
            subsampling=subsampling,
            random_state=common.seed,
            workers=Workers(n_jobs=common.jobs, checkpoint=checkpoint, progress=not common.quiet),
        )
    # The name that the user gave, not that of the class.
    result = replace(result, detector=detector)
    files = OutputFiles(common)
    show_and_write(
        lambda: print_json(result.to_dict()) if common.as_json else _print(result),
        lambda: files.write(plot, lambda path: _draw(result, path)),
    )
    resolved = any(each.resolved for each in result.importances)
    return files.code(0 if resolved else NOTHING_CONCLUDED)


def _draw(result: Any, path: str) -> None:
    from pathlib import Path

    from oddrank._files import write_whole

    figure, kind = result.plot().figure_, Path(path).suffix.lstrip(".").lower()
    write_whole(path, lambda file: figure.savefig(file, format=kind))


def _print(result: Any) -> None:
    import math

    rows, sure = [], []
    for name, each in zip(result.feature_names, result.importances, strict=True):
        if not each.resolved:
            rows.append([name, "unresolved", "-", ""])
            continue
        gain, low, high = (100 * math.expm1(x) for x in (each.value, *each.interval))
        mark = "helps" if low > 0 else "hurts" if high < 0 else "not sure"
        if name in result.few_valued:
            mark = "few values"
        rows.append([name, f"{gain:+.1f} %", f"{low:+.1f} to {high:+.1f} %", mark])
        if mark == "helps":
            sure.append(name)
    print_table(["feature", "gain", "95 % interval", ""], rows, left=(0, 3))
    criterion = result.criterion.replace("_", " ")
    helps = ", ".join(sure) if sure else "none is certain"
    print_sentences([
        f"Features that help {result.detector}: {helps}.",
        f"The gain is the change in {criterion} when a feature may be used, over "
        f"{result.n_draws} draws.",
        *result.cautions,
    ])  # fmt: skip
