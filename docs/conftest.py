"""Examples of the pages are tests; what a build writes beside them is not."""

import shutil
from pathlib import Path

import pytest

DOCS = Path(__file__).parent
collect_ignore = ["conf.py", "_build", "_extensions", "api", "gallery", "project"]


@pytest.fixture(autouse=True)
def reader_folder(tmp_path, monkeypatch):
    """Run examples where a reader would: in a folder with the tables of *Start here*."""
    for path in DOCS.glob("*.csv"):
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
