"""What texts mean: numbers, booleans and dates by the evidence of their column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from oddrank.io import UserTable, read_table

N = 40
RNG = np.random.default_rng(0)
FILLER = RNG.normal(size=N).round(4)


def table_of(values: list[str], tmp_path: Path, separator: str = ";", **options: Any) -> UserTable:
    """Read a column `v` of these texts beside a column of letters that says nothing."""
    path = tmp_path / "texts.csv"
    quoted = [f'"{value}"' if separator in value else value for value in values]
    rows = [f"{value}{separator}{'xy'[i % 2]}" for i, value in enumerate(quoted)]
    path.write_text("\n".join([f"v{separator}letter", *rows]), encoding="utf-8")
    return read_table(path, **{"encode": "auto", **options})


def cycled(*values: str) -> list[str]:
    return [values[i % len(values)] for i in range(N)]


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (("1.5", "-2.25e1", "+3"), (1.5, -22.5, 3)),
        (("$927.15", "$1,204.00"), (927.15, 1204)),
        (("17.2 %", "3.45%"), (17.2, 3.45)),
        (("1.204,50 €", "17,1 €"), (1204.5, 17.1)),
        (("CHF 1'204.50", "CHF 17.10"), (1204.5, 17.1)),
        (("1’204.5 USD", "17.1 USD"), (1204.5, 17.1)),
        (("EUR 12,50", "EUR -3,10"), (12.5, -3.1)),
        (("(1,234.50)", "17.20"), (-1234.5, 17.2)),
        (("12.5-", "3.25"), (-12.5, 3.25)),
        (("−12.5", "3.25"), (-12.5, 3.25)),
        (("1 234,5", "17,25"), (1234.5, 17.25)),
        (("1\u00a0234,5", "1\u202f234,75"), (1234.5, 1234.75)),
        (("1,234,567", "1,234"), (1234567, 1234)),
        (("1.234.567", "1.234"), (1234567, 1234)),
        (("1.234,5", "1.234"), (1234.5, 1234)),
        (("0,123", "1,234"), (0.123, 1.234)),
        (("1234,567", "1,234"), (1234.567, 1.234)),
        (("7", "450", "1.234"), (7, 450, 1234)),
        (("12,34,567", "1,234"), (1234567, 1234)),
        (("00:01", "14:05:30"), (60, 50730)),
        (("2:05 PM", "12:01 AM"), (50700, 60)),
    ],
)
def test_numbers_as_people_write_them(
    texts: tuple[str, ...], numbers: tuple[float, ...], tmp_path: Path
) -> None:
    table = table_of(cycled(*texts), tmp_path)
    assert dict(zip(table.feature_names, table.kinds, strict=True))["v"] == "number"
    np.testing.assert_allclose(table.frame()["v"].iloc[: len(numbers)], numbers)


@pytest.mark.parametrize(
    ("texts", "separator", "expected"),
    [
        (("9.733", "8.512"), ",", 9.733),
        (("71,314", "8,512"), ",", 71314),
        (("9.733", "8.512"), ";", "'9.733' may mean 9733 or 9.733"),
        (("71,314", "8,512"), "\t", "'71,314' may mean 71314 or 71.314"),
        (("71,314", "0"), "\t", "'71,314' may mean 71314 or 71.314"),
    ],
)
def test_thousands_or_decimals(
    texts: tuple[str, ...], separator: str, expected: float | str, tmp_path: Path
) -> None:
    table = table_of(cycled(*texts), tmp_path, separator)
    if isinstance(expected, float | int):
        assert table.frame()["v"].iloc[0] == expected
        return
    (left_out,) = table.left_out
    assert (left_out.column, left_out.reason) == ("v", expected)
    assert left_out.remedy == "--decimal . or --decimal ,"
    comma = table_of(cycled(*texts), tmp_path, separator, decimal=",").frame()["v"].iloc[0]
    point = table_of(cycled(*texts), tmp_path, separator, decimal=".").frame()["v"].iloc[0]
    digits = float(texts[0].replace(",", "").replace(".", ""))
    assert {comma, point} == {float(texts[0].replace(",", ".")), digits}


def test_another_column_shows_the_decimal_sign(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    rows = [f"{1000 + 37 * i:,}".replace(",", ".") + f";{i},5" for i in range(N)]
    path.write_text("\n".join(["a;b", *rows]))
    table = read_table(path, encode="auto")
    np.testing.assert_array_equal(table.frame()["a"], 1000 + 37 * np.arange(N))


def test_thousands_that_come_after_the_sample_are_not_read_as_decimals(tmp_path: Path) -> None:
    path = tmp_path / "late.csv"
    values = [str(i % 900) for i in range(3000)] + ["1.234", "2.345"] + ["7"] * 3000
    path.write_text("\n".join(["a;b", *(f"{value};x" for value in values)]))
    assert 1234.0 in set(read_table(path).X[:, 0])


def test_one_slip_does_not_turn_thousands_into_decimals(tmp_path: Path) -> None:
    values = [f"{1000 + 37 * i:,}" for i in range(200)]
    values[50] = "1,5"
    assert table_of(values, tmp_path).left_out[0].column == "v"


@pytest.mark.parametrize("bad", ["n.v.", "unknown", "12a"])
def test_a_few_bad_cells_are_gaps_with_their_lines(bad: str, tmp_path: Path) -> None:
    values = [f"{value}" for value in FILLER]
    values[15] = bad
    table = table_of(values, tmp_path, gaps="keep")
    assert f"{bad!r} in line 17 of 'v' is read as a gap." in table.notes
    assert np.isnan(table.frame()["v"].iloc[15])
    assert table.frame()["v"].notna().sum() == N - 1


def test_many_bad_cells_make_a_column_text(tmp_path: Path) -> None:
    values = [f"{value}" for value in FILLER]
    values[3:8] = ["bad"] * 5
    (left_out,) = table_of(values, tmp_path).left_out
    assert left_out.reason.startswith("free text: ")


def test_several_currencies_in_a_column_are_no_numbers(tmp_path: Path) -> None:
    table = table_of(cycled("$12.50", "€12.50", "$8.10"), tmp_path)
    assert table.kinds == ("category", "category")


@pytest.mark.parametrize(
    "pair", ["true/false", "Yes/No", "Y/n", "T/F", "ja/nein", "Oui/Non", "si/no", "sí/no",
             "on/OFF", "WAHR/FALSCH"]
)  # fmt: skip
def test_booleans(pair: str, tmp_path: Path) -> None:
    yes, no = pair.split("/")
    table = table_of(cycled(yes, no, no), tmp_path)
    assert table.kinds == ("boolean", "category")
    assert table.frame()["v"].dtype == bool
    assert table.frame()["v"].tolist()[:3] == [True, False, False]


def test_zeros_and_ones_stay_numbers(tmp_path: Path) -> None:
    assert table_of(cycled("0", "1"), tmp_path).kinds == ("number", "category")


@pytest.mark.parametrize(
    ("texts", "dates"),
    [
        (("2024-01-03", "2024-02-13"), ("2024-01-03", "2024-02-13")),
        (("2024-01-03T10:30:00Z", "2024-01-03T10:30:00.5Z"),
         ("2024-01-03T10:30", "2024-01-03T10:30:00.5")),
        (("2024-01-03 10:30+01:00", "2024-01-03 10:30-0500"),
         ("2024-01-03T09:30", "2024-01-03T15:30")),
        (("03.01.2024", "13.02.2024 14:05"), ("2024-01-03", "2024-02-13T14:05")),
        (("03/01/2024", "13/02/2024"), ("2024-01-03", "2024-02-13")),
        (("01/03/2024", "02/13/2024"), ("2024-01-03", "2024-02-13")),
        (("03-Jan-2024", "13-Feb-2024"), ("2024-01-03", "2024-02-13")),
        (("Jan 3, 2024", "February 13, 2024"), ("2024-01-03", "2024-02-13")),
        (("1/3/24 2:05 PM", "2/13/24 12:00 AM"), ("2024-01-03T14:05", "2024-02-13")),
    ],
)  # fmt: skip
def test_dates(texts: tuple[str, ...], dates: tuple[str, ...], tmp_path: Path) -> None:
    table = table_of(cycled(*texts), tmp_path)
    assert table.kinds == ("date", "category")
    found = table.frame()["v"].iloc[:2].to_numpy()
    np.testing.assert_array_equal(found, np.array(dates, dtype="datetime64[us]"))


def test_day_or_month_first_by_the_order_of_the_rows(tmp_path: Path) -> None:
    days = [f"{day:02d}/{month:02d}/2024" for month in (1, 2, 3) for day in range(1, 13)]
    table = table_of(days, tmp_path)
    assert table.frame()["v"].iloc[12] == pandas.Timestamp("2024-02-01")
    assert any("day coming first" in note for note in table.notes)
    shuffled = [days[i] for i in RNG.permutation(len(days))]
    table = table_of(shuffled, tmp_path)
    assert any("nothing in the column decides" in note for note in table.notes)
    day, month, _ = shuffled[0].split("/")
    assert table.frame()["v"].iloc[0] == pandas.Timestamp(2024, int(day), int(month))


def test_eight_digits_are_dates_only_under_a_name_of_a_date() -> None:
    digits = [20240101 + 7 * i % 28 for i in range(N)]
    table = read_table(pandas.DataFrame({"order_date": digits, "size": digits}), encode="auto")
    assert table.kinds == ("date", "number")
    assert table.frame()["order_date"].iloc[0] == pandas.Timestamp("2024-01-01")


def test_declared_categories_stay_categories() -> None:
    frame = pandas.DataFrame({"zone": pandas.Categorical(["1", "2"] * 20), "x": FILLER})
    assert read_table(frame, encode="auto").kinds == ("category", "number")


@pytest.mark.parametrize(
    "texts",
    [
        ("192.168.100.101", "192.168.100.102"),
        ("+49 151 123 456", "+49 151 123 457"),
        ("+49 151 123", "+49 151 124"),
        ("01067", "80331"),
        ("0815", "007", "12"),
    ],
)
@pytest.mark.parametrize("separator", [",", ";"])
def test_addresses_telephone_numbers_and_codes_are_no_numbers(
    texts: tuple[str, ...], separator: str, tmp_path: Path
) -> None:
    table = table_of(cycled(*texts), tmp_path, separator)
    assert table.kinds == ("category", "category")
    assert table.frame()["v"].tolist() == cycled(*texts)


@pytest.mark.parametrize(
    ("texts", "separator", "decimal", "first"),
    [
        (("1.100.200", "1.100.300"), ";", None, 1_100_200),
        (("1.100.200.300", "12.345"), ";", None, 1_100_200_300),
        (("1.100.200.300", "1.100.200.400"), ";", ",", 1_100_200_300),
        (("1,100,200,300", "1,100,200,400"), ",", None, 1_100_200_300),
        (("08", "09", "10"), ",", None, 8),
    ],
)
def test_numbers_that_are_nearly_addresses_or_codes(
    texts: tuple[str, ...], separator: str, decimal: str | None, first: float, tmp_path: Path
) -> None:
    table = table_of(cycled(*texts), tmp_path, separator, decimal=decimal)
    assert table.kinds == ("number", "category")
    assert table.frame()["v"].iloc[0] == first


def test_one_number_without_its_percent_sign_is_a_gap(tmp_path: Path) -> None:
    values = [f"{i + 1}.5 %" for i in range(N)]
    values[3], values[5] = "0.65", "0"
    table = table_of(values, tmp_path, gaps="keep")
    assert table.frame()["v"].isna().tolist() == [i == 3 for i in range(N)]
    assert "'0.65' in line 5 of 'v' is read as a gap." in table.notes


def test_months_may_be_column_names(tmp_path: Path) -> None:
    path = tmp_path / "months.csv"
    rows = [f"town {i % 3},{value}" for i, value in enumerate(FILLER)]
    path.write_text("\n".join(["town,2024-01", *rows]))
    assert read_table(path).feature_names == ("2024-01",)


@pytest.mark.parametrize(
    ("labels", "expected", "note"),
    [
        (["9.733", "12", "7"], [9733, 12, 7], None),
        (["0", "", "1", "0"], [0, np.nan, 1, 0], "The label 'v' has no value in 10 rows."),
        (["no", "yes"], ["no", "yes"], None),
        (["none", "attack"], ["none", "attack"], None),
        (["9.733", "8.512"], ["9.733", "8.512"],
         "The label 'v' is kept as text: '9.733' may mean 9733 or 9.733."),
    ],
)  # fmt: skip
def test_labels_are_read_like_other_columns(
    labels: list[str], expected: list[Any], note: str | None, tmp_path: Path
) -> None:
    table = table_of(cycled(*labels), tmp_path, label="v")
    assert table.feature_names == ("letter",)
    np.testing.assert_array_equal(table.labels[: len(expected)], expected)
    assert note is None or note in table.notes
    assert note is not None or not any(each.startswith("The label") for each in table.notes)


@pytest.mark.parametrize(
    ("n_levels", "n_rows", "used"),
    [(40, 400, True), (41, 800, False), (41, 820, True), (100, 3000, True), (101, 3000, False)],
)
def test_a_category_of_many_rows_may_have_more_levels(
    n_levels: int, n_rows: int, used: bool
) -> None:
    country = [f"country {i % n_levels}" for i in range(n_rows)]
    frame = pandas.DataFrame({"country": country, "x": np.arange(n_rows) % 97 + 0.5})
    assert ("country" in read_table(frame, encode="auto").feature_names) is used
