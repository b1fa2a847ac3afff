"""Labels that are known after all, held against the verdict that was reached without them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import average_precision_score, roc_auc_score

from oddrank._text import counted, ordinal
from oddrank._typing import BoolArray, FloatArray
from oddrank.criteria import Estimate, marks_of_rows, roc_area
from oddrank.errors import InvalidDataError, OddrankWarning
from oddrank.inspection.label_values import label_numbers
from oddrank.ranking import Ranking
from oddrank.rows import Table, as_table, comparable_values

__all__ = ["LabelCheck", "LabelledPlace", "check_against_labels"]


# Bootstrap samples behind the error of a difference of PR areas, and fewer of them for many rows.
_N_SAMPLES, _N_SAMPLES_OF_MANY, _MANY_ROWS = 100, 25, 20_000
# Weights of this many rows are handled at a time, so that they fit into the processor's cache.
_WEIGHTS_AT_A_TIME = 2**17
_LEVEL = 0.95
# With fewer rows of a class, areas may agree by luck and show no spread at all.
_FEWEST_OF_A_CLASS = 5

COMMITTEE = "the committee"
_Ranks = Mapping[str, npt.NDArray[np.intp]]


@dataclass(frozen=True, kw_only=True)
class LabelledPlace:
    """Where labels put the pick, by one kind of area.

    Attributes
    ----------
    area : str
        "ROC" or "PR".
    value : float
        The pick's area.
    rank : int
        1 for the best; areas that are equal to three digits share a rank.
    n_tied : int
        How many others share it.
    rival : str
        The best of the others.
    lead : Estimate
        By how much the pick's area is larger than the rival's, with the error of pairs (DeLong for
        ROC, bootstrap for PR); negative where the rival is better.
    is_clear : bool
        Whether the labels can tell the two apart, corrected for choosing the rival among others.
    """

    area: str
    value: float
    rank: int
    n_tied: int
    rival: str
    lead: Estimate
    is_clear: bool

    @property
    def words(self) -> str:
        """The place in words."""
        joint = "joint " if self.n_tied else ""
        behind = "" if self.rank == 1 else f", {_signed(self.lead)} against {self.rival}"
        return f"{joint}{ordinal(self.rank)} by {self.area} ({self.value:.3f}{behind})"


@dataclass(frozen=True, kw_only=True)
class LabelCheck:
    """Areas under the ROC and precision-recall curves, beside the label-free verdict.

    Attributes
    ----------
    roc_areas, precision_recall_areas : mapping of name to float
        1 is perfect; chance gives 0.5 and the share of anomalies.
    best : str
        The best detector by ROC area.
    pick : str
        What the verdict says to use: "the committee", or the detector that was ranked alone.
    places : tuple of LabelledPlace
        Where the pick stands by ROC and by PR; empty if there is no other detector.
    outcome : "agree", "disagree" or "cannot tell"
        The labels agree where the pick is clearly best by one area and clearly worse by none. They
        disagree where another detector is clearly better. Otherwise labels cannot tell.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.covariance import EllipticEnvelope
    >>> from sklearn.neighbors import KernelDensity
    >>> from oddrank import rank_detectors
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> detectors = {"density": KernelDensity(), "ellipse": EllipticEnvelope()}
    >>> ranking = rank_detectors(detectors, X, random_state=0)
    >>> from oddrank import check_against_labels
    >>> new = np.concatenate([X[:50] + 0.1, X[:10] + 6.0])
    >>> check = check_against_labels(ranking, new, np.arange(60) >= 50)
    >>> sorted(check.roc_areas)
    ['density', 'ellipse', 'the committee']
    """

    roc_areas: Mapping[str, float]
    precision_recall_areas: Mapping[str, float]
    best: str
    pick: str
    places: tuple[LabelledPlace, ...]

    def __repr__(self) -> str:
        return f"<LabelCheck of {len(self.roc_areas)} detectors: {self.outcome}>"

    @property
    def outcome(self) -> str:
        """What labels say of the verdict."""
        clear = [place for place in self.places if place.is_clear]
        if any(place.lead.value < 0.0 for place in clear):
            return "disagree"
        return "agree" if clear else "cannot tell"

    @property
    def sentence(self) -> str:
        """The same in words."""
        if not self.places:
            areas = (self.roc_areas[self.pick], self.precision_recall_areas[self.pick])
            shown = " and ".join(
                f"{of} {a:.3f}" for of, a in zip(("ROC", "PR"), areas, strict=True)
            )
            return f"By labels {self.pick} has {shown}; there is no other detector to compare."
        behind = [place.rival for place in self.places if place.is_clear and place.lead.value < 0]
        start = {
            "agree": "Labels agree",
            "disagree": f"Labels prefer {' and '.join(dict.fromkeys(behind))}",
            "cannot tell": "Labels cannot tell which is best",
        }[self.outcome]
        roc, pr = (place.words for place in self.places)
        others = len(self.roc_areas) - 1
        return f"{start}: among {counted(others, 'detector')}, {self.pick} is {roc} and {pr}."


def check_against_labels(ranking: Ranking, X: Any, labels: npt.ArrayLike) -> LabelCheck:
    """Hold the committee, and every ranked detector fitted on all training rows, against labels.

    Parameters
    ----------
    ranking : Ranking
    X : array or frame
        Rows with known labels, in the units of the rows that were ranked.
    labels : array of bool or of 0 and 1
        True or 1 for an anomaly; no detector sees them. Rows without a label (None, NaN, NA) are
        left out, with a warning. So are rows that the committee was taught with: what it was told
        is no test of it.

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
    whole = as_table(X)
    numbers = label_numbers(labels, whole.n_rows)
    known = np.flatnonzero(~np.isnan(numbers))
    if len(known) < whole.n_rows:
        warnings.warn(
            f"{whole.n_rows - len(known):,} of {whole.n_rows:,} rows have no label and are left "
            "out of the comparison with labels.",
            OddrankWarning,
            stacklevel=2,
        )
    taught = _taught_with(ranking, whole.rows(known))
    if taught.any():
        known = known[~taught]
        _check_rows_left(numbers[known])
        warnings.warn(
            f"{int(taught.sum()):,} of {len(taught):,} rows with a label are left out of the "
            "comparison with labels: the committee was taught with them, so they cannot test it.",
            OddrankWarning,
            stacklevel=2,
        )
    table, odd = whole.rows(known), numbers[known] == 1.0
    if not ranking.order:
        raise InvalidDataError(
            "No detector could be ranked, so there is nothing to hold to labels."
        )
    # Scores may be infinite where a density is 0; only their order matters.
    ranks = {
        name: np.unique(-ranking.refit.fitted(name).score(table), return_inverse=True)[1]
        for name in ranking.names
    }
    pick = ranking.best
    if len(ranking.order) > 1:
        pick = COMMITTEE
        ranks[pick] = np.unique(_committee_oddness(ranking, whole, known), return_inverse=True)[1]
    roc = {name: float(roc_auc_score(odd, each)) for name, each in ranks.items()}
    pr = {name: float(average_precision_score(odd, each)) for name, each in ranks.items()}
    places: tuple[LabelledPlace, ...] = ()
    if len(ranks) > 1:
        places = (
            _place("ROC", pick, roc, partial(_roc_lead, ranks, odd)),
            _place("PR", pick, pr, partial(_pr_lead, ranks, odd)),
        )
    return LabelCheck(
        roc_areas=roc,
        precision_recall_areas=pr,
        best=max(ranking.names, key=lambda name: roc[name]),
        pick=pick,
        places=places,
    )


