"""A detector that dies, ends the process or never ends fails alone; the others are ranked."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pandas as pd
import pytest
from sklearn.neighbors import KernelDensity

from oddrank.errors import InvalidParameterError
from oddrank.execution.own_process import OwnProcess, TaskStoppedError
from tests.execution.small_run import ALL_FEATURES, X, frame, ranked
from tests.planted import Dying, DyingScore, FailingFit

ROWS = X[:, :3]
# scripts elsewhere find the modules of the tests
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
OTHERS = {"wide": KernelDensity(bandwidth=2.0), "narrow": KernelDensity(bandwidth=0.2)}
REASONS = {
    "exit": "dying ended its process with exit code 3, as os._exit does.",
    "segmentation fault": "dying ended its process by SIGSEGV: it crashed in compiled code.",
    "out of memory": "dying ended its process by SIGKILL: it was killed, which happens where "
    "memory runs out.",
}


@pytest.fixture(scope="module")
def undisturbed():
    return frame(OTHERS, ROWS, judge=ALL_FEATURES, n_jobs=1)


def assert_others_are_ranked(ranking, undisturbed, reason):
    assert ranking.failures == {"dying": reason}
    found = ranking.frame()
    found = found[found["detector"] != "dying"].reset_index(drop=True)
    shared = [name for name in ("detector", "mv", "em") if name in found]
    pd.testing.assert_frame_equal(found[shared], undisturbed[shared], check_exact=True)


@pytest.mark.parametrize(
    "how", ["exit", *(pytest.param(how, marks=pytest.mark.faults) for how in list(REASONS)[1:])]
)
def test_a_worker_that_dies_takes_no_other_detector_with_it(undisturbed, how):
    detectors = {"dying": Dying(how), **OTHERS}
    ranking = ranked(detectors, ROWS, judge=ALL_FEATURES, n_jobs=2)
    assert_others_are_ranked(ranking, undisturbed, REASONS[how])


@pytest.mark.faults
def test_a_detector_that_dies_in_scoring(undisturbed, tmp_path):
    detectors = {**OTHERS, "dying": DyingScore("exit")}
    ranking = ranked(detectors, ROWS, judge=ALL_FEATURES, n_jobs=2, checkpoint=tmp_path)
    assert_others_are_ranked(ranking, undisturbed, REASONS["exit"])
    assert len(list(tmp_path.glob("*.npz"))) == 4  # two folds of the two others


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.faults)])
def test_an_endless_detector_fails_alone(undisturbed, n_jobs):
    detectors = {"dying": Dying("endless"), **OTHERS}
    start = time.monotonic()
    ranking = ranked(detectors, ROWS, judge=ALL_FEATURES, n_jobs=n_jobs, timeout=2)
    assert time.monotonic() - start < 30.0
    reason = "dying did not finish one fit within the time limit of 2 seconds."
    assert_others_are_ranked(ranking, undisturbed, reason)


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.faults)])
def test_sys_exit_is_a_failure(undisturbed, n_jobs):
    for kind, verb in ((Dying, "fit 250"), (DyingScore, "score 250")):
        detectors = {"dying": kind("sys.exit"), **OTHERS}
        ranking = ranked(detectors, ROWS, judge=ALL_FEATURES, n_jobs=n_jobs)
        reason = f"dying failed to {verb} rows of 3 features: SystemExit: 5"
        assert_others_are_ranked(ranking, undisturbed, reason)


@pytest.mark.faults
def test_failures_of_the_usual_kind_stay_as_they_are():
    failing, *rest = (
        ranked({"failing": FailingFit(), **OTHERS}, ROWS, judge=ALL_FEATURES, **options)
        for options in ({}, {"timeout": 60}, {"timeout": 60, "n_jobs": 2})
    )
    for each in rest:
        assert dict(each.failures) == dict(failing.failures)
        pd.testing.assert_frame_equal(each.frame(), failing.frame(), check_exact=True)


@pytest.mark.parametrize("timeout", [0, -1, "10", float("inf"), float("nan"), True])
def test_time_limits_that_are_none(timeout):
    with pytest.raises(InvalidParameterError, match="'timeout' parameter must be None or a number"):
        frame(OTHERS, ROWS, timeout=timeout)


def test_what_cannot_be_sent_fails_alone(undisturbed):
    class Locked(KernelDensity):
        lock = threading.Lock()

    detectors = {"dying": Locked(), **OTHERS}
    ranking = ranked(detectors, ROWS, judge=ALL_FEATURES, n_jobs=1, timeout=60)
    assert list(ranking.failures) == ["dying"]
    assert "dying cannot be sent to another process" in ranking.failures["dying"]


SCRIPT = """
import os, time
from sklearn.neighbors import KernelDensity
from tests.execution.small_run import ALL_FEATURES, X, ranked

