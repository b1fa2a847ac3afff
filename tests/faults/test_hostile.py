"""Hostile files, frames, models and detectors: one sentence each, never a crash, nothing lost."""

import gzip
import io
import os
import subprocess
import sys
import time
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KernelDensity

from oddrank import rank_detectors
from oddrank.errors import InvalidDataError, OddrankError
from oddrank.execution.checkpoint import Checkpoint
from oddrank.io import read_table
from tests.execution.small_run import ALL_FEATURES, X, frame
from tests.execution.sums import Result, Task
from tests.faults.counting import count
from tests.faults.hostile_detectors import FAILING, hostile_detectors
from tests.faults.hostile_frames import hostile_frames
from tests.faults.mutations import mutated

resource = pytest.importorskip("resource")

SECONDS_PER_INPUT = 20.0
TABLES = {"quick": 15, "all": 150}


def written_tables() -> dict[str, bytes]:
    """The same small table in every format."""
    rows = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)).round(4), columns=list("abc"))
    rows["d"] = ["x", "y", "z"] * 20
    text = rows.to_csv(index=False).encode()
    found = {"rows.csv": text, "rows.csv.gz": gzip.compress(text)}
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("rows.csv", text)
    found["rows.zip"] = archive.getvalue()
    for name, write in (
        ("rows.parquet", rows.to_parquet),
        ("rows.feather", rows.to_feather),
        ("rows.npy", lambda file: np.save(file, rows[["a", "b", "c"]].to_numpy())),
        ("rows.npz", lambda file: np.savez(file, rows[["a", "b", "c"]].to_numpy())),
        ("rows.xlsx", lambda file: rows.to_excel(file, index=False)),
    ):
        buffer = io.BytesIO()
        write(buffer)
        found[name] = buffer.getvalue()
    head = "@relation r\n" + "".join(f"@attribute {name} numeric\n" for name in "abc")
    lines = rows[["a", "b", "c"]].to_csv(index=False, header=False)
    found["rows.arff"] = f"{head}@data\n{lines}".encode()
    return found


@pytest.mark.parametrize(
    "n_files", [TABLES["quick"], pytest.param(TABLES["all"], marks=pytest.mark.faults)]
)
def test_mutated_tables(tmp_path, n_files):
    random = np.random.default_rng(n_files)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, content in written_tables().items():
            for _ in range(n_files):
                path = tmp_path / name
                path.write_bytes(mutated(content, random))
                start = time.monotonic()
                try:
                    read_table(path)
                    outcome = "read"
                except OddrankError:
                    outcome = "refused in one sentence"
                assert time.monotonic() - start < SECONDS_PER_INPUT
                count("mutated tables", outcome)


def outcome_of(rows, preprocess) -> str:
    detectors = {"density": KernelDensity(), "wide": KernelDensity(bandwidth=3.0)}
    try:
        str(rank_detectors(detectors, rows, preprocess=preprocess, random_state=0, n_jobs=1))
    except OddrankError:
        return "refused in one sentence"
    except Exception as error:
        return f"raised {error!r}"
    return "ranked"


@pytest.mark.faults
def test_hostile_frames():
    raised = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, rows in hostile_frames():
            for preprocess in (None, "auto"):
                start = time.monotonic()
                outcome = outcome_of(rows, preprocess)
                assert time.monotonic() - start < SECONDS_PER_INPUT, name
                if outcome.startswith("raised"):
                    raised[name, preprocess] = outcome
                else:
                    count("frames", outcome)
    assert raised == {}


@pytest.mark.faults
def test_hostile_detectors():
    """All at once, in two processes with a time limit: each fails alone."""
    detectors = hostile_detectors()
    options = {"judge": ALL_FEATURES, "random_state": 0}
    well = {name: detectors[name] for name in ("well", "well, too")}
    rows = X[:, :3]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = rank_detectors(well, rows, n_jobs=1, **options)
        ranking = rank_detectors(detectors, rows, n_jobs=2, timeout=20, **options)
    must_fail = FAILING | {name for name in detectors if name.startswith(("fit, ", "scores, "))}
    assert must_fail <= set(ranking.failures)
    assert not {*well, "printing"} & set(ranking.failures)
    for name in well:
        first, second = (each.evaluations[name].mass_volume for each in (ranking, expected))
        assert first == second
    assert "\x1b" not in str(ranking)
    count("detectors", "failed alone", len(ranking.failures))
    count("detectors", "ranked", len(ranking.order))


MODELS = """
import sys, warnings
from pathlib import Path
import numpy as np
warnings.simplefilter("ignore")
from oddrank.io import load_model
from oddrank.errors import OddrankError
from tests.faults.mutations import mutated, mutated_archive
path, seed, n_files = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
content, random, counts = path.read_bytes(), np.random.default_rng(seed), [0, 0, 0]
rows = np.random.default_rng(0).normal(size=(50, 2))
for number in range(n_files):
    spoiled = path.with_suffix(f".{number % 2}.skops")
    change = mutated if number % 2 else mutated_archive
    spoiled.write_bytes(change(content, random))
    try:
        model = load_model(str(spoiled), trusted=(), allow_pickle=False)
    except OddrankError:
        counts[0] += 1
        continue
    try:
        model.score_samples(rows)
        counts[1] += 1
    except Exception:
        counts[2] += 1
print(*counts)
"""


