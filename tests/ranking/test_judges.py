"""Judges as objects: short names, own options, and how they weigh what they hear."""

import pytest

from oddrank import Consensus, References, Volume
from oddrank.errors import InvalidParameterError
from oddrank.ranking import JUDGES, Judge, as_judge
from oddrank.reference import NoisyData


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
