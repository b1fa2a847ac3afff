"""Frames with categories, dates and gaps: `preprocess=`, and pipelines that do it themselves."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import IsolationForest
from sklearn.impute import SimpleImputer
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, RobustScaler
from skrub import TableVectorizer

from oddrank import (
    BoundingBox,
    FeatureSubsampling,
    LabelFreeSearchCV,
    Workers,
    check_against_labels,
    evaluate_detector,
    evaluate_scores,
    feature_importance,
    make_label_free_scorer,
    rank_detectors,
)
from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.reference import ReferenceMixture

N = 300


def make_frame(n=N, seed=0):
    random = np.random.default_rng(seed)
    country = random.choice(["DE", "FR", "US"], n, p=[0.6, 0.3, 0.1])
    frame = pd.DataFrame(
        {
            "amount": random.normal(size=n) + 4.0 * (country == "DE"),
            "country": country,
            "paid": random.random(n) < 0.7,
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 10**7, n), "s"),
            "rating": random.integers(1, 6, n),
        }
    )
    frame.loc[3, "amount"] = np.nan
    frame.loc[5, "country"] = None
    return frame


FRAME = make_frame()
DETECTORS = {
    "forest": IsolationForest(n_estimators=20),
    "lof": LocalOutlierFactor(novelty=True),
    "mixture": GaussianMixture(2),
}


def columns_to_numbers():
    return make_column_transformer(
        (SimpleImputer(), ["amount"]),
        (OneHotEncoder(handle_unknown="ignore"), ["country"]),
        (RobustScaler(), ["rating"]),
    )


def scores_of(ranking):
    return {name: each.value for name, each in ranking.judgement.scores.items()}


class Spy(TransformerMixin, BaseEstimator):
    """Remembers the rows that it was fitted on."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y=None):
        Spy.seen.append(set(X["number"]))
        return self

    def transform(self, X):
        return X[["number"]].to_numpy()


def test_preprocess_is_fitted_on_training_rows_only():
    frame = pd.DataFrame({"number": np.arange(200.0), "letter": list("ab") * 100})
    Spy.seen.clear()
    rank_detectors([IsolationForest(n_estimators=5)], frame, preprocess=Spy(), random_state=0)
    tried, first, second = Spy.seen
    assert len(tried) == 200  # looked at before work starts
    assert len(first) == len(second) == 100
    assert not first & second


@pytest.mark.parametrize(
    "preprocess",
    ["auto", columns_to_numbers(), make_pipeline(TableVectorizer(), SimpleImputer())],
    ids=["auto", "ColumnTransformer", "TableVectorizer"],
)
def test_any_transformer_can_stand_before_the_detectors(preprocess):
    ranking = rank_detectors(DETECTORS, FRAME, preprocess=preprocess, random_state=0)
    assert set(ranking.order) == set(DETECTORS)
    assert ranking.score_samples(FRAME.head(7)).shape == (7,)
    assert ranking.best_detector.score_samples(FRAME.head(7)).shape == (7,)


def test_pipelines_take_raw_frames_without_it():
    pipelines = {
        name: make_pipeline(columns_to_numbers(), detector)
        for name, detector in (
            ("forest", IsolationForest(n_estimators=20)),
            ("lof", DETECTORS["lof"]),
        )
    }
    ranking = rank_detectors({**pipelines, "bare": IsolationForest()}, FRAME, random_state=0)
    assert set(ranking.order) == {"forest", "lof"}
    assert "could not convert string to float" in ranking.failures["bare"]
    assert ranking.best_detector.score_samples(FRAME).shape == (N,)


def test_pipelines_take_arrays_with_gaps():
    X = np.random.default_rng(0).normal(size=(200, 3))
    X[::7, 1] = np.nan
    ranking = rank_detectors(
        [make_pipeline(SimpleImputer(), IsolationForest(n_estimators=20))], X, random_state=0
    )
    assert not ranking.failures


def test_polars_and_pandas_are_ranked_alike():
    first = rank_detectors(DETECTORS, FRAME, preprocess="auto", random_state=0)
    second = rank_detectors(DETECTORS, pl.from_pandas(FRAME), preprocess="auto", random_state=0)
    assert scores_of(first) == scores_of(second)


def test_neither_jobs_nor_the_order_of_rows_matter():
    first = rank_detectors(DETECTORS, FRAME, preprocess="auto", random_state=0)
    jobs = rank_detectors(DETECTORS, FRAME, preprocess="auto", random_state=0, n_jobs=2)
    order = np.random.default_rng(1).permutation(N)
    shuffled = rank_detectors(
        DETECTORS, FRAME.iloc[order].reset_index(drop=True), preprocess="auto", random_state=0
    )
    assert scores_of(first) == scores_of(jobs) == scores_of(shuffled)


