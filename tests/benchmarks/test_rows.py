"""Rows on disk: plain, packed, and cut off."""

import json

import pytest

from benchmarks.rows import append_row, pack_rows, read_rows, short
from oddrank.errors import InvalidDataError
from tests.benchmarks.made_rows import finished_rows


def test_packed_rows_are_the_same_rows(tmp_path):
    rows = finished_rows()
    pack_rows(rows[::-1], tmp_path / "rows.jsonl.xz")
    found = read_rows(tmp_path / "rows.jsonl.xz")
    assert sorted(found, key=str) == sorted(rows, key=str)


def test_packing_leaves_out_failures_and_facts_of_the_run(tmp_path):
    first, second = finished_rows()[:2]
    run = {"options": {}, "versions": {}, "seconds": 1.0, "status": "done"}
    pack_rows([first | run, second | run | {"status": "failed"}], tmp_path / "rows.jsonl.xz")
    assert read_rows(tmp_path / "rows.jsonl.xz") == [first]


def test_the_row_that_was_written_last_counts(tmp_path):
    row = finished_rows()[0]
    for roc in (0.1, 0.2):
        append_row(tmp_path / "rows.jsonl", {**row, "roc": roc})
    assert [each["roc"] for each in read_rows(tmp_path / "rows.jsonl")] == [0.2]


def test_a_line_that_was_cut_off_does_not_spoil_the_next(tmp_path):
    path = tmp_path / "rows.jsonl"
    first, second = finished_rows()[:2]
    path.write_text(json.dumps(first) + '\n{"dataset": ')
    assert read_rows(path) == [first]
    append_row(path, second)
    assert read_rows(path) == [first, second]


@pytest.mark.parametrize("line", ["[]", "3", "not JSON", '{"dataset": "a', "\xff"])
def test_bad_lines_are_one_sentence(tmp_path, line):
    path = tmp_path / "rows.jsonl"
    good = json.dumps(finished_rows()[0])
    path.write_text(f"{good}\n{line}\n{good}\n", encoding="latin-1")
    with pytest.raises(InvalidDataError, match=r"^Line 2 of '.*' is not a row of a benchmark"):
        read_rows(path)


def test_numbers_are_shortened_wherever_they_are():
    assert short([1.23456789, [None, 2e-9]], 3) == [1.23, [None, 2e-9]]
