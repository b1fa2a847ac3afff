"""Commands that are killed at random moments go on, and give the same result bit for bit."""

import json
import os
import signal
import sys
import time

import numpy as np
import pandas as pd
import pytest

from tests.faults.counting import count
from tests.faults.fork_server import ForkServer

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
QUICK, ALL = 3, 30
COMMON = ("--jobs", 1, "--quiet", "--json")
COMMANDS = {
    "rank": ("rank", "wide.csv", "--detectors", "gaussian,density",
             "--checkpoint", "kept", *COMMON),
    "tune": ("tune", "density", "rows.csv", "--grid", "bandwidth=0.3,1.0",
             "--checkpoint", "kept", *COMMON),
    "importance": ("importance", "rows.csv", "--detector", "density", "--draws", 4,
                   "--checkpoint", "kept", *COMMON),
}  # fmt: skip


@pytest.fixture(scope="module")
def server():
    server = ForkServer()
    yield server
    server.close()


def prepared(folder):
    folder.mkdir()
    rows = np.random.default_rng(0).normal(size=(120, 10)) * np.arange(1, 11)
    table = pd.DataFrame(rows, columns=list("abcdefghij"))
    table.to_csv(folder / "wide.csv", index=False)
    table[["a", "b"]].to_csv(folder / "rows.csv", index=False)
    return folder


def result_of(out):
    """What must be the same: everything but times."""
    found = json.loads(out)
    found.pop("provenance", None)
    return _without_times(found)


def _without_times(value):
    if isinstance(value, dict):
        return {key: _without_times(each) for key, each in value.items() if "second" not in key}
    if isinstance(value, list):
        return [_without_times(each) for each in value]
    return value


@pytest.mark.parametrize(
    ("name", "n_kills"),
    [
        *((name, QUICK) for name in COMMANDS),
        *(pytest.param(name, ALL, marks=pytest.mark.faults) for name in COMMANDS),
    ],
)
def test_killed_and_resumed_is_the_same(server, tmp_path, name, n_kills):
    words = COMMANDS[name]
    undisturbed = prepared(tmp_path / "undisturbed")
    seconds, out = server.timed(words, undisturbed)
    expected = result_of(out)
    random = np.random.default_rng(n_kills)
    for number in range(n_kills):
        folder = prepared(tmp_path / str(number))
        pid = server.start(words, folder)
        # moments spread over the whole run, in random order of the signals
        time.sleep(seconds * (number + random.random()) / n_kills)
        kill = SIGNALS[(number + int(random.integers(3))) % 3]
        os.kill(pid, kill)
        code = server.wait(pid)
        told = (folder / "err").read_text()
        assert "Traceback" not in told
        if kill == signal.SIGKILL:
            assert code in (-kill, 0, 2)
        elif code not in (0, 2):  # before the handler stands, a signal ends the process
            assert code in (-kill, 143 if kill == signal.SIGTERM else 130)
            assert code < 0 or told.splitlines()[-1].startswith("oddrank: Stopped.")
        code, out = server.run(words, folder)
        assert code in (0, 2), (folder / "err").read_text()
        assert result_of(out) == expected
        assert not list(folder.rglob("*.part"))
        count("kills", f"{name}, {signal.Signals(kill).name}")


def test_the_server_runs_commands(server, tmp_path):
    code, out = server.run(["--version"], tmp_path)
    assert code == 0
    assert out.startswith("oddrank")
    assert sys.version_info >= (3, 11)
