"""Labels as people write them: which rows are anomalies."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._typing import BoolArray, FloatArray
from oddrank.errors import InvalidDataError

__all__ = ["anomaly_labels", "label_numbers"]

# Texts that say that there is no label. "none" is not among them: it may mean "no attack".
_NO_LABEL = frozenset({"", "na", "n/a", "nan", "<na>", "nat", "null"})


def anomaly_labels(values: npt.ArrayLike, anomaly: str | None = None) -> FloatArray:
    """Tell which rows are anomalies from a column of any kind: 1 for these, NaN without a label.

    Parameters
    ----------
    values : array of numbers or text
    anomaly : str, optional
        The value that marks an anomaly. Without it: 1 of 0 and 1, True of False and True, otherwise
        the rarer of two values.

    Examples
    --------
    >>> anomaly_labels(["ok", "ok", "fraud"])
    array([0., 0., 1.])
    """
    texts = np.array([_plain(value) for value in np.asarray(values).tolist()])
    known = np.array([text.lower() not in _NO_LABEL for text in texts], dtype=bool)
    return np.where(known, _is_anomaly(texts, texts[known], anomaly), np.nan)


def _is_anomaly(
    texts: npt.NDArray[np.str_], known_texts: npt.NDArray[np.str_], anomaly: str | None
) -> BoolArray:
    distinct, counts = np.unique(known_texts, return_counts=True)
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
            "rows are anomalies. Name the value that marks them: --anomaly."
        )
    if set(distinct) == {"0", "1"}:
        return np.asarray(texts == "1")
    if {value.lower() for value in distinct} == {"false", "true"}:
        return np.array([value.lower() == "true" for value in texts])
    return np.asarray(texts == distinct[np.argmin(counts)])


def label_numbers(labels: npt.ArrayLike, n_rows: int) -> FloatArray:
    """Return labels as 1 for an anomaly, 0 for a normal row and NaN where there is none.

    Examples
    --------
    >>> label_numbers([True, False, None], 3)
    array([ 1.,  0., nan])
    """
    values = np.asarray(labels)
    if np.ma.isMaskedArray(labels):
        values = np.where(np.ma.getmaskarray(labels), np.nan, values.astype(object))
    if values.dtype == object:
        missing = [_plain(value).lower() in _NO_LABEL for value in values.ravel().tolist()]
        values = np.where(np.reshape(missing, values.shape), np.nan, values)
    try:
        if values.dtype.kind in "USmM":
            raise TypeError
        numbers = values.astype(np.float64)
    except (TypeError, ValueError):
        numbers = None
    if numbers is None or not np.isin(numbers[~np.isnan(numbers)], (0.0, 1.0)).all():
        found = list(dict.fromkeys(_plain(value) for value in values.ravel().tolist()))[:5]
        minus = " Of scikit-learn's -1 and 1 give labels == -1." if set(found) == _SIGNS else ""
        raise InvalidDataError(
            "Labels must be bool, or 0 and 1, where 1 marks an anomaly. "
            f"Got {', '.join(found)} instead.{minus}"
        )
    n_odd, n_normal = int((numbers == 1.0).sum()), int((numbers == 0.0).sum())
    if numbers.shape != (n_rows,) or not n_odd or not n_normal:
        raise InvalidDataError(
            f"Labels must tell normal rows and anomalies apart, one for each of {n_rows} rows. "
            f"Got {numbers.size}: {n_odd} anomalies, {n_normal} normal rows and "
            f"{int(np.isnan(numbers).sum())} without a label."
        )
    return numbers


_SIGNS = {"-1", "1"}


def _plain(value: Any) -> str:
    # A label column may be read as numbers: 1.0 and "1" are the same mark.
    try:
        return f"{float(value):.15g}" if not isinstance(value, bool) else str(value)
    except (TypeError, ValueError):
        return str(value).strip()
