"""Every display: what it draws, what its frame holds, what it refuses."""

from functools import cache

import numpy as np
import pytest
from sklearn.covariance import EllipticEnvelope

from oddrank import (
    ExcessMassDisplay,
    FeatureImportanceDisplay,
    FeatureSubsampling,
    LevelSetDisplay,
    MassVolumeDisplay,
    RankingDisplay,
    References,
    feature_importance,
)
from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.plots.palette import series_style
from tests.small_ranking import (
    POINTS,
    SMALL_VOLUMES,
    drawn_ranking,
    small_ranking,
    small_rows,
)

ranking = cache(small_ranking)
OPTIONS = {"reference": POINTS, "mass_range": (0.9, 0.99), "random_state": 0}
RANK_OPTIONS = {"judge": SMALL_VOLUMES, "random_state": 0}


@pytest.mark.parametrize("display_class", [MassVolumeDisplay, ExcessMassDisplay])
def test_curves_of_a_ranking(display_class):
    display = display_class.from_evaluations(ranking())
    assert display.figure_ is display.ax_.figure
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == list(ranking().evaluations)
    assert len(display.ax_.collections) == len(labels)  # one band each
    frame = display.frame()
    assert set(frame["detector"]) == set(labels)
    assert (frame["lower"] <= frame["upper"]).all()


@pytest.mark.parametrize("display_class", [MassVolumeDisplay, ExcessMassDisplay])
def test_curves_of_one_detector(display_class):
    display = display_class.from_estimator(EllipticEnvelope(), small_rows(), **OPTIONS)
    assert len(display.lines_) == 1


def test_curves_take_mappings_sequences_and_axes():
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(ncols=2)
    evaluations = ranking().evaluations
    assert MassVolumeDisplay.from_evaluations(evaluations, ax=left).ax_ is left
    display = MassVolumeDisplay.from_evaluations(list(evaluations.values()), ax=right, color="red")
    assert display.figure_ is figure
    assert display.lines_[0].get_color() == "red"


def test_curves_can_be_told_apart_in_grey():
    lines = MassVolumeDisplay.from_evaluations(ranking()).lines_
    assert len({line.get_marker() for line in lines}) == len(lines)
    assert len({line.get_linestyle() for line in lines} | {"-"}) > 1
    greys = [_luminance(series_style(position).colour) for position in range(7)]
    assert min(greys) > 0.05  # no series is as dark as the axes
    assert max(greys) < 0.8  # and none as light as the paper


def _luminance(colour):
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_ranking_display_draws_best_first():
    display = RankingDisplay.from_ranking(ranking())
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == list(ranking().order)
    assert display.frame()["value"].is_monotonic_decreasing


def test_ranking_display_draws_what_decides():
    judged = small_ranking(judge=References())
    display = RankingDisplay.from_ranking(judged)
    scores = {row["detector"]: row["value"] for row in display.rows}
    assert scores == {name: score.value for name, score in judged.judgement.scores.items()}
    volumes = RankingDisplay.from_ranking(judged, criterion="mass_volume").frame()
    for name, value in zip(volumes["detector"], volumes["value"], strict=True):
        assert value == judged.evaluations[name].mass_volume.value


def test_mass_volume_curves_cover_the_masses_of_the_ranking():
    mass = MassVolumeDisplay.from_evaluations(ranking()).frame()["mass"]
    assert (mass.min(), mass.max()) == ranking().masses


def test_ranking_display_of_either_criterion_and_of_draws():
    volume = RankingDisplay.from_evaluations(ranking().evaluations, criterion="mass_volume")
    assert volume.frame()["value"].is_monotonic_increasing
    assert len(RankingDisplay.from_ranking(drawn_ranking()).rows) == 3
    with pytest.raises(InvalidParameterError, match="criterion"):
        RankingDisplay.from_ranking(ranking(), criterion="accuracy")


def test_ranking_display_ranks_by_itself_and_marks_groups():
    display = RankingDisplay.from_estimators(
        [EllipticEnvelope(), EllipticEnvelope()], small_rows(), **RANK_OPTIONS
    )
    assert display.groups == (("EllipticEnvelope", "EllipticEnvelope-2"),)
    assert "cannot be told apart" in display.ax_.get_xlabel()
    assert [text.get_text() for text in display.ax_.texts] == ["a", "a"]


def test_an_unresolved_detector_is_named_without_a_value():
    rows = [
        {"detector": "good", "value": 2.0, "lower": 1.0, "upper": 3.0},
        {"detector": "lost", "value": np.nan, "lower": np.nan, "upper": np.nan},
    ]
    display = RankingDisplay(rows, criterion="excess_mass").plot()
    assert "unresolved" in display.ax_.texts[0].get_text()


def test_feature_importance_display():
    rows = small_rows(600, 3, names=["a", "b$_2$", "c" * 300])
    subsampling = FeatureSubsampling(1, 9, "geometric")
    importance = feature_importance(EllipticEnvelope(), rows, subsampling=subsampling, **OPTIONS)
    display = importance.plot()
    assert isinstance(display, FeatureImportanceDisplay)
    display.figure_.canvas.draw()  # a name is text, not mathematics
    assert max(len(label.get_text()) for label in display.ax_.get_yticklabels()) <= 42
    assert list(display.frame()["feature"]) == list(importance.feature_names)
    again = FeatureImportanceDisplay.from_estimator(
        EllipticEnvelope(), rows, subsampling=subsampling, **OPTIONS
    )
    assert again.importance.feature_names == importance.feature_names


def test_level_sets_hold_the_masses_they_say():
    rows = small_rows()
    display = LevelSetDisplay.from_estimator(EllipticEnvelope(), rows, random_state=0, n_grid=60)
    frame = display.frame()
    assert list(frame["mass"]) == [0.5, 0.9, 0.95, 0.99]
    assert frame["share_of_box"].is_monotonic_increasing
    fitted = EllipticEnvelope(random_state=0).fit(rows.values)
    again = LevelSetDisplay.from_estimator(fitted, rows, fitted=True, masses=(0.8,), n_grid=60)
    inside = fitted.score_samples(rows.values) >= again.thresholds[0]
    assert inside.mean() == pytest.approx(0.8, abs=0.002)


def test_level_sets_refuse_what_cannot_be_drawn():
    with pytest.raises(InvalidDataError, match="two features"):
        LevelSetDisplay.from_estimator(EllipticEnvelope(), small_rows(n_features=3))
    with pytest.raises(InvalidParameterError, match="masses"):
        LevelSetDisplay.from_estimator(EllipticEnvelope(), small_rows(), masses=(2.0,))


def test_no_curves_where_features_were_drawn():
    with pytest.raises(InvalidDataError, match="subsampling=None"):
        MassVolumeDisplay.from_evaluations(drawn_ranking())


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    import sys

    from oddrank.errors import MissingExtraError

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[plot\]'"):
        RankingDisplay([], criterion="excess_mass").plot()
