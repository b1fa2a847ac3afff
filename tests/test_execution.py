"""The same frames with one job, two jobs, a cluster, another order, and after a stop."""

import os
import signal
import threading
import time

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity, LocalOutlierFactor

import oddrank.execution
from oddrank import FeatureSubsampling, LabelFreeSearchCV, feature_importance, rank_detectors
from oddrank.errors import InvalidParameterError, MissingExtraError, OddrankError
from oddrank.reference import AutoReference, UniformBox
from tests.planted import FailingFit, Flaky, Interrupted, Slow

SMALL = UniformBox(n_points=2**9, n_replicates=2)
X = np.random.default_rng(0).normal(size=(500, 10)) @ np.random.default_rng(1).normal(size=(10, 10))
DETECTORS = {
    "forest": IsolationForest(n_estimators=20),
    "lof": LocalOutlierFactor(novelty=True),
    "mixture": GaussianMixture(2),
    "failing": FailingFit(),
}
OPTIONS = {
    "mass_range": (0.9, 0.99),
    "reference": SMALL,
    "subsampling": FeatureSubsampling(4, 5),
    "random_state": 7,
}


NO_DRAWS = {**OPTIONS, "subsampling": None}


def frame(detectors=DETECTORS, **options):
    return rank_detectors(detectors, X, **{**OPTIONS, **options}).frame()


@pytest.fixture(scope="module")
def expected():
    return frame(n_jobs=1)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_two_jobs_of_any_backend(expected, backend):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        pd.testing.assert_frame_equal(frame(), expected, check_exact=True)


def test_without_draws():
    options = {"subsampling": None, "n_jobs": 1}
    columns = X[:, :3]
    first, second = (
        rank_detectors(DETECTORS, columns, **{**OPTIONS, **options, "n_jobs": n_jobs}).frame()
        for n_jobs in (1, 2)
    )
    pd.testing.assert_frame_equal(first, second, check_exact=True)


def test_detectors_in_another_order(expected):
    turned = dict(reversed(DETECTORS.items()))
    pd.testing.assert_frame_equal(frame(turned), expected, check_exact=True)


def test_a_detector_less_changes_nothing_for_the_others(expected):
    fewer = {name: DETECTORS[name] for name in ("lof", "mixture")}
    pd.testing.assert_frame_equal(
        frame(fewer)[["detector", "mass_volume"]],
        expected[expected["detector"].isin(fewer)][["detector", "mass_volume"]].reset_index(
            drop=True
        ),
        check_exact=True,
    )


def test_a_stopped_run_continues_from_its_checkpoint(expected, tmp_path):
    counter = tmp_path / "fits"
    detectors = {"one": Interrupted(str(counter), stop_at=3), "two": KernelDensity()}
    folder = tmp_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt):
        frame(detectors, checkpoint=folder)
    kept = len(list(folder.glob("*.npz")))
    assert kept > 0
    resumed = frame(detectors, checkpoint=folder)
    fits_in_all = len(counter.read_text())
    counter.unlink()
    detectors["one"].stop_at = -1
    at_once = frame(detectors)
    pd.testing.assert_frame_equal(resumed, at_once, check_exact=True)
    # 5 draws, one fit that was stopped, none repeated but what was under way
    assert fits_in_all <= 5 + 2
    assert not list(folder.glob("*.part"))


def test_a_checkpoint_of_everything_fits_nothing(tmp_path, monkeypatch):
    working = {name: DETECTORS[name] for name in ("forest", "lof")}
    first = frame(working, checkpoint=tmp_path)
    monkeypatch.setattr(oddrank.execution, "run_task", None)
    pd.testing.assert_frame_equal(frame(working, checkpoint=tmp_path), first, check_exact=True)


