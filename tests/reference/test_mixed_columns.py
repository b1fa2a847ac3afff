"""Every measure among columns of any kind: points are rows that one could have met."""

import numpy as np
import pandas as pd
import pytest

from oddrank.errors import InvalidDataError
from oddrank.reference import (
    ImportanceMixture,
    InflatedGaussian,
    NoisyData,
    PartialRedraw,
    PrincipalBox,
    ProductOfMarginals,
    ReferenceMixture,
    UniformBox,
)
from oddrank.reference.mixed_columns import among_other_columns
from oddrank.rows import BoundingBox, as_table

N = 400
MEASURES = [
    UniformBox(n_points=1024),
    ProductOfMarginals(n_points=1000),
    NoisyData(n_points=1000),
    PartialRedraw(n_points=1000, share=0.3),
    PrincipalBox(n_points=1000),
    InflatedGaussian(n_points=1000),
]
NAMES = [type(each).__name__ for each in MEASURES]


def frame():
    random = np.random.default_rng(0)
    size = random.normal(50.0, 10.0, N)
    return pd.DataFrame(
        {
            "size": np.where(random.random(N) < 0.2, np.nan, size),
            "weight": 1e6 * random.normal(size=N) + 1e5 * size,
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 10**7, N), "s"),
            "rating": random.integers(1, 6, N),
            "colour": random.choice(["red", "blue", None], N, p=[0.7, 0.2, 0.1]),
            "paid": random.random(N) < 0.3,
        }
    )


def points_of(measure, table):
    box = BoundingBox.around_constants(table)
    random = np.random.default_rng(1)
    chunks = measure.replicate_raw(box, table.values, table.continuous, random)
    return np.concatenate([chunk.points for chunk in chunks])


@pytest.mark.parametrize("measure", MEASURES, ids=NAMES)
def test_points_are_rows_of_the_same_types(measure):
    table = as_table(frame())
    points = points_of(measure, table)
    drawn = table.wrap(points)
    assert drawn.dtypes.equals(frame().dtypes)
    assert set(drawn["colour"].dropna()) == {"red", "blue"}
    assert set(drawn["rating"]) == {1, 2, 3, 4, 5}
    for name in ("weight", "when", "paid", "rating"):
        assert drawn[name].notna().all()


@pytest.mark.parametrize("measure", MEASURES, ids=NAMES)
def test_gaps_come_as_often_as_they_do(measure):
    table = as_table(frame())
    found = np.isnan(points_of(measure, table)).mean(axis=0)
    expected = np.isnan(table.values).mean(axis=0)
    np.testing.assert_allclose(found, expected, atol=0.05)


@pytest.mark.parametrize("measure", MEASURES, ids=NAMES)
def test_the_units_of_a_column_do_not_matter(measure):
    rows = frame()
    table = as_table(rows)
    other = as_table(rows.assign(weight=rows["weight"] / 1000.0))
    first, second = points_of(measure, table), points_of(measure, other)
    place = table.feature_names.index("weight")
    second[:, place] *= 1000.0
    np.testing.assert_allclose(second, first, rtol=1e-9)


def test_columns_that_are_no_numbers_are_taken_from_one_row():
    rows = frame()
    rows["copy"] = rows["colour"]
    table = as_table(rows)
    for measure in (UniformBox(n_points=512), PrincipalBox(), InflatedGaussian()):
        drawn = table.wrap(points_of(measure, table))
        assert drawn["copy"].equals(drawn["colour"])


def test_a_redraw_takes_any_level_alike():
    table = as_table(frame())
    drawn = table.wrap(points_of(PartialRedraw(n_points=4000, share=0.99), table))
    shares = drawn["colour"].value_counts(normalize=True)
    np.testing.assert_allclose(shares, [0.5, 0.5], atol=0.05)
    assert drawn["when"].between(frame()["when"].min(), frame()["when"].max()).all()


def test_marginals_keep_the_frequencies_of_levels():
    table = as_table(frame())
    drawn = table.wrap(points_of(ProductOfMarginals(n_points=N), table))
    assert drawn["colour"].value_counts().equals(frame()["colour"].value_counts())


def test_dates_are_continuous_and_numbers_of_few_values_are_not():
    table = as_table(frame())
    assert dict(zip(table.feature_names, table.continuous.tolist(), strict=True)) == {
        "size": True,
        "weight": True,
        "when": True,
        "rating": False,
        "colour": False,
        "paid": False,
    }


def test_a_mixture_draws_all_of_its_measures():
    table = as_table(frame())
    assert len(points_of(ReferenceMixture(), table)) == 6 * 128


def test_a_column_of_gaps_alone_does_no_harm():
    table = as_table(frame().assign(empty=np.nan))
    for measure in MEASURES:
        assert np.isnan(points_of(measure, table)[:, -1]).all()


def test_samplers_of_volume_refuse_what_has_none():
    with pytest.raises(InvalidDataError, match="ImportanceMixture draws points among numbers"):
        points_of(ImportanceMixture(), as_table(frame()))


def test_a_column_that_is_constant_but_for_rounding_keeps_a_narrow_box():
    constant = np.full(1000, 0.1)
    assert constant.std() > 0.0
    table = as_table(np.column_stack([np.random.default_rng(0).normal(size=1000), constant]))
    boxes = []

    def draw(size, box, rows):
        boxes.append(box)
        return rows[:size]

    box = BoundingBox.around_constants(table)
    random = np.random.default_rng(1)
    among_other_columns(draw, 10, box, table.values, np.array([True, True]), random)
    assert boxes[0].widths[1] == pytest.approx(box.widths[1])
