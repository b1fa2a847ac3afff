"""No test takes files from the user's own folders, or writes into the user's cache."""

import pytest

from benchmarks.datasets import files


@pytest.fixture(autouse=True)
def _own_folders(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "RETRY_WAIT_SECONDS", 0.0)
    monkeypatch.setattr(files, "SHARED", tmp_path / "nowhere")
    monkeypatch.setenv("ODDRANK_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ODDRANK_DATA", raising=False)


@pytest.fixture
def paper_data(_own_folders, monkeypatch, data_folder):
    """Let `load` find the paper's files."""
    monkeypatch.setenv("ODDRANK_DATA", str(data_folder))
