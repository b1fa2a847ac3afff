"""Figures from stored rows: what is averaged, what the bands show, what is written."""

import numpy as np

from benchmarks.goix2016.curves import averaged_curves, draw_curves, draw_figures
from benchmarks.goix2016.study import STORED_MASSES
from tests.benchmarks.made_rows import finished_rows, made_preset, made_row


def row_of(rate, seed=0, n_draws=0):
    return made_row("adult", "lof", seed, n_draws=n_draws, oddrank=made_preset(1.0, 1.0, rate))


def test_one_seed_has_no_band():
    (curves,) = averaged_curves([row_of(1.0)], "novelty")
    (band,) = curves.mass_volume
    np.testing.assert_allclose(band.y, STORED_MASSES**8 / 100.0)
    np.testing.assert_array_equal(band.lower, band.upper)
    assert "bands" not in draw_curves(curves).get_suptitle()


def test_several_seeds_show_the_standard_deviation_over_seeds():
    rows = [row_of(rate, seed, n_draws=2) for seed, rate in enumerate((1.0, 2.0, 3.0))]
    (curves,) = averaged_curves(rows, "novelty")
    (band,) = curves.mass_volume
    np.testing.assert_allclose(band.y, 2.0 * STORED_MASSES**8 / 100.0)
    np.testing.assert_allclose(band.y - band.lower, STORED_MASSES**8 / 100.0)
    assert (curves.n_seeds, curves.n_draws) == (3, 2)


def test_two_panels_three_detectors_logarithmic_axes():
    (curves,) = averaged_curves(finished_rows(("adult",)), "novelty")
    figure = draw_curves(curves)
    left, right = figure.axes
    assert (left.get_xscale(), right.get_yscale()) == ("log", "log")
    for ax in (left, right):
        assert [line.get_label() for line in ax.get_lines()][:3] == ["iforest", "ocsvm", "lof"]
        assert len(ax.collections) == 3  # the bands
    # exp(-0.01 t) falls to 0.9 at 10.5: the axis ends at the next stored level
    assert 10.5 < left.get_xlim()[1] < 16.0


def test_empty_sets_have_no_place_on_a_logarithmic_axis(tmp_path):
    row = row_of(1.0)
    row["oddrank"]["curves"]["mv"][:5] = [0.0] * 5
    (path,) = draw_figures([row], tmp_path)
    assert path.name == "adult_novelty.png"
    assert path.read_bytes().startswith(b"\x89PNG")
