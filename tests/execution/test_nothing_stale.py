"""A checkpoint answers for the code and the bytes that it was made of, and for no others."""

import importlib
import subprocess
import sys
import threading
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KernelDensity
from sklearn.preprocessing import FunctionTransformer

from oddrank.errors import InvalidParameterError, OddrankWarning
from oddrank.execution.checkpoint import Checkpoint
from oddrank.execution.code_identity import code_of
from tests.execution.small_run import ALL_FEATURES, X, frame
from tests.execution.sums import Result, Task
from tests.faults.mutations import mutated

ROWS = X[:, :3]
MODULE = """
import numpy as np
from sklearn.neighbors import KernelDensity
{imports}

class Mine(KernelDensity):
    def score_samples(self, X):
        return {score}
"""


@pytest.fixture
def write_module(tmp_path, monkeypatch):
    """Write a module, and import it as a new process would."""
    monkeypatch.syspath_prepend(str(tmp_path))
    # files of one second and one length would be taken from the cache of compiled modules
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    written = []

    def write(score, imports="", name="edited_detector"):
        (tmp_path / f"{name}.py").write_text(MODULE.format(score=score, imports=imports))
        for each in [*written, name]:
            sys.modules.pop(each, None)
        written.append(name)
        importlib.invalidate_caches()
        return importlib.import_module(name)

    yield write
    for each in written:
        sys.modules.pop(each, None)


def run(module, folder, **options):
    found = frame({"mine": module.Mine()}, ROWS, judge=ALL_FEATURES, checkpoint=folder, **options)
    return found["mv"].iloc[0]


def test_edited_code_is_run_again(write_module, tmp_path):
    good = "super().score_samples(X)"
    first = run(write_module(good), tmp_path / "kept")
    edited = write_module("-np.abs(np.asarray(X)[:, 0])")
    true = run(edited, None)
    assert true != first
    assert run(edited, tmp_path / "kept") == true
    assert run(write_module(good), tmp_path / "kept") == first


def test_edited_code_that_a_detector_imports_is_run_again(write_module, tmp_path):
    def helped(sign):
        (tmp_path / "edited_helper.py").write_text(f"def sign(scores):\n    return {sign} * scores")
        sys.modules.pop("edited_helper", None)
        return write_module("sign(super().score_samples(X))", "from edited_helper import sign")

    first = run(helped("1.0"), tmp_path / "kept")
    other = run(helped("-1.0"), tmp_path / "kept")
    sys.modules.pop("edited_helper", None)
    assert other != first


def test_a_file_that_was_edited_after_its_import_is_another(write_module, tmp_path):
    """What was computed by the old code is not kept under the new text."""
    old = write_module("super().score_samples(X)")
    path = tmp_path / "edited_detector.py"
    path.write_text(MODULE.format(score="-np.abs(np.asarray(X)[:, 0])", imports=""))
    first = run(old, tmp_path / "kept")
    new = write_module("-np.abs(np.asarray(X)[:, 0])")
    assert run(new, tmp_path / "kept") == run(new, None) != first


def test_unchanged_code_is_not_run_again(write_module, tmp_path):
    def times():
        return sorted(path.stat().st_mtime_ns for path in (tmp_path / "kept").glob("*.npz"))

    good = "super().score_samples(X)"
    first, before = run(write_module(good), tmp_path / "kept"), times()
    assert len(before) == 2
    assert run(write_module(good), tmp_path / "kept") == first
    assert times() == before


@pytest.mark.parametrize("place", ["edited_helper.", ""])
def test_code_that_is_imported_within_a_function_counts(write_module, tmp_path, place):
    def helped(sign):
        (tmp_path / "edited_helper.py").write_text(f"def sign(scores):\n    return {sign} * scores")
        sys.modules.pop("edited_helper", None)
        line = "import edited_helper" if place else "from edited_helper import sign"
        return write_module(
            "f(super().score_samples(X))", f"def f(x):\n    {line}\n    return {place}sign(x)"
        )

    def known(module):
        return code_of(module.Mine())

    first = known(helped("1.0"))
    assert known(helped("-1.0")) != first
    assert known(helped("1.0")) == first


def test_constants_of_other_modules_count(write_module, tmp_path):
    def known(constant):
        (tmp_path / "edited_settings.py").write_text(f"WEIGHT = {constant}")
        sys.modules.pop("edited_settings", None)
        module = write_module("WEIGHT * X", "from edited_settings import WEIGHT")
        return code_of(module.Mine())

    assert known(1) == known(1) != known(2)


