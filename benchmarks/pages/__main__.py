"""`python -m benchmarks.pages goix2016`: write the pages of a benchmark from its rows."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.pages.writing import BENCHMARKS, write_pages
from oddrank.benchmark import pack_rows, read_rows
from oddrank.errors import OddrankError

HOME = Path(__file__).parents[1]
PACKED = Path("results") / "rows.jsonl.gz"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0, 1 if there are no rows, 2 if they cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pages", description=__doc__)
    parser.add_argument("benchmark", choices=list(BENCHMARKS))
    parser.add_argument("--rows", type=Path, help="stored rows; by default those that are packed")
    parser.add_argument("--out", type=Path, help="the folder to write to")
    parser.add_argument("--no-figures", action="store_true", help="write no figures")
    parser.add_argument("--pack", action="store_true", help=f"write the rows, too: {PACKED}")
    chosen = parser.parse_args(arguments)
    out = chosen.out or HOME / chosen.benchmark
    rows = chosen.rows or out / PACKED
    try:
        stored = read_rows(rows)
        if not stored:
            print(f"There are no rows in {rows}. Run: oddrank benchmark run", file=sys.stderr)
            return 1
        left_out = write_pages(chosen.benchmark, stored, out, figures=not chosen.no_figures)
        if chosen.pack:
            pack_rows(stored, out / PACKED)
    except OddrankError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    for name in left_out:
        print(f"{name} is left out, because it is not complete.")
    print(f"Pages of {len(stored):,} rows are in {out}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
