"""Figures from stored rows: what is averaged, what the bands show, what is written."""

from xml.etree import ElementTree

import numpy as np
from benchmarks.pages.curves import averaged_curves, draw_curves, draw_figures

from oddrank.benchmark import STORED_MASSES
from tests.benchmark.made_rows import finished_rows, made_curves, made_row


def row_of(rate, seed=0, draw=-1):
    return made_row("adult", "lof", seed, draw, curves=made_curves(rate))


def test_one_seed_without_draws_shows_the_stored_error():
    (curves,) = averaged_curves([row_of(1.0)], "novelty")
    (band,) = curves.mass_volume
    np.testing.assert_allclose(band.y, STORED_MASSES**8 / 100.0)
    np.testing.assert_allclose(band.upper - band.y, 0.0001)
    assert (curves.n_seeds, curves.n_draws, curves.band) == (1, 0, "standard error")


def test_one_seed_with_draws_shows_the_standard_error_over_draws():
    (curves,) = averaged_curves([row_of(1.0, draw=0), row_of(3.0, draw=1)], "novelty")
    (band,) = curves.mass_volume
    np.testing.assert_allclose(band.y, 2.0 * STORED_MASSES**8 / 100.0)
    np.testing.assert_allclose(band.upper - band.y, STORED_MASSES**8 / 100.0)
    assert curves.band == "standard error over draws"


def test_several_seeds_show_the_standard_deviation_over_seeds():
    rows = [
        row_of(rate, seed, draw) for seed, rate in enumerate((1.0, 2.0, 3.0)) for draw in (0, 1)
    ]
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
    assert "2 seeds" in figure.get_suptitle()


def test_files_are_pictures_and_the_same_each_time(tmp_path):
    rows = finished_rows(settings=("novelty", "unsupervised"))
    written = draw_figures(rows, tmp_path / "one")
    assert sorted(path.name for path in written) == sorted(
        f"{dataset}_{setting}.{kind}"
        for dataset in ("adult", "pima")
        for setting in ("novelty", "unsupervised")
        for kind in ("png", "svg")
    )
    for path in written:
        if path.suffix == ".png":
            assert path.read_bytes().startswith(b"\x89PNG")
        else:
            assert ElementTree.parse(path).getroot().tag.endswith("svg")
    for again in draw_figures(rows, tmp_path / "two", settings=("novelty",)):
        assert again.read_bytes() == (tmp_path / "one" / again.name).read_bytes()


def test_empty_sets_have_no_place_on_a_logarithmic_axis(tmp_path):
    row = row_of(1.0)
    row["curves"]["mv"][:5] = [0.0] * 5
    (path,) = draw_figures([row], tmp_path, formats=("svg",))
    assert path.exists()
