"""Results as pandas frames, if pandas is installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from oddrank.errors import MissingExtraError

__all__ = ["data_frame"]


def data_frame(rows: Sequence[Mapping[str, object]]) -> Any:
    """Return rows of named values as a pandas frame."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError(
            "frame() needs pandas, which is not installed. Run: pip install pandas. "
            "to_dict() gives the same figures without pandas."
        ) from None
    return pd.DataFrame(list(rows))
