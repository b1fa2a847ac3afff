"""Scoring a Parquet table in chunks: memory that does not grow with its rows, and time.

`ODDRANK_HUGE_ROWS` sets the number of rows (5 million by default). Every way runs in a process of
its own, and what it adds to the peak memory after imports and fitting counts.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.measurements.timing import table

ROWS = int(float(os.environ.get("ODDRANK_HUGE_ROWS", "5e6")))
FEATURES, TRAINED_ON, ROW_GROUP = 10, 20_000, 2**17


def make(path: Path, n_rows: int) -> None:
    """Write three clusters, and one row in 500 far from them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(0)
    centres = random.normal(0.0, 4.0, (3, FEATURES))
    names = [f"x{j}" for j in range(FEATURES)]
    with pq.ParquetWriter(path, pa.schema([(name, pa.float64()) for name in names])) as writer:
        for start in range(0, n_rows, ROW_GROUP):
            size = min(ROW_GROUP, n_rows - start)
            rows = centres[random.integers(3, size=size)] + random.normal(size=(size, FEATURES))
            rows[random.random(size) < 0.002] *= 6.0
            writer.write_table(pa.table(dict(zip(names, rows.T, strict=True))))


def peak_megabytes() -> float:
    """Return Linux's own mark: getrusage also counts what the parent process had."""
    mark = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text(encoding="utf-8"))
    assert mark is not None
    return int(mark[1]) / 1024


def score(path: str, way: str) -> dict[str, float]:
    """Fit on the first rows, then score all: in chunks, or read whole."""
    import pandas as pd
    import pyarrow.parquet as pq
    from sklearn.mixture import GaussianMixture

    from oddrank import CalibratedDetector, score_large_table

    first = next(pq.ParquetFile(path).iter_batches(TRAINED_ON)).to_pandas()
    model = CalibratedDetector(GaussianMixture(3), random_state=0).fit(first)
    before, start = peak_megabytes(), time.process_time()
    table_or_path = pd.read_parquet(path) if way == "whole" else path
    scores = score_large_table(model, table_or_path)
    spent = time.process_time() - start
    return {
        "seconds": spent,
        "megabytes": peak_megabytes() - before,
        "rows": scores.n_rows,
    }


def measured(path: Path, way: str) -> dict[str, float]:
    """Score in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.measurements.huge_tables", str(path), way]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def report() -> str:
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        for n_rows in (ROWS // 10, ROWS):
            make(path, n_rows)
            in_memory = n_rows * FEATURES * 8 / 1e6
            for way in ("in chunks", "whole"):
                found = measured(path, way)
                assert found["rows"] == n_rows
                lines.append([
                    f"{n_rows:,}", way, f"{found['megabytes']:.0f} MB", f"{in_memory:.0f} MB",
                    f"{found['seconds']:.1f} s", f"{1e6 * found['seconds'] / n_rows:.1f} µs",
                ])  # fmt: skip
    return table(
        f"`score_large_table` on Parquet, {FEATURES} features, against reading the table whole",
        ["rows", "read", "memory it adds", "the table as numbers", "processor time", "per row"],
        lines,
    )  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(score(*sys.argv[1:])))
