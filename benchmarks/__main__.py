"""`python -m benchmarks`: datasets, studies, pages and measurements."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.answers.study import Answers
from benchmarks.goix2016.study import Goix2016
from benchmarks.measurements import NAMES as MEASUREMENTS
from benchmarks.odd_tables.study import OddTables
from benchmarks.rows import pack_rows, read_rows
from benchmarks.run import run
from benchmarks.verdict.study import Verdict
from oddrank.errors import OddrankError

HOME = Path(__file__).parent
STUDIES: dict[str, Any] = {
    "goix2016": Goix2016(),
    "verdict": Verdict(),
    "odd_tables": OddTables(),
    "answers": Answers(),
}
PACKED = "rows.jsonl.xz"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0; 2 where something failed or cannot be read."""
    chosen = _parser().parse_args(arguments)
    try:
        return int(chosen.command(chosen))
    except (OddrankError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.set_defaults(command=_overview)
    commands = parser.add_subparsers(title="commands")

    datasets = commands.add_parser("datasets", help="list the datasets, or load and show some")
    datasets.add_argument("names", nargs="*", metavar="NAME")
    datasets.add_argument("--csv", type=Path, help="write rows and labels of one dataset")
    datasets.set_defaults(command=_datasets)

    running = commands.add_parser("run", help="run the cells of a study that have no row yet")
    running.add_argument("study", choices=list(STUDIES))
    running.add_argument("--rows", type=Path, default=Path("rows.jsonl"), help="where rows go")
    running.add_argument("--dataset", action="append", help="only this one; may be repeated")
    running.add_argument("--setting", action="append", metavar="NAME")
    running.add_argument("--seed", type=int, action="append", help="only this one")
    running.add_argument("--max-rows", type=int, help="use a sample of this many rows")
    running.add_argument("--jobs", type=int, default=1)
    running.set_defaults(command=_run)

    pages = commands.add_parser("pages", help="write the pages of a study from stored rows")
    pages.add_argument("study", choices=list(STUDIES))
    pages.add_argument("--rows", type=Path, help="new rows; they are packed beside the pages")
    pages.add_argument("--out", type=Path, help="the folder to write to")
    pages.add_argument("--no-figures", action="store_true")
    pages.set_defaults(command=_pages)

    measure = commands.add_parser("measure", help="measure speed and accuracy, side by side")
    measure.add_argument("names", nargs="*", metavar="NAME", help=", ".join(MEASUREMENTS))
    measure.set_defaults(command=_measure)
    return parser


def _overview(_: argparse.Namespace) -> int:
    from benchmarks.datasets import SOURCES

    print(f"datasets: {', '.join(SOURCES)}")
    for name, study in STUDIES.items():
        print(f"study {name}: {len(list(study.cells()))} cells; pages in {HOME / name}")
    print(f"measurements: {', '.join(MEASUREMENTS)}")
    print("See: python -m benchmarks --help")
    return 0


def _datasets(chosen: argparse.Namespace) -> int:
    from benchmarks.datasets import SOURCES, load

    for name in chosen.names:
        dataset = load(name, progress=True)
        print(f"{dataset}\ncite: {dataset.citation}")
        if chosen.csv:
            dataset.frame().to_csv(chosen.csv, index=False)
    if not chosen.names:
        print(f"{'dataset':<12} {'rows':>8} {'features':>8} {'anomalies':>9}  anomaly class")
        for source in SOURCES.values():
            n_rows, n_features, _ = source.counts
            print(f"{source.name:<12} {n_rows:>8,} {n_features:>8} "
                  f"{source.anomaly_percent:>7} %  {source.anomaly_class}")  # fmt: skip
    return 0


def _run(chosen: argparse.Namespace) -> int:
    given = {
        "datasets": tuple(chosen.dataset or ()),
        "settings": tuple(chosen.setting or ()),
        "seeds": tuple(chosen.seed or ()),
        "max_rows": chosen.max_rows,
    }
    study = replace(STUDIES[chosen.study], **{name: each for name, each in given.items() if each})
    rows = run(study, chosen.rows, n_jobs=chosen.jobs, progress=True)
    failed = [row for row in rows if row["status"] != "done"]
    print(f"{len(rows)} rows in {chosen.rows}, {len(failed)} of them failures.")
    for reason in dict.fromkeys(row["reason"] for row in failed):
        print(f"Failed: {reason}", file=sys.stderr)
    return 2 if failed else 0


def _pages(chosen: argparse.Namespace) -> int:
    out = chosen.out or HOME / chosen.study
    stored = read_rows(chosen.rows or HOME / chosen.study / PACKED)
    if not stored:
        print(f"There are no rows in {chosen.rows}. Run: python -m benchmarks run {chosen.study}",
              file=sys.stderr)  # fmt: skip
        return 2
    study = importlib.import_module(f"benchmarks.{chosen.study}.pages")
    rows, left_out = study.complete_rows(stored)
    for name, text in study.page_texts(rows, out).items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text, encoding="utf-8")
    if not chosen.no_figures:
        study.draw_figures(rows, out / "figures")
    if chosen.rows:
        pack_rows(rows, out / PACKED)
    for name in left_out:
        print(f"{name} is left out, because it is not complete.")
    print(f"Pages of {len(rows):,} rows are in {out}.")
    return 0


def _measure(chosen: argparse.Namespace) -> int:
    print("# Measurements, each side by side in this one run", flush=True)
    for name in chosen.names or MEASUREMENTS:
        module = importlib.import_module(f"benchmarks.measurements.{name}")
        print(module.report(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
