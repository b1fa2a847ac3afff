"""Rows on disk: plain, packed, and cut off."""

import pytest

from oddrank.benchmark import pack_rows, read_rows
from oddrank.benchmark.store import append_rows
from oddrank.errors import InvalidDataError, InvalidParameterError
from tests.benchmark.made_rows import finished_rows


def test_packed_rows_are_the_same_rows(tmp_path):
    rows = finished_rows()
    pack_rows(rows, tmp_path / "rows.jsonl.gz")
    found = read_rows(tmp_path / "rows.jsonl.gz")
    assert sorted(found, key=str) == sorted(rows, key=str)


def test_packing_does_not_depend_on_the_order_in_which_cells_were_finished(tmp_path):
    rows = finished_rows()
    pack_rows(rows, tmp_path / "one.gz")
    pack_rows(rows[::-1], tmp_path / "other.gz")
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "other.gz").read_bytes()


def test_nothing_is_added_to_a_packed_file(tmp_path):
    with pytest.raises(InvalidParameterError, match="cannot be added to the packed file"):
        append_rows(tmp_path / "rows.jsonl.gz", finished_rows())


@pytest.mark.parametrize("cut", [4, -20])
def test_a_spoiled_packed_file_is_one_sentence(tmp_path, cut):
    path = tmp_path / "rows.jsonl.gz"
    pack_rows(finished_rows(), path)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(InvalidDataError, match="cannot be unpacked"):
        read_rows(path)
