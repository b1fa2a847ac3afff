"""`oddrank tune`: settings of one detector, without labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from oddrank.cli.common_options import Common, common_options, example
from oddrank.cli.table_options import TableOptions, table_options
from oddrank.cli.terminal import notes_from_warnings, print_json, print_sentences, print_table

__all__ = ["tune"]

# Simpler settings first: of candidates that cannot be told apart the earlier one is simpler.
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
    help="Values to try, commas between; may be given several times. "
    f"Without it: a good grid for {', '.join(GRIDS)}.",
)  # fmt: skip
@click.option(
    "--criterion", type=click.Choice(["excess_mass", "mass_volume"]), default="excess_mass",
    show_default=True, help="What decides.",
)  # fmt: skip
@click.option(
    "--mass", type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True), default=0.95,
    show_default=True, help="The share of normal rows that the threshold calls normal.",
)  # fmt: skip
@click.option(
    "--take", type=click.Choice(["best", "simplest", "cheapest"]), default="best",
    show_default=True,
    help="The highest mean, or the first or the fastest within one standard error of it.",
)  # fmt: skip
@click.option("--halving", is_flag=True, help="Drop poor candidates early, with fewer points.")
@click.option(
    "--checkpoint", type=click.Path(file_okay=False),
    help="A folder for finished work: a search that was stopped continues there.",
)  # fmt: skip
@click.option(
    "--timeout", type=click.FloatRange(min=0.0, min_open=True), metavar="SECONDS",
    help="Time limit of one fit: settings that take longer fail.",
)  # fmt: skip
@table_options
@click.option("--label", metavar="COLUMN", help="A column to keep from the detector.")
@click.option("--html", type=click.Path(dir_okay=False), help="Write the report, one page.")
@click.option("--save", type=click.Path(dir_okay=False), help="Write the fitted choice as skops.")
@common_options
def tune(
    detector: str,
    tables: tuple[str, ...],
    *,
    grid: tuple[str, ...],
    criterion: str,
    mass: float,
    take: str,
    halving: bool,
    checkpoint: str | None,
    timeout: float | None,
    reading: TableOptions,
    label: str | None,
    html: str | None,
    save: str | None,
    common: Common,
) -> int:
    """Tune DETECTOR on TABLE without labels."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from oddrank import LabelFreeSearchCV
    from oddrank.cli.model_file import save_model
    from oddrank.cli.output_files import OutputFiles, check_outputs, show_and_write
    from oddrank.cli.user_rows import encoder_of, read_rows, rows_of

    chosen = _detector(detector)
    parameters = _grid(detector, grid)
    check_outputs({"--html": html, "--save": save}, inputs=tables)
    with notes_from_warnings(common):
        read = read_rows(tables, common, reading, label=label)
        rows = rows_of(read)
        encoder = encoder_of(rows, reading)
        before = [StandardScaler()] if encoder is None else [encoder, StandardScaler()]
        pipeline = make_pipeline(*before, chosen)
        step = pipeline.steps[-1][0]
        search = LabelFreeSearchCV(
            pipeline,
            {f"{step}__{name}": values for name, values in parameters.items()},
            criterion=criterion,
            mass=mass,
            refit=take,
            halving=halving,
            n_jobs=common.jobs,
            checkpoint=checkpoint,
            timeout=timeout,
            progress=not common.quiet,
            random_state=common.seed,
        ).fit(rows.wrap(rows.values))
    files = OutputFiles(common)

    def write() -> None:
        names = read.feature_names
        files.write(save, lambda path: save_model(search.best_estimator_, names, path))
        files.write_text(html, lambda: _page(search, detector, read, common))

    show_and_write(lambda: _report(search, detector, common), write)
    return files.code(0)


def _page(search: Any, detector: str, rows: Any, common: Common) -> str:
    from oddrank.cli.common_options import repeating_call
    from oddrank.cli.user_rows import plain_account
    from oddrank.report import summarise_tuning, tuning_page

    summary = summarise_tuning(
        search,
        title=f"Which settings of {detector} to take on {rows.source}",
        data=plain_account(rows),
        call=repeating_call(common),
    )
    return tuning_page(summary)


def _detector(name: str) -> Any:
    from oddrank.cli.detector_sets import named_detectors
    from oddrank.errors import InvalidParameterError

    chosen = named_detectors(name)
    if len(chosen) != 1:
        raise InvalidParameterError(f"tune takes one detector. Got {name!r}.")
    return next(iter(chosen.values()))


def _grid(detector: str, given: tuple[str, ...]) -> Mapping[str, list[Any]]:
    from oddrank.errors import InvalidParameterError

    if not given:
        if detector not in GRIDS:
            raise InvalidParameterError(
                f"There is no grid for {detector!r}. Give one with --grid name=value,value."
            )
        return GRIDS[detector]
    grid = {}
    for text in given:
        name, equals, values = text.partition("=")
        if not (name and equals and values):
            raise InvalidParameterError(f"--grid needs name=value,value. Got {text!r}.")
        grid[name.strip()] = [_value(value.strip()) for value in values.split(",")]
    return grid


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _report(search: Any, detector: str, common: Common) -> None:
    results = search.cv_results_
    order = sorted(range(len(results["params"])), key=lambda i: int(results["rank_test_score"][i]))
    rows = [
        [_words(results["params"][i]), f"{results['mean_test_score'][i]:.3f}",
         f"{results['std_test_score'][i]:.3f}", "yes" if i in search.inseparable_ else "no"]
        for i in order
    ]  # fmt: skip
    chosen = _words(search.best_params_)
    if common.as_json:
        keys = ("settings", "score", "spread", "inseparable")
        print_json({
            "detector": detector, "best": chosen, "criterion": search.criterion,
            "inseparable": [_words(results["params"][i]) for i in search.inseparable_],
            "candidates": [dict(zip(keys, row, strict=True)) for row in rows],
            "mass": search.mass, "threshold": search.offset_,
        })  # fmt: skip
        return
    head = ["settings", f"log {search.criterion}", "spread", "inseparable from the best"]
    print_table(head, rows)
    print_sentences([
        f"Best settings of {detector}: {chosen}.",
        f"{len(search.inseparable_)} of {len(rows)} candidates cannot be separated from the best.",
    ])  # fmt: skip


def _words(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name.split('__')[-1]}={value}" for name, value in parameters.items())
