"""A bar on stderr that tells how much is done; silent where stderr is not a terminal."""

from __future__ import annotations

from typing import Any, Protocol

from oddrank.errors import MissingExtraError

__all__ = ["Progress", "progress_bar"]


class Progress(Protocol):
    """What work reports to."""

    def update(self, done: int) -> Any:
        """Count finished tasks."""

    def close(self) -> Any:
        """End the bar."""


class _Silent:
    def update(self, done: int) -> None:
        pass

    def close(self) -> None:
        pass


def progress_bar(total: int, *, shown: bool, unit: str) -> Progress:
    """Return a bar with the time left, or something silent."""
    if not shown:
        return _Silent()
    try:
        from tqdm import tqdm
    except ImportError:
        raise MissingExtraError(
            "progress=True needs tqdm. Install it with: pip install 'oddrank[progress]'"
        ) from None
    bar: Progress = tqdm(total=total, unit=unit, disable=None, dynamic_ncols=True)
    return bar
