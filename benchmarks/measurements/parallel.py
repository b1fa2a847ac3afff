"""Two jobs against one, and Dask against joblib: spambase, 50 draws, three detectors.

Each way runs in a separate process. The memory of this process and its children is measured.
"""

from __future__ import annotations

import subprocess
import sys
import time
import warnings

import psutil

from benchmarks.goix2016.study import DETECTORS
from benchmarks.measurements.timing import table
from benchmarks.prepare import Split, split_of
from oddrank import FeatureSubsampling, Volume, Workers, rank_detectors

WAYS = ("one job", "two jobs", "Dask, two workers")


def rank(way: str) -> None:
    """Rank once, and print the seconds it took, without starting workers or reading data."""
    warnings.simplefilter("ignore")
    split = split_of("spambase", "novelty", 0)
    options: dict[str, object] = {"n_jobs": 2 if way == "two jobs" else 1}
    if way == "Dask, two workers":
        from distributed import Client, LocalCluster

        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
        options = {"workers": Workers(client=Client(cluster))}
    _timed(split, FeatureSubsampling(n_draws=4), options)  # workers start and import here
    print(_timed(split, FeatureSubsampling(n_draws=50), options))


def _timed(split: Split, draws: FeatureSubsampling, options: dict) -> float:
    start = time.perf_counter()
    rank_detectors(
        DETECTORS,
        split.X_train,
        split.X_criteria,
        judge=Volume(subsampling=draws),
        scale=False,
        cv=1,
        random_state=0,
        **options,
    )
    return time.perf_counter() - start


def watch(way: str) -> tuple[float, float]:
    """Return seconds and peak megabytes (shared pages counted once) of one way."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.measurements.parallel", way],
        stdout=subprocess.PIPE,
        text=True,
    )
    family, peak = psutil.Process(process.pid), 0.0
    while process.poll() is None:
        peak = max(peak, sum(map(_memory, [family, *family.children(recursive=True)])))
        time.sleep(0.3)
    return float(process.stdout.read().split()[-1]), peak / 1e6


def _memory(process: psutil.Process) -> float:
    try:
        return float(process.memory_full_info().pss)
    except psutil.Error:
        return 0.0


def report() -> str:
    measured = {way: watch(way) for way in WAYS}
    one, two, dask = (measured[way] for way in WAYS)
    rows = [[way, f"{seconds:.1f}", f"{peak:.0f}"] for way, (seconds, peak) in measured.items()]
    ratios = [
        ["speed, two jobs over one", "at least 1.6", f"{one[0] / two[0]:.2f}"],
        ["peak MB, two jobs", f"at most {1.5 * one[1] + 200:.0f}", f"{two[1]:.0f}"],
        ["time, Dask over two jobs", "at most 1.3", f"{dask[0] / two[0]:.2f}"],
    ]
    return "\n".join(
        [
            table("Spambase, 50 draws, three detectors", ["way", "seconds", "peak MB"], rows),
            table("Two jobs and Dask", ["ratio", "goal", "measured"], ratios),
        ]
    )


if __name__ == "__main__":
    rank(sys.argv[1])
