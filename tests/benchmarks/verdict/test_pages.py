"""The pages of the verdict benchmark: calibration, tables, figures."""

import json

import numpy as np

from benchmarks.verdict.calibration import (
    HALF_LEAD,
    SAID,
    Leads,
    fitted_slope,
    gather_leads,
    reliability,
    twins_separated,
)
from benchmarks.verdict.pages import draw_figures, page_texts
from oddrank.ranking import chance_right
from tests.benchmarks.made_rows import VERDICT_ROWS


def test_slopes_are_those_the_leads_were_made_with():
    random = np.random.default_rng(0)
    certain = random.uniform(0.0, 0.2, 20_000)
    leads = Leads(
        certain=certain,
        separated=np.ones(len(certain), dtype=bool),
        right=random.random(len(certain)) < chance_right(certain, 2.5, HALF_LEAD),
        family=np.repeat(["one", "other"], len(certain) // 2),
    )
    np.testing.assert_allclose(fitted_slope(leads), 2.5, rtol=0.06)


def test_leads_come_with_whether_labels_agree():
    leads = gather_leads(VERDICT_ROWS, "clean", 13)
    assert leads.right[leads.family == "adult"].all()
    assert not leads.right[leads.family == "pima"].any()
    bins = reliability(VERDICT_ROWS, "clean", 5, (0.5, 0.75, 1.0))
    assert all(0.0 <= each["seen"] <= 1.0 for each in bins)


def test_twins_are_not_told_apart():
    assert all(apart == 0 for apart, _ in twins_separated(VERDICT_ROWS).values())


def test_pages_and_figures_are_written(tmp_path):
    texts = page_texts(VERDICT_ROWS, tmp_path)
    assert texts["table.md"].count("| always iforest | 0.333") == 2
    assert "# How sure" in texts["calibration.md"]
    content = json.loads(texts["calibration.json"])
    assert content["n_datasets"] == 4
    assert set(content["slopes"]) == set(SAID)
    written = draw_figures(VERDICT_ROWS, tmp_path)
    assert [path.name for path in written] == ["judges.png", "reliability.png"]
    assert all(path.stat().st_size > 5_000 for path in written)