def test_a_checkpoint_knows_the_preprocessing(tmp_path):
    options = {"random_state": 0, "workers": Workers(checkpoint=tmp_path / "work")}
    first = rank_detectors(DETECTORS, FRAME, preprocess="auto", **options)
    again = rank_detectors(DETECTORS, FRAME, preprocess="auto", **options)
    assert scores_of(first) == scores_of(again)
    other = rank_detectors(DETECTORS, FRAME, preprocess=columns_to_numbers(), **options)
    assert scores_of(other) != scores_of(first)


def test_test_rows_may_have_other_levels():
    test = make_frame(seed=1).assign(country="GB")
    ranking = rank_detectors(DETECTORS, FRAME, test, preprocess="auto", random_state=0)
    assert not ranking.failures


def test_a_detector_that_uses_the_category_is_told_from_one_that_does_not():
    frame = make_frame(2000)
    blind = make_pipeline(
        make_column_transformer((SimpleImputer(), ["amount"])), GaussianMixture(3)
    )
    seeing = make_pipeline(
        make_column_transformer(
            (SimpleImputer(), ["amount"]), (OneHotEncoder(handle_unknown="ignore"), ["country"])
        ),
        GaussianMixture(3),
    )
    found = frame[["amount", "country"]]
    ranking = rank_detectors({"blind": blind, "seeing": seeing}, found, random_state=0)
    assert ranking.best == "seeing"
    assert ranking.compare("seeing", "blind").separated


def test_polluted_rows_are_cleaned_and_a_committee_is_formed():
    ranking = rank_detectors(DETECTORS, FRAME, preprocess="auto", polluted=True, random_state=0)
    assert set(ranking.committee.predict(FRAME)) == {-1, 1}
    with pytest.raises(InvalidDataError, match="the fit was on 5"):
        ranking.committee.predict(FRAME[["amount", "country"]])


