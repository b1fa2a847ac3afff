"""What the verdict and its documents say is what the stored rows of hundreds of tables show."""

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.__main__ import HOME, PACKED
from benchmarks.odd_tables.pages import SETTINGS, USED, lost, pairs
from benchmarks.rows import read_rows
from oddrank.ranking.sureness import calibration

ROOT = Path(__file__).parents[1]
THIRTEEN, DEFAULT, SAID_CLEAN, *_ = USED


AIMS = {
    (THIRTEEN, "clean"): (0.072, 0.105),
    (THIRTEEN, "eight"): (0.103, 0.118),
    (SAID_CLEAN, "clean"): (0.066, 0.078),
    (DEFAULT, "clean"): (0.077, 0.110),
    (DEFAULT, "eight"): (0.108, 0.123),
}


@pytest.mark.parametrize(("used", "setting"), AIMS)
def test_the_committee_reaches_its_aims(rows, used, setting):
    assert (mean_lost(rows, setting, used) <= AIMS[used, setting]).all()


@pytest.fixture(scope="module")
def rows():
    return read_rows(HOME / "odd_tables" / PACKED)


def mean_lost(rows, setting, used):
    return lost(rows, setting, used).mean(axis=0)


def test_the_committee_is_safe_whether_or_not_rows_hold_anomalies(rows):
    for used in (THIRTEEN, DEFAULT):
        for setting in SETTINGS:
            assert (
                mean_lost(rows, setting, used) < mean_lost(rows, setting, "a random pick")
            ).all()
            forest = mean_lost(rows, setting, "always the isolation forest")
            assert mean_lost(rows, setting, used)[0] < forest[0]


def test_the_first_of_the_order_is_no_advice_where_rows_hold_anomalies(rows):
    first = [mean_lost(rows, setting, "the first of the order")[0] for setting in SETTINGS]
    random = [mean_lost(rows, setting, "a random pick")[0] for setting in SETTINGS]
    assert first[0] < random[0]
    assert first[2] > random[2]
    assert abs(pairs(rows, "eight")[:, 2].mean() - 0.5) < 0.02


def test_saying_that_rows_are_clean_helps_where_they_are(rows):
    plain, said = THIRTEEN, SAID_CLEAN
    gains = lost(rows, "clean", plain) - lost(rows, "clean", said)
    errors = gains.std(axis=0) / np.sqrt(len(gains))
    assert (gains.mean(axis=0) > 0.0).all()
    assert gains.mean(axis=0)[1] > 3.0 * errors[1]  # in average precision


def test_how_sure_is_withheld_where_labels_agree_no_better_than_a_coin(rows):
    slopes = calibration()["slopes"]
    assert slopes["polluted"] is None
    assert 0.0 < slopes["unknown"] < slopes["clean"]


def test_the_table_of_the_readme_has_these_figures(rows):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    called = {
        "**committee of the thirteen**": THIRTEEN,
        "**committee of the pool": DEFAULT,
        "the first of the order": "the first of the order",
        "a random pick": "a random pick",
    }
    for start, used in called.items():
        line = next(each for each in text.splitlines() if each.startswith(f"| {start}"))
        found = [float(figure) for figure in re.findall(r"\d\.\d{3}", line)]
        expected = np.concatenate([mean_lost(rows, setting, used) for setting in SETTINGS])
        np.testing.assert_allclose(found, expected, atol=5.1e-4)
