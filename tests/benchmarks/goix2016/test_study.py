"""What the study measures, on rows where the truth is known."""

import numpy as np
import pytest
from sklearn.svm import OneClassSVM

from benchmarks.goix2016 import study
from benchmarks.goix2016.study import DRAW_IMPORTANCE, DRAW_POINTS, DRAWN, Goix2016, View
from benchmarks.prepare import paper_split
from benchmarks.run import Cell
from oddrank import BoundingBox, excess_mass_curve, mass_volume_curve, normality_function


def gaussian_view(drawn=True, n_rows=20_000):
    rows = np.random.default_rng(0).normal(size=(n_rows, 2))

    def score(points):
        return -(points**2).sum(axis=1)

    return View(
        score=score, rows=rows, row_scores=score(rows), drawn=drawn, offset=0.0, fit_cpu=0.0,
        rows_cpu=0.0, root=np.random.SeedSequence(0),
        box=BoundingBox(lower=np.full(2, -4.5), upper=np.full(2, 4.5)),
    )  # fmt: skip


@pytest.mark.parametrize("points", [DRAW_POINTS, DRAW_IMPORTANCE])
def test_points_of_all_replicates_give_the_areas_of_a_gaussian(points):
    levels = gaussian_view().levels(points)
    assert excess_mass_curve(levels).area(0.9) == pytest.approx(3.0755e-3, rel=0.05)
    assert mass_volume_curve(levels).area(0.9, 0.999) == pytest.approx(2.0254, rel=0.05)


@pytest.mark.parametrize("drawn", [True, False])
def test_both_presets_give_the_areas_of_a_gaussian(drawn):
    for measure in (study._by_oddrank, study._by_the_paper):
        found = measure(gaussian_view(drawn=drawn))
        assert found["em"] == pytest.approx(3.0755e-3, rel=0.06)
        assert found["mv"] == pytest.approx(2.0254, rel=0.06)


def test_curves_are_relative_to_the_box():
    found = study._by_oddrank(gaussian_view())
    assert found["em_curve"][0] == pytest.approx(1.0)
    # MV(0.9) is the disc of radius² -2 log 0.1
    assert found["mv_curve"][0] == pytest.approx(-2 * np.log(0.1) * np.pi / 81.0, rel=0.03)


def test_boxes_of_draws_are_those_of_the_rows_that_count(monkeypatch):
    """In the novelty setting anomalies of the test half do not widen the box of a draw."""
    random = np.random.default_rng(0)
    X, odd = random.uniform(size=(200, 6)), np.arange(200) % 10 == 0
    X[odd] *= 100.0
    volumes = {}
    for setting in ("novelty", "unsupervised"):
        split = paper_split(X, odd.astype(int), setting, 0)
        cell = Cell(dataset="spambase", setting=setting, seed=0, detector="iforest")
        (view,) = Goix2016(n_draws=1)._draws(cell, split, np.random.SeedSequence(0))
        volumes[setting] = view.box.log_volume
        widths = np.sort(np.ptp(split.X_criteria, axis=0))
        assert np.log(widths[:5]).sum() - 1e-3 <= view.box.log_volume
        assert view.box.log_volume <= np.log(widths[-5:]).sum() + 1e-3
    assert volumes["novelty"] < volumes["unsupervised"] - 10.0


def test_far_points_tie_for_the_authors_one_class_svm():
    """Preset `paper` takes `decision_function`, which loses a small kernel sum in rounding."""
    svm = OneClassSVM(gamma=1.0).fit(np.random.default_rng(0).normal(size=(300, 2)))
    far = np.array([[8.0, 8.0], [9.0, 9.0]])
    sums = normality_function(svm)(far)
    assert sums[0] > sums[1] > 0.0
    tied = sums - svm.offset_[0]
    assert tied[0] == tied[1]
    np.testing.assert_allclose(tied, svm.decision_function(far), rtol=1e-12)


def test_the_study_has_the_paper_s_cells():
    cells = list(Goix2016().cells())
    assert len({(cell.dataset, cell.detector, cell.setting) for cell in cells}) == 12 * 3 * 2
    seeds = {name: {c.seed for c in cells if c.dataset == name} for name in ("adult", "shuttle")}
    assert (len(seeds["adult"]), len(seeds["shuttle"])) == (5, 3)
    assert len(DRAWN) == 7
