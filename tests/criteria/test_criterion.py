"""Which way is better is said once."""

import pytest

from oddrank.criteria import CRITERIA, EXCESS_MASS, MASS_VOLUME, SCORE, criterion_named
from oddrank.errors import InvalidParameterError


@pytest.mark.parametrize(
    ("criterion", "name", "direction", "sign"),
    [
        (EXCESS_MASS, "excess_mass", "bigger is better", 1.0),
        (MASS_VOLUME, "mass_volume", "smaller is better", -1.0),
        (SCORE, "mean_area", "bigger is better", 1.0),
    ],
)
def test_names_and_directions(criterion, name, direction, sign):
    assert criterion.name == str(criterion) == name
    assert criterion.direction == direction
    assert criterion.sign == sign
    assert criterion.label == name.replace("_", " ")


def test_criteria_are_found_by_name_or_as_they_are():
    assert CRITERIA == (EXCESS_MASS, MASS_VOLUME)
    for each in CRITERIA:
        assert criterion_named(each.name, "test") is each
        assert criterion_named(each, "test") is each
    assert criterion_named("mean_area", "test", (SCORE,)) is SCORE
    # only a maximum over noise is biased upwards
    assert [each.is_maximum for each in (*CRITERIA, SCORE)] == [True, False, False]


@pytest.mark.parametrize("name", ["neg_mass_volume", "roc", None, SCORE])
def test_others_are_refused_with_a_list(name):
    with pytest.raises(InvalidParameterError) as caught:
        criterion_named(name, "test")
    assert "'criterion' parameter of test must be one of 'excess_mass', 'mass_volume'" in str(
        caught.value
    )
