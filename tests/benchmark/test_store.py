"""Rows on disk: plain, packed, and cut off."""

import pytest

from oddrank.benchmark import read_rows
from oddrank.benchmark.complete_rows import complete_seeds, coverage_sentence
from oddrank.benchmark.store import append_rows, pack_rows
from oddrank.errors import InvalidDataError, InvalidParameterError
from tests.benchmark.made_rows import finished_rows, made_row


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


def test_seeds_that_are_not_complete_are_left_out():
    rows = [made_row("a", name, seed, em=1.0) for seed in (0, 1) for name in ("x", "y")]
    kept, left_out = complete_seeds([*rows, made_row("a", "x", 2, em=9.0)])
    assert kept == rows
    assert left_out == ["a, novelty, seed 2, preset oddrank"]
    assert complete_seeds(rows) == (rows, [])


def test_a_dataset_whose_only_seed_is_under_way_is_left_out():
    full = [made_row("a", "x", draw=-1, roc=0.5), made_row("b", "x", draw=-1, em=1.0, roc=0.5)]
    draws = [made_row("a", "x", draw=draw, em=1.0) for draw in range(3)]
    begun = [made_row("c", "x", draw=-1, roc=0.5)]  # no criteria: its draws will come
    kept, left_out = complete_seeds([*full, *draws, *begun, made_row("d", "x", draw=0, em=1.0)])
    assert kept == [*full, *draws]
    assert left_out == [f"{name}, novelty, seed 0, preset oddrank" for name in "cd"]


def test_coverage_tells_seeds_and_what_is_missing():
    both = ("novelty", "unsupervised")
    rows = finished_rows(("pima", "adult"), settings=both) + finished_rows(("wilt",), seeds=(0,))
    sentence = coverage_sentence(rows)
    assert "adult 2, pima 2, wilt 1 and 0." in sentence
    assert "Not run yet: http, smtp, annthyroid" in sentence
    assert "Not run yet" not in coverage_sentence(finished_rows(("mine",)))
