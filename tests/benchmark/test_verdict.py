"""The verdict benchmark: rows, judges, performance, calibration, pages."""

from dataclasses import replace

import numpy as np
import pytest

from oddrank.benchmark import load_spec, read_rows, run_benchmark
from oddrank.benchmark.verdict import (
    calibrate,
    calibration_page,
    draw_figures,
    table_page,
    verdict_table,
)
from oddrank.benchmark.verdict.calibration import leads, reliability, slope
from oddrank.benchmark.verdict.judges import combination
from oddrank.benchmark.verdict.table import left_out_choice, performance
from oddrank.errors import InvalidParameterError

FEW = {"iforest", "knn5", "mixture", "ecod"}


def made_row(dataset, setting, seed, right=True, n_detectors=6):
    """A row whose measures order the detectors as the labels do, or just the other way round."""
    random = np.random.default_rng([seed, len(dataset)])
    roc = np.sort(random.uniform(0.5, 1.0, n_detectors))
    quality = roc if right else -roc
    figures = {
        f"d{i}": {
            "roc": roc[i],
            "pr": roc[i] / 2,
            "areas": [0.7 + 0.2 * quality[i]] * 3,
            "trimmed_areas": [0.7 + 0.2 * quality[i]] * 3,
            "consensus": dict.fromkeys(("peers", "centrality", "authority", "mean_rank"), -roc[i]),
            "em": 1.0 + quality[i],
            "mv": 2.0 - quality[i],
            "cpu": [0.1, 0.1, 0.1],
        }
        for i in range(n_detectors)
    }
    figures["iforest"] = figures.pop("d0")
    return {
        "dataset": dataset, "setting": setting, "seed": seed, "status": "done",
        "preset": "verdict", "measures": ["a", "b", "c"], "detectors": figures, "max_rows": 0,
    }  # fmt: skip


ROWS = [
    made_row(dataset, setting, seed, right=dataset != "odd")
    for dataset in ("one", "three", "seven", "odd")
    for setting in ("novelty", "unsupervised")
    for seed in (0, 1)
]


@pytest.fixture(scope="module")
def measured(tmp_path_factory, data_folder):
    spec = load_spec("verdict")
    small = replace(
        spec,
        datasets=tuple(d for d in spec.datasets if d.name in {"pima", "ionosphere"}),
        detectors=tuple(d for d in spec.detectors if d.name in FEW),
        seeds=(0,),
        n_draws=2,
    )
    path = tmp_path_factory.mktemp("verdict") / "rows.jsonl"
    run_benchmark(small, path, data_home=data_folder, n_jobs=1)
    return read_rows(path)


def test_the_specification_has_thirteen_detectors_and_twelve_datasets():
    spec = load_spec("verdict")
    assert (len(spec.detectors), len(spec.datasets), spec.max_rows) == (13, 12, 10_000)
    with pytest.raises(InvalidParameterError, match="goes with no other preset"):
        replace(spec, presets=("verdict", "paper"))


def test_one_row_per_dataset_setting_and_seed_holds_all_detectors(measured):
    assert len(measured) == 4
    for row in measured:
        assert row["status"] == "done"
        assert set(row["detectors"]) == FEW
        for figures in row["detectors"].values():
            assert 0.0 <= figures["roc"] <= 1.0
            assert len(figures["areas"]) == len(figures["trimmed_areas"]) == 8
            assert set(figures) >= {"em", "mv", "consensus", "cpu"}


def test_real_rows_give_tables(measured):
    table = verdict_table(measured, "novelty")
    assert 0.0 <= table["references"].mean[0] <= 1.0
    assert "always iforest" in table_page(measured)


def test_a_judge_that_orders_as_the_labels_do_is_right_and_loses_nothing():
    rows = [row for row in ROWS if row["dataset"] != "odd"]
    figures = performance(rows, combination(0.0, trimmed=False)).mean
    np.testing.assert_allclose(figures, [1.0, 0.0, 0.0, 1.0])
    backwards = performance(rows, combination(1.0, trimmed=False)).mean
    np.testing.assert_allclose(backwards[[0, 3]], [0.0, -1.0])


def test_random_is_right_in_half_of_the_pairs():
    np.testing.assert_allclose(verdict_table(ROWS, "novelty")["random"].mean[[0, 3]], [0.5, 0.0])


def test_the_choice_does_not_see_the_dataset_it_is_tried_on():
    rows = [row for row in ROWS if row["setting"] == "novelty"]
    found, chosen = left_out_choice(rows)
    # measures are right on the other three datasets, so they are chosen, and fail on the odd one
    assert chosen["odd"].startswith("100%")
    assert found.of_dataset["odd"][0] == 0.0
    assert found.of_dataset["one"][0] == 1.0


def test_intervals_are_over_datasets():
    low, high = verdict_table(ROWS, "novelty")["references"].interval()
    assert low[0] < 0.75 < high[0]


def test_slopes_are_those_the_leads_were_made_with():
    random = np.random.default_rng(0)
    lead = random.uniform(0.0, 1.0, 20_000)
    right = random.random(20_000) < 1.0 / (1.0 + np.exp(-2.5 * lead))
    found = slope(np.column_stack([lead, right]), "combined")
    np.testing.assert_allclose(found, 2.5, rtol=0.06)


def test_leads_come_with_whether_labels_agree():
    of_dataset = leads(ROWS, "references", "clean")
    assert (of_dataset["one"][:, 1] == 1.0).all()
    assert (of_dataset["odd"][:, 1] == 0.0).all()
    bins = reliability(ROWS, "references", "clean", (0.5, 0.75, 1.0))
    assert all(0.0 <= each["observed"] <= 1.0 for each in bins)


def test_calibration_has_a_slope_for_every_judge_and_setting():
    content = calibrate(ROWS)
    assert content["n_datasets"] == 4
    for slopes in content["slopes"].values():
        assert set(slopes) == {"clean", "polluted", "unknown"}
        assert all(value >= 0.0 for value in slopes.values())


def test_pages_and_figures_are_written(tmp_path):
    assert table_page(ROWS).count("| references |") == 2
    assert "# How sure" in calibration_page(ROWS)
    written = draw_figures(ROWS, tmp_path)
    assert [path.name for path in written] == [
        "judges.png", "judges.svg", "reliability.png", "reliability.svg",
    ]  # fmt: skip
    assert all(path.stat().st_size > 5_000 for path in written)
