"""Where the shared data is, and settings for the whole suite."""

import os
from pathlib import Path

if "PYTEST_XDIST_WORKER" in os.environ:
    # One thread per worker: two workers with a thread for every core wait for each other.
    for _library in ("OMP", "OPENBLAS", "MKL"):
        os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import pytest
from hypothesis import settings

from tests.faults.counting import COUNTS

settings.register_profile("oddrank", deadline=None, print_blob=True)
settings.load_profile("oddrank")


# Coverage makes Python half as fast. These repeat what other tests cover, many times over.
NOT_TRACED = (
    "test_against_dynesty.py",
    "test_any_frame.py",
    "test_calibrated.py",
    "test_growth.py",
    "test_in_browser.py",
    "test_minimum_volume_set.py",
    "test_multilevel_splitting.py",
    "test_pages.py",
    "test_paper_cells.py",
    "test_reproducibility.py",
    "test_verdict_claims.py",
    ".md",
)


def pytest_collection_modifyitems(config, items):
    """Count no coverage in tests that repeat what others cover."""
    if config.pluginmanager.has_plugin("_cov"):
        for item in items:
            if item.path.name.endswith(NOT_TRACED):
                item.add_marker(pytest.mark.no_cover)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Raw files of the paper's datasets; in CI their absence is a failure, not a skip."""
    named = os.environ.get("ODDRANK_DATA")
    folder = Path(named) if named else Path(__file__).parents[2] / "shared" / "data"
    if not folder.is_dir():
        reason = "no data folder: set ODDRANK_DATA to the folder of the paper's raw files"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


def pytest_terminal_summary(terminalreporter):
    """Print how many faults were tried, where any were."""
    if not COUNTS:
        return
    terminalreporter.section("faults survived")
    for (kind, what), number in sorted(COUNTS.items()):
        terminalreporter.write_line(f"{number:>7,}  {kind}: {what}")
    total = sum(COUNTS.values())
    terminalreporter.write_line(f"{total:>7,}  in all; nothing stale, nothing lost, nothing let in")
