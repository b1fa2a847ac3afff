"""What is written about answers has the figures of the stored study, and says what they say."""

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.answers.pages import gain, lost
from benchmarks.answers.study import N_ANSWERS, POOLS
from benchmarks.rows import read_rows

ROOT = Path(__file__).parents[1]
SETTINGS = {"8 % odd": "eight", "2 % odd": "two", "clean": "clean"}
CALLED = {"**taught committee**": "one", "AADForest": "aad"}


@pytest.fixture(scope="module")
def rows():
    stored = read_rows(ROOT / "benchmarks" / "answers" / "rows.jsonl.xz")
    return [row for row in stored if row["detector"] not in POOLS]


@pytest.mark.parametrize("page", ["README.md", "docs/guide/ten_answers.md"])
def test_tables_have_the_figures_of_the_study(rows, page):
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    found = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    found = [cells for cells in found if cells[0] in SETTINGS and cells[1] in CALLED]
    assert len(found) >= 4
    for setting, called, *cells in found:
        figures = [re.findall(r"-?\d\.\d{3}", cell) for cell in cells]
        expected = [
            lost(rows, SETTINGS[setting], CALLED[called], n).mean(axis=0) for n in (0, *N_ANSWERS)
        ]
        np.testing.assert_allclose(np.array(figures, dtype=float), expected, atol=5.1e-4)


def test_the_taught_committee_is_ahead_of_aadforest(rows):
    for setting in ("eight", "two"):
        for n_answers in N_ANSWERS:
            ahead = lost(rows, setting, "aad", n_answers) - lost(rows, setting, "one", n_answers)
            assert (ahead.mean(axis=0) > 0.0).all()


def test_twenty_answers_are_worth_more_precision_than_all_labels_for_choosing(rows):
    for setting in ("eight", "two"):
        assert lost(rows, setting, "one", 20)[:, 1].mean() < 0.0


def test_noes_alone_change_nothing(rows):
    before = lost(rows, "clean", "one", 0)
    for n_answers in N_ANSWERS:
        np.testing.assert_array_equal(lost(rows, "clean", "one", n_answers), before)


def test_ten_questions_at_once_keep_four_fifths_of_the_gain(rows):
    for n_answers in N_ANSWERS:
        kept = gain(rows, "eight", "ten", n_answers) / gain(rows, "eight", "one", n_answers)
        assert (kept > 0.8).all()