def _taught_with(ranking: Ranking, table: Table) -> BoolArray:
    """Return which rows the committee was taught with: by their contents, wherever they stand."""
    teaching = ranking.taught
    if teaching is None:
        return np.zeros(table.n_rows, dtype=np.bool_)
    own = ranking.tested_rows.rows(teaching.places)
    told = np.concatenate([marks_of_rows(comparable_values(own)), teaching.cases.marks])
    return np.isin(marks_of_rows(comparable_values(table)), told)


def _check_rows_left(numbers: FloatArray) -> None:
    """Refuse labels of one kind of rows alone, where others have taught the committee."""
    n_odd, n_normal = int((numbers == 1.0).sum()), int((numbers == 0.0).sum())
    if not n_odd or not n_normal:
        raise InvalidDataError(
            "Labels cannot test a committee that was taught with them. Without these rows "
            f"{counted(n_odd, 'odd row')} and {counted(n_normal, 'normal row')} with a label are "
            "left, and both kinds are needed. Give labels of other rows, or check a ranking that "
            "was not taught."
        )


def _committee_oddness(ranking: Ranking, table: Table, which: npt.NDArray[np.intp]) -> FloatArray:
    """Return the oddness of some rows; of the ranked table by fits that have not seen them."""
    rows, committee = ranking.refit.rows, ranking.committee
    if np.array_equal(table.values, rows.values, equal_nan=True):
        return np.asarray(committee.row_oddness_.mean(axis=0))[which]
    some = table.rows(which)
    return committee.oddness(some.wrap(some.values))


