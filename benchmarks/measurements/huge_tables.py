"""A Parquet file larger than memory should be: time over scoring alone, memory, cost per row.

`ODDRANK_HUGE_ROWS` sets the number of rows (50 million by default). Both parts run in processes of
their own, one after the other, on the same file; processor time counts.
"""

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

ROWS = int(float(os.environ.get("ODDRANK_HUGE_ROWS", "5e7")))
FEATURES, SAMPLE, ROW_GROUP = 5, 100_000, 2**19


def detectors():
    from sklearn.ensemble import IsolationForest
    from sklearn.mixture import GaussianMixture

    return {"forest": IsolationForest(random_state=0), "mixture": GaussianMixture(3)}


def make(path, n_rows):
    """Three clusters, and one row in 10,000 far from them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(0)
    centres = random.normal(0.0, 4.0, (3, FEATURES))
    names = [f"x{j}" for j in range(FEATURES)]
    with pq.ParquetWriter(path, pa.schema([(name, pa.float64()) for name in names])) as writer:
        for start in range(0, n_rows, ROW_GROUP):
            size = min(ROW_GROUP, n_rows - start)
            rows = centres[random.integers(3, size=size)] + random.normal(size=(size, FEATURES))
            rows[random.random(size) < 1e-4] *= 6.0
            writer.write_table(pa.table(dict(zip(names, rows.T, strict=True))))


def ranked(path):
    """Rank on the file, as a user does."""
    from oddrank import rank_detectors

    candidates = detectors()  # imports do not count
    start = time.process_time()
    ranking = rank_detectors(candidates, path, sample=SAMPLE, n_jobs=1, random_state=0)
    seconds = time.process_time() - start
    return {"seconds": seconds, "flagged": ranking.flags.n_flagged, "best": ranking.best}


def scored(path):
    """Only score every row once with the fit of each detector that would test it."""
    import pyarrow.parquet as pq
    from sklearn.base import clone
    from sklearn.preprocessing import StandardScaler

    from oddrank.rows import PART_ROWS

    file = pq.ParquetFile(path)
    first = next(file.iter_batches(SAMPLE)).to_pandas().to_numpy()
    folds = [first[::2], first[1::2]]
    scalers = [StandardScaler().fit(fold) for fold in folds]
    models = [
        [clone(each).fit(scaler.transform(fold)) for each in detectors().values()]
        for scaler, fold in zip(scalers, folds, strict=True)
    ]
    seconds = 0.0
    for batch in file.iter_batches(PART_ROWS):
        rows = batch.to_pandas().to_numpy()
        for part, scaler, of_fold in zip((rows[::2], rows[1::2]), scalers, models, strict=True):
            scaled = scaler.transform(part)
            start = time.process_time()
            for model in of_fold:
                model.score_samples(scaled)
            seconds += time.process_time() - start
    return {"seconds": seconds}


def many(n_detectors):
    """Rank a pool of detectors with many settings."""
    from sklearn.ensemble import IsolationForest
    from sklearn.mixture import GaussianMixture
    from sklearn.neighbors import LocalOutlierFactor

    from oddrank import rank_detectors

    pool = {}
    for k in range(int(n_detectors)):
        kinds = (
            IsolationForest(n_estimators=10 + k // 3, random_state=k),
            GaussianMixture(1 + k // 3 % 8, covariance_type="diag"),
            LocalOutlierFactor(5 + k // 3, novelty=True),
        )
        pool[f"detector {k}"] = kinds[k % 3]
    rows = np.random.default_rng(0).normal(size=(20_000, 10))
    ranking = rank_detectors(pool, rows, n_jobs=1, random_state=0)
    return {"seconds": time.process_time(), "best": ranking.best}


def measured(what, argument):
    """Run one of these in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.measurements.huge_tables", what, str(argument)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def sizes_of_a_file() -> str:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        make(path, SAMPLE + 1)
        before = measured("ranked", path)["seconds"]
        for size in sorted({min(10**6, ROWS), ROWS}):
            make(path, size)
            ours, alone = measured("ranked", path), measured("scored", path)
            more = ours["seconds"] - before
            rows.append(
                [
                    f"{size:,}",
                    f"{ours['seconds']:.1f} s",
                    f"{alone['seconds']:.1f} s",
                    f"{ours['seconds'] / alone['seconds']:.3f}",
                    f"{1e6 * more / (size - SAMPLE):.2f} µs",
                    f"{ours['memory']:.0f} MB",
                ]
            )
    title = (
        f"Parquet, {FEATURES} features, forest and mixture fitted on {SAMPLE:,} rows, of which "
        f"{before:.1f} s (goals: ratio 1.15, cost per further row constant within 10 %, 1,000 MB)"
    )
    head = ["rows", "ranking", "scoring alone", "ratio", "per further row", "peak memory"]
    return table(title, head, rows)


def many_detectors() -> str:
    few, all_of_them = measured("many", 3), measured("many", 200)
    rows = [
        [f"{n}", f"{found['seconds']:.0f} s", f"{found['memory']:.0f} MB"]
        for n, found in ((3, few), (200, all_of_them))
    ]
    title = "Pools of detectors, 20,000 x 10 rows (goal: at most 300 MB more)"
    return table(title, ["detectors", "processor time", "peak memory"], rows)


def report() -> str:
    return sizes_of_a_file() + "\n" + many_detectors()


if __name__ == "__main__":
    what, argument = sys.argv[1:]
    found = {"ranked": ranked, "scored": scored, "many": many}[what](argument)
    # Linux's own mark: getrusage also counts what the parent process had
    mark = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text(encoding="utf-8"))
    print(json.dumps({**found, "memory": int(mark[1]) / 1024}))
