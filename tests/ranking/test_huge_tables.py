"""Tables that are not in memory: the same figures from any chunks, and bad ones lose nothing."""

import os
import pickle
import threading
import time
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity

from oddrank import (
    FeatureSubsampling,
    Volume,
    evaluate_detector,
    evaluate_scores,
    rank_detectors,
)
from oddrank.criteria import (
    CriteriaOptions,
    OddCounts,
    ScoreCounts,
    counted_areas,
    counted_criteria,
    model_tail,
    roc_area,
    sample_criteria,
)
from oddrank.errors import DetectorFailedError, InvalidDataError, OddrankError, OddrankWarning
from oddrank.evaluation import counting
from oddrank.reference import ScoredReference, UniformBox
from tests.planted import Dying

N_ROWS, SAMPLE = 20_000, 3_000
RANDOM = np.random.default_rng(0)
ROWS = RANDOM.normal(size=(N_ROWS, 3))
ROWS[::2] += 4.0
ROWS[:20] = RANDOM.uniform(-1.0, 1.0, (20, 3)) * 40.0 + np.sign(RANDOM.normal(size=(20, 3))) * 20.0
DETECTORS = {
    "forest": IsolationForest(n_estimators=10, random_state=0),
    "mixture": GaussianMixture(2, random_state=0),
}


def ranked(X, detectors=DETECTORS, **options):
    return rank_detectors(detectors, X, **{"sample": SAMPLE, "random_state": 0, **options})


def figures(ranking):
    """Every figure that a user may act on."""
    pair = ranking.compare(*ranking.order[:2])
    listed = ranking.odd_rows(n_explained=0)
    return {
        "order": ranking.order,
        "scores": dict(ranking.judgement.scores),
        "areas": ranking.judgement.areas,
        "lead": (pair.lead, pair.p_value, pair.adjusted_p_value),
        "volumes": [(e.mass_volume, e.excess_mass) for e in ranking.evaluations.values()],
        # frames and arrays lie otherwise in memory, and sums of products differ in the last bit
        "odd": (
            listed.n_flagged,
            listed.rows[:20].tolist(),
            np.log(listed.p_values).round(6)[:20].tolist(),
        ),
    }


@pytest.fixture(scope="module")
def expected():
    return figures(ranked(ROWS))


@pytest.fixture(scope="module")
def parquet(tmp_path_factory):
    path = tmp_path_factory.mktemp("huge") / "rows.parquet"
    pd.DataFrame(ROWS, columns=list("abc")).to_parquet(path, row_group_size=3_100)
    return path


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_parquet_file_and_an_array_give_the_same_figures(parquet, expected, n_jobs, monkeypatch):
    monkeypatch.setattr("oddrank.rows.stored_chunks.CHUNK_OF_ROW_GROUPS", 5_000)
    assert figures(ranked(parquet, n_jobs=n_jobs)) == expected


def test_chunks_of_any_size_give_the_same_figures(expected):
    assert figures(ranked([ROWS[:1], ROWS[1:12_345], ROWS[12_345:]])) == expected
    chunks = lambda: (ROWS[k : k + 777] for k in range(0, N_ROWS, 777))  # noqa: E731
    assert figures(ranked(chunks)) == expected


def test_dask_collections_give_the_same_figures(expected, parquet):
    da, dd = pytest.importorskip("dask.array"), pytest.importorskip("dask.dataframe")
    assert figures(ranked(da.from_array(ROWS, chunks=(6_000, 2)))) == expected
    assert figures(ranked(dd.read_parquet(parquet))) == expected