def _place(
    area: str,
    pick: str,
    areas: Mapping[str, float],
    lead_of: Callable[[str, str, float], Estimate],
) -> LabelledPlace:
    shown = {name: round(value, 3) for name, value in areas.items()}
    others = [name for name in areas if name != pick]
    rival = max(others, key=lambda name: areas[name])
    # the rival is the best of several: chance has as many tries
    lead = lead_of(pick, rival, 1.0 - (1.0 - _LEVEL) / len(others))
    low, high = lead.interval
    return LabelledPlace(
        area=area,
        value=areas[pick],
        rank=1 + sum(shown[name] > shown[pick] for name in others),
        n_tied=sum(shown[name] == shown[pick] for name in others),
        rival=rival,
        lead=lead,
        is_clear=low > 0.0 or high < 0.0,
    )


def _roc_lead(ranks: _Ranks, odd: BoolArray, first: str, second: str, level: float) -> Estimate:
    # anomalies rank high: they are the rows of this area, normal rows its points
    areas = [
        roc_area(each[odd].astype(np.float64), each[~odd].astype(np.float64))
        for each in (ranks[first], ranks[second])
    ]
    if _too_few(odd):
        return Estimate.normal(areas[0].value - areas[1].value, np.inf, level)
    return areas[0].difference(areas[1], level)


def _pr_lead(ranks: _Ranks, odd: BoolArray, first: str, second: str, level: float) -> Estimate:
    """Return the difference of PR areas, and its spread when normal and odd rows are redrawn."""
    random = np.random.default_rng(0)  # the same labels have the same error
    n_samples = _N_SAMPLES if len(odd) <= _MANY_ROWS else _N_SAMPLES_OF_MANY
    weights = np.empty((n_samples, len(odd)))
    for rows in (np.flatnonzero(odd), np.flatnonzero(~odd)):
        weights[:, rows] = random.multinomial(
            len(rows), np.full(len(rows), 1.0 / len(rows)), size=n_samples
        )
    samples = np.subtract(
        *(_precision_recall_areas(odd, ranks[name], weights) for name in (first, second))
    )
    area = average_precision_score
    value = area(odd, ranks[first]) - area(odd, ranks[second])
    error = np.inf if _too_few(odd) else float(np.std(samples, ddof=1))
    return Estimate.normal(float(value), error, level)


def _precision_recall_areas(
    odd: BoolArray, ranks: npt.NDArray[np.intp], weights: FloatArray
) -> FloatArray:
    """Return the average precision under every row of weights: rows are sorted once for all."""
    order = np.argsort(-ranks, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(ranks[order]) != 0, True))
    at_a_time = max(1, _WEIGHTS_AT_A_TIME // len(odd))
    areas = []
    for start in range(0, len(weights), at_a_time):
        some = weights[start : start + at_a_time]
        chosen = some[:, order].cumsum(axis=1)[:, ends]
        found = (some[:, order] * odd[order]).cumsum(axis=1)[:, ends]
        # where all weights are 0 nothing is found either
        precision = found / np.maximum(chosen, np.finfo(float).tiny)
        gains = np.diff(found, axis=1, prepend=0.0) / found[:, -1:]
        areas.append((gains * precision).sum(axis=1))
    return np.concatenate(areas)


def _too_few(odd: BoolArray) -> bool:
    return bool(min(odd.sum(), (~odd).sum()) < _FEWEST_OF_A_CLASS)


def _signed(lead: Estimate) -> str:
    known = f" ± {lead.standard_error:.3f}" if np.isfinite(lead.standard_error) else ""
    return f"{lead.value:+.3f}{known}".replace("-", "−")