def test_labels_and_the_page_know_raw_frames(tmp_path):
    ranking = rank_detectors(DETECTORS, FRAME, preprocess="auto", random_state=0)
    labels = np.zeros(N, dtype=bool)
    labels[:20] = True
    assert set(check_against_labels(ranking, FRAME, labels).roc_areas) == {
        *DETECTORS,
        "the committee",
    }
    ranking.to_html(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert ">DE<" in page or ">FR<" in page or ">US<" in page


def test_volumes_are_refused():
    with pytest.raises(InvalidDataError, match=r"'country', 'when'\. Volumes"):
        rank_detectors(DETECTORS, FRAME, preprocess="auto", judge="volume", random_state=0)
    with pytest.raises(InvalidDataError, match="reference=ReferenceMixture"):
        evaluate_scores(lambda X: np.zeros(len(X)), FRAME)
    pipeline = make_pipeline(columns_to_numbers(), IsolationForest())
    with pytest.raises(InvalidDataError, match="Volumes"):
        evaluate_detector(pipeline, FRAME, reference="auto")


def test_plain_detectors_alone_are_refused_before_any_work():
    with pytest.raises(InvalidDataError, match="preprocess='auto' encodes and imputes"):
        rank_detectors(DETECTORS, FRAME, random_state=0)
    gaps = FRAME[["amount", "rating"]]
    with pytest.raises(InvalidDataError, match=r"in 'amount' \(1 NaN\)\. Drop those rows"):
        rank_detectors([LocalOutlierFactor(novelty=True)], gaps, random_state=0)


def test_a_preprocess_that_fails_is_told_before_any_work():
    with pytest.raises(InvalidDataError, match="'preprocess' parameter of rank_detectors fails"):
        rank_detectors(DETECTORS, FRAME, preprocess=RobustScaler(), random_state=0)
    with pytest.raises(InvalidDataError, match="What preprocess= returns has columns that are not"):
        rank_detectors(DETECTORS, FRAME, preprocess=OnlyColumns(), random_state=0)
    with pytest.raises(
        InvalidParameterError, match="'preprocess' parameter of rank_detectors must"
    ):
        rank_detectors(DETECTORS, FRAME, preprocess="encode", random_state=0)


class OnlyColumns(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X[["country", "rating"]]


def test_evaluations_are_measured_against_reference_measures():
    pipeline = make_pipeline(columns_to_numbers(), IsolationForest(n_estimators=20))
    evaluation = evaluate_detector(pipeline, FRAME, mass_range=(0.9, 0.95), random_state=0)
    assert evaluation.measure == "mixture of 6 measures"
    bare = evaluate_detector(
        IsolationForest(n_estimators=20),
        FRAME,
        preprocess="auto",
        mass_range=(0.9, 0.95),
        random_state=0,
    )
    assert 0.5 < bare.roc_area.value < 1.0
    fitted = pipeline.fit(FRAME)
    found = evaluate_scores(
        fitted, FRAME, reference=ReferenceMixture(), mass_range=(0.9, 0.95), random_state=0
    )
    assert found.roc_area.value > 0.5


def test_importances_are_those_of_the_raw_columns():
    frame = make_frame(1000)[["amount", "country", "rating", "when"]]
    importance = feature_importance(
        GaussianMixture(3),
        frame,
        preprocess="auto",
        criterion="mass_volume",
        subsampling=FeatureSubsampling(2, 24, "geometric"),
        mass_range=(0.8, 0.95),
        random_state=0,
    )
    assert set(importance.feature_names) == set(frame)
    assert set(importance.feature_names[:2]) == {"amount", "country"}
    assert importance.few_valued == ()


def test_scikit_learns_searches_take_raw_frames():
    pipeline = make_pipeline(columns_to_numbers(), LocalOutlierFactor(novelty=True))
    scorer = make_label_free_scorer("neg_mass_volume", mass_range=(0.8, 0.95), random_state=0)
    grid = {"localoutlierfactor__n_neighbors": [2, 30]}
    search = GridSearchCV(pipeline, grid, scoring=scorer, cv=2).fit(FRAME)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("by_pipeline", [True, False])
def test_our_search_takes_raw_frames(by_pipeline):
    detector = LocalOutlierFactor(novelty=True)
    grid = {"n_neighbors": [2, 30]}
    if by_pipeline:
        detector = make_pipeline(columns_to_numbers(), detector)
        grid = {"localoutlierfactor__n_neighbors": [2, 30]}
    search = LabelFreeSearchCV(
        detector,
        grid,
        preprocess=None if by_pipeline else "auto",
        cv=3,
        mass=0.9,
        random_state=0,
    ).fit(FRAME)
    assert set(search.predict(FRAME)) == {-1, 1}
    with pytest.raises(InvalidDataError, match="Column 0 of X is 'country'"):
        search.predict(FRAME[["country", "amount", "paid", "when", "rating"]])


def test_plain_detectors_alone_are_refused_by_our_search():
    with pytest.raises(InvalidDataError, match="columns that are not numbers"):
        LabelFreeSearchCV(LocalOutlierFactor(novelty=True), {"n_neighbors": [5]}).fit(FRAME)


def test_volumes_behind_preprocessing_are_those_of_the_users_columns():
    # a power of ten is undone by the scaler: volumes are in units of the raw columns' spreads
    X = np.random.default_rng(0).normal(size=(1000, 2))
    options = {"random_state": 0, "mass_range": (0.9, 0.99)}
    plain = evaluate_detector(GaussianMixture(1), X, **options)
    behind = evaluate_detector(GaussianMixture(1), X, preprocess=RobustScaler(), **options)
    low, high = plain.mass_volume.interval
    assert low < behind.mass_volume.value < high
    ranking = rank_detectors(
        {"a": GaussianMixture(1)}, X, preprocess=RobustScaler(), random_state=0
    )
    assert ranking.evaluations["a"].mass_volume.resolved


def test_few_test_rows_make_a_guess():
    X = np.random.default_rng(0).normal(size=(90, 2))
    detectors = {"forest": IsolationForest(n_estimators=20), "mixture": GaussianMixture(1)}
    ranking = rank_detectors(detectors, X, random_state=0)
    assert "This is a guess: there are only 45 test rows per fit" in ranking.verdict
    assert not ranking.conclusion.is_clear
    enough = rank_detectors(detectors, np.vstack([X, X + 0.1, X - 0.1]), random_state=0)
    assert "guess" not in enough.verdict


def test_a_box_around_a_raw_frame_needs_numbers():
    with pytest.raises(InvalidDataError):
        BoundingBox.from_arrays(FRAME)


def test_detectors_by_name_take_any_frame():
    ranking = rank_detectors(["forest", "gaussian"], FRAME, random_state=0)
    assert set(ranking.order) == {"forest", "gaussian"}


def test_only_what_can_be_called_is_advised():
    rows = np.random.default_rng(0).normal(size=(120, 2))
    assert "odd_rows" in str(rank_detectors(["gaussian"], rows, random_state=0))
    assert "odd_rows" in str(rank_detectors(["gaussian"], rows, cv=1, random_state=0))