@pytest.mark.filterwarnings("default")  # of Dask's own making
@pytest.mark.parametrize("processes", [False, True])
def test_a_cluster_gives_the_same_figures(expected, parquet, processes):
    distributed = pytest.importorskip("distributed")
    da = pytest.importorskip("dask.array")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(processes=processes, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        blocks = client.persist(da.from_array(ROWS, chunks=(6_000, 3)))
        assert figures(ranked(blocks, client=client)) == expected
        assert figures(ranked(parquet, client=client)) == expected


def test_a_table_of_no_more_rows_than_the_sample_is_ranked_as_one_in_memory(parquet):
    whole = rank_detectors(DETECTORS, ROWS, random_state=0)
    for X in (ROWS, parquet, [ROWS[:500], ROWS[500:]]):
        assert figures(ranked(X, sample=N_ROWS)) == figures(whole)
        assert ranked(X, sample=N_ROWS).beyond is None


def test_rankings_of_chunks_can_be_pickled(parquet):
    for X in (ROWS, parquet, [ROWS[:500], ROWS[500:]]):
        ranking = ranked(X)
        again = pickle.loads(pickle.dumps(ranking))
        assert again.odd_rows().rows.tolist() == ranking.odd_rows().rows.tolist()


def test_separate_test_rows_are_counted(parquet):
    ranking = rank_detectors(DETECTORS, ROWS[:2_000], parquet, sample=SAMPLE, random_state=0)
    assert ranking.n_rows == N_ROWS
    other = rank_detectors(DETECTORS, ROWS[:2_000], ROWS, sample=SAMPLE, random_state=0)
    assert ranking.judgement.scores == other.judgement.scores


def test_rows_in_memory_are_used_whole_beside_a_table_in_chunks(parquet, monkeypatch):
    monkeypatch.setattr("oddrank.rows.folds.SAMPLE_ROWS", 1_000)
    ranking = rank_detectors(DETECTORS, ROWS[:2_000], parquet, random_state=0)
    assert (ranking.refit.rows.n_rows, ranking.tested_rows.n_rows) == (2_000, 1_000)
    assert ranking.n_rows == N_ROWS
    other = rank_detectors(DETECTORS, parquet, ROWS[:2_000], random_state=0)
    assert (other.refit.rows.n_rows, other.n_rows) == (1_000, 2_000)


@pytest.mark.parametrize("options", [{"judge": "volume"}, {"polluted": True}, {"n_folds": 3}])
def test_judges_and_options_work_in_chunks(parquet, options):
    first, second = (ranked(X, **options) for X in (ROWS, parquet))
    assert first.judgement.scores == second.judgement.scores
    assert first.best == "mixture"


def test_draws_of_features_are_counted_too():
    rows = RANDOM.normal(size=(6_000, 9))
    judge = Volume(subsampling=FeatureSubsampling(5, 4), reference=UniformBox(n_points=2**8))
    first = ranked(rows, judge=judge, sample=2_000)
    second = ranked([rows[:1_500], rows[1_500:]], judge=judge, sample=2_000)
    assert first.judgement.scores == second.judgement.scores


def test_areas_of_all_rows_are_more_exact_than_those_of_the_sample():
    """The error that comes from rows falls with their number, that of points and fits does not."""
    areas = [ranked(ROWS, n_folds=1, sample=n) for n in (SAMPLE, N_ROWS)]
    few, all_rows = (each.judgement.scores["forest"].standard_error for each in areas)
    assert few < 1.2 * all_rows


def test_counts_give_the_criteria_that_scores_give():
    random = np.random.default_rng(1)
    scores = np.round(random.normal(size=3_000), 2)  # with ties
    replicates = [
        ScoredReference(scores=random.normal(-1, 2, 400), log_weights=-6 + random.normal(size=400))
        for _ in range(4)
    ]
    options = CriteriaOptions(n_halves=6)
    halves = random.integers(2, size=(3_000, 3), dtype=np.uint8)
    points = np.unique(np.concatenate([each.scores for each in replicates]))
    parts = [ScoreCounts.of(scores[k], points, halves[k]) for k in np.array_split(range(3_000), 7)]
    counts = sum(parts, ScoreCounts.nothing(len(points), 3))
    found = counted_criteria(
        counts, points, replicates, log_volume=2.0, options=options, of_volume=True, share_tied=0.0
    )

    class Given:
        """Gives the same halves to the function that draws them."""

        def __init__(self):
            self.columns = iter(halves.T)

        def bytes(self, length):
            return np.packbits(np.append(next(self.columns), np.zeros(8, dtype=np.uint8))).tobytes()

    wanted = sample_criteria(scores, replicates, log_volume=2.0, options=options, random=Given())
    for criterion in ("excess_mass", "mass_volume"):
        ours, theirs = getattr(found, criterion), getattr(wanted, criterion)
        assert ours.value == pytest.approx(theirs.value, rel=1e-12)
        np.testing.assert_allclose(ours.without_replicate, theirs.without_replicate, rtol=1e-12)
        np.testing.assert_allclose(ours.on_halves, theirs.on_halves, rtol=1e-12)
    assert found.inside_floor == wanted.inside_floor


def test_counts_give_the_roc_areas_that_scores_give():
    random = np.random.default_rng(2)
    scores = np.round(random.normal(1, 1, 2_000), 1)
    points = np.round(random.normal(size=(3, 50)), 1)
    ascending = np.unique(points)
    counts = ScoreCounts.of(scores, ascending, np.zeros((2_000, 0), dtype=np.uint8))
    found = counted_areas(counts, ascending, points, None)
    for place, each in enumerate(points):
        wanted = roc_area(scores, each)
        assert found.areas[place] == wanted.value
        np.testing.assert_array_equal(found.of_points[place], wanted.of_points.astype(np.float32))


def test_planted_rows_are_listed_with_their_numbers_and_reasons(parquet):
    odd = ranked(parquet).odd_rows()
    assert set(range(20)) <= set(odd.rows[odd.flagged].tolist())
    assert odd.n_rows == N_ROWS
    assert odd.n_flagged < 60
    np.testing.assert_array_equal(odd.table.values[:10], ROWS[odd.rows[:10]])
    assert f"{odd.n_flagged} of 20,000 rows stand out" in str(odd).replace("\n ", "")


def test_rows_of_the_sample_are_explained_by_fits_that_have_not_seen_them():
    """A density of narrow kernels finds every row ordinary that it was fitted on."""
    rows = ROWS[:4_000]
    detectors = {"narrow": KernelDensity(bandwidth=0.2), "wide": KernelDensity(bandwidth=50.0)}
    ranking = ranked(rows, detectors, sample=3_000)
    odd = ranking.odd_rows(n_explained=20)
    assert ranking.best == "narrow"
    assert np.isin(odd.rows[:20], ranking.beyond.sample).sum() >= 10
    assert all(odd.reasons[place] for place in range(20))


def test_nothing_stands_out_where_nothing_is_odd():
    """About one table in ten may flag a row, by the rate that is asked for."""
    flagged = []
    for seed in range(60):
        counts = counted(np.random.default_rng(seed).exponential(size=20_000))
        tail = counts.tail(0.1)
        flagged.append(not tail.problem and counts.adjusted(tail, 0.1)[2] > 0)
    assert sum(flagged) <= 12  # 6 are expected


def test_tails_of_counts_are_those_of_all_rows():
    oddness = np.abs(np.random.default_rng(1).standard_t(3, 15_000))
    in_memory, counts = model_tail(oddness, 0.1), counted(oddness)
    tail = counts.tail(0.1)
    assert (tail.shape, tail.scale) == pytest.approx((in_memory.shape, in_memory.scale), rel=0.01)
    assert counts.adjusted(tail, 0.1)[2] == in_memory.flagged.sum()


def counted(oddness):
    return OddCounts.of(-oddness, np.arange(len(oddness)), 0.0, 1.0)


def test_flags_of_counts_are_those_of_all_rows():
    random = np.random.default_rng(3)
    oddness = np.r_[random.exponential(1.0, 50_000), random.uniform(25, 60, 40)]
    tail = model_tail(oddness[::5], 0.1)
    p_values = tail.p_value_of(oddness)
    exact = int((false_discovery_control(p_values) <= 0.1).sum())
    parts = np.array_split(np.arange(len(oddness)), 9)
    counts = sum((OddCounts.of(-oddness[k], k, 0.0, 1.0) for k in parts), OddCounts.nothing())
    _, adjusted, n_flagged = counts.adjusted(tail, 0.1)
    assert n_flagged == exact == int((adjusted <= 0.1).sum())


def test_a_long_list_of_flags_is_counted_at_the_levels():
    random = np.random.default_rng(4)
    oddness = np.r_[random.exponential(1.0, 50_000), random.uniform(25, 60, 3_000)]
    tail = model_tail(oddness, 0.1)
    exact = int(tail.flagged.sum())
    counts = OddCounts.of(-oddness, np.arange(len(oddness)), 0.0, 1.0)
    p_values, _, n_flagged = counts.adjusted(tail, 0.1)
    assert len(p_values) == 1000
    # levels are 1 % apart, and each is taken for the least odd row in it
    assert 0.97 * exact <= n_flagged <= exact


def test_a_tail_that_does_not_hold_flags_nothing():
    tail = model_tail(np.zeros(500), 0.1)
    counts = OddCounts.of(np.linspace(-9.0, 0.0, 100), np.arange(100), 0.0, 1.0)
    p_values, adjusted, n_flagged = counts.adjusted(tail, 0.1)
    assert tail.problem
    assert np.isnan(p_values).all()
    assert np.isnan(adjusted).all()
    assert n_flagged == 0


def test_the_committee_of_a_table_in_chunks_is_refused_with_a_way_out():
    with pytest.raises(OddrankError, match=r"ranking\.committee\.p_values"):
        ranked(ROWS).odd_rows(of="committee")


def test_evaluate_scores_and_evaluate_detector_take_chunks(parquet):
    density = lambda X: -(np.asarray(X) ** 2).sum(axis=1)  # noqa: E731
    first = evaluate_scores(density, ROWS, sample=SAMPLE, random_state=0)
    second = evaluate_scores(density, parquet, sample=SAMPLE, random_state=0)
    assert first.mass_volume == second.mass_volume
    clean = ROWS[1_000:]
    all_rows = evaluate_scores(density, clean, random_state=0).mass_volume
    counted = evaluate_scores(density, clean, sample=SAMPLE, random_state=0).mass_volume
    error = np.hypot(all_rows.standard_error, counted.standard_error)
    assert abs(all_rows.value - counted.value) < 3.0 * error
    assert counted.standard_error < 2.0 * all_rows.standard_error  # not that of 3,000 rows
    forest = DETECTORS["forest"]
    third = evaluate_detector(forest, ROWS, sample=SAMPLE, random_state=0)
    assert (
        third.excess_mass
        == evaluate_detector(forest, parquet, sample=SAMPLE, random_state=0).excess_mass
    )


class OfItsBatch(OutlierMixin, BaseEstimator):
    """Ranks rows among those that it is given, as PyOD's ECOD does."""

    def fit(self, X, y=None):
        return self

    def score_samples(self, X):
        return -np.abs(np.argsort(np.argsort(np.asarray(X)[:, 0])) / len(X) - 0.5)


class FailsOn(OutlierMixin, BaseEstimator):
    """Cannot score a far row."""

    def fit(self, X, y=None):
        return self

    def score_samples(self, X):
        if (np.asarray(X) > 8.0).any():
            raise ValueError("too far")
        return -(np.asarray(X)[:, 0] ** 2)


def test_a_detector_that_depends_on_its_batch_fails_alone(expected):
    ranking = ranked(ROWS, {**DETECTORS, "batch": OfItsBatch()})
    assert "scores a row by the rows that are scored with it" in ranking.failures["batch"]
    assert ranking.order == expected["order"]
    assert ranking.judgement.scores == expected["scores"]


def test_a_detector_that_depends_on_its_batch_is_ranked_in_memory_with_a_warning():
    with pytest.warns(
        OddrankWarning, match="batch scores a row by the rows that are scored"
    ) as told:
        rank_detectors({**DETECTORS, "batch": OfItsBatch()}, ROWS[:500], random_state=0)
    assert len([each for each in told if "scores a row by" in str(each.message)]) == 1


def test_pyod_detectors_that_depend_on_their_batch_fail_alone():
    ecod = pytest.importorskip("pyod.models.ecod")
    ranking = ranked(ROWS, {**DETECTORS, "ecod": ecod.ECOD()})
    assert list(ranking.failures) == ["ecod"]


def test_a_detector_that_fails_on_some_chunk_fails_alone(expected):
    rows = ROWS.copy()
    far = np.flatnonzero(~np.isin(ROWS[:, 0], ranked(ROWS).refit.rows.values[:, 0]))[100]
    rows[far] = 1e6
    ranking = ranked(rows, {**DETECTORS, "fails": FailsOn()})
    assert "too far" in ranking.failures["fails"]
    assert set(ranking.order) == set(expected["order"])


class DiesFar(GaussianMixture):
    """Ends its process on rows beyond those of the sample."""

    def score_samples(self, X):
        if (np.asarray(X) > 1e3).any():
            os._exit(3)
        return super().score_samples(X)


@pytest.mark.parametrize("dying", [Dying(), DiesFar()])
def test_a_detector_that_ends_its_worker_fails_alone(dying):
    rows = ROWS.copy()
    far = np.flatnonzero(~np.isin(ROWS[:, 0], ranked(ROWS).refit.rows.values[:, 0]))[100]
    rows[far] = 1e6
    ranking = ranked(rows, {**DETECTORS, "dying": dying}, n_jobs=2)
    assert list(ranking.failures) == ["dying"]
    assert ranking.failures["dying"].startswith("dying ended its process")
    assert ranking.judgement.scores == ranked(rows).judgement.scores


def test_more_detectors_than_are_at_hand_together_give_the_same_figures(expected, monkeypatch):
    monkeypatch.setattr(counting, "DETECTORS_AT_ONCE", 1)
    assert figures(ranked(ROWS)) == expected


class Broken:
    """Chunks, of which one cannot be read until it is mended."""

    def __init__(self):
        self.broken, self.late, self.passes = True, False, 0

    def __call__(self):
        self.passes += 1
        for k in range(10):
            rows = ROWS[k * 2_000 : (k + 1) * 2_000]
            # counting rows and drawing the sample are two passes
            if (self.broken or (self.late and self.passes % 3 == 0)) and k == 7:
                rows = rows[:, :2]
            yield rows


def test_a_bad_chunk_is_one_sentence_and_finished_chunks_are_kept(expected, tmp_path):
    source = Broken()
    with pytest.raises(InvalidDataError, match="Chunks have different columns: 3 without"):
        ranked(source)
    source.broken, source.late, source.passes = False, True, 0
    with pytest.raises(InvalidDataError, match=r"rows 14,000 to 15,999: X has 2 columns"):
        ranked(source, checkpoint=tmp_path)
    assert len(list(tmp_path.rglob("*.npz"))) == 9
    source.late = False
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.npz")}
    assert figures(ranked(source, checkpoint=tmp_path)) == expected
    assert len(list(tmp_path.rglob("*.npz"))) == 10
    assert all(path.stat().st_mtime_ns == then for path, then in times.items())


def test_checks_and_bands_are_those_of_all_rows():
    """A sample of 500 rows would be too few for a mass of 0.999."""
    density = lambda X: -(np.asarray(X) ** 2).sum(axis=1)  # noqa: E731
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = evaluate_scores(density, ROWS, sample=500, random_state=0)
    assert found.diagnostics["rows"].value == N_ROWS
    assert found.diagnostics["rows"].ok


def test_rows_with_gaps_are_left_out_and_counted(parquet):
    rows = ROWS.copy()
    sampled = ranked(ROWS).refit.rows.values
    outside = np.flatnonzero(~np.isin(ROWS[:, 0], sampled[:, 0]))[:5]
    rows[outside, 1] = np.nan
    with pytest.warns(OddrankWarning, match="5 rows with gaps were left out"):
        ranking = ranked([rows])
    assert ranking.flags.n_rows == N_ROWS - 5


def test_rows_with_gaps_are_left_out_of_mixed_frames_too():
    """The fits have seen no gap: such rows would be flagged for it."""
    frame = pd.DataFrame(ROWS[:6_000], columns=list("abc"))
    frame["colour"] = np.where(frame.a > 2, "red", "blue")
    sampled = ranked(frame, preprocess="auto", sample=1_000).refit.rows.values
    outside = np.flatnonzero(~np.isin(frame.a, sampled[:, 0]))[-30:]
    frame.loc[outside, "colour"] = None
    with pytest.warns(OddrankWarning, match="30 rows with gaps were left out"):
        ranking = ranked([frame], preprocess="auto", sample=1_000)
    assert not np.isin(outside, ranking.odd_rows(n_explained=0).rows).any()


def test_frames_of_any_type_are_ranked_in_chunks(tmp_path):
    frame = pd.DataFrame(ROWS[:6_000], columns=list("abc"))
    frame["colour"] = np.where(frame.a > 2, "red", "blue")
    frame.loc[::50, "b"] = np.nan
    frame.to_parquet(tmp_path / "mixed.parquet", row_group_size=1_000)
    ranking = ranked(tmp_path / "mixed.parquet", preprocess="auto", sample=1_000)
    assert ranking.n_rows == 6_000
    whole = rank_detectors(DETECTORS, frame, preprocess="auto", random_state=0)
    assert ranking.best == whole.best
    assert len(ranking.odd_rows(n_explained=2).reasons) == 2


@pytest.mark.filterwarnings("default")
def test_a_worker_killed_midway_is_survived(expected):
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = list(client.run(os.getpid).values())
        killer = threading.Timer(1.0, os.kill, (pids[0], 9))
        killer.start()
        chunks = [ROWS[k : k + 500] for k in range(0, N_ROWS, 500)]
        assert figures(ranked(chunks, client=client)) == expected
        killer.join()


@pytest.mark.filterwarnings("default")
def test_a_scheduler_that_is_gone_is_one_sentence(tmp_path):
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    cluster = distributed.LocalCluster(**options)
    client = distributed.Client(cluster, timeout="3s")
    started = time.monotonic()
    threading.Timer(2.0, cluster.close).start()
    chunks = [ROWS[k : k + 100] for k in range(0, N_ROWS, 100)]
    with pytest.raises(OddrankError, match=r"cluster.*checkpoint"):
        ranked(chunks * 20, client=client, checkpoint=tmp_path)
    assert time.monotonic() - started < 90.0
    client.close()


def test_a_scoring_function_that_fails_is_one_sentence():
    def fails(X):
        if len(X) > 2_000 or (np.asarray(X)[:, 0] > 25.0).any():
            raise RuntimeError("no")
        return -(np.asarray(X)[:, 0] ** 2)

    with pytest.raises(DetectorFailedError, match="no"):
        evaluate_scores(fails, ROWS, sample=1_500, random_state=1)