def test_a_checkpoint_without_a_seed_remembers_it(tmp_path):
    first = frame(checkpoint=tmp_path, random_state=None)
    again = frame(checkpoint=tmp_path, random_state=None)
    pd.testing.assert_frame_equal(first, again, check_exact=True)


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    frame(checkpoint=tmp_path)
    with pytest.raises(InvalidParameterError, match="belongs to a run with other data, options"):
        frame(checkpoint=tmp_path, random_state=8)


def test_damaged_files_of_a_checkpoint_are_made_again(expected, tmp_path):
    frame(checkpoint=tmp_path)
    for path in tmp_path.glob("*.npz"):
        path.write_bytes(path.read_bytes()[:100])
    pd.testing.assert_frame_equal(frame(checkpoint=tmp_path), expected, check_exact=True)
    (tmp_path / "checkpoint.json").write_text("{")
    with pytest.raises(InvalidParameterError, match="Name another folder, or delete it"):
        frame(checkpoint=tmp_path)


def test_checkpoints_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidParameterError, match="cannot be made"):
        frame(checkpoint=tmp_path / "file" / "folder")

    class Local(KernelDensity):
        pass

    with pytest.raises(InvalidParameterError, match="a cannot be pickled"):
        frame({"a": Local()}, checkpoint=tmp_path / "folder")


def test_progress_is_silent_where_stderr_is_no_terminal(capsys):
    frame(progress=True)
    assert capsys.readouterr() == ("", "")


def test_progress_bar_counts_fits(monkeypatch):
    counted = []

    class Bar:
        def __init__(self, **options):
            self.total = options["total"]

        def update(self, done):
            counted.append(done)

        def close(self):
            counted.append("closed")

    monkeypatch.setattr("tqdm.tqdm", Bar)
    frame(progress=True)
    assert counted[0] == 0
    assert sum(counted[:-1]) == 20
    assert counted[-1] == "closed"


class FakeClient:
    def scatter(self, data, **options):
        return data

    def submit(self, *arguments, **options):
        return Lost()


class Lost:
    status = "error"

    def exception(self):
        return RuntimeError("worker lost")


@pytest.mark.parametrize(
    ("module", "options", "sentence"),
    [
        ("tqdm", {"progress": True}, r"pip install 'oddrank\[progress\]'"),
        ("distributed", {"client": FakeClient()}, r"pip install 'oddrank\[cluster\]'"),
    ],
)
def test_missing_extras_are_said(monkeypatch, module, options, sentence):
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(MissingExtraError, match=sentence):
        frame(**options)


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.filterwarnings("default")  # of Dask's own making
def test_on_a_dask_cluster(cluster, expected):
    pd.testing.assert_frame_equal(frame(client=cluster), expected, check_exact=True)


@pytest.mark.filterwarnings("default")
def test_with_the_dask_backend_of_joblib(cluster, expected):
    with joblib.parallel_config(backend="dask"):
        pd.testing.assert_frame_equal(frame(), expected, check_exact=True)


@pytest.mark.filterwarnings("default")
def test_a_search_on_a_dask_cluster(cluster):
    rows = np.random.default_rng(0).normal(size=(120, 2))
    options = {"n_splits": 2, "reference": UniformBox(n_points=2**6, n_replicates=2)}
    search = LabelFreeSearchCV(
        KernelDensity(), {"bandwidth": [0.3, 1.0]}, random_state=0, **options
    )
    alone, together = clone(search).fit(rows), clone(search).fit(rows, client=cluster)
    np.testing.assert_array_equal(
        alone.cv_results_["mean_test_score"], together.cv_results_["mean_test_score"]
    )
    np.testing.assert_array_equal(alone.score_samples(rows), together.score_samples(rows))


