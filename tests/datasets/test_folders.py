"""Where downloads and parsed tables go when nobody says."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import platformdirs
import pytest

from oddrank.datasets.folders import cache_folder


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
