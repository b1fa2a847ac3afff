"""Columns of any type as numbers, and back."""

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import IsolationForest

from oddrank import rank_detectors
from oddrank.errors import InvalidDataError
from oddrank.rows import as_table, joint_tables, natural_order

HOURS = pd.date_range("2024-02-28 22:00", periods=6, freq="h")


def every_type():
    return pd.DataFrame(
        {
            "float": [0.5, -1.25, 3.0, 1e300, 0.0, 7.5],
            "whole": [1, 2, 3, 4, 5, 6],
            "nullable": pd.array([1, None, 3, 4, 5, 6], dtype="Int64"),
            "gap": [1.5, np.nan, 2.5, 3.5, 4.5, 5.5],
            "truth": [True, False, True, False, True, True],
            "maybe": pd.array([True, None, False, True, True, False], dtype="boolean"),
            "category": pd.Categorical(list("zyxzyx"), categories=list("wxyz")),
            "text": ["one", None, "two", "one", "ünï", ""],
            "date": HOURS,
            "zoned": HOURS.tz_localize("Europe/Berlin"),
            "span": pd.to_timedelta([1, 2, 3, 4, 5, 6], unit="s"),
        }
    )


def test_a_pandas_frame_comes_back_as_it_was():
    frame = every_type()
    table = as_table(frame)
    pd.testing.assert_frame_equal(table.wrap(table.values), frame)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("second", [[4.0, 5.0, 6.0], ["x", "y", "x"]])
def test_a_column_may_have_an_empty_name(make, second):
    frame = make({"": [1.0, 2.0, 3.0], "b": second})
    table = as_table(frame)
    back = table.wrap(table.values)
    names = back.column_names if make is pa.table else list(back.columns)
    assert names == ["", "b"]
    assert table.feature_names == ("", "b")


def test_a_polars_frame_comes_back_as_it_was():
    frame = pl.from_pandas(every_type())
    table = as_table(frame)
    back = table.wrap(table.values)
    assert back.schema == frame.schema
    assert back.equals(frame)


def test_an_arrow_table_comes_back_with_its_values():
    frame = pa.Table.from_pandas(every_type(), preserve_index=False)
    table = as_table(frame)
    assert table.wrap(table.values).to_pydict() == frame.to_pydict()


def test_objects_of_several_types_come_back():
    frame = pd.DataFrame({"mixed": [1, "a", None, 2.5, "b", True], "n": range(6)})
    table = as_table(frame)
    back = table.wrap(table.values)
    assert back["mixed"].dtype == "category"  # so that numbers alone are no numbers
    for value, before in zip(back["mixed"], frame["mixed"], strict=True):
        assert (pd.isna(value) and before is None) or value == before


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_all_libraries_have_the_same_numbers(library):
    frame = every_type()
    other = {
        "pandas": lambda: frame,
        "polars": lambda: pl.from_pandas(frame),
        "pyarrow": lambda: pa.Table.from_pandas(frame, preserve_index=False),
    }[library]()
    np.testing.assert_array_equal(as_table(other).values, as_table(frame).values)
    assert as_table(other).columns == as_table(frame).columns


@given(order=st.permutations(range(6)))
def test_the_numbers_of_a_row_do_not_depend_on_the_order_of_rows(order):
    frame = every_type()
    shuffled = as_table(frame.iloc[list(order)].reset_index(drop=True))
    np.testing.assert_array_equal(shuffled.values, as_table(frame).values[list(order)])
    root = np.random.SeedSequence(0)
    in_order = shuffled.values[natural_order(shuffled.values, root)]
    expected = as_table(frame).values[natural_order(as_table(frame).values, root)]
    np.testing.assert_array_equal(in_order, expected)


def test_kinds_are_told_apart():
    kinds = {
        name: column.kind
        for name, column in zip(every_type().columns, as_table(every_type()).columns, strict=True)
    }
    assert kinds == {
        "float": "number",
        "whole": "number",
        "nullable": "number",
        "gap": "number",
        "truth": "boolean",
        "maybe": "boolean",
        "category": "category",
        "text": "category",
        "date": "date",
        "zoned": "date",
        "span": "duration",
    }


