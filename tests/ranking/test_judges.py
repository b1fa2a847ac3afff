"""Judges as objects: short names, own options, and how they weigh what they hear."""

import pytest

from oddrank import Consensus, FeatureSubsampling, References, Volume
from oddrank.errors import InvalidParameterError
from oddrank.ranking import JUDGES, Judge, as_judge
from oddrank.reference import NoisyData, ReferenceMixture


@pytest.mark.parametrize(
    ("name", "judge"),
    [
        ("auto", References()),
        ("volume", Volume()),
        ("references", References()),
        ("consensus", Consensus()),
    ],
)
def test_short_names_stand_for_judges_with_their_defaults(name, judge):
    assert as_judge(name, "test") == judge
    assert as_judge(judge, "test") is judge
    assert isinstance(judge, Judge)
    assert name in {judge.name, "auto"}
    assert set(JUDGES) == {"auto", "volume", "references", "consensus"}


@pytest.mark.parametrize("judge", ["jury", Volume, None, 3])
def test_others_are_refused_with_the_right_door(judge):
    with pytest.raises(InvalidParameterError) as caught:
        as_judge(judge, "test")
    sentence = str(caught.value)
    assert "'judge' parameter of test must be one of 'auto', 'volume'" in sentence
    assert "Volume(criterion='mass_volume')" in sentence
    assert sentence.endswith(f"Got {judge!r} instead.")


def test_a_judge_that_is_no_more_says_which_to_take():
    with pytest.raises(InvalidParameterError, match=r"no 'combined' any more.*Take 'references'"):
        as_judge("combined", "test")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"criterion": "roc"}, "'criterion' parameter of Volume must be one of 'auto', 'excess_m"),
        ({"criterion": "neg_mass_volume"}, "'criterion' parameter of Volume must be one of"),
        ({"mass_range": (0.99, 0.9)}, "'mass_range' parameter of Volume must be two masses"),
        ({"excess_mass_floor": 1.0}, "'excess_mass_floor' parameter of Volume must be a float"),
    ],
)
def test_volumes_that_are_refused(options, sentence):
    with pytest.raises(InvalidParameterError) as caught:
        Volume(**options)
    assert sentence in str(caught.value)


@pytest.mark.parametrize("kind", [References, Consensus])
def test_measures_that_are_refused(kind):
    with pytest.raises(InvalidParameterError) as caught:
        kind(measures=NoisyData())
    owner = kind.__name__
    assert f"'measures' parameter of {owner} must be a ReferenceMixture" in str(caught.value)


@pytest.mark.parametrize("kind", [References, Consensus])
def test_volumes_beside_a_judgement_are_measured_as_its_volume_says(kind):
    volume = Volume(mass_range=(0.8, 0.9))
    assert kind(volume=volume).in_volume is volume
    assert volume.in_volume is volume
    assert volume.asks is None
    mixture = ReferenceMixture(n_points=32)
    assert kind(measures=mixture).asks is mixture
    assert kind().asks == ReferenceMixture()


@pytest.mark.parametrize("kind", [References, Consensus])
@pytest.mark.parametrize("volume", [Volume(subsampling=FeatureSubsampling(2, 4)), "volume", None])
def test_draws_of_features_go_with_volumes_only(kind, volume):
    with pytest.raises(InvalidParameterError) as caught:
        kind(volume=volume)
    sentence = str(caught.value)
    assert f"'volume' parameter of {kind.__name__} must be a Volume without draws" in sentence
    assert "judge=Volume(subsampling=…)" in sentence


@pytest.mark.parametrize(
    ("n_rows", "upper"), [(5000, 0.999), (1000, 0.999), (999, 0.99), (100, 0.99), (99, 0.95)]
)
def test_masses_go_as_far_as_the_rows_reach(n_rows, upper):
    assert Volume(mass_range="auto").masses_for(n_rows) == (0.9, upper)
    assert Volume(mass_range=(0.8, 0.85)).masses_for(n_rows) == (0.8, 0.85)
    assert References().volume == Volume(mass_range="auto")
