"""Labels as people write them: which rows are anomalies."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank.errors import InvalidDataError

__all__ = ["anomaly_labels"]


def anomaly_labels(values: npt.ArrayLike, anomaly: str | None = None) -> npt.NDArray[np.bool_]:
    """Tell which rows are anomalies from a column of any kind.

    Parameters
    ----------
    values : array of numbers or text
    anomaly : str, optional
        The value that marks an anomaly. Without it: 1 of 0 and 1, True of False and True, otherwise
        the rarer of two values.

    Examples
    --------
    >>> anomaly_labels(["ok", "ok", "fraud"])
    array([False, False,  True])
    """
    texts = np.array([_plain(value) for value in np.asarray(values).tolist()])
    distinct, counts = np.unique(texts, return_counts=True)
    known = ", ".join(repr(str(value)) for value in distinct[:8]) + " …" * (len(distinct) > 8)
    if anomaly is not None:
        if _plain(anomaly) not in distinct:
            raise InvalidDataError(
                f"No row is labelled {anomaly!r}. The labels are {known}; name one of them."
            )
        return np.asarray(texts == _plain(anomaly))
    if len(distinct) != 2:
        raise InvalidDataError(
            f"The label has {len(distinct)} distinct values ({known}), so it does not say which "
            "rows are anomalies. Name the value that marks them: anomaly=."
        )
    if set(distinct) == {"0", "1"}:
        return np.asarray(texts == "1")
    if {value.lower() for value in distinct} == {"false", "true"}:
        return np.array([value.lower() == "true" for value in texts])
    return np.asarray(texts == distinct[np.argmin(counts)])


def _plain(value: Any) -> str:
    # A label column may be read as numbers: 1.0 and "1" are the same mark.
    try:
        return f"{float(value):.15g}" if not isinstance(value, bool) else str(value)
    except (TypeError, ValueError):
        return str(value).strip()
