"""Everyday files are read as a careful person would read them, or refused in a sentence."""

from __future__ import annotations

import io
import json
import re
import sys
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas
import pytest

from oddrank.errors import InvalidDataError
from oddrank.io import UserTable, read_table
from tests.io.everyday import EVERYDAY_FILES, EverydayFile

READ = [file for file in EVERYDAY_FILES if not file.refusal]
REFUSED = [file for file in EVERYDAY_FILES if file.refusal]
FROM_STANDARD_INPUT = ("sensor_log_iso.csv", "packed.csv.gz", "row_labels_of_pandas.parquet",
                       "workbook.xlsx", "excel_unicode_text.txt")  # fmt: skip
DTYPES = {
    "number": "float64",
    "boolean": "bool|boolean",
    "category": "category",
    "date": r"datetime64\[\w+\]",
}


def name_of(file: EverydayFile) -> str:
    return file.name


def test_there_are_many_files_and_each_has_its_name() -> None:
    names = [file.name for file in EVERYDAY_FILES]
    assert len(set(names)) == len(names) >= 60
    assert all(file.kinds for file in READ)


@pytest.mark.parametrize("file", READ, ids=name_of)
def test_everything_is_read_as_it_is_meant(file: EverydayFile, tmp_path: Path) -> None:
    source = file.write(tmp_path / file.name)
    table = read_table(source, encode="auto", **file.options)
    assert dict(zip(table.feature_names, table.kinds, strict=True)) == file.kinds
    assert table.feature_names == tuple(file.kinds)
    check_left_out(table, file)
    check_rows(table, file)
    check_values(table, file)
    check_types(table)
    check_account(table, file)


@pytest.mark.parametrize("file", READ, ids=name_of)
def test_numbers_only(file: EverydayFile, tmp_path: Path) -> None:
    source = file.write(tmp_path / file.name)
    if not file.numeric_features:
        with pytest.raises(InvalidDataError, match="no numeric column"):
            read_table(source, encode="none", **file.options)
        return
    table = read_table(source, encode="none", **file.options)
    assert table.feature_names == file.numeric_features
    assert set(table.kinds) == {"number"}
    assert isinstance(table.X, np.ndarray)
    assert table.X.dtype == np.float64
    reasons = {column.column: column for column in table.left_out}
    assert set(reasons) == {*file.left_out, *file.kinds} - {*file.numeric_features}
    for name, kind in file.kinds.items():
        if kind != "number":
            assert "--encode auto" in reasons[name].remedy, reasons[name]
    check_same_numbers(table, read_table(source, encode="auto", **file.options))


@pytest.mark.parametrize("file", REFUSED, ids=name_of)
@pytest.mark.parametrize("encode", ["auto", "none"])
def test_what_is_no_table_is_refused(file: EverydayFile, encode: str, tmp_path: Path) -> None:
    source = file.write(tmp_path / file.name)
    with pytest.raises(InvalidDataError) as refused:
        read_table(source, encode=encode, **file.options)
    message = str(refused.value)
    assert re.search(file.refusal, message), message
    assert "\n" not in message
    assert message.endswith((".", "?"))


@pytest.mark.parametrize("name", FROM_STANDARD_INPUT)
def test_standard_input_gives_the_same_as_the_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file,) = (each for each in READ if each.name == name)
    path = tmp_path / name
    file.write(path)
    content = io.BytesIO(path.read_bytes())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=content, isatty=lambda: False))
    table = read_table("-", encode="auto", **file.options)
    assert table.source == "standard input"
    expected = read_table(path, encode="auto", **file.options)
    assert table.kinds == expected.kinds
    pandas.testing.assert_frame_equal(table.frame(), expected.frame())
    assert dict(zip(table.feature_names, table.kinds, strict=True)) == file.kinds
    check_rows(table, file)
    check_values(table, file)


