"""The authors' grids, against plain loops over every threshold and every grid point."""

import numpy as np
import pytest

from benchmarks.goix2016.paper import paper_excess_mass, paper_mass_volume
from oddrank import excess_mass_curve, level_sets, mass_volume_curve


def slow_excess_mass(data, reference, volume, step):
    t = np.arange(0.0, 100.0, step) / volume
    heights = np.zeros(len(t))
    heights[0] = 1.0
    for threshold in np.unique(data):
        mass, share = (data > threshold).mean(), (reference > threshold).mean()
        heights = np.maximum(heights, mass - t * share * volume)
    below = np.flatnonzero(heights <= 0.9)
    end = below[0] + 1 if len(below) and below[0] > 0 else len(t)
    return sum((t[k + 1] - t[k]) * (heights[k] + heights[k + 1]) / 2 for k in range(end - 1))


def slow_mass_volume(data, reference, volume, step):
    masses = np.arange(0.9, 0.999, step)
    volumes = []
    for mass in masses:
        threshold = max(u for u in data if (data >= u).mean() >= mass)
        volumes.append((reference >= threshold).mean() * volume)
    return sum(
        (masses[k + 1] - masses[k]) * (volumes[k] + volumes[k + 1]) / 2
        for k in range(len(masses) - 1)
    )


@pytest.mark.parametrize("seed", range(8))
def test_against_loops(seed):
    random = np.random.default_rng(seed)
    data = np.round(random.normal(1.0, 1.0, 60), 2)
    reference = np.round(random.normal(-1.0, 1.5, 200), 2)
    volume = 37.0
    options = {"volume": volume, "step": 0.01}
    excess = paper_excess_mass(data, reference, **options)
    assert excess == pytest.approx(slow_excess_mass(data, reference, volume, 0.01), rel=1e-9)
    area = paper_mass_volume(data, reference, volume, step=0.001)
    assert area == pytest.approx(slow_mass_volume(data, reference, volume, 0.001), rel=1e-9)


def test_whole_grid_where_the_floor_is_not_reached():
    data, reference = np.arange(1000.0), np.array([-1.0] * 50)
    excess = paper_excess_mass(data, reference, volume=1.0, step=0.01)
    assert excess == pytest.approx(99.99 * 0.999, rel=1e-4)


def test_close_to_the_exact_areas():
    random = np.random.default_rng(0)
    data = -(random.normal(size=(5000, 2)) ** 2).sum(axis=1)
    reference = -(random.uniform(-4, 4, size=(20_000, 2)) ** 2).sum(axis=1)
    levels = level_sets(data, reference, log_volume=np.log(64.0))
    excess = paper_excess_mass(data, reference, 64.0, step=0.001)
    assert excess == pytest.approx(excess_mass_curve(levels).area(), rel=0.02)
    area = paper_mass_volume(data, reference, 64.0, step=0.0001)
    assert area == pytest.approx(mass_volume_curve(levels).area(), rel=0.02)


def test_constant_scores():
    excess = paper_excess_mass(np.zeros(5), np.zeros(5), volume=1.0, step=0.01)
    assert excess == pytest.approx(0.005)  # from 1 at t = 0 to nothing at the next grid point