def test_a_detector_that_cannot_be_read_is_fitted_again_and_told(tmp_path):
    class Locked(KernelDensity):
        lock = threading.Lock()

    with pytest.warns(OddrankWarning, match="locked or its code cannot be read"):
        frame({"locked": Locked(), "plain": KernelDensity()}, ROWS, judge=ALL_FEATURES,
              checkpoint=tmp_path)  # fmt: skip
    assert len(list(tmp_path.glob("*.npz"))) == 2  # two folds of the other one


SCRIPT = """
from functools import cached_property, lru_cache
from sklearn.neighbors import KernelDensity
from oddrank.execution.code_identity import code_of
NAMES = frozenset(["a", "b", "c", "d"])

@lru_cache
def helper(x):
    return {inner} + (x in {{"a", "b", "c", "d"}})

class Mine(KernelDensity):
    @property
    def one(self):
        return helper(1)

    @cached_property
    def two(self):
        return self.one, NAMES

    @staticmethod
    def three():
        return lambda x: helper(x)

def outer(depth):
    class Local(Mine):
        def four(self):
            return Local, depth
    return Local()

print(code_of((Mine(), outer(3))))
"""


def test_typed_code_is_known_in_every_process():
    """A script that is typed into Python, with classes within functions and cached properties."""

    def known(inner):
        ran = subprocess.run(
            [sys.executable],
            input=SCRIPT.format(inner=inner),
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    assert known(1) == known(1) != known(2)


@pytest.fixture
def run_cell(monkeypatch):
    """Run texts in a module without a file, as a notebook does."""
    notebook = ModuleType("a_notebook")
    monkeypatch.setitem(sys.modules, "a_notebook", notebook)

    def run_cell(text):
        exec(text, vars(notebook))
        return notebook

    return run_cell


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("K = 3", "K = 4"),
        ("def helper(X): return X", "def helper(X): return -X"),
        ("def helper(X): return K\nK = 1", "def helper(X): return K\nK = 2"),
        ("def helper(X): return transform(X)", "def helper(X): return transform(2 * X)"),
    ],
)
def test_a_function_of_a_notebook_is_known_by_other_cells_too(run_cell, before, after):
    run_cell("import numpy as np\nK = 0\ndef helper(X): return X")
    run_cell("def transform(X): return np.abs(helper(X)) + [K for _ in X][0]")

    def known():
        return code_of(FunctionTransformer(sys.modules["a_notebook"].transform))

    run_cell(before)
    first = known()
    run_cell("other = 5")
    assert known() == first  # nothing that it uses
    run_cell(after)
    assert known() != first


def test_packages_are_known_by_their_version(monkeypatch):
    first = code_of(KernelDensity())
    monkeypatch.setattr("sklearn.__version__", "0.0")
    assert code_of(KernelDensity()) != first


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kept")
    found = frame({"plain": KernelDensity()}, ROWS, judge=ALL_FEATURES, checkpoint=folder)
    return folder, found


def test_mutated_task_files_are_never_loaded(tmp_path):
    store, task = Checkpoint(tmp_path, "run"), Task("sum", 1)
    store.store(task, Result(3.5))
    (path,) = tmp_path.glob("*.npz")
    content, random = path.read_bytes(), np.random.default_rng(0)
    assert store.load(task) == {"total": 3.5}
    for _ in range(500):
        path.write_bytes(mutated(content, random))
        assert store.load(task) is None
    path.write_bytes(content)
    assert store.load(task) == {"total": 3.5}


def test_a_file_under_another_name_is_not_that_task(tmp_path):
    store = Checkpoint(tmp_path, "run")
    for number in (1, 2):
        store.store(Task("sum", number), Result(float(number)))
    one, two = tmp_path.glob("*.npz")
    one.write_bytes(two.read_bytes())
    found = [store.load(Task("sum", number)) for number in (1, 2)]
    assert found.count(None) == 1


@pytest.mark.parametrize(
    "manifest",
    ["", "3", "[[[", '{"root": 3}', '{"root": "[-1, []]"}', '{"root": "[1, [[]]]"}', "[" * 9999],
)
def test_a_spoiled_manifest_is_one_sentence(kept, tmp_path, manifest):
    (tmp_path / "checkpoint.json").write_text(manifest)
    for random_state in (7, None):
        with pytest.raises(InvalidParameterError, match="Name another folder, or delete it"):
            frame(checkpoint=tmp_path, random_state=random_state)


@pytest.mark.parametrize("seed", range(3))
def test_a_run_over_spoiled_files_gives_the_same_numbers(kept, tmp_path, seed):
    folder, expected = kept
    random = np.random.default_rng(seed)
    for path in folder.iterdir():
        content = path.read_bytes()
        if path.suffix == ".npz":
            content = mutated(content, random)
        (tmp_path / path.name).write_bytes(content)
    found = frame({"plain": KernelDensity()}, ROWS, judge=ALL_FEATURES, checkpoint=tmp_path)
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