def test_masked_values_are_gaps():
    masked = np.ma.masked_greater(np.arange(12).reshape(6, 2), 8)
    table = as_table(masked)
    np.testing.assert_array_equal(np.isnan(table.values), masked.mask)
    assert table.values[0, 1] == 1.0


def test_numbers_and_booleans_without_gaps_are_plain():
    frame = every_type()
    assert as_table(frame[["float", "whole", "truth"]]).is_plain
    for name in ("nullable", "gap", "maybe", "category", "text", "date", "span"):
        assert not as_table(frame[["float", name]]).is_plain


def test_whole_numbers_stay_whole():
    table = as_table(every_type())
    place = table.feature_names.index("whole")
    points = np.tile(table.values[:1], (3, 1))
    points[:, place] = [1.4, 2.6, 9.5]
    assert table.wrap(points)["whole"].tolist() == [1, 3, 10]


def test_levels_of_test_rows_are_known():
    train = pd.DataFrame({"c": ["b", "d", "b"], "n": [1, 2, 3]})
    test = pd.DataFrame({"c": ["a", None, "d"], "n": [1.0, np.nan, 2.0]})
    first, second = joint_tables(train, test)
    assert first.columns == second.columns
    assert first.columns[0].levels == ("a", "b", "d")
    assert first.wrap(first.values)["c"].tolist() == ["b", "d", "b"]
    back = second.wrap(second.values)
    assert back["c"].tolist()[::2] == ["a", "d"]
    assert back["c"].isna().tolist() == [False, True, False]


@pytest.mark.parametrize("labels", [[0, 1], ["c", "n"]])
@pytest.mark.parametrize("value", [np.nan, 2.5])
def test_gaps_and_fractions_of_test_rows_are_not_lost(labels, value):
    train = pd.DataFrame({"c": ["b", "d", "b"], "n": [1, 2, 3]}).set_axis(labels, axis=1)
    test = pd.DataFrame({"c": ["a", "b", "d"], "n": [1.0, value, 2.0]}).set_axis(labels, axis=1)
    first, second = joint_tables(train, test)
    assert first.wrap(first.values)[labels[1]].tolist() == [1, 2, 3]
    np.testing.assert_array_equal(second.wrap(second.values)[labels[1]], [1.0, value, 2.0])


def test_frames_of_two_libraries_are_refused_where_columns_are_not_all_numbers():
    train = pd.DataFrame({"c": ["b", "d", "b"], "n": [1, 2, 3]})
    test = pl.DataFrame({"c": ["b", "d", "b"], "n": [1, None, 3]})
    with pytest.raises(InvalidDataError) as caught:
        joint_tables(train, test)
    assert str(caught.value) == (
        "X_train is a frame of pandas but X_test one of polars, and not all columns are plain "
        "numbers. Give both as frames of the same library."
    )
    first, second = joint_tables(train[["n"]], test[["n"]].fill_null(2))
    assert np.array_equal(first.values, second.values)


def test_declared_categories_of_test_rows_are_not_lost():
    train = pd.DataFrame({"c": pd.Categorical(["x", "y", "x"]), "n": [1, 2, 3]})
    test = pd.DataFrame({"c": pd.Categorical(["z", "y", "x"]), "n": [1, 2, 3]})
    first, second = joint_tables(train, test)
    assert second.wrap(second.values)["c"].tolist() == ["z", "y", "x"]
    assert first.wrap(first.values)["c"].tolist() == ["x", "y", "x"]


def test_columns_of_other_types_are_refused():
    train = pd.DataFrame({"c": ["b", "d", "b"]})
    with pytest.raises(InvalidDataError, match="'c' holds texts or categories in X_train but num"):
        joint_tables(train, pd.DataFrame({"c": [1, 2, 3]}))


def test_lists_in_cells_are_refused():
    with pytest.raises(InvalidDataError, match="'c' of X holds list values"):
        as_table(pd.DataFrame({"c": [[1], [2], [3]]}))
    with pytest.raises(InvalidDataError) as caught:
        as_table(pd.DataFrame({"c": ["a", [1, 2]]}))
    assert str(caught.value) == (
        "Column 'c' of X holds list values, such as [1, 2], but a cell must hold a single value. "
        "Drop the column, or split it into several."
    )


