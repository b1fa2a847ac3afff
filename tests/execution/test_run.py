"""The same frames with one job or two, of any backend, whatever the order of the detectors."""

import sys
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.covariance import EllipticEnvelope
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KernelDensity, LocalOutlierFactor

from oddrank import rank_detectors
from oddrank.errors import InvalidParameterError, MissingExtraError
from oddrank.execution import Workers, run
from tests.execution.small_run import ALL_FEATURES, DETECTORS, X, frame, ranked, run_tasks
from tests.execution.sums import Sums, Task
from tests.execution.test_cluster import LosingClient
from tests.planted import FailingFit
from tests.small_ranking import SMALL_VOLUMES


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_two_jobs_of_any_backend(expected, backend):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        pd.testing.assert_frame_equal(frame(), expected, check_exact=True)


def test_without_draws():
    first, second = (frame(rows=X[:, :3], judge=ALL_FEATURES, n_jobs=n_jobs) for n_jobs in (1, 2))
    pd.testing.assert_frame_equal(first, second, check_exact=True)


def test_detectors_in_another_order(expected):
    turned = dict(reversed(DETECTORS.items()))
    pd.testing.assert_frame_equal(frame(turned), expected, check_exact=True)


def test_a_detector_less_changes_nothing_for_the_others(expected):
    fewer = {name: DETECTORS[name] for name in ("lof", "mixture")}
    pd.testing.assert_frame_equal(
        frame(fewer)[["detector", "mv"]],
        expected[expected["detector"].isin(fewer)][["detector", "mv"]].reset_index(drop=True),
        check_exact=True,
    )


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
    assert counted[:-1] == [1] * 20
    assert counted[-1] == "closed"


@pytest.mark.parametrize(
    ("module", "options", "sentence"),
    [
        ("tqdm", {"progress": True}, r"pip install '\.\[progress\]'"),
        ("distributed", {"client": LosingClient()}, r"pip install '\.\[cluster\]'"),
    ],
)
def test_missing_extras_are_said(monkeypatch, module, options, sentence):
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(MissingExtraError, match=sentence):
        frame(**options)


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
    detectors, rows = {"lof": LocalOutlierFactor(novelty=True)}, make(X[:, :3])
    alone, together = (
        ranked(detectors, rows, judge=ALL_FEATURES, n_jobs=n_jobs) for n_jobs in (1, 2)
    )
    assert not together.failures
    pd.testing.assert_frame_equal(alone.frame(), together.frame(), check_exact=True)


def test_any_plan_runs_in_order_and_resumes(tmp_path):
    tasks = [Task(name=f"task {number}", number=number) for number in (3, 1, 2)]
    rows = (np.ones((2, 2)), np.ones(3))
    workers = Workers(n_jobs=1, checkpoint=tmp_path)
    plan = Sums()
    first = run_tasks(tasks, plan, rows, workers)
    assert [result.total for result in first] == [21.0, 7.0, 14.0]
    assert run_tasks(tasks, plan, rows, workers) == first
    # what failed is done again, and nothing else
    assert plan.done == [3, 1, 2, 1]
    with pytest.raises(InvalidParameterError, match="belongs to a run with other data"):
        run_tasks(tasks, plan, (np.zeros((2, 2)), np.ones(3)), workers)


@pytest.mark.parametrize(("seconds", "here"), [(100.0, {3, 1, 2}), (0.0, {3})])
def test_small_work_is_done_in_this_process(monkeypatch, seconds, here):
    """All of it, unless workers save more time than it takes to start them."""
    monkeypatch.setattr("oddrank.execution.run.START_SECONDS", seconds)
    plan, rows = Sums(), (np.ones((2, 2)), np.ones(3))
    results = run_tasks(
        [Task("task", number) for number in (3, 1, 2)], plan, rows, Workers(n_jobs=2)
    )
    assert [result.total for result in results] == [21.0, 7.0, 14.0]
    assert set(plan.done) == here


@pytest.mark.parametrize(
    ("detector", "n_rows"),
    [(KernelDensity(), 5001), (FailingFit(), 10), ([KernelDensity(), FailingFit], 10)],
)
def test_what_may_end_its_process_is_not_done_here(detector, n_rows):
    """Many rows may take all memory, and code that nobody knows may do anything."""
    tasks = [(0, Task("task", detector))]
    assert not run._is_small(tasks, (np.ones((n_rows, 1)),))
    assert run._is_small([(0, Task("task", KernelDensity()))], (np.ones((10, 1)),))


class Grumbling(EllipticEnvelope):
    """A detector whose library warns in every fit, with other numbers each time."""

    def fit(self, X, y=None):
        warnings.warn(f"did not converge after {len(X)} steps", ConvergenceWarning, stacklevel=2)
        return super().fit(X, y)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_warnings_of_libraries_are_counted_and_told_once(n_jobs):
    rows = np.random.default_rng(0).normal(size=(301, 2))
    pool = {"one": Grumbling(), "two": Grumbling(support_fraction=0.9)}
    with pytest.warns(ConvergenceWarning) as told:
        rank_detectors(pool, rows, judge=SMALL_VOLUMES, n_jobs=n_jobs, random_state=0)
    assert len(told) == 1
    text = str(told[0].message)
    assert text.startswith("did not converge after 15")
    assert text.endswith("(told 4 times, while fitting one and two)")


def test_an_interrupt_that_compiled_code_swallows_is_heard(tmp_path, capsys):
    """What was computed after it is not kept."""

    class Swallowing(Sums):
        def run(self, task, *rows):
            ignored = type("Ignored", (), {"exc_type": KeyboardInterrupt})()
            sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
            sys.unraisablehook(ignored)
            return super().run(task, *rows)

    before, printed = sys.unraisablehook, sys.excepthook
    workers = Workers(checkpoint=tmp_path)
    with pytest.raises(KeyboardInterrupt):
        run_tasks([Task("a", 3)], Swallowing(), (np.ones((2, 2)), np.ones(3)), workers)
    assert not list(tmp_path.glob("*.npz"))
    assert sys.unraisablehook is before
    assert sys.excepthook is printed
    assert capsys.readouterr().err == ""
