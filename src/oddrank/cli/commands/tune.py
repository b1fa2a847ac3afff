"""`oddrank tune`: settings of one detector, without labels."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping
from typing import Any

import click

from oddrank._plain_text import number_word
from oddrank.cli.common_options import Common, common_options, example
from oddrank.cli.table_options import TableOptions, table_options
from oddrank.cli.terminal import notes_from_warnings, print_json, print_sentences, print_table

__all__ = ["tune"]

SCHEMA_VERSION = 1
# With fewer rows a ranking calls itself a guess, too: its two folds test 50 each.
ENOUGH_ROWS = 100

# Simpler settings come first: among ties the earlier candidate counts as simpler.
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
    "--criterion", type=click.Choice(["excess_mass", "mass_volume"]), default="excess_mass",
    show_default=True, help="The criterion that decides.",
)  # fmt: skip
@click.option(
    "--mass", type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True), default=0.95,
    show_default=True, help="Share of ordinary rows that the threshold should call normal.",
)  # fmt: skip
@click.option(
    "--take", type=click.Choice(["best", "simplest", "cheapest"]), default="best",
    show_default=True,
    help="best takes the highest mean; simplest takes the first, and cheapest the fastest, "
    "within one standard error of the best.",
)  # fmt: skip
@click.option("--halving", is_flag=True, help="Drop poor candidates early; this is faster.")
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
@click.option(
    "--save",
    type=click.Path(dir_okay=False),
    help="Write the chosen detector, fitted, as a skops file.",
)
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
    save: str | None,
    common: Common,
) -> int:
    """Find good settings of DETECTOR on TABLE, without labels."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from oddrank import LabelFreeSearchCV
    from oddrank.cli.detector_sets import named_detector
    from oddrank.cli.models.model_file import save_model
    from oddrank.cli.output_files import OutputFiles, check_outputs, show_and_write
    from oddrank.cli.user_rows import encoder_of, read_rows, rows_of

    detector, chosen = named_detector(detector, "tune")
    parameters = _grid(detector, grid)
    check_outputs({"--save": save}, inputs=tables)
    with notes_from_warnings(common):
        rows = rows_of(read_rows(tables, common, reading, label=label))
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
        files.write(save, lambda path: save_model(search.best_estimator_, rows, path))

    is_a_guess = rows.n_rows < ENOUGH_ROWS
    show_and_write(lambda: _report(search, detector, is_a_guess, common), write)
    return files.code(0)


def _grid(detector: str, given: tuple[str, ...]) -> Mapping[str, list[Any]]:
    from oddrank.errors import InvalidParameterError

    if not given:
        if detector not in GRIDS:
            raise InvalidParameterError(
                f"There is no grid for {detector!r}. Give one with --grid name=value,value."
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


def _report(search: Any, detector: str, is_a_guess: bool, common: Common) -> None:
    results = search.cv_results_
    order = sorted(range(len(results["params"])), key=lambda i: int(results["rank_test_score"][i]))
    chosen = _words(search.best_params_)
    tied = set(search.inseparable_) - {search.best_index_}
    candidates: list[dict[str, Any]] = [
        {
            "settings": _words(results["params"][i]),
            "score": _number(results["mean_test_score"][i]),
            "spread": _number(results["std_test_score"][i]),
            "tie": i in search.inseparable_,
            "dropped": bool(results["round"][i] < max(results["round"]))
            and i not in search.failures_,
        }
        for i in order
    ]
    if common.as_json:
        print_json({
            "schema_version": SCHEMA_VERSION, "detector": detector, "best": chosen,
            "criterion": search.criterion, "candidates": candidates,
            "mass": search.mass, "threshold": search.offset_, "is_a_guess": is_a_guess,
        })  # fmt: skip
        return
    compared = [each for each in candidates if each["score"] is not None and not each["dropped"]]
    clarity = _clarity(len(compared) - 1, len(tied))
    guess = f" This is a guess: fewer than {ENOUGH_ROWS} rows tell little." if is_a_guess else ""
    sentences = [f"Use {detector} with {chosen}. {clarity}".rstrip() + guess, *_failed(search)]
    n_dropped = sum(each["dropped"] for each in candidates)
    if n_dropped:
        dropped = "setting was" if n_dropped == 1 else "settings were"
        sentences.append(
            f"{number_word(n_dropped).capitalize()} {dropped} dropped early: scores from fewer "
            "points cannot be compared with the others."
        )
    print_sentences(sentences)
    minus = "" if search.criterion == "excess_mass" else "minus "
    print_table(
        ["settings", f"{minus}log {search.criterion.replace('_', ' ')}", "spread over splits",
         "tie"],
        [
            [each["settings"], _shown(each["score"]), _shown(each["spread"]),
             "yes" if each["tie"] else "dropped" if each["dropped"] else "no"]
            for each in candidates
        ],
    )  # fmt: skip


def _clarity(n_others: int, n_tied: int) -> str:
    """Return how the chosen settings stand against the others."""
    if not n_others:
        return ""
    others = "other setting" if n_others == 1 else f"other {number_word(n_others)} settings"
    if not n_tied:
        return f"It beats the {others}."
    if n_tied == n_others:
        return f"The {others} cannot be told apart from it."
    are = "is" if n_tied == 1 else "are"
    share = f"{number_word(n_tied).capitalize()} of the {others}"
    return f"{share} {are} as good, as far as this data can tell."


def _failed(search: Any) -> Iterator[str]:
    for index, reason in search.failures_.items():
        yield f"Failed: {_words(search.cv_results_['params'][index])}. {reason}"


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _words(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name.split('__')[-1]}={value}" for name, value in parameters.items())
