"""`oddrank score` on a million rows: time and peak memory of the whole command."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.csv

from benchmarks.measurements.timing import table

N_ROWS, N_COLUMNS, GOAL = 1_000_000, 10, 600
# Linux's own mark: getrusage also counts what the parent process had.
RUN = """
import re, sys
from pathlib import Path
from oddrank.cli import main
main(sys.argv[1:])
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1], file=sys.stderr)
"""


def _write(path: Path, n_rows: int) -> None:
    random = np.random.default_rng(0)
    columns = {f"c{j}": random.normal(size=n_rows).round(5) for j in range(N_COLUMNS)}
    pyarrow.csv.write_csv(pyarrow.table(columns), path)


def _run(*words: str) -> tuple[float, float]:
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words], capture_output=True, text=True, check=True
    )
    return time.perf_counter() - start, int(re.findall(r"\d+", done.stderr)[-1]) / 1024


def report() -> str:
    with tempfile.TemporaryDirectory() as folder:
        small, big = Path(folder) / "small.csv", Path(folder) / "big.csv"
        model, out = str(Path(folder) / "model.skops"), str(Path(folder) / "out.csv")
        _write(small, 3000)
        _write(big, N_ROWS)
        _run("rank", str(small), "--detectors", "forest,gaussian", "--save", model, "-q")
        seconds, peak = _run("score", model, str(big), "--out", out, "-q")
        with Path(out).open(encoding="utf-8") as file:
            n_lines = sum(1 for _ in file)
    rows = [[f"{n_lines - 1:,}", f"{seconds:.0f} s", f"{peak:.0f} MB", f"{GOAL} MB"]]
    title = f"`oddrank score`, {N_ROWS:,} x {N_COLUMNS} rows, every row written"
    return table(title, ["rows written", "time", "peak memory", "goal"], rows)


if __name__ == "__main__":
    print(report())
