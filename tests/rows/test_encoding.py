"""`TableEncoder`: what detectors get of categories, dates and gaps."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

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
    assert encoded(FRAME, gaps="keep")["missing_size"].tolist() == [0.0, 1.0, 0.0, 0.0]


def test_polars_gives_the_same():
    assert encoded(pl.from_pandas(FRAME)).equals(encoded(FRAME))


def test_levels_that_were_not_seen_are_zero_everywhere():
    encoder = TableEncoder().fit(FRAME)
    new = FRAME.assign(colour="green")
    found = pd.DataFrame(encoder.transform(new), columns=encoder.get_feature_names_out())
    assert (found.filter(like="colour") == 0.0).all(axis=None)


def test_medians_come_from_the_rows_it_was_fitted_on():
    encoder = TableEncoder().fit(FRAME)
    new = FRAME.assign(size=[np.nan, 100.0, 100.0, 100.0])
    assert encoder.transform(new)[0, 0] == 3.0


def test_rare_levels_share_a_column():
    frame = pd.DataFrame({"c": [f"level {i % 40}" for i in range(400)], "n": range(400)})
    assert encoded(frame, max_levels=10).shape == (400, 11)


def test_one_row_can_be_encoded():
    encoder = TableEncoder().fit(FRAME)
    np.testing.assert_array_equal(encoder.transform(FRAME[1:2])[0], encoder.transform(FRAME)[1])


def test_it_can_be_cloned():
    assert clone(TableEncoder(gaps="keep")).gaps == "keep"


def test_other_columns_and_types_are_refused():
    encoder = TableEncoder().fit(FRAME)
    with pytest.raises(InvalidDataError, match="3 columns, and the encoder was fitted on 4"):
        encoder.transform(FRAME[["size", "paid", "colour"]])
    with pytest.raises(InvalidDataError, match="'size' held number values"):
        encoder.transform(FRAME.assign(size="big"))
    with pytest.raises(InvalidParameterError, match="'gaps' parameter of TableEncoder"):
        TableEncoder(gaps="drop").fit(FRAME)
