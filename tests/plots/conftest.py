"""No windows, and no figure left open."""

from collections.abc import Iterator

import matplotlib as mpl
import pytest

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    from matplotlib import pyplot

    yield
    pyplot.close("all")