def check_left_out(table: UserTable, file: EverydayFile) -> None:
    reasons = {column.column: column.reason for column in table.left_out}
    assert set(reasons) == set(file.left_out), reasons
    for name, pattern in file.left_out.items():
        assert re.search(pattern, reasons[name]), (name, reasons[name])
        if "may mean" in pattern:
            remedy = next(each.remedy for each in table.left_out if each.column == name)
            assert "--decimal" in remedy


def check_rows(table: UserTable, file: EverydayFile) -> None:
    read = file.n_rows if file.n_rows_read is None else file.n_rows_read
    assert (table.n_rows, table.n_rows_read) == (file.n_rows, read), table.notes
    assert len(table.row_numbers) == file.n_rows
    assert table.row_numbers[-1] < read
    if file.lines is None:
        assert table.line_numbers is None
        return
    if not file.lines:
        return
    assert len(table.line_numbers) == file.n_rows
    assert (np.diff(table.line_numbers) > 0).all()
    line_of = dict(zip(table.row_numbers.tolist(), table.line_numbers.tolist(), strict=True))
    assert {row: line_of[row] for row in file.lines} == file.lines


def check_values(table: UserTable, file: EverydayFile) -> None:
    frame = table.frame()
    for (row, column), expected in file.values.items():
        assert is_same(frame.loc[row, column], expected), (row, column, frame.loc[row, column])
    for column, values in file.whole.items():
        found = frame[column].tolist()
        assert len(found) == len(values)
        wrong = [
            (row, got, wanted)
            for row, got, wanted in zip(frame.index, found, values, strict=True)
            if not is_same(got, wanted)
        ]
        assert wrong == [], (column, wrong[:3])


def check_types(table: UserTable) -> None:
    frame = table.frame()
    for name, kind in zip(table.feature_names, table.kinds, strict=True):
        assert re.fullmatch(DTYPES[kind], str(frame[name].dtype)), (name, frame[name].dtype)
        if kind == "category":
            assert set(frame[name].cat.categories) == set(frame[name].dropna())
            assert all(isinstance(level, str) for level in frame[name].cat.categories)
    np.testing.assert_array_equal(frame.index, table.row_numbers)
    if set(table.kinds) == {"number"}:
        assert isinstance(table.X, np.ndarray)
        np.testing.assert_array_equal(table.X, frame.to_numpy())
        return
    assert isinstance(table.X.index, pandas.RangeIndex)
    pandas.testing.assert_frame_equal(table.X, frame.reset_index(drop=True))


def check_account(table: UserTable, file: EverydayFile) -> None:
    notes = "\n".join(table.notes)
    for pattern in file.notes:
        assert re.search(pattern, notes, re.IGNORECASE), notes
    assert table.n_repeated == file.n_repeated
    assert table.n_imputed == file.n_imputed
    assert table.label_like == file.label_like
    assert json.loads(json.dumps(table.to_dict()))["feature_names"] == list(file.kinds)
    assert len(str(table).splitlines()) == 1 + len(table.left_out) + len(table.notes)
    if file.labels is None:
        assert table.labels is None
    else:
        assert table.labels.tolist() == list(file.labels)


def check_same_numbers(table: UserTable, other: UserTable) -> None:
    """Numbers do not depend on what is read beside them, unless gaps were filled."""
    if table.n_imputed or other.n_imputed:
        return
    rows = np.intersect1d(table.row_numbers, other.row_numbers)
    names = list(table.feature_names)
    pandas.testing.assert_frame_equal(
        table.frame().loc[rows, names], other.frame().loc[rows, names]
    )


def is_same(found: Any, expected: Any) -> bool:
    if expected is None:
        return bool(pandas.isna(found))
    if isinstance(expected, datetime):
        return bool(found == pandas.Timestamp(expected))
    if isinstance(expected, bool):
        return isinstance(found, bool | np.bool_) and bool(found) is expected
    return bool(found == expected)
