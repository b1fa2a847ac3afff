"""The verdict benchmark: rows, judges, performance."""

from dataclasses import replace

import numpy as np
import pytest

from oddrank.benchmark import (
    load_spec,
    read_rows,
    run_benchmark,
    usable_rows,
    verdict_table,
)
from oddrank.errors import InvalidParameterError
from tests.benchmark.made_rows import VERDICT_ROWS

FEW = {"iforest", "knn5", "mixture", "ecod"}


@pytest.fixture(scope="module")
def measured(tmp_path_factory, data_folder):
    spec = load_spec("verdict")
    small = replace(
        spec,
        datasets=tuple(d for d in spec.datasets if d.name in {"pima", "ionosphere"}),
        detectors=tuple(d for d in spec.detectors if d.name in FEW),
        seeds=(0,),
        n_draws=4,
    )
    path = tmp_path_factory.mktemp("verdict") / "rows.jsonl"
    run_benchmark(small, path, data_home=data_folder, n_jobs=1)
    return read_rows(path)


def test_the_preset_goes_with_no_other():
    spec = load_spec("verdict")
    assert {each.name for each in spec.detectors} > FEW
    with pytest.raises(InvalidParameterError, match="cannot be combined with another preset"):
        replace(spec, presets=("verdict", "paper"))


def test_one_row_per_dataset_setting_and_seed(measured):
    assert len(measured) == 4
    assert {row["status"] for row in measured} == {"done"}
    assert {row["detector"] for row in measured} == {"pool"}


def test_real_rows_give_tables(measured):
    for setting in ("novelty", "unsupervised"):
        table = verdict_table(measured, setting)
        assert {"random", "always iforest", "volume: mass volume"} <= set(table)
        assert all((each.mean[:2] >= 0.0).all() for each in table.values())


def test_a_judge_that_orders_as_the_labels_do_is_right_and_loses_nothing():
    rows = [row for row in VERDICT_ROWS if row["dataset"] != "odd"]
    for name in ("default call, nothing said", "ceiling: labels of half of the test rows"):
        figures = verdict_table(rows, "novelty")[name].mean
        np.testing.assert_allclose(figures[:4], [1.0, 1.0, 0.0, 0.0])


def test_a_judge_that_is_wrong_on_one_of_four_datasets():
    default = verdict_table(VERDICT_ROWS, "novelty")["default call, nothing said"]
    assert default.mean[0] == 0.75
    assert default.of_dataset["odd"][0] == 0.0
    low, high = default.interval()
    assert low[0] < 0.75 < high[0]


def test_random_is_right_in_half_of_the_pairs():
    assert verdict_table(VERDICT_ROWS, "unsupervised")["random"].mean[0] == 0.5


def test_one_dataset_has_no_others_to_choose_on():
    rows = [row for row in VERDICT_ROWS if row["dataset"] == "one"]
    table = verdict_table(rows, "novelty")
    assert "random" in table
    assert not any("other families" in name for name in table)


def test_judges_without_an_opinion_are_left_out():
    rows = [{**row, "volumes": {}} for row in VERDICT_ROWS]
    assert not any(name.startswith("volume") for name in verdict_table(rows, "novelty"))


def test_rows_of_another_layout_are_not_usable():
    former = {"status": "done", "detectors": {"iforest": {"roc": 0.5}}, "setting": "novelty"}
    assert usable_rows([former]) == []
    assert verdict_table([former], "novelty") == {}
