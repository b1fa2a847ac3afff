"""Reports, calls and pictures of rankings that reference measures decide."""

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from sklearn.mixture import GaussianMixture

import oddrank
from oddrank import RankingDisplay, References, Volume, rank_detectors
from oddrank.report import html_page, markdown, summarise
from oddrank.report.provenance import reproducing_call

SCHEMA = Path(__file__).parents[2] / "docs" / "ranking_schema.json"


@pytest.fixture(scope="module", params=[3, 12], ids=["beside volumes", "in full dimension"])
def ranking(request):
    rows = np.random.default_rng(0).normal(size=(400, request.param))
    rows[:200, 0] += 4.0
    pool = {"one": GaussianMixture(1), "two": GaussianMixture(2), "five": GaussianMixture(5)}
    judge = References(volume=Volume(mass_range=(0.9, 0.99)))
    return rank_detectors(pool, rows, judge=judge, polluted=False, random_state=0)


def test_the_page_shows_what_the_measures_say(ranking):
    summary = summarise(ranking, n_oddest=3)
    page = html_page(summary)
    assert "Why: how well each kind of anomaly is seen" in page
    assert "ordinary values in unusual combinations" in page
    assert "product of marginals" in page
    beside = ranking.refit.rows.n_features <= 8
    assert summary.judgements[0].beside_volumes == beside
    assert ("Volumes are shares of the points" in page) == (not beside)
    assert ranking.conclusion.headline in markdown(summary)


def test_json_follows_the_schema(ranking):
    schema = json.loads(SCHEMA.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(json.dumps(ranking.to_dict())), schema)
    described = [schema, *schema["$defs"].values()]
    assert all("description" in each for part in described for each in part["properties"].values())
    assert set(ranking.to_dict()) == set(schema["required"])


def test_the_call_reproduces_the_judgement(ranking):
    call = reproducing_call(ranking)
    names = {name: getattr(oddrank, name) for name in ("rank_detectors", "References", "Volume")}
    names |= vars(oddrank.reference)
    names |= {"GaussianMixture": GaussianMixture, "X": ranking.refit.rows.values}
    again = eval(call, names)
    assert again.judgement.to_dict() == ranking.judgement.to_dict()


def test_the_display_shows_the_scores(ranking):
    display = RankingDisplay.from_ranking(ranking)
    assert [row["detector"] for row in display.rows] == list(ranking.judgement.order)
    assert display.ax_.get_xlabel().startswith("mean area (bigger is better)")
    by_volume = RankingDisplay.from_ranking(ranking, criterion="mass_volume")
    assert "mass volume" in by_volume.ax_.get_xlabel()
