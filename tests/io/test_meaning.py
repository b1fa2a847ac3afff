"""An oracle of meaning: cells are read as they were meant or refused, and never otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from oddrank.errors import InvalidDataError
from oddrank.io import Reading, UserTable, read_table
from tests.io.made_files import MadeFile, make_file

FEW, MANY = 200, 2000


def check_cells(table: UserTable, made: MadeFile) -> None:
    """Every cell of every feature is what was meant, and every row is there with its cells."""
    for name in table.feature_names:
        found = table.X[name].astype(object).where(table.X[name].notna(), None).tolist()
        assert len(found) == len(made.truth[name])
        for row, (read, meant) in enumerate(zip(found, made.truth[name], strict=True)):
            assert same(read, meant), (made.path.name, name, row, read, meant)
    if made.cells:
        assert [[str(cell) for cell in row] for row in table.cells()] == made.cells


def same(read: Any, meant: Any) -> bool:
    if meant is None or read is None:
        return read is meant
    if isinstance(meant, str):
        return str(read) == meant.strip()
    return bool(read == meant)


def check_untold(seed: int, tmp_path: Any) -> bool:
    """Read a file of which nothing is told; return whether it was refused."""
    made = make_file(seed, tmp_path)
    try:
        table = read_table(made.path)
    except InvalidDataError as error:
        refusal = str(error)
    else:
        refusal = ""
    if refusal:
        assert "--" in refusal  # there is always something to do
        return True
    check_cells(table, made)
    skipped = {column.column for column in table.left_out}
    assert skipped | set(table.feature_names) == set(made.truth)
    return False


def check_told(seed: int, tmp_path: Any) -> None:
    """Of a file of which everything is told, nothing is refused."""
    made = make_file(seed, tmp_path)
    told = {name: value for name, value in made.told.items() if value is not None}
    table = read_table(
        made.path, reading=Reading(**told), categories=made.categories, columns=list(made.truth)
    )
    check_cells(table, made)
    # another file that is read by the reading of the first is the same
    again = read_table(made.path, reading=table.reading, columns=list(made.truth))
    pd.testing.assert_frame_equal(again.X, table.X)


@pytest.mark.parametrize("block", range(4))
def test_files_of_which_nothing_is_told(block, tmp_path):
    seeds = range(block * FEW // 4, (block + 1) * FEW // 4)
    refused = [check_untold(seed, tmp_path) for seed in seeds]
    # a reader that refuses everything is never wrong, and of no use
    assert np.mean(refused) < 0.5


@pytest.mark.parametrize("block", range(4))
def test_files_of_which_everything_is_told(block, tmp_path):
    for seed in range(block * FEW // 4, (block + 1) * FEW // 4):
        check_told(seed, tmp_path)


@pytest.mark.long
def test_many_files(tmp_path):
    refused = [check_untold(seed, tmp_path) for seed in range(FEW, MANY)]
    assert np.mean(refused) < 0.5
    for seed in range(FEW, MANY):
        check_told(seed, tmp_path)
