"""`oddrank benchmark`: the paper's benchmark, or one of your own."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

import click

from oddrank.cli.benchmark_verdict import verdict_command
from oddrank.cli.common_options import Common, common_options
from oddrank.cli.help_text import example
from oddrank.cli.terminal import print_json, say

__all__ = ["benchmark"]

_ROWS = click.option(
    "--rows", type=click.Path(dir_okay=False), default="rows.jsonl", show_default=True,
    help="The file of stored rows; .gz is unpacked.",
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
@click.option("--preset", type=click.Choice(["paper", "oddrank"]), help="Only this one.")
@common_options
def agreement_command(*, rows: str, setting: str, preset: str | None, common: Common) -> int:
    """Count the pairs that EM and MV order as ROC and PR do, and what following them costs."""
    from oddrank.benchmark import read_rows, summarise_agreement
    from oddrank.benchmark.agreement_text import EXPLANATION, agreement_markdown, agreement_values

    presets = [preset] if preset else ["paper", "oddrank"]
    stored = read_rows(rows)
    summary = summarise_agreement(stored, setting, presets=presets, random_state=common.seed)
    if stored and not summary.counts:
        say(f"No dataset in {rows} has labels and a result in this setting.", common)
        return 1
    if common.as_json:
        print_json(agreement_values(summary))
    elif summary.counts:
        click.echo(agreement_markdown(summary))
        say(EXPLANATION, common)
    return _code(stored, rows, common)


@benchmark.command("figures", epilog=example("oddrank benchmark figures --out figures"))
@_ROWS
@click.option("--out", type=click.Path(file_okay=False), default="figures", show_default=True,
              help="The folder to write to.")  # fmt: skip
@common_options
def figures_command(*, rows: str, out: str, common: Common) -> int:
    """Draw EM and MV curves of every dataset and setting, as PNG and SVG."""
    from oddrank.benchmark import read_rows, write_figures

    stored = read_rows(rows)
    written = [str(path) for path in write_figures(stored, out)] if stored else []
    if stored:
        say(f"{len(written)} files in {out}.", common)
    if common.as_json:
        print_json(written)
    return _code(stored, rows, common)


@benchmark.command("pages", epilog=example("oddrank benchmark pages --out results --pack"))
@_ROWS
@click.option("--out", type=click.Path(file_okay=False), default="results", show_default=True,
              help="The folder to write to.")  # fmt: skip
@click.option("--figures/--no-figures", default=True, help="Whether to draw figures as well.")
@click.option("--pack", is_flag=True, help="Write the rows, too: results/rows.jsonl.gz.")
@common_options
def pages_command(*, rows: str, out: str, figures: bool, pack: bool, common: Common) -> int:
    """Write tables, agreement, reproduction, times and figures from stored rows."""
    from pathlib import Path

    from oddrank.benchmark import read_rows, write_pages
    from oddrank.benchmark.store import in_order, pack_rows

    stored = in_order(read_rows(rows))
    left_out = write_pages(stored, out, figures=figures) if stored else []
    for name in left_out:
        say(f"Left out, since it is not complete: {name}.", common)
    if stored and pack:
        pack_rows(stored, Path(out) / "results" / "rows.jsonl.gz")
    if common.as_json:
        print_json({"rows": len(stored), "left_out": left_out, "path": out})
    return _code(stored, rows, common)


def _results(rows: str, setting: str, preset: str) -> dict[tuple[str, str], dict[str, Any]]:
    from oddrank.benchmark import read_rows, results_table

    return results_table(read_rows(rows), setting, preset)


def _plain(cells: dict[str, Any]) -> dict[str, float | None]:
    return {name: None if cell.value != cell.value else cell.value for name, cell in cells.items()}


def _code(found: Sized, rows: str, common: Common) -> int:
    if not found:
        say(f"There are no such rows in {rows}. Run: oddrank benchmark run", common)
    return 0 if found else 1
