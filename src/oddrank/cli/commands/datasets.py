"""`oddrank datasets`: the datasets of the paper."""

from __future__ import annotations

import click

from oddrank.cli.common_options import Common, common_options, example
from oddrank.cli.terminal import print_json, print_sentences, print_table

__all__ = ["datasets"]


@click.group(epilog=example("oddrank datasets fetch wilt --csv wilt.csv"))
def datasets() -> None:
    """List, fetch and describe the datasets of the paper."""


@datasets.command("list", epilog=example("oddrank datasets list"))
@common_options
def list_command(*, common: Common) -> None:
    """List the twelve datasets; nothing is downloaded."""
    from oddrank.datasets import list_datasets

    catalogue = list_datasets()
    if common.as_json:
        print_json(catalogue.to_dict())
        return
    rows = [
        [facts.name, f"{facts.n_rows:,}", str(facts.n_features), f"{facts.anomaly_percent:g} %",
         facts.anomaly_class]
        for facts in catalogue
    ]  # fmt: skip
    print_table(["dataset", "rows", "features", "anomalies", "anomaly class"], rows, left=(0, 4))


@datasets.command("info", epilog=example("oddrank datasets info shuttle"))
@click.argument("name")
@common_options
def info_command(name: str, *, common: Common) -> None:
    """Describe dataset NAME, its citation and its licence; nothing is downloaded."""
    from dataclasses import asdict

    from oddrank.datasets import list_datasets

    facts = list_datasets()[name]
    if common.as_json:
        print_json(asdict(facts))
        return
    print_table(["", facts.name], [[key, str(value)] for key, value in asdict(facts).items()],
                left=(0, 1))  # fmt: skip


@datasets.command("fetch", epilog=example("oddrank datasets fetch wilt --csv wilt.csv"))
@click.argument("name")
@click.option(
    "--preset",
    type=click.Choice(["paper", "clean"]),
    default="paper",
    show_default=True,
    help="paper has the rows of the paper, clean has every original row once.",
)
@click.option("--csv", type=click.Path(dir_okay=False), help="Write rows and labels as CSV.")
@click.option("--offline", is_flag=True, help="Use the files on this machine; download nothing.")
@common_options
def fetch_command(name: str, *, preset: str, csv: str | None, offline: bool, common: Common) -> int:
    """Download dataset NAME, prove it by its hash, and keep it in the cache."""
    from oddrank.cli.output_files import OutputFiles, check_outputs, show_and_write
    from oddrank.datasets import load

    check_outputs({"--csv": csv})
    dataset = load(name, preset=preset, download=not offline, progress=not common.quiet)
    files = OutputFiles(common)

    def show() -> None:
        if common.as_json:
            print_json(dataset.to_dict())
        else:
            print_sentences([*str(dataset).splitlines(), f"cite: {dataset.citation}"])

    show_and_write(show, lambda: files.write_text(csv, lambda: dataset.frame().to_csv(index=False)))
    return files.code(0)
