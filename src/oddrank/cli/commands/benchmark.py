"""`oddrank benchmark`: the paper's benchmark, or one of your own."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

import click

from oddrank.cli.common_options import Common, common_options, example
from oddrank.cli.streams import prints_to_stderr
from oddrank.cli.terminal import print_json, print_table, say

__all__ = ["benchmark"]

_ROWS = click.option(
    "--rows", type=click.Path(dir_okay=False), default="rows.jsonl", show_default=True,
    help="File of stored rows; .gz is unpacked.",
)  # fmt: skip
_SETTING = click.option(
    "--setting", type=click.Choice(["novelty", "unsupervised"]), default="novelty",
    show_default=True, help="novelty trains on clean rows, unsupervised on polluted ones.",
)  # fmt: skip
_PRESET = click.option(
    "--preset", type=click.Choice(["paper", "oddrank"]), default="oddrank", show_default=True,
    help="paper uses the authors' grids, oddrank exact areas.",
)  # fmt: skip
_SHOWN_JUDGES = ("default", "volume", "always iforest", "always knn", "random", "best constant",
                 "ceiling")  # fmt: skip


@click.group(epilog=example("oddrank benchmark run --rows rows.jsonl"))
def benchmark() -> None:
    """Run benchmarks with labels, and count how often the label-free verdict agrees."""


@benchmark.command("run", epilog=example("oddrank benchmark run --max-rows 2000"))
@click.option(
    "--spec", default="goix2016", show_default=True, help="A TOML file, or goix2016 or verdict."
)
@_ROWS
@click.option(
    "--setting", type=click.Choice(["novelty", "unsupervised"]), help="Run this setting only."
)
@click.option("--max-rows", type=click.IntRange(min=0), help="Use a sample of this many rows.")
@click.option("--data", type=click.Path(file_okay=False), help="Folder of raw files.")
@common_options
def run_command(
    *,
    spec: str,
    rows: str,
    setting: str | None,
    max_rows: int | None,
    data: str | None,
    common: Common,
) -> int:
    """Run the cells that have no row yet; --seed is added to the specification's seeds.

    Other parameters, rows or code are other cells. Cells that failed are tried again; where some
    fail once more the exit code is 2.
    """
    from dataclasses import replace

    from oddrank.benchmark import load_spec, run_benchmark

    chosen = load_spec(spec)
    chosen = replace(
        chosen,
        seeds=tuple(seed + common.seed for seed in chosen.seeds),
        settings=(setting,) if setting else chosen.settings,
        max_rows=chosen.max_rows if max_rows is None else max_rows,
    )
    with prints_to_stderr():
        stored = run_benchmark(
            chosen, rows, data_home=data, n_jobs=common.jobs, progress=not common.quiet
        )
    failed = [row for row in stored if row["status"] != "done"]
    say(f"{len(stored)} rows in {rows}, {len(failed)} of them failures.", common)
    for reason in dict.fromkeys(row["reason"] for row in failed):
        say(f"Failed: {reason}", common)
    if common.as_json:
        print_json({"rows": len(stored), "failed": len(failed), "path": rows})
    return 2 if failed else 0


@benchmark.command("table", epilog=example("oddrank benchmark table --setting novelty"))
@_ROWS
@_SETTING
@_PRESET
@common_options
def table_command(*, rows: str, setting: str, preset: str, common: Common) -> int:
    """Print the measures beside those of the paper, from stored rows."""
    from oddrank.benchmark import markdown_table

    results = _results(rows, setting, preset)
    if common.as_json:
        print_json([
            {"dataset": dataset, "detector": detector, **_plain(cells)}
            for (dataset, detector), cells in results.items()
        ])  # fmt: skip
    elif results:
        click.echo(markdown_table(results, setting))
    return _code(results, rows, common)


@benchmark.command("agreement", epilog=example("oddrank benchmark agreement --setting novelty"))
@_ROWS
@_SETTING
@click.option("--preset", type=click.Choice(["paper", "oddrank"]), help="Count this preset only.")
@common_options
def agreement_command(*, rows: str, setting: str, preset: str | None, common: Common) -> int:
    """Count the pairs that EM and MV order as ROC and PR do, and the cost of following them."""
    from oddrank.benchmark import read_rows, summarise_agreement

    presets = [preset] if preset else ["paper", "oddrank"]
    stored = read_rows(rows)
    summary = summarise_agreement(stored, setting, presets=presets, random_state=common.seed)
    if stored and not summary.counts:
        say(f"No dataset in {rows} has labels and a result in this setting.", common)
        return 2
    if common.as_json:
        print_json(summary.to_dict())
    elif summary.counts:
        click.echo(summary.to_markdown())
        say(summary.explanation, common)
    return _code(stored, rows, common)


@benchmark.command("verdict", epilog=example("oddrank benchmark verdict --rows rows.jsonl"))
@_ROWS
@common_options
def verdict_command(*, rows: str, common: Common) -> int:
    """Print how often every judge is right, and the cost of following it."""
    from math import isfinite

    from oddrank.benchmark import VERDICT_FIGURES, read_rows, verdict_table

    stored = [row for row in read_rows(rows) if row.get("preset") == "verdict"]
    settings = dict.fromkeys(row["setting"] for row in stored)
    # a setting whose rows all failed has no table
    tables = {name: found for name in settings if (found := verdict_table(stored, name))}
    if not tables:
        return _code(tables, rows, common, "oddrank benchmark run --spec verdict")
    if common.as_json:
        print_json({
            setting: {
                name: {figure: value if isfinite(value) else None
                       for figure, value in zip(VERDICT_FIGURES, each.mean.tolist(), strict=True)}
                for name, each in table.items()
            }
            for setting, table in tables.items()
        })  # fmt: skip
        return 0
    for setting, table in tables.items():
        lines = [[name, *(f"{value:.3f}" if isfinite(value) else "–" for value in each.mean)]
                 for name, each in table.items() if name.startswith(_SHOWN_JUDGES)]  # fmt: skip
        print_table([f"judge, {setting}", "pairs", "clear", "ROC", "PR", "C-ROC", "C-PR"], lines,
                    left=(0,))  # fmt: skip
    say("pairs and clear: share of all pairs, and of clear pairs, ordered as by labels. ROC and "
        "PR: loss of the pick. C-ROC and C-PR: loss of the committee.", common)  # fmt: skip
    return 0


def _results(rows: str, setting: str, preset: str) -> dict[tuple[str, str], dict[str, Any]]:
    from oddrank.benchmark import read_rows, results_table

    return results_table(read_rows(rows), setting, preset)


def _plain(cells: dict[str, Any]) -> dict[str, float | None]:
    return {name: None if cell.value != cell.value else cell.value for name, cell in cells.items()}


def _code(found: Sized, rows: str, common: Common, remedy: str = "oddrank benchmark run") -> int:
    if not found:
        say(f"{rows} has no rows for this. Run: {remedy}", common)
    return 0 if found else 2
