"""`make bench`: run every measurement, or those named on the command line, and print its table."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

MEASUREMENTS = (
    "areas_speed",
    "own_time",
    "small_tables",
    "sobol_gain",
    "algorithm_1",
    "parallel",
    "svm_scores",
    "judging",
    "volumes",
    "growing",
    "full_dimension",
    "tuning",
    "tuning_choice",
    "reading",
    "adult_columns",
    "row_flags",
    "scoring",
    "reasons",
    "huge_tables",
)


def main(names: list[str]) -> None:
    shared = Path(__file__).parents[2] / "shared" / "data"
    if shared.is_dir():
        os.environ.setdefault("ODDRANK_DATA", str(shared))
    print("# Measurements, each side by side in this one run", flush=True)
    for name in names or MEASUREMENTS:
        print(importlib.import_module(f"benchmarks.{name}").report(), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
