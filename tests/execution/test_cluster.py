"""Dask clusters give the same results, survive lost workers, and say when they do not."""

import os
import signal
import threading
import time
import warnings
from contextlib import contextmanager

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KernelDensity

from oddrank.errors import OddrankError
from oddrank.execution import Workers
from tests.execution.small_run import ALL_FEATURES, X, frame, ranked, run_tasks
from tests.execution.sums import Sums, Task
from tests.planted import Dying, Slow


class LosingClient:
    """Loses whatever it is given."""

    scheduler = None

    def submit(self, *arguments, **options):
        return Lost()


class Lost:
    status = "error"

    def exception(self):
        return RuntimeError("worker lost")

    def result(self):
        raise self.exception()


@contextmanager
def started():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def cluster():
    with started() as client:
        yield client


@pytest.fixture
def fresh_cluster():
    """One whose workers may be killed: Dask does not always start new ones in their place."""
    with started() as client:
        yield client


@pytest.mark.filterwarnings("default")  # of Dask's own making
def test_on_a_dask_cluster(cluster, expected):
    pd.testing.assert_frame_equal(frame(client=cluster), expected, check_exact=True)


@pytest.mark.filterwarnings("default")
def test_with_the_dask_backend_of_joblib(cluster, expected):
    with joblib.parallel_config(backend="dask"):
        pd.testing.assert_frame_equal(frame(), expected, check_exact=True)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("seconds", "how"),
    [
        (0.4, "client"),
        *(
            pytest.param(seconds, "client", marks=pytest.mark.faults)
            for seconds in (0.0, 0.02, 1.0)
        ),
        *(pytest.param(seconds, "joblib", marks=pytest.mark.faults) for seconds in (0.0, 0.4, 1.0)),
    ],
)
def test_a_killed_worker_changes_nothing(fresh_cluster, seconds, how):
    """Before the rows have arrived, while the first tasks run, and when many are done."""
    detectors = {f"slow {number}": Slow(bandwidth=0.5 + 0.1 * number) for number in range(6)}
    rows, options = X[:, :3], {"judge": ALL_FEATURES}
    undisturbed = frame(detectors, rows, n_jobs=1, **options)
    pid = next(iter(fresh_cluster.run(os.getpid).values()))
    timer = threading.Timer(seconds, os.kill, (pid, signal.SIGKILL))
    start = time.monotonic()
    timer.start()
    if how == "client":
        disturbed = frame(detectors, rows, client=fresh_cluster, **options)
    else:
        with joblib.parallel_config(backend="dask"):
            disturbed = frame(detectors, rows, **options)
    timer.join()
    assert time.monotonic() - start < 60.0
    pd.testing.assert_frame_equal(disturbed, undisturbed, check_exact=True)


def test_many_rows_are_sent_without_a_warning(cluster):
    rows = (np.zeros((2_000_000, 1)),)
    tasks = [Task("sum", number) for number in (1, 2)]
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "Sending large graph")
        results = run_tasks(tasks, Sums(), rows, Workers(client=cluster))
    assert [result.total for result in results] == [0.0, 0.0]


@pytest.mark.faults
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("how", "options", "reason"),
    [
        ("exit", {}, "dying ended its process with exit code 3, as os._exit does."),
        ("endless", {"timeout": 3}, "dying did not finish one fit within the time limit of 3 "),
    ],
)
def test_a_detector_that_ends_its_worker_fails_alone(fresh_cluster, how, options, reason):
    others = {"wide": KernelDensity(bandwidth=2.0), "narrow": KernelDensity(bandwidth=0.2)}
    rows = X[:, :3]
    undisturbed = ranked(others, rows, judge=ALL_FEATURES)
    disturbed = ranked(
        {"dying": Dying(how), **others}, rows, judge=ALL_FEATURES, client=fresh_cluster, **options
    )
    assert set(disturbed.failures) == {"dying"}
    assert disturbed.failures["dying"].startswith(reason)
    assert disturbed.order == undisturbed.order
    for name in others:
        first, second = (each.evaluations[name] for each in (disturbed, undisturbed))
        assert first.mass_volume.value == second.mass_volume.value


def test_a_cluster_that_loses_everything_is_told(monkeypatch):
    monkeypatch.setattr("distributed.as_completed", lambda futures: futures)
    with pytest.raises(OddrankError, match=r"lost 20 tasks 4 times: RuntimeError\('worker lost'\)"):
        frame(client=LosingClient())