class Mine(KernelDensity):
    def fit(self, X, y=None):
        if self.bandwidth == 3.0:
            os._exit(3)
        if self.bandwidth == 4.0:
            print("pid", os.getpid(), flush=True)
            pow(3, 10**9)  # in compiled code, which hears nothing
        if self.bandwidth == 5.0:
            print("pid", os.getpid(), flush=True)
            time.sleep(60.0)
        return super().fit(X)

detectors = {{"well": Mine(), "dying": Mine(bandwidth={bandwidth})}}
print("once")
print(ranked(detectors, X[:, :3], judge=ALL_FEATURES, {options}).failures["dying"])
"""


@pytest.mark.parametrize("typed", [False, pytest.param(True, marks=pytest.mark.faults)])
@pytest.mark.parametrize(
    ("bandwidth", "options", "reason"),
    [
        pytest.param(3.0, "n_jobs=2", "exit code 3", marks=pytest.mark.faults),
        pytest.param(3.0, "n_jobs=1, timeout=30", "exit code 3", marks=pytest.mark.faults),
        (4.0, "n_jobs=2, timeout=2", "time limit of 2 seconds"),
    ],
)
def test_scripts_that_do_not_ask_for_their_name(tmp_path, typed, bandwidth, options, reason):
    """Without `if __name__ == "__main__"`, in a file or typed: they run once."""
    text = SCRIPT.format(bandwidth=bandwidth, options=options)
    (tmp_path / "script.py").write_text(text)
    words = [sys.executable, *([] if typed else [str(tmp_path / "script.py")])]
    ran = subprocess.run(
        words, input=text, capture_output=True, text=True, check=False, timeout=90, env=ENVIRONMENT
    )
    assert ran.returncode == 0, ran.stderr
    once, told = ran.stdout.splitlines()  # what a fit prints goes elsewhere
    assert once == "once"
    assert reason in told


@pytest.mark.faults
@pytest.mark.skipif(os.name == "nt", reason="there is no such signal")
@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGINT])
def test_an_endless_fit_does_not_outlive_whoever_asked(kill):
    text = SCRIPT.format(bandwidth=5.0, options="timeout=50")
    with subprocess.Popen(
        [sys.executable], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as asking:
        asking.stdin.write(text.encode())
        asking.stdin.close()
        line = next(line for line in asking.stderr if line.startswith(b"pid"))
        asking.send_signal(kill)
        asking.wait(timeout=20)
    deadline = time.monotonic() + 10.0
    while time.monotonic() < deadline and Path(f"/proc/{int(line.split()[1])}").exists():
        time.sleep(0.1)
    assert not Path(f"/proc/{int(line.split()[1])}").exists()


def refuse(*_):
    raise ValueError("cannot be read")


class Unreadable:
    """Can be sent, and not be read where it arrives."""

    def __reduce__(self):
        return refuse, ()


class AnswersUnreadably:
    """A plan."""

    def run(self, task):
        return Unreadable()


def test_a_process_that_did_not_get_the_rows_is_not_asked_again():
    process = OwnProcess(threading.Lock(), ())  # which cannot be sent
    for _ in range(2):
        with pytest.raises(TaskStoppedError, match="cannot be sent to another process"):
            process.run(0, "task", timeout=60)


def test_an_answer_that_cannot_be_read_is_an_error():
    process = OwnProcess(AnswersUnreadably(), ())
    with pytest.raises(ValueError, match="cannot be read"):
        process.run(0, "task", timeout=60)
    process.close()
