"""Everything the page about a search says, as plain typed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from oddrank.report.provenance import package_versions
from oddrank.report.summary import DataSummary
from oddrank.search import LabelFreeSearchCV

__all__ = ["CandidateSummary", "TuningSummary", "summarise_tuning"]


@dataclass(frozen=True, kw_only=True)
class CandidateSummary:
    """One candidate of a search.

    Attributes
    ----------
    settings : str
        Its parameters in words.
    params : mapping of str to object
        Without the name of a pipeline's step.
    rank : int
    score, spread : float
        Mean of the logarithm of the criterion over splits, and its standard deviation.
    deficit, error : float
        How far the best is ahead on average, split by split, and the standard error of that; NaN
        for candidates that did not reach the last round.
    n_scored : int
    inseparable, chosen : bool
    state : str
        Why it was chosen, or what it is beside the best.
    """

    settings: str
    params: Mapping[str, Any]
    rank: int
    score: float
    spread: float
    deficit: float
    error: float
    n_scored: int
    inseparable: bool
    chosen: bool
    state: str


@dataclass(frozen=True, kw_only=True)
class TuningSummary:
    """A whole search.

    Attributes
    ----------
    title, verdict : str
    remarks : tuple of str
    criterion : str
        In words, with what is better.
    confidence_level : float
    n_splits : int
    candidates : tuple of CandidateSummary
        Best first.
    mass, threshold : float
        The share of rows like the training rows that is called normal, and the score it ends at.
    mass_error : float
        Standard error of that share, from the number of calibration rows.
    calibration_scores : tuple of float
        From the lowest on.
    put_aside : bool
        Whether calibration rows took no part in the splits.
    data : DataSummary
    created, seed, call : str
    versions : mapping of str to str

    Notes
    -----
    Guide: :doc:`/tuning`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KernelDensity
    >>> from oddrank import LabelFreeSearchCV
    >>> from oddrank.report import summarise_tuning
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> search = LabelFreeSearchCV(
    ...     KernelDensity(), {"bandwidth": [0.05, 0.5]}, n_splits=5, random_state=0
    ... ).fit(X)
    >>> summary = summarise_tuning(search)
    >>> [(each.settings, each.chosen) for each in summary.candidates]
    [('bandwidth=0.5', True), ('bandwidth=0.05', False)]
    """

    title: str
    verdict: str
    remarks: tuple[str, ...]
    criterion: str
    confidence_level: float
    n_splits: int
    candidates: tuple[CandidateSummary, ...]
    mass: float
    threshold: float
    mass_error: float
    calibration_scores: tuple[float, ...]
    put_aside: bool
    data: DataSummary
    created: str
    seed: str
    call: str
    versions: Mapping[str, str]


def summarise_tuning(
    search: LabelFreeSearchCV,
    *,
    title: str = "Which settings to take",
    data: DataSummary | None = None,
    call: str = "",
) -> TuningSummary:
    """Gather all that the page about a fitted search says.

    Parameters
    ----------
    search : LabelFreeSearchCV
        Fitted.
    title : str
    data : DataSummary, optional
        Where the rows came from, and what was left out.
    call : str
        What repeats the search.

    Notes
    -----
    Guide: :doc:`/tuning`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KernelDensity
    >>> from oddrank import LabelFreeSearchCV
    >>> from oddrank.report import summarise_tuning
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> search = LabelFreeSearchCV(
    ...     KernelDensity(), {"bandwidth": [0.05, 0.5]}, n_splits=5, random_state=0
    ... ).fit(X)
    >>> summarise_tuning(search).verdict
    'bandwidth=0.5 has the best excess mass of 2 candidates.'
    """
    n_calibration = len(search.calibration_scores_)
    candidates = _candidates(search)
    return TuningSummary(
        title=title,
        verdict=_verdict(search, candidates),
        remarks=_remarks(search),
        criterion=search.criterion.replace("_", " "),
        confidence_level=search.confidence_level,
        n_splits=search.n_splits,
        candidates=candidates,
        mass=search.mass,
        threshold=search.offset_,
        mass_error=float(np.sqrt(search.mass * (1.0 - search.mass) / n_calibration)),
        calibration_scores=tuple(np.sort(search.calibration_scores_).tolist()),
        put_aside=search.calibration_size is not None,
        data=data or DataSummary(source="", feature_names=(), left_out={}, notes=()),
        created=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        seed=repr(search.random_state),
        call=call,
        versions=package_versions(),
    )


def words(params: Mapping[str, Any]) -> str:
    """Return parameters as text, without the names of a pipeline's steps.

    Examples
    --------
    >>> words({"kerneldensity__bandwidth": 0.5})
    'bandwidth=0.5'
    """
    return ", ".join(f"{name}={value}" for name, value in _short(params).items()) or "as given"


def _short(params: Mapping[str, Any]) -> dict[str, Any]:
    return {name.split("__")[-1]: value for name, value in params.items()}


def _candidates(search: LabelFreeSearchCV) -> tuple[CandidateSummary, ...]:
    results = search.cv_results_
    order = sorted(range(len(results["params"])), key=lambda i: int(results["rank_test_score"][i]))
    return tuple(
        CandidateSummary(
            settings=words(results["params"][index]),
            params=_short(results["params"][index]),
            rank=int(results["rank_test_score"][index]),
            score=float(results["mean_test_score"][index]),
            spread=float(results["std_test_score"][index]),
            deficit=float(results["mean_deficit"][index]),
            error=float(results["error_of_deficit"][index]),
            n_scored=int(results["n_scored"][index]),
            inseparable=index in search.inseparable_,
            chosen=index == search.best_index_,
            state=_state(search, index),
        )
        for index in order
    )


def _state(search: LabelFreeSearchCV, index: int) -> str:
    results = search.cv_results_
    if index == search.best_index_:
        is_top = index == search.top_index_
        near_it = f"{search.refit} within one standard error"
        return f"chosen: the {'highest mean' if is_top else near_it}"
    if index == search.top_index_:
        return "the highest mean"
    if index in search.failures_:
        return f"failed: {search.failures_[index]}"
    if results["round"][index] < max(results["round"]):
        return f"dropped after round {results['round'][index] + 1}"
    if np.isnan(results["mean_test_score"][index]):
        return "unresolved"
    return "cannot be told apart" if index in search.inseparable_ else "worse than the best"


def _verdict(search: LabelFreeSearchCV, candidates: tuple[CandidateSummary, ...]) -> str:
    chosen = next(each.settings for each in candidates if each.chosen)
    criterion = search.criterion.replace("_", " ")
    if search.best_index_ == search.top_index_:
        return f"{chosen} has the best {criterion} of {_candidates_in_words(len(candidates))}."
    top = words(search.cv_results_["params"][search.top_index_])
    return (
        f"{chosen} is the {search.refit} candidate within one standard error of the best "
        f"{criterion}, which {top} has."
    )


def _remarks(search: LabelFreeSearchCV) -> tuple[str, ...]:
    level = f"{100 * search.confidence_level:g} %"
    others = len(search.inseparable_) - 1
    remarks = [
        f"{others} other{'s' if others > 1 else ''} cannot be told apart from the best at {level}: "
        "more rows or splits would be needed to tell."
        if others
        else f"The best beats every other candidate of the last round at {level}."
    ]
    if max(search.cv_results_["round"]) > 0:
        remarks.append("Poor candidates were dropped early; only those of the last round compare.")
    if search.failures_:
        remarks.append(f"{_candidates_in_words(len(search.failures_))} failed.")
    return tuple(remarks)


def _candidates_in_words(number: int) -> str:
    return f"{number} candidate{'s' if number != 1 else ''}"
