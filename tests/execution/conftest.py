"""What every other way of running is held against."""

import pytest

from tests.execution.small_run import frame


@pytest.fixture(scope="session")
def expected():
    return frame(n_jobs=1)
