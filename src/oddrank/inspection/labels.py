"""Labels that are known after all, held against the verdict that was reached without them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import average_precision_score, roc_auc_score

from oddrank.errors import InvalidDataError
from oddrank.ranking import Ranking
from oddrank.rows import as_table

__all__ = ["LabelCheck", "anomaly_labels", "check_against_labels"]


@dataclass(frozen=True, kw_only=True)
class LabelCheck:
    """Areas under the ROC and precision-recall curves, beside the label-free verdict.

    Attributes
    ----------
    roc_areas, precision_recall_areas : mapping of name to float
        1 is perfect; chance gives 0.5 and the share of anomalies.
    best : str
        The best detector by ROC area.
    agrees : bool
        Whether that is the label-free winner, or cannot be separated from it.
    sentence : str
        The same in words.
    """

    roc_areas: Mapping[str, float]
    precision_recall_areas: Mapping[str, float]
    best: str
    agrees: bool
    sentence: str


def check_against_labels(ranking: Ranking, X: Any, labels: npt.ArrayLike) -> LabelCheck:
    """Fit every ranked detector on all training rows, and hold its scores against labels.

    Parameters
    ----------
    ranking : Ranking
    X : array or frame
        Rows with known labels, in the units of the rows that were ranked.
    labels : array of bool or of 0 and 1
        True for an anomaly; no detector sees them.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import IsolationForest
    >>> from sklearn.neighbors import KernelDensity
    >>> from oddrank import rank_detectors
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> odd = np.zeros(2000, dtype=bool)
    >>> X[:40] *= 6.0
    >>> odd[:40] = True
    >>> detectors = {"forest": IsolationForest(), "density": KernelDensity(bandwidth=0.5)}
    >>> ranking = rank_detectors(detectors, X, random_state=0)
    >>> check_against_labels(ranking, X, odd).roc_areas["density"] > 0.9
    True
    """
    table = as_table(X)
    odd = np.asarray(labels).astype(bool)
    if odd.shape != (table.n_rows,) or odd.all() or not odd.any():
        raise InvalidDataError(
            f"Labels must tell normal rows and anomalies apart, one for each of {table.n_rows} "
            f"rows. Got {odd.size}, {int(odd.sum())} of them anomalies."
        )
    roc, precision_recall = {}, {}
    for name in ranking.evaluations:
        oddness = -ranking.refit.fitted(name).score(table)
        # Scores may be infinite where a density is 0; only their order matters.
        ranks = np.unique(oddness, return_inverse=True)[1]
        roc[name] = float(roc_auc_score(odd, ranks))
        precision_recall[name] = float(average_precision_score(odd, ranks))
    return _conclude(ranking, roc, precision_recall)


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
            "rows are anomalies. Name the value that marks them."
        )
    if set(distinct) == {"0", "1"}:
        return np.asarray(texts == "1")
    if {value.lower() for value in distinct} == {"false", "true"}:
        return np.array([value.lower() == "true" for value in texts])
    return np.asarray(texts == distinct[np.argmin(counts)])


def _plain(value: Any) -> str:
    # A label column may be read as numbers: 1.0 and "1" are the same mark.
    try:
        return f"{float(value):g}" if not isinstance(value, bool) else str(value)
    except (TypeError, ValueError):
        return str(value).strip()


def _conclude(
    ranking: Ranking, roc: dict[str, float], precision_recall: dict[str, float]
) -> LabelCheck:
    if not roc or not ranking.order:
        raise InvalidDataError(
            "No detector could be ranked, so there is nothing to hold to labels."
        )
    best = max(roc, key=lambda name: roc[name])
    winner, together = ranking.best, ranking.groups()[0]
    agrees = best in together
    if best == winner:
        sentence = f"The labels agree: {winner} is also best by ROC area ({roc[winner]:.3f})."
    elif agrees:
        sentence = (
            f"The labels agree: {best} is best by ROC area ({roc[best]:.3f}), and the label-free "
            f"verdict cannot separate it from {winner} ({roc[winner]:.3f})."
        )
    else:
        sentence = (
            f"The labels disagree: by ROC area {best} is best ({roc[best]:.3f}), and {winner} has "
            f"{roc[winner]:.3f}."
        )
    return LabelCheck(
        roc_areas=roc,
        precision_recall_areas=precision_recall,
        best=best,
        agrees=agrees,
        sentence=sentence,
    )
