"""`oddrank tune`: settings of one detector, without labels."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from oddrank.cli.common_options import Common, common_options, example, repeating_call
from oddrank.cli.table_options import TableOptions, table_options
from oddrank.cli.terminal import (
    clear_stage,
    notes_from_warnings,
    print_json,
    print_screen,
    terminal_width,
)

if TYPE_CHECKING:
    from oddrank.ranking import Ranking

__all__ = ["tune"]

GRIDS: Mapping[str, Mapping[str, list[Any]]] = {
    "lof": {"n_neighbors": [100, 50, 20, 10, 5]},
    "knn": {"n_neighbors": [100, 50, 20, 10, 5]},
    "forest": {"max_samples": [64, 256, 1024], "max_features": [1.0, 0.5]},
    "density": {"bandwidth": [2.0, 1.0, 0.5, 0.3, 0.2, 0.1, 0.05]},
    "mixture": {"n_components": [1, 2, 3, 5, 8, 12]},
    "exact_svm": {"gamma": [0.01, 0.03, 0.1, 0.3, 1.0, 3.0]},
    "hbos": {"n_bins": [5, 10, 20, 50]},
}


@click.command(epilog=example("oddrank tune lof transactions.csv --grid n_neighbors=5,20,50"))
@click.argument("detector")
@click.argument("tables", nargs=-1, required=True, metavar="TABLE...", type=click.Path())
@click.option(
    "--grid", multiple=True, metavar="NAME=VALUES",
    help="Values to try, separated by commas; give it once per setting. "
    f"Without it oddrank has a grid for {', '.join(GRIDS)}.",
)  # fmt: skip
@click.option(
    "--judge", type=click.Choice(["auto", "references", "volume", "consensus"]), default="auto",
    show_default=True, help="What decides, as in oddrank rank.",
)  # fmt: skip
@click.option(
    "--mass", type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True), default=0.95,
    show_default=True, help="Share of ordinary rows that the threshold should call normal.",
)  # fmt: skip
@click.option(
    "--checkpoint", type=click.Path(file_okay=False),
    help="Folder for finished work. A search that was stopped continues there.",
)  # fmt: skip
@click.option(
    "--timeout", type=click.FloatRange(min=0.0, min_open=True), metavar="SECONDS",
    help="Time limit of one fit: settings that take longer fail.",
)  # fmt: skip
@table_options
@click.option("--label", metavar="COLUMN", help="Hide this column from the detector.")
@click.option("--html", type=click.Path(dir_okay=False), help="Write the report, one page.")
@click.option(
    "--save",
    type=click.Path(dir_okay=False),
    help="Write the committee of all settings, fitted (.skops).",
)
@common_options
def tune(
    detector: str,
    tables: tuple[str, ...],
    *,
    grid: tuple[str, ...],
    judge: str,
    mass: float,
    checkpoint: str | None,
    timeout: float | None,
    reading: TableOptions,
    label: str | None,
    html: str | None,
    save: str | None,
    common: Common,
) -> int:
    """Find good settings of DETECTOR on TABLE, without labels: all of them are ranked."""
    from oddrank import LabelFreeSearchCV, Workers
    from oddrank.cli.model_rows import save_with_rows
    from oddrank.cli.output_files import OutputFiles, check_outputs, show_and_write
    from oddrank.cli.own_detectors import named_detector
    from oddrank.cli.user_rows import encoder_of, read_rows, row_notes, rows_of
    from oddrank.report import html_page

    detector, chosen = named_detector(detector, "tune")
    step = f"{chosen.steps[-1][0]}__" if hasattr(chosen, "steps") else ""
    parameters = {f"{step}{name}": values for name, values in _grid(detector, grid).items()}
    check_outputs({"--html": html, "--save": save}, inputs=tables)
    with notes_from_warnings(common):
        read = read_rows(tables, common, reading, label=label)
        rows = rows_of(read)
        search = LabelFreeSearchCV(
            chosen,
            parameters,
            judge=judge,
            preprocess=encoder_of(rows),
            mass=mass,
            random_state=common.seed,
            workers=Workers(
                n_jobs=common.jobs,
                checkpoint=checkpoint,
                timeout=timeout,
                progress=not common.quiet,
            ),
        ).fit(rows.wrap(rows.values))
        clear_stage(common)
        ranking, files = search.ranking_, OutputFiles(common)

        def write() -> None:
            keep = partial(save_with_rows, rows=rows, reading=read.reading)
            files.write(save, lambda path: keep(search.committee_, path=path))
            files.write_text(html, lambda: html_page(
                ranking,
                title=f"Which settings of {detector} to use on {read.source}",
                notes=row_notes(read),
                call=repeating_call(common),
                place="command",
            ))  # fmt: skip

        show_and_write(lambda: _report(ranking, detector, html, common), write)
        return files.code(0)


def _report(ranking: Ranking, detector: str, html: str | None, common: Common) -> None:
    from oddrank.ranking import screen

    if common.as_json:
        print_json({"detector": detector, **ranking.to_dict()})
        return
    next_steps = "--save tuned.skops" if html else "--html report.html | --save tuned.skops"
    shown = screen(ranking, place="command", next_steps=next_steps, width=terminal_width())
    print_screen(shown)


def _grid(detector: str, given: tuple[str, ...]) -> Mapping[str, list[Any]]:
    from oddrank.errors import InvalidParameterError

    if not given:
        if detector not in GRIDS:
            raise InvalidParameterError(
                f"There is no grid for {detector!r}, only for {', '.join(GRIDS)}. Give one with "
                "--grid name=value,value."
            )
        return GRIDS[detector]
    grid: dict[str, list[Any]] = {}
    for text in given:
        name, equals, values = (part.strip() for part in text.partition("="))
        if not (name and equals and values):
            raise InvalidParameterError(f"--grid needs name=value,value. Got {text!r}.")
        if name in grid:
            raise InvalidParameterError(
                f"--grid {name} is given more than once. Give all of its values together: "
                f"--grid {name}=value,value."
            )
        grid[name] = [_value(value.strip()) for value in values.split(",")]
    return grid


def _value(text: str) -> Any:
    """Return a number, True, False or None where a text is one."""
    for read in (int, float, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError):
            continue
    return text
