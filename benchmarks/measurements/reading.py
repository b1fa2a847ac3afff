"""Reading a CSV file of numbers: `read_table` beside pyarrow's own `read_csv`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.csv

from benchmarks.measurements.timing import table
from oddrank.io import read_table

N_ROWS, N_COLUMNS, REPETITIONS = 1_000_000, 10, 7
MEMORY = """
import re, sys
from pathlib import Path
import pandas, pyarrow.csv
from oddrank.io import read_table
read = {"pyarrow": pyarrow.csv.read_csv, "read_table": read_table}[sys.argv[1]]
# Linux's own mark: getrusage also counts what the parent process had.
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
before = peak()
kept = read(sys.argv[2])
print((peak() - before) / 1024)
"""


def _write(path: Path) -> None:
    random = np.random.default_rng(0)
    columns = {f"c{j}": random.normal(size=N_ROWS).round(6) for j in range(N_COLUMNS)}
    pyarrow.csv.write_csv(pyarrow.table(columns), path)


def _seconds(path: Path) -> dict[str, float]:
    """Take turns, so that other work on the machine meets both; the shortest run of each counts."""
    readers = {"pyarrow": pyarrow.csv.read_csv, "read_table": read_table}
    times: dict[str, list[float]] = {name: [] for name in readers}
    for _ in range(REPETITIONS):
        for name, read in readers.items():
            start = time.perf_counter()
            kept = read(path)
            times[name].append(time.perf_counter() - start)
            del kept
    return {name: min(found) for name, found in times.items()}


def _megabytes(name: str, path: Path) -> float:
    """Return by how much reading raises the peak memory of a fresh process."""
    command = [sys.executable, "-c", MEMORY, name, str(path)]
    found = [
        float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(3)
    ]
    return float(np.median(found))


def report() -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "numbers.csv"
        _write(path)
        seconds = _seconds(path)
        memory = {name: _megabytes(name, path) for name in seconds}
    time_ratio = seconds["read_table"] / seconds["pyarrow"]
    memory_ratio = memory["read_table"] / memory["pyarrow"]
    return table(
        f"Reading a CSV file of {N_ROWS:,} x {N_COLUMNS} numbers",
        ["", "pyarrow.csv.read_csv", "read_table", "ratio", "goal"],
        [["time, shortest of runs in turn", f"{seconds['pyarrow']:.2f} s",
          f"{seconds['read_table']:.2f} s", f"{time_ratio:.2f}", "at most 1.2"],
         ["peak memory", f"{memory['pyarrow']:.0f} MB", f"{memory['read_table']:.0f} MB",
          f"{memory_ratio:.2f}", "at most 1.5"]],
    )  # fmt: skip