@pytest.mark.faults
@pytest.mark.parametrize("kind", ["forest", "density", "svm", "lof"])
def test_mutated_models(tmp_path, kind):
    """In a process of their own, whose crash would be seen."""
    import skops.io

    from oddrank.detectors import DETECTORS

    rows = np.random.default_rng(0).normal(size=(100, 2))
    detector = DETECTORS[kind]()
    if kind == "forest":
        detector.set_params(n_estimators=5)
    path = tmp_path / "model.skops"
    skops.io.dump(detector.fit(rows), path)
    words = [sys.executable, "-c", MODELS, str(path), "0", "200"]
    ran = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stderr[-2000:]
    refused, scored, failed = map(int, ran.stdout.split())
    count("mutated models", "refused in one sentence", refused)
    count("mutated models", "read, and scored without a crash", scored)
    count("mutated models", "read, and failed in scoring with an exception", failed)


@pytest.mark.faults
def test_mutated_checkpoints(tmp_path):
    folder = tmp_path / "kept"
    detectors = {"density": KernelDensity()}
    expected = frame(detectors, X[:, :3], judge=ALL_FEATURES, checkpoint=folder)
    random = np.random.default_rng(0)
    contents = {path: path.read_bytes() for path in folder.glob("*.npz")}
    store = Checkpoint(tmp_path / "other", "run")
    store.store(Task("sum", 1), Result(1.0))
    (small,) = (tmp_path / "other").glob("*.npz")
    for content, number in ((small.read_bytes(), 3000), (next(iter(contents.values())), 3000)):
        for _ in range(number):
            small.write_bytes(mutated(content, random))
            assert store.load(Task("sum", 1)) is None
    count("mutated task files", "done again", 6000)
    for _ in range(20):
        for path, content in contents.items():
            path.write_bytes(mutated(content, random))
        found = frame(detectors, X[:, :3], judge=ALL_FEATURES, checkpoint=folder)
        pd.testing.assert_frame_equal(found, expected, check_exact=True)
    count("runs over mutated task files", "the same result", 20)


def limited(kind, amount):
    """Return what a child process does first: take only so much."""
    return lambda: resource.setrlimit(kind, (amount, amount))


def written_csv(folder, n_rows=200):
    rows = np.random.default_rng(0).normal(size=(n_rows, 2))
    path = folder / "rows.csv"
    pd.DataFrame(rows, columns=["a", "b"]).to_csv(path, index=False)
    return path


@pytest.mark.faults
@pytest.mark.parametrize("limit", [1_000, 4_000, 12_000, 40_000])
def test_a_full_disk_leaves_old_files_whole(tmp_path, limit):
    """A limit on the size of files stands for the disk: every larger one cannot be written."""
    table = written_csv(tmp_path)
    names = ("report.html", "odd.csv", "best.skops")
    for name in names:
        (tmp_path / name).write_text("old")
    words = [sys.executable, "-m", "oddrank.cli", "rank", str(table), "--quiet", "--jobs", "1",
             "--detectors", "gaussian,density", "--html", "report.html",
             "--scores", "odd.csv", "--save", "best.skops",
             "--checkpoint", "kept"]  # fmt: skip
    ran = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        preexec_fn=limited(resource.RLIMIT_FSIZE, limit),
    )  # fmt: skip
    assert "Traceback" not in ran.stderr
    assert "gaussian" in ran.stdout
    missing = [name for name in names if (tmp_path / name).read_text(errors="replace") == "old"]
    assert missing, "the limit was too large for this test"
    assert ran.returncode == 2
    for name in names:
        assert (f"{name} was not written: File too large." in ran.stderr) == (name in missing)
        if name not in missing:
            assert (tmp_path / name).stat().st_size <= limit
        count("files on a full disk", "old one whole" if name in missing else "written whole")
    assert not list(tmp_path.rglob("*.part"))
    # and the same run again, on a disk that has room
    again = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False,
                           env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})  # fmt: skip
    assert again.returncode in (0, 2), again.stderr
    assert again.stdout == ran.stdout


HUNGRY = """
import numpy as np
from oddrank import rank_detectors
from sklearn.neighbors import KernelDensity
from tests.faults.hostile_detectors import Hostile
rows = np.random.default_rng(0).normal(size=(200, 2))
detectors = {"hungry": Hostile("hungry"), "well": KernelDensity(), "list": Hostile("hungry_list")}
ranking = rank_detectors(detectors, rows, random_state=0)
assert set(ranking.failures) == {"hungry", "list"}, ranking.failures
assert all("MemoryError" in reason for reason in ranking.failures.values()), ranking.failures
"""


@pytest.mark.faults
@pytest.mark.parametrize("gigabytes", [3, 6])
def test_detectors_that_want_all_memory_fail_alone(gigabytes):
    ran = subprocess.run(
        [sys.executable, "-c", HUNGRY], capture_output=True, text=True, check=False,
        preexec_fn=limited(resource.RLIMIT_AS, gigabytes * 2**30),
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-2000:]
    count("memory limits", "hungry detectors failed alone", 2)


@pytest.mark.faults
def test_a_table_that_is_larger_than_memory_is_one_sentence(tmp_path):
    path = tmp_path / "rows.npy"
    head = np.lib.format.header_data_from_array_1_0(np.zeros((1, 2)))
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {**head, "shape": (2**40, 2)})
    with pytest.raises(InvalidDataError, match="cannot be read"):
        read_table(path)
    count("memory limits", "tables refused in one sentence")
