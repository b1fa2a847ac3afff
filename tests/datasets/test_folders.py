"""Where downloads and parsed tables go when nobody says."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import platformdirs
import pytest

from oddrank import _files
from oddrank.datasets.folders import cache_folder
from oddrank.datasets.load import _read_copy
from oddrank.datasets.sources import Parsed


def test_argument_then_variable_then_the_user_s_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ODDRANK_CACHE", str(tmp_path / "named"))
    assert cache_folder(tmp_path / "argument") == tmp_path / "argument"
    assert cache_folder(None) == tmp_path / "named"
    monkeypatch.delenv("ODDRANK_CACHE")
    assert cache_folder(None) == Path(platformdirs.user_cache_dir("oddrank"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert cache_folder(None) == Path.home() / ".cache" / "oddrank"


def test_a_parsed_copy_is_written_once_and_leaves_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = tmp_path / "raw.csv"
    raw.write_text("1,2")
    table = Parsed(X=np.ones((3, 2)), y=np.array([0, 0, 1]), feature_names=("a", "b"))
    copy: Any = SimpleNamespace(files=lambda: [raw], read=lambda: table)
    facts: Any = SimpleNamespace(name="own")
    assert _read_copy(copy, facts, "paper", tmp_path) is table
    (cached,) = (tmp_path / "parsed").iterdir()
    before = cached.stat()
    again = _read_copy(copy, facts, "paper", tmp_path)
    assert again is not None
    np.testing.assert_array_equal(again.X, table.X)
    assert cached.stat().st_mtime_ns == before.st_mtime_ns
    assert cached.stat().st_ino == before.st_ino
    # what a process that was killed left half-written goes with the next one
    monkeypatch.setattr(_files, "OLDEST_SECONDS", -1.0)
    left = _files._name_beside(cached).name.replace(f".{_files._HOST}.", ".elsewhere.")
    (cached.parent / left).write_bytes(b"half")
    cached.unlink()
    _read_copy(copy, facts, "paper", tmp_path)
    assert [path.name for path in cached.parent.iterdir()] == [cached.name]