def test_a_plain_table_goes_with_test_rows_that_have_gaps():
    train = as_table(np.arange(12.0).reshape(6, 2))
    test = as_table(np.array([[1.0, np.nan], [2.0, 3.0]]))
    first, second = joint_tables(train, test)
    assert first.columns == second.columns
    np.testing.assert_array_equal(first.wrap(first.values), train.values)
    assert np.isnan(second.wrap(second.values)[0, 1])


@pytest.mark.parametrize("kind", ["uint8", "int8", "uint16", "int32", "uint64", "UInt8"])
@pytest.mark.parametrize("label", ["count", 0])
def test_points_beyond_a_small_integer_type_do_not_wrap_around(kind, label):
    frame = pd.DataFrame({label: pd.Series([3, 100, 7], dtype=kind), "c": ["a", "b", "a"]})
    check_far_points(as_table(frame), lambda drawn: drawn[label].tolist())


@pytest.mark.parametrize("kind", [pl.UInt8, pl.Int16, pl.UInt64])
def test_points_beyond_a_small_integer_type_reach_polars(kind):
    frame = pl.DataFrame(
        {"count": [3, 100, 7], "c": ["a", "b", "a"]}, schema_overrides={"count": kind}
    )
    check_far_points(as_table(frame), lambda drawn: drawn["count"].to_list())


def test_points_beyond_a_small_integer_type_reach_arrow():
    frame = pa.table({"count": pa.array([3, 100, 7], pa.uint8()), "c": ["a", "b", "a"]})
    check_far_points(as_table(frame), lambda drawn: drawn["count"].to_pylist())


def check_far_points(table, read):
    points = table.values.copy()
    points[:, 0] = [-5.0, 2_000_000.2, 7.0]
    assert read(table.wrap(points)) == [-5, 2_000_000, 7]
    assert read(table.wrap(table.values)) == [3, 100, 7]


def test_points_between_integers_of_19_digits_are_whole():
    whole = pd.array([2**60, 2**60 + 2**20], dtype="Int64")
    table = as_table(pd.DataFrame({"id": whole, "c": ["a", "b"]}))
    drawn = table.wrap(np.array([[0.6, 0.0], [2.0**59, 1.0]]))
    assert drawn["id"].tolist() == [1, 2**59]
    assert drawn["id"].dtype == "Int64"


class CountedText(str):
    __slots__ = ()
    hashed = 0

    def __hash__(self):
        CountedText.hashed += 1
        return super().__hash__()


def test_the_work_grows_with_the_number_of_levels_and_not_with_its_square():
    n_levels = 300
    levels = pd.Index([CountedText(f"level {k}") for k in range(n_levels)], dtype=object)
    frame = pd.DataFrame({"c": pd.Categorical(levels, categories=levels)})
    table = as_table(frame)
    CountedText.hashed = 0
    pd.testing.assert_frame_equal(table.wrap(table.values), frame)
    assert CountedText.hashed < 30 * n_levels


HOUR_AHEAD = timezone(timedelta(hours=1))


@pytest.mark.parametrize(
    ("cells", "kind", "expected"),
    [
        ([1, 2.5, None], "number", [1.0, 2.5, np.nan]),
        ([Decimal("50.25"), None, Decimal(99999)], "number", [50.25, np.nan, 99999.0]),
        ([np.int64(3), Decimal(4), np.float32(0.5)], "number", [3.0, 4.0, 0.5]),
        ([date(1970, 1, 2), None, datetime(1970, 1, 1, 1)], "date", [86.4e9, np.nan, 3.6e9]),
        (
            [datetime(1970, 1, 1, 1, tzinfo=HOUR_AHEAD), datetime(1970, 1, 1, tzinfo=UTC), None],
            "date",
            [0.0, 0.0, np.nan],
        ),
        ([time(0, 1, 30), None, time(23, 0, 0, 500_000)], "duration", [9e7, np.nan, 82_800.5e6]),
        ([timedelta(seconds=2), None, timedelta(0)], "duration", [2e6, np.nan, 0.0]),
    ],
)
@pytest.mark.parametrize("library", [pd, pl])
def test_objects_are_what_their_values_are(cells, kind, expected, library):
    objects = (
        pd.Series(cells, dtype=object)
        if library is pd
        else pl.Series(cells, dtype=pl.Object, strict=False)
    )
    table = as_table(library.DataFrame({"o": objects, "c": ["a", "b", "a"]}))
    assert table.columns[0].kind == kind
    np.testing.assert_array_equal(table.values[:, 0], expected)
    again = as_table(table.wrap(table.values))
    assert again.columns == table.columns
    np.testing.assert_array_equal(again.values, table.values)


