"""The verdict study: rows, judges, performance."""

import numpy as np
import pytest

from benchmarks.run import run
from benchmarks.verdict import study
from benchmarks.verdict.judges import usable_rows, verdict_table
from benchmarks.verdict.labels import ceiling, pairs_right
from tests.benchmarks.made_rows import VERDICT_ROWS

FEW = ("iforest", "knn5", "mixture", "ecod", "twin of iforest 1")


@pytest.fixture(scope="module")
def measured(tmp_path_factory, data_folder):
    everyone = study.pool()
    small = study.Verdict(datasets=("pima", "ionosphere"), seeds=(0,), max_rows=400)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ODDRANK_DATA", str(data_folder))
        patch.setattr(study, "pool", lambda: {name: everyone[name] for name in FEW})
        return run(small, tmp_path_factory.mktemp("verdict") / "rows.jsonl")


def test_one_row_per_dataset_setting_and_seed(measured):
    assert [row.get("reason") for row in measured] == [None] * 4
    for row in measured:
        assert set(row["calls"]) == (
            {"unsaid"} if row["setting"] == "novelty" else {"unsaid", "said"}
        )
        call = row["calls"]["unsaid"]
        assert set(call["order"]) == set(FEW)
        assert len(call["errors"]) == len(call["p_values"]) == 10
        assert call["score"] == sorted(call["score"], reverse=True)


def test_real_rows_give_tables(measured):
    for setting in ("novelty", "unsupervised"):
        table = verdict_table(measured, setting)
        assert {"random", "always iforest", "volume: mass volume"} <= set(table)
        assert all((each.mean[:2] >= 0.0).all() for each in table.values())


def test_a_judge_that_orders_as_the_labels_do_is_right_and_loses_nothing():
    rows = [row for row in VERDICT_ROWS if row["dataset"] != "pima"]
    for name in ("default call, nothing said", "ceiling: labels of half of the test rows"):
        figures = verdict_table(rows, "novelty")[name].mean
        np.testing.assert_allclose(figures[:4], [1.0, 1.0, 0.0, 0.0], atol=1e-12)


def test_a_judge_that_is_wrong_on_one_of_four_datasets():
    default = verdict_table(VERDICT_ROWS, "novelty")["default call, nothing said"]
    assert default.mean[0] == 0.75
    assert default.of_dataset["pima"][0] == 0.0
    low, high = default.interval()
    assert low[0] < 0.75 < high[0]


def test_random_is_right_in_half_of_the_pairs():
    assert verdict_table(VERDICT_ROWS, "unsupervised")["random"].mean[0] == 0.5


def test_one_dataset_has_no_others_to_choose_on():
    rows = [row for row in VERDICT_ROWS if row["dataset"] == "adult"]
    table = verdict_table(rows, "novelty")
    assert "random" in table
    assert not any("other families" in name for name in table)


def test_judges_without_an_opinion_are_left_out():
    rows = [{**row, "volumes": {}} for row in VERDICT_ROWS]
    assert not any(name.startswith("volume") for name in verdict_table(rows, "novelty"))


def test_failed_rows_are_not_usable():
    assert usable_rows([{"status": "failed", "reason": "none"}]) == []
    assert verdict_table([], "novelty") == {}


def test_pairs_of_three_detectors():
    right, clear = pairs_right(np.array([3.0, 2.0, 2.0]), np.array([0.9, 0.8, 0.79]))
    assert right == pytest.approx((1.0 + 1.0 + 0.5) / 3)  # a tie counts half
    assert clear == 1.0


def test_the_ceiling_chooses_on_one_half_and_is_tried_on_the_other():
    halves = np.array([[[0.9, 0.5], [0.7, 0.4]], [[0.7, 0.6], [0.85, 0.3]]])
    found = ceiling(halves)
    # each half picks the detector that is worse on the other
    assert found == pytest.approx([0.0, 0.0, (0.15 + 0.2) / 2, 0.0])
    assert ceiling(np.where(halves == 0.9, np.nan, halves)) is None
