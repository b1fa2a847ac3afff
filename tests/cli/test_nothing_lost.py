"""Paths are checked before work, results are shown first, files are whole or as they were."""

import errno
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from oddrank import _files
from oddrank._files import remove_leftovers, write_once, write_text, write_whole
from tests.faults.counting import count

FAST = ("--detectors", "gaussian,density", "--jobs", 1)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "rows.csv"
    rows = np.random.default_rng(0).normal(size=(200, 2))
    pd.DataFrame(rows, columns=["a", "b"]).to_csv(path, index=False)
    return path


@pytest.fixture
def no_work(monkeypatch):
    """Fail where a table is read at all."""
    monkeypatch.setattr("oddrank.cli.user_rows.read_rows", None)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("rank", "TABLE", "--html", "no/r.html"), "there is no folder no."),
        (("rank", "TABLE", "--html", "r.pdf"), "must end in .html or .htm"),
        (("rank", "TABLE", "--scores", "odd.xlsx"), "must end in .csv or .txt"),
        (("rank", "TABLE", "--scores", "TABLE"), "would write over the table that is read"),
        (("rank", "TABLE", "--save", "best.pkl"), "ends in .skops"),
        (("rank", "TABLE", "--scores", "a.csv", "--html", "a.csv"), "must end in"),
        (("tune", "lof", "TABLE", "--save", "no/t.skops"), "there is no folder no."),
        (("importance", "TABLE", "--plot", "picture.doc"), "must end in .png"),
        (("score", "m.skops", "TABLE", "--out", "TABLE"), "would write over the table"),
        (("demo", "--html", "no/d.html"), "there is no folder no."),
    ],
)
def test_paths_are_checked_before_work(run, table, no_work, words, sentence):
    outcome = run(*(table if word == "TABLE" else word for word in words))
    assert outcome.code == 2
    assert sentence in outcome.err
    assert outcome.err.count("\n") == 1
    assert outcome.out == ""


def full_disk(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_what_cannot_be_written_is_told_and_the_rest_is_written(run, table, monkeypatch):
    Path("r.html").write_text("the old report", encoding="utf-8")
    fsync = os.fsync
    fails = iter([True, False])
    monkeypatch.setattr(os, "fsync", lambda fd: full_disk() if next(fails) else fsync(fd))
    outcome = run(
        "rank", table, *FAST, "--html", "r.html", "--scores", "odd.csv", "--quiet",
    )  # fmt: skip
    assert outcome.code == 2
    assert "gaussian" in outcome.out
    assert outcome.err == "oddrank: r.html was not written: No space left on device.\n"
    assert Path("r.html").read_text(encoding="utf-8") == "the old report"
    assert Path("odd.csv").exists()
    assert not list(Path().glob(".*.part"))


@pytest.mark.faults
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_files_are_written_where_nobody_reads_the_result(table, tmp_path):
    command = [sys.executable, "-m", "oddrank.cli", "rank", str(table), *map(str, FAST)]
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        ran = subprocess.run(
            [*command, "--html", str(tmp_path / "r.html")], stdout=full, stderr=subprocess.PIPE,
            text=True, check=False,
        )  # fmt: skip
    assert ran.returncode == 2
    assert "No space left on device" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert (tmp_path / "r.html").exists()


def test_devices_are_written_to(run, table):
    outcome = run("rank", table, *FAST, "--html", os.devnull, "--scores", os.devnull)
    assert outcome.code == 0


def test_a_file_is_whole_or_as_it_was(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    path.chmod(0o640)

    def half(file):
        file.write(b"half")
        full_disk()

    with pytest.raises(OSError, match="No space left"):
        write_whole(path, half)
    assert path.read_text() == "old"
    write_text(path, "new \udcff")
    assert path.read_bytes() == b"new \\udcff"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_only_leftovers_of_processes_that_are_gone_are_removed(tmp_path, monkeypatch):
    target = tmp_path / "report.html"
    mine = _files._name_beside(target)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        monkeypatch.setattr(os, "getpid", lambda: other.pid)
        alive = _files._name_beside(target)
        monkeypatch.undo()
        for path in (mine, alive, tmp_path / "tmpabc.part"):
            path.touch()
        remove_leftovers(tmp_path, target)
        assert mine.exists()
        assert alive.exists()
        assert (tmp_path / "tmpabc.part").exists()  # somebody else's, beside a report
        remove_leftovers(tmp_path)
        assert not (tmp_path / "tmpabc.part").exists()  # but not in a checkpoint
        other.communicate(b"\n")
    remove_leftovers(tmp_path, target)
    assert mine.exists()
    assert not alive.exists()


def test_whoever_is_second_keeps_the_first_file(tmp_path):
    write_once(tmp_path / "seed.json", "first")
    write_once(tmp_path / "seed.json", "second")
    assert (tmp_path / "seed.json").read_text() == "first"
    assert len(list(tmp_path.iterdir())) == 1


OPENS = """
import sys, time
import numpy as np
from pathlib import Path
from oddrank.execution import checkpoint
start = float(sys.argv[2])
root = None
for number in range(int(sys.argv[3])):
    time.sleep(max(0.0, start + 0.03 * number - time.time()))
    folder = Path(sys.argv[1]) / str(number)
    root = checkpoint.remembered_root(folder)
    checkpoint.open_checkpoint(folder, "plan", root, ())
"""


@pytest.mark.parametrize("n_folders", [25, pytest.param(200, marks=pytest.mark.faults)])
def test_processes_that_open_one_checkpoint_together_work(tmp_path, n_folders):
    """Two at a time, without a seed: one of them names it, and both are one run."""
    words = [sys.executable, "-c", OPENS, str(tmp_path), str(time.time() + 4.0), str(n_folders)]
    both = [subprocess.Popen(words, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for process in both:
        _, told = process.communicate(timeout=60)
        assert process.returncode == 0, told
    count("checkpoints opened by two processes at once", "worked", 2 * n_folders)
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.faults
@pytest.mark.skipif(os.name == "nt", reason="there is no such signal")
def test_sigterm_stops_as_ctrl_c_does(table, tmp_path):
    words = [sys.executable, "-m", "oddrank.cli", "rank", str(table), "--jobs", "2"]
    words += ["--detectors-from", "tests.planted:sleeping", "--checkpoint", str(tmp_path / "kept")]
    with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        deadline = time.monotonic() + 60.0
        while not list((tmp_path / "kept").glob("*.npz")) and time.monotonic() < deadline:
            time.sleep(0.05)
        children = [int(each) for each in _children(run.pid)]
        run.send_signal(signal.SIGTERM)
        out, told = run.communicate(timeout=30)
    assert run.returncode == 143
    assert told.splitlines()[-1] == (
        "oddrank: Stopped. Finished work is in the checkpoint: the same command goes on there."
    )
    assert out == ""
    assert list((tmp_path / "kept").glob("*.npz"))
    assert not list((tmp_path / "kept").glob("*.part"))
    time.sleep(0.5)
    assert not [each for each in children if _is_running(each)]


def _children(pid):
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True,
                            text=True, check=False)  # fmt: skip
    return listed.stdout.split()


def _is_running(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_standard_output_is_given_back(capsys):
    from oddrank.cli.streams import prints_to_stderr, to_stdout

    show = to_stdout(lambda: print("result"))  # noqa: T201
    with prints_to_stderr():
        print("loud")  # noqa: T201
        show()
    print("after")  # noqa: T201
    captured = capsys.readouterr()
    assert captured.out == "result\nafter\n"
    assert captured.err == "loud\n"
    assert isinstance(sys.stdout, io.TextIOBase)