@pytest.mark.parametrize("cells", [[1, "1", 2], [True, False, None], [True, 2, 3], [1, 2j, 3]])
def test_objects_that_are_not_all_numbers_stay_levels(cells):
    table = as_table(pd.DataFrame({"o": pd.Series(cells, dtype=object)}))
    assert table.columns[0].kind == "category"


def test_objects_may_have_any_label_and_index():
    cells = pd.Series([Decimal(1), Decimal(2), None], dtype=object)
    frame = pd.DataFrame({0: cells, "": cells, "c": ["a", "b", "a"]})
    table = as_table(frame.set_axis(["x", "y", "z"]))
    wrapped = table.wrap(table.values)
    assert list(wrapped.columns) == [0, "", "c"]
    assert wrapped.dtypes.tolist()[:2] == [np.dtype(float)] * 2


def test_sparse_numbers_are_numbers():
    table = as_table(pd.DataFrame({"s": pd.arrays.SparseArray([0, 0, 3]), "n": [1, 2, 3]}))
    assert table.is_plain
    assert table.values[:, 0].tolist() == [0.0, 0.0, 3.0]
    with pytest.raises(InvalidDataError, match=r"All columns of X are sparse.*X.sparse.to_dense"):
        as_table(pd.DataFrame({"s": pd.arrays.SparseArray([0, 0, 3])}))


DECIMALS = [None, Decimal("1.25"), Decimal(2)]


@pytest.mark.parametrize(
    "frame",
    [
        pa.table({"d": pa.array(DECIMALS, pa.decimal128(10, 2))}),
        pl.DataFrame({"d": DECIMALS}),
        pd.DataFrame({"d": pd.array(DECIMALS, dtype=pd.ArrowDtype(pa.decimal128(10, 2)))}),
    ],
    ids=["Arrow", "polars", "pandas"],
)
def test_decimals_with_gaps_are_numbers(frame):
    table = as_table(frame)
    np.testing.assert_array_equal(table.values[:, 0], [np.nan, 1.25, 2.0])
    again = as_table(table.wrap(np.array([[0.123456], [1e12], [np.nan]])))
    np.testing.assert_array_equal(again.values[:, 0], [0.123456, 1e12, np.nan])


@pytest.mark.parametrize(
    "frame",
    [
        pa.table({"t": pa.array([time(1), None, time(0, 2)]), "n": [1, 2, 3]}),
        pl.DataFrame({"t": [time(1), None, time(0, 2)], "n": [1, 2, 3]}),
    ],
    ids=["Arrow", "polars"],
)
def test_times_of_the_day_are_durations_since_midnight(frame):
    table = as_table(frame)
    assert table.columns[0].kind == "duration"
    np.testing.assert_array_equal(table.values[:, 0], [3.6e9, np.nan, 120e6])
    np.testing.assert_array_equal(as_table(table.wrap(table.values)).values, table.values)


def test_integers_of_19_digits_are_read_from_arrow():
    table = as_table(pa.table({"id": [2**60, 2**60 + 2**20, None], "n": [1, 2, 3]}))
    np.testing.assert_array_equal(table.values[:, 0], [2.0**60, 2.0**60 + 2.0**20, np.nan])


def test_objects_of_several_kinds_are_levels_in_every_part_of_the_rows():
    """The rows of a fold may hold numbers alone."""
    frame = pd.DataFrame({"c": pd.Series([*range(5)] * 40 + ["n/a"], dtype=object)})
    detectors = {"forest": IsolationForest(n_estimators=5)}
    ranking = rank_detectors(detectors, frame, preprocess="auto", random_state=0)
    assert not ranking.failures
    whole = ranking.score_samples(frame)
    np.testing.assert_array_equal(ranking.score_samples(frame[:7]), whole[:7])