@pytest.mark.filterwarnings("default")
def test_points_grow_on_a_dask_cluster_as_they_do_here(cluster):
    rows = np.random.default_rng(0).normal(size=(4000, 2)).round(2)
    detectors = {"fine": KernelDensity(bandwidth=0.3), "coarse": KernelDensity(bandwidth=0.33)}
    strict = AutoReference(relative_error=1e-4, max_points=64 * 20, n_points=64)
    options = {"reference": strict, "criterion": "mass_volume", "random_state": 0}
    here = rank_detectors(detectors, rows, **options)
    there = rank_detectors(detectors, rows, client=cluster, **options)
    grown = here.evaluations["fine"].criteria.excess_mass.without_replicate
    assert len(grown) == 16
    assert str(there) == str(here)


@pytest.mark.filterwarnings("default")
def test_rows_are_sent_to_the_workers_once(cluster, monkeypatch):
    sent = []
    scatter = cluster.scatter

    def counting(data, **options):
        sent.append(len(data))
        return scatter(data, **options)

    monkeypatch.setattr(cluster, "scatter", counting)
    frame(client=cluster)
    assert sent == [2]


@pytest.mark.filterwarnings("default")
def test_a_worker_killed_in_the_middle_is_survived(cluster):
    detectors = {"slow": Slow(), "other": Slow(bandwidth=0.5)}
    undisturbed = frame(detectors)
    pid = next(iter(cluster.run(os.getpid).values()))
    killed = []

    def kill():
        time.sleep(0.4)
        os.kill(pid, signal.SIGKILL)
        killed.append(pid)

    thread = threading.Thread(target=kill)
    thread.start()
    disturbed = frame(detectors, client=cluster)
    thread.join()
    assert killed
    pd.testing.assert_frame_equal(disturbed, undisturbed, check_exact=True)


def test_a_cluster_that_loses_everything_is_told(monkeypatch):
    monkeypatch.setattr("distributed.as_completed", lambda futures: futures)
    with pytest.raises(OddrankError, match=r"lost 20 tasks 4 times: RuntimeError\('worker lost'\)"):
        frame(client=FakeClient())


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_jobs": 0}, "'n_jobs' parameter must be None or an int other than 0"),
        ({"n_jobs": "2"}, "Got '2' instead"),
        ({"client": "tcp://scheduler:8786"}, "connect with Client(address) first"),
        ({"checkpoint": 3}, "'checkpoint' parameter must be the path of a folder"),
        ({"checkpoint": ""}, "'checkpoint' parameter must be the path of a folder"),
    ],
)
def test_workers_that_are_refused(options, sentence):
    with pytest.raises(InvalidParameterError) as caught:
        frame(**options)
    assert sentence in str(caught.value)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_frames_in_other_processes(make):
    script = [
        rank_detectors(
            {"lof": LocalOutlierFactor(novelty=True)}, make(X[:, :3]), n_jobs=n_jobs, **NO_DRAWS
        )
        for n_jobs in (1, 2)
    ]
    assert not script[1].failures
    pd.testing.assert_frame_equal(script[0].frame(), script[1].frame(), check_exact=True)


def test_failures_are_not_kept_in_a_checkpoint(tmp_path):
    counter = tmp_path / "fits"
    detectors = {"flaky": Flaky(str(counter))}
    folder = tmp_path / "folder"
    first = rank_detectors(detectors, X[:, :3], checkpoint=folder, **NO_DRAWS)
    assert "not yet" in first.failures["flaky"]
    second = rank_detectors(detectors, X[:, :3], checkpoint=folder, **NO_DRAWS)
    assert not second.failures


def test_importances_resume_without_a_seed(tmp_path):
    options = {**OPTIONS, "random_state": None, "checkpoint": tmp_path}
    first, again = (feature_importance(KernelDensity(), X, **options).frame() for _ in range(2))
    pd.testing.assert_frame_equal(first, again, check_exact=True)


def test_a_seed_sequence_of_several_numbers_is_remembered(tmp_path):
    state = np.random.SeedSequence([1, 2])
    first = frame(checkpoint=tmp_path, random_state=state)
    pd.testing.assert_frame_equal(first, frame(checkpoint=tmp_path, random_state=None))
