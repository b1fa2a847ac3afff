"""The list of rows: oddest first, with reasons, and row i out is row i in."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture

from oddrank import rank_detectors
from oddrank.errors import DetectorError, InvalidParameterError
from oddrank.inspection.oddness import rows_apart
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


@pytest.mark.parametrize("of", ["committee", "mixture"])
def test_planted_rows_come_first_with_their_reasons(ranking, of):
    frame = ranking.odd_rows(of).frame()
    assert set(frame.index[:3]) == set(ODD)
    assert (frame["oddness"].diff()[1:] <= 0.0).all()
    assert frame.loc[3, "reasons"].startswith("width 9")
    assert frame.loc[77, "reasons"].startswith("height -10")
    assert (frame.loc[ODD, "steady"] == 3).all()


def test_the_frame_keeps_index_columns_and_cells():
    raw = table().assign(kind=["a", "b", "c"] * 200, day=pd.Timestamp("2024-01-01"))
    raw["day"] += pd.to_timedelta(np.arange(600) % 50, unit="D")
    raw.loc[10, "kind"] = None
    raw.index = pd.Index([f"row {k}" for k in range(600)], name="key")
    found = rank_detectors("fast", raw, random_state=0).odd_rows().frame()
    assert found.index.name == "key"
    assert sorted(found.index) == sorted(raw.index)
    same = found.loc[raw.index, list(raw.columns)]
    assert np.array_equal(same[["width", "height", "depth"]], raw[["width", "height", "depth"]])
    assert (same["kind"].fillna("gap") == raw["kind"].fillna("gap")).all()
    assert (pd.to_datetime(same["day"]) == raw["day"]).all()


def test_columns_that_are_called_like_ours_are_kept():
    raw = table().rename(columns={"width": "oddness"})
    found = rank_detectors(DETECTORS, raw, random_state=0).odd_rows().frame()
    assert np.array_equal(found["oddness"].sort_index(), raw["oddness"])
    assert set(found.index[:3]) == set(ODD)
    assert "oddness_" in found


def test_any_row_is_explained_on_request(ranking):
    odd = ranking.odd_rows(n_explained=0)
    assert (odd.frame()["reasons"] == "").all()
    assert odd.reasons(77).startswith("height -10")
    assert odd.reasons([3, 77]) == {3: odd.reasons(3), 77: odd.reasons(77)}
    with pytest.raises(InvalidParameterError, match="There is no row 'seven'"):
        odd.reasons("seven")


def test_oddness_is_the_mean_over_splits_and_steadiness_counts_them(ranking):
    odd, splits = ranking.odd_rows(), ranking.committee.row_oddness_
    np.testing.assert_allclose(odd.oddness, splits.mean(axis=0))
    among = [np.argsort(-split)[: odd.looked_at] for split in splits]
    counted = np.bincount(np.concatenate(among), minlength=600)
    assert np.array_equal(odd.steady, counted)
    assert odd.n_splits == 3


def test_another_seed_shows_nearly_the_same_rows():
    X = np.random.default_rng(5).standard_t(4, size=(800, 5))
    first, second = (
        set(rank_detectors("fast", X, random_state=seed).odd_rows().order[:20]) for seed in (0, 1)
    )
    assert len(first & second) / len(first | second) >= 0.6


def test_the_list_leads_every_screen(ranking):
    text = str(ranking)
    assert text.startswith("Look at these rows first")
    assert ranking.odd_rows().verdict in " ".join(text.split())
    assert text.index("401") < text.index("Use the committee")
    html = ranking._repr_html_()
    assert html.index("Look at these rows first") < html.index("Use the committee")


def test_it_prints_and_renders_the_oddest_few(ranking):
    odd = ranking.odd_rows()
    assert max(map(len, str(odd).splitlines())) <= 79
    assert "77" in str(odd)
    assert "\n" not in repr(odd)
    html = odd._repr_html_()
    assert html.count("<tr>") == 11  # the header, and ten rows
    assert "<th>width</th>" in html


def test_html_escapes_what_comes_from_the_user():
    raw = table().rename(columns={"width": "<b>width</b>"})
    raw.index = ["<i>x</i>"] * 3 + [str(k) for k in range(597)]
    html = rank_detectors(DETECTORS, raw, random_state=0).odd_rows()._repr_html_()
    assert "<b>" not in html
    assert "<i>" not in html


def test_it_can_be_repeated(ranking):
    again = rank_detectors(DETECTORS, table(), random_state=0, n_jobs=2).odd_rows()
    assert again.frame().equals(ranking.odd_rows().frame())


def test_rows_in_another_order_get_the_same_oddness(ranking):
    shuffled = table().sample(frac=1.0, random_state=0)
    other = rank_detectors(DETECTORS, shuffled, random_state=0).odd_rows().frame()
    mine = ranking.odd_rows().frame()
    np.testing.assert_allclose(other["oddness"].sort_index(), mine["oddness"].sort_index())


def test_draws_of_features_have_a_list_too():
    X = np.random.default_rng(0).normal(size=(300, 4))
    X[7] = 9.0
    judge = Volume(subsampling=FeatureSubsampling(2, 4), mass_range=(0.9, 0.95))
    ranking = rank_detectors(DETECTORS, X, judge=judge, random_state=0)
    assert ranking.odd_rows().order[0] == 7


def test_rows_of_their_own_are_listed_by_fits_that_have_not_seen_them():
    new = pd.DataFrame(np.zeros((5, 3)), columns=list(table()), index=list("abcde"))
    new.loc["d", "depth"] = 12.0
    odd = rank_detectors(DETECTORS, table()[:300], new, cv=1, random_state=0).odd_rows()
    assert odd.frame().index[0] == "d"
    assert odd.reasons("d").startswith("depth 12")


def test_where_the_list_ends():
    ordinary = np.random.default_rng(0).exponential(size=2000)
    assert rows_apart(np.r_[ordinary, np.full(14, 20.0)]) == 14
    found = [rows_apart(np.random.default_rng(seed).exponential(size=1000)) for seed in range(200)]
    # one in five tables without odd rows has a row beyond the bulk
    assert 0.1 < np.mean(np.array(found) > 0) < 0.3
    assert rows_apart(np.arange(10.0)) == 0


def test_bad_options_are_refused(ranking):
    with pytest.raises(DetectorError, match="No detector 'worst' was ranked"):
        ranking.odd_rows("worst")
    with pytest.raises(InvalidParameterError, match="'n_explained' parameter of odd_rows"):
        ranking.odd_rows(n_explained=-1)


def test_a_notebook_shows_the_columns_that_reasons_name():
    X = np.random.default_rng(0).normal(size=(300, 20))
    X[5, 17] = 30.0
    html = rank_detectors("fast", X, random_state=0).odd_rows()._repr_html_()
    head = html[: html.index("</thead>")]
    assert "<th>x17</th>" in head
    assert head.count("<th>") == 4 + 8
