"""Every row of a table with oddness, p-value, flag, and reasons for the oddest."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture

from oddrank import rank_detectors
from oddrank.errors import DetectorError, InvalidParameterError
from oddrank.ranking import Volume
from oddrank.rows import FeatureSubsampling

DETECTORS = {"mixture": GaussianMixture(1), "forest": IsolationForest(n_estimators=50)}
ODD = [3, 77, 401]


def table():
    X = np.random.default_rng(0).normal(size=(600, 3))
    X[ODD] = [[9.0, 0.0, 0.0], [0.0, -10.0, 0.0], [8.0, 8.0, 8.0]]
    return pd.DataFrame(X, columns=["width", "height", "depth"])


@pytest.fixture(scope="module")
def ranking():
    return rank_detectors(DETECTORS, table(), random_state=0)


@pytest.mark.parametrize("of", ["best", "committee"])
def test_planted_rows_stand_out_with_their_reasons(ranking, of):
    odd = ranking.odd_rows(of=of)
    frame = odd.frame()
    assert list(frame) == ["row", "oddness", "p_value", "adjusted_p_value", "flagged", "reasons"]
    assert len(frame) == 600
    assert set(frame["row"][:3]) == set(ODD)
    if of == "best":
        assert set(frame.loc[frame["flagged"], "row"]) >= set(ODD)
        assert frame["flagged"].sum() <= 6
    else:
        assert "flags none" in odd.problem
    first = frame.set_index("row")["reasons"]
    assert first[3].startswith("width")
    assert first[77].startswith("height")
    assert "ordinary rows reach" in first[77]


def test_it_prints_the_oddest_few(ranking):
    text = str(ranking.odd_rows())
    assert "of 600 rows stand out. Expect about one in ten of them" in " ".join(text.split())
    assert "row 77" in text
    assert max(map(len, text.splitlines())) <= 79
    assert "\n" not in repr(ranking.odd_rows())


def test_how_many_stand_out_is_part_of_the_verdict(ranking):
    assert ranking.odd_rows().verdict in " ".join(str(ranking).split())


def test_no_reasons_if_none_are_asked_for(ranking):
    assert not ranking.odd_rows(n_explained=0).reasons
    assert len(ranking.odd_rows(n_explained=2).reasons) == 2


def test_it_can_be_repeated(ranking):
    again = rank_detectors(DETECTORS, table(), random_state=0, n_jobs=2).odd_rows()
    assert again.frame().equals(ranking.odd_rows().frame())


def test_few_rows_flag_nothing_and_say_so():
    odd = rank_detectors(DETECTORS, table()[:80], random_state=0).odd_rows()
    assert "No row is flagged: 80 rows are too few" in odd.verdict
    assert not odd.flagged.any()
    assert odd.to_dict()["rows"][0]["p_value"] is None


def test_draws_of_features_have_no_scores_of_rows():
    X = np.random.default_rng(0).normal(size=(300, 4))
    judge = Volume(subsampling=FeatureSubsampling(2, 4), mass_range=(0.9, 0.95))
    ranking = rank_detectors(DETECTORS, X, judge=judge, random_state=0)
    with pytest.raises(DetectorError, match="features were drawn"):
        ranking.odd_rows()


def test_bad_options_are_refused(ranking):
    with pytest.raises(InvalidParameterError, match="'fdr' parameter of odd_rows"):
        ranking.odd_rows(fdr=1.5)
    with pytest.raises(InvalidParameterError, match="'of' parameter of odd_rows"):
        ranking.odd_rows(of="worst")
