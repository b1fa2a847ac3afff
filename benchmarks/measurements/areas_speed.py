"""EM + MV from scores: exact areas against the published loop, and how they grow."""

from __future__ import annotations

import emmv
import numpy as np

from benchmarks.measurements.timing import seconds, table
from oddrank import excess_mass_curve, level_sets, mass_volume_curve


def scores(n_rows: int, n_points: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores of Gaussian rows and of uniform points in their box, d = 2."""
    random = np.random.default_rng(0)
    rows, points = random.normal(size=(n_rows, 2)), random.uniform(-4, 4, size=(n_points, 2))
    return -(rows**2).sum(axis=1), -(points**2).sum(axis=1)


def oddrank_areas(data: np.ndarray, reference: np.ndarray) -> tuple[float, float]:
    levels = level_sets(data, reference, log_volume=np.log(64.0))
    return excess_mass_curve(levels).area(), mass_volume_curve(levels).area()


def published_loop(data: np.ndarray, reference: np.ndarray) -> tuple[float, float]:
    """The authors' procedure, from its description: two grids, one comparison per threshold."""
    volume, n_rows, n_points = 64.0, len(data), len(reference)
    t = np.arange(0.0, 100.0 / volume, 0.01 / volume)
    excess = np.zeros(len(t))
    excess[0] = 1.0
    for threshold in np.unique(data):
        mass = np.count_nonzero(data > threshold) / n_rows
        share = np.count_nonzero(reference > threshold) / n_points
        excess = np.maximum(excess, mass - t * share * volume)
    end = int(np.argmax(excess <= 0.9)) + 1
    masses = np.arange(0.9, 0.999, 0.0001)
    ordered = np.sort(data)[::-1]
    volumes = [
        np.count_nonzero(reference >= ordered[int(np.ceil(mass * n_rows)) - 1]) / n_points * volume
        for mass in masses
    ]
    return float(np.trapezoid(excess[:end], t[:end])), float(np.trapezoid(volumes, masses))


def emmv_areas(data: np.ndarray, reference: np.ndarray) -> tuple[float, float]:
    t = np.arange(0.0, 100.0 / 64.0, 0.01 / 64.0)
    excess, _, _ = emmv.excess_mass(t, 0.9, 64.0, reference, data, len(reference))
    return excess, emmv.mass_volume(
        np.arange(0.9, 0.999, 0.0001), 64.0, reference, data, len(reference)
    )[0]


def report() -> str:
    data, reference = scores(20_000, 100_000)
    ours = seconds(lambda: oddrank_areas(data, reference), repetitions=7)
    rows = [["oddrank", f"{ours:.4f}", "1", *(f"{a:.5g}" for a in oddrank_areas(data, reference))]]
    for name, function in (("published double loop", published_loop), ("emmv 0.0.4", emmv_areas)):
        theirs = seconds(lambda function=function: function(data, reference), repetitions=1)
        areas = (f"{area:.5g}" for area in function(data, reference))
        rows.append([name, f"{theirs:.2f}", f"{theirs / ours:.0f}x", *areas])
    text = table(
        "EM + MV from 20,000 data scores and 100,000 reference scores (goal: 50x)",
        ["implementation", "seconds", "against oddrank", "EM area", "MV area"],
        rows,
    )
    growth = []
    for n_rows in (10**4, 10**5, 10**6):
        data, reference = scores(n_rows, n_rows)
        spent = seconds(lambda data=data, reference=reference: oddrank_areas(data, reference))
        total = 2 * n_rows
        growth.append(
            [f"{n_rows:,}", f"{spent:.4f}", f"{spent / (total * np.log(total)) * 1e9:.2f}"]
        )
    return (
        text
        + "\n"
        + table(
            "Growth with n rows and n points: (n + N) log(n + N)",
            ["n = N", "seconds", "nanoseconds per (n + N) log(n + N)"],
            growth,
        )
    )
