"""`oddrank benchmark`: the paper's benchmark, or one of your own."""

from __future__ import annotations

from typing import Any

import click

from oddrank.cli.benchmark_verdict import verdict_command
from oddrank.cli.common_options import Common, common_options
from oddrank.cli.help_text import example
from oddrank.cli.terminal import print_json, print_table, say

__all__ = ["benchmark"]

_ROWS = click.option(
    "--rows", type=click.Path(dir_okay=False), default="rows.jsonl", show_default=True,
    help="The file of stored rows.",
)  # fmt: skip
_SETTING = click.option(
    "--setting", type=click.Choice(["novelty", "unsupervised"]), default="novelty",
    show_default=True, help="Clean training rows, or polluted ones.",
)  # fmt: skip
_PRESET = click.option(
    "--preset", type=click.Choice(["paper", "oddrank"]), default="oddrank", show_default=True,
    help="The authors' grids, or exact areas.",
)  # fmt: skip


@click.group(epilog=example("oddrank benchmark run --rows rows.jsonl"))
def benchmark() -> None:
    """Run benchmarks with labels, and see how often the label-free verdict agrees."""


benchmark.add_command(verdict_command)


@benchmark.command("run", epilog=example("oddrank benchmark run --max-rows 2000"))
@click.option(
    "--spec", default="goix2016", show_default=True, help="A TOML file, goix2016 or verdict."
)
@_ROWS
@click.option("--setting", type=click.Choice(["novelty", "unsupervised"]), help="Only this one.")
@click.option("--max-rows", type=click.IntRange(min=0), help="Sample rows down, for a quick look.")
@click.option("--data", type=click.Path(file_okay=False), help="A folder of raw files.")
@common_options
def run_command(
    *,
    spec: str,
    rows: str,
    setting: str | None,
    max_rows: int | None,
    data: str | None,
    common: Common,
) -> None:
    """Run the cells that have no row yet; --seed is added to the specification's seeds."""
    from dataclasses import replace

    from oddrank.benchmark import load_spec, run_benchmark

    chosen = load_spec(spec)
    chosen = replace(
        chosen,
        seeds=tuple(seed + common.seed for seed in chosen.seeds),
        settings=(setting,) if setting else chosen.settings,
        max_rows=chosen.max_rows if max_rows is None else max_rows,
    )
    stored = run_benchmark(
        chosen, rows, data_home=data, n_jobs=common.jobs, progress=not common.quiet
    )
    failed = [row for row in stored if row["status"] != "done"]
    say(f"{len(stored)} rows in {rows}, {len(failed)} of them failures.", common)
    if common.as_json:
        print_json({"rows": len(stored), "failed": len(failed), "path": rows})


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
@_PRESET
@common_options
def agreement_command(*, rows: str, setting: str, preset: str, common: Common) -> int:
    """Count the pairs that EM and MV order as ROC and PR do, and what following them costs."""
    from oddrank.benchmark import count_pairs, printed_table, regret

    results = _results(rows, setting, preset)
    ours = {
        key: {measure: cell.value for measure, cell in cells.items()}
        for key, cells in results.items()
    }
    table = []
    for criterion in ("em", "mv"):
        for against in (("roc",), ("pr",), ("roc", "pr")):
            counts = [count_pairs(each, criterion, against=against)
                      for each in (ours, printed_table(setting))]  # fmt: skip
            table.append([criterion.upper(), " and ".join(against).upper(), *map(str, counts)])
    picks = ["em", "mv", "random", *sorted({f"always:{detector}" for _, detector in ours})]
    lost = {pick: _mean(regret(ours, pick)) for pick in picks} if ours else {}
    if common.as_json:
        print_json({"pairs": table, "roc_lost": lost})
    elif ours:
        print_table(["criterion", "against", "ours", "the paper's table"], table, left=(0, 1))
        print_table(["following", "ROC lost"], [[p, f"{v:.3f}"] for p, v in lost.items()])
    return _code(results, rows, common)


def _results(rows: str, setting: str, preset: str) -> dict[tuple[str, str], dict[str, Any]]:
    from oddrank.benchmark import read_rows, results_table

    return results_table(read_rows(rows), setting, preset)


def _plain(cells: dict[str, Any]) -> dict[str, float | None]:
    return {name: None if cell.value != cell.value else cell.value for name, cell in cells.items()}


def _mean(values: dict[str, float]) -> float:
    return sum(values.values()) / len(values)


def _code(results: dict[tuple[str, str], dict[str, Any]], rows: str, common: Common) -> int:
    if not results:
        say(f"There are no such rows in {rows}. Run: oddrank benchmark run", common)
    return 0 if results else 1
