"""`TableEncoder`: what detectors get of categories, dates and gaps."""

from datetime import time, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_n_features_in_after_fitting

from oddrank import TableEncoder
from oddrank.errors import InvalidDataError, InvalidParameterError

FRAME = pd.DataFrame(
    {
        "size": [1.0, np.nan, 3.0, 5.0],
        "paid": [True, False, True, True],
        "colour": ["red", "blue", None, "red"],
        "when": pd.to_datetime(
            ["2024-01-01 10:00", "2024-01-02 10:00", "2024-01-07 10:00", "2024-01-08 10:00"]
        ),
    }
)


def encoded(frame, **options):
    encoder = TableEncoder(**options).fit(frame)
    return pd.DataFrame(encoder.transform(frame), columns=encoder.get_feature_names_out())


def test_every_kind_becomes_numbers():
    found = encoded(FRAME)
    assert found["size"].tolist() == [1.0, 3.0, 3.0, 5.0]
    assert found["paid"].tolist() == [1.0, 0.0, 1.0, 1.0]
    assert found["colour_red"].tolist() == [1.0, 0.0, 0.0, 1.0]
    assert found["colour_None"].tolist() == [0.0, 0.0, 1.0, 0.0]
    assert found["when"].diff().tolist()[1:] == [86400.0, 5 * 86400.0, 86400.0]
    # Monday is 0; the hour is the same in all rows and left out
    assert found["when_weekday"].tolist() == [0.0, 1.0, 6.0, 0.0]
    assert "when_hour" not in found


def test_gaps_can_be_seen():
    assert encoded(FRAME)["size_missing"].tolist() == [0.0, 1.0, 0.0, 0.0]
    dates = FRAME.assign(when=FRAME["when"].where([True, False, True, True]))
    found = encoded(dates)
    assert found["when_missing"].tolist() == [0.0, 1.0, 0.0, 0.0]
    assert not [name for name in found if name.endswith("_missing") and "weekday" in name]


def test_a_rare_level_stays_visible_among_many():
    levels = [f"level {i % 50}" for i in range(1000)] + ["once"]
    found = encoded(pd.DataFrame({"c": levels, "n": range(1001)}))
    frequency = found["c_frequency"]
    assert frequency.argmin() == 1000
    np.testing.assert_allclose(frequency.iloc[[0, 1000]], np.log([20 / 1001, 1 / 1001]))
    # as far from the others as a rare event is, whatever its column of 0 and 1 says
    assert (frequency.mean() - frequency.min()) / frequency.std() > 10


def test_polars_gives_the_same():
    assert encoded(pl.from_pandas(FRAME)).equals(encoded(FRAME))


def test_levels_that_were_not_seen_are_zero_everywhere_where_none_is_rare():
    encoder = TableEncoder().fit(FRAME)
    new = FRAME.assign(colour="green")
    found = pd.DataFrame(encoder.transform(new), columns=encoder.get_feature_names_out())
    assert (found.filter(regex="colour_(red|blue|None)") == 0.0).all(axis=None)
    np.testing.assert_allclose(found["colour_frequency"], np.log(0.5 / 4))


def test_medians_come_from_the_rows_it_was_fitted_on():
    encoder = TableEncoder().fit(FRAME)
    new = FRAME.assign(size=[np.nan, 100.0, 100.0, 100.0])
    assert encoder.transform(new)[0, 0] == 3.0


def test_rare_levels_share_a_column():
    frame = pd.DataFrame({"c": [f"level {i % 40}" for i in range(400)], "n": range(400)})
    assert encoded(frame, max_levels=10).shape == (400, 12)


def test_one_row_can_be_encoded():
    encoder = TableEncoder().fit(FRAME)
    np.testing.assert_array_equal(encoder.transform(FRAME[1:2])[0], encoder.transform(FRAME)[1])


def test_decimals_are_numbers_and_no_levels():
    sums = [Decimal(50 + k % 7) for k in range(200)] + [Decimal(99999)]
    found = encoded(pd.DataFrame({"sum": sums, "colour": ["red", "blue", "red"] * 67}))
    assert list(found) == ["sum", "colour_blue", "colour_red", "colour_frequency"]
    assert found["sum"].max() == 99999.0


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_times_of_the_day_are_seconds(library):
    frame = library({"at": [time(0, 1), time(2), None], "for": [timedelta(days=1)] * 3})
    encoder = TableEncoder().fit(frame)
    expected = [[60.0, 86400.0, 0.0], [7200.0, 86400.0, 0.0], [3630.0, 86400.0, 1.0]]
    assert encoder.transform(frame).tolist() == expected


def test_it_can_be_cloned():
    assert clone(TableEncoder(max_levels=7)).max_levels == 7


def test_other_columns_and_types_are_refused():
    encoder = TableEncoder().fit(FRAME)
    with pytest.raises(InvalidDataError, match="X has 3 features, but TableEncoder is expecting 4"):
        encoder.transform(FRAME[["size", "paid", "colour"]])
    with pytest.raises(InvalidDataError, match="'size' held number values"):
        encoder.transform(FRAME.assign(size="big"))
    with pytest.raises(InvalidParameterError, match="'max_levels' parameter of TableEncoder"):
        TableEncoder(max_levels=1).fit(FRAME)


def test_columns_in_another_order_are_refused():
    encoder = TableEncoder().fit(FRAME)
    assert list(encoder.feature_names_in_) == list(FRAME)
    with pytest.raises(InvalidDataError) as caught:
        encoder.transform(FRAME[["paid", "size", "colour", "when"]])
    assert str(caught.value) == (
        "Column 0 of X is 'paid', but it was 'size' in the fit. Give the same columns, in the same "
        "order."
    )
    with pytest.raises(InvalidDataError, match="Column 1 of X is 'settled'"):
        encoder.transform(FRAME.rename(columns={"paid": "settled"}))


def test_arrays_have_no_names_to_compare():
    numbers = FRAME[["size"]]
    encoder = TableEncoder().fit(numbers)
    assert encoder.transform(numbers.to_numpy()).tolist() == encoder.transform(numbers).tolist()
    encoder.fit(numbers.to_numpy())
    assert not hasattr(encoder, "feature_names_in_")
    assert encoder.transform(numbers).tolist() == encoder.transform(numbers.to_numpy()).tolist()


def test_features_are_counted_as_scikit_learn_checks_it():
    check_n_features_in_after_fitting("TableEncoder", TableEncoder())


def test_a_level_that_was_not_seen_counts_as_a_rare_one_where_there_are_any():
    frame = pd.DataFrame({"c": ["a"] * 60 + ["b"] * 60 + ["rare", "rarer"], "n": range(122)})
    encoder = TableEncoder().fit(frame)
    found = pd.DataFrame(
        encoder.transform(frame[:1].assign(c="new")), columns=encoder.get_feature_names_out()
    )
    assert found[["c_a", "c_b", "c_infrequent_sklearn"]].to_numpy().tolist() == [[0.0, 0.0, 1.0]]
