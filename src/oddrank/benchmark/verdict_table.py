"""How good every judge is, from stored rows: pairs right, losses of pick and committee."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.stats import rankdata

from oddrank._typing import FloatArray
from oddrank.benchmark.goix2016 import SIGNS
from oddrank.benchmark.verdict import TWIN
from oddrank.datasets import list_datasets

__all__ = [
    "VERDICT_FIGURES",
    "Performance",
    "family_of",
    "told",
    "usable_rows",
    "verdict_table",
]

Row = Mapping[str, Any]
#: A judge, as a function of one stored row: a score per detector, higher is better; None for none.
RowJudge = Callable[[Row], "FloatArray | None"]

VERDICT_FIGURES = (
    "pairs right",
    "clear pairs right",
    "ROC lost",
    "PR lost",
    "committee ROC lost",
    "committee PR lost",
)
# Pairs whose ROC areas differ by more than this are clear.
CLEAR = 0.05
# Members of the committee, as `oddrank.Ranking.committee` takes them.
SIZES = {"nothing said": "7", "clean": "3", "polluted": "3"}
_RESAMPLES = 2000


@cache
def family_of(dataset: str) -> str:
    """Return the family of a dataset: a choice made on some families is tried on others."""
    catalogue = list_datasets("all")
    return catalogue[dataset].family if dataset in catalogue.names else dataset


@dataclass(frozen=True, kw_only=True, eq=False)
class Performance:
    """What a judge achieves.

    Attributes
    ----------
    of_dataset : mapping of dataset to array of shape (6,)
        The figures, averaged over seeds; NaN where there is no committee.

    Notes
    -----
    Guide: :doc:`/benchmark`.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank.benchmark import VERDICT_FIGURES, Performance
    >>> each = Performance(of_dataset={"mine": np.full(6, 0.5), "yours": np.full(6, 0.75)})
    >>> VERDICT_FIGURES[0], float(each.mean[0]), each.interval()[:, 0]
    ('pairs right', 0.625, array([0.5 , 0.75]))
    """

    of_dataset: Mapping[str, FloatArray]

    @property
    def mean(self) -> FloatArray:
        """The figures, averaged over datasets."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a figure that no dataset has
            return np.asarray(np.nanmean(list(self.of_dataset.values()), axis=0))

    def interval(self, confidence_level: float = 0.95) -> FloatArray:
        """Return bounds of the means, shape (2, 6), by drawing families of datasets again."""
        families: dict[str, list[FloatArray]] = {}
        for name, figures in sorted(self.of_dataset.items()):
            families.setdefault(family_of(name), []).append(figures)
        sums = np.array([np.nansum(each, axis=0) for each in families.values()])
        counts = np.array([np.isfinite(each).sum(axis=0) for each in families.values()])
        drawn = np.random.default_rng(0).integers(0, len(sums), (_RESAMPLES, len(sums)))
        with np.errstate(invalid="ignore", divide="ignore"):
            means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
        tail = (1.0 - confidence_level) / 2.0
        return np.asarray(np.quantile(means, (tail, 1.0 - tail), axis=0))

    def less(self, other: Performance, figure: int, other_figure: int | None = None) -> Performance:
        """Return how much larger one figure is than another judge's, dataset by dataset."""
        place = figure if other_figure is None else other_figure
        return Performance(
            of_dataset={
                name: np.array([figures[figure] - other.of_dataset[name][place]])
                for name, figures in self.of_dataset.items()
                if name in other.of_dataset
            }
        )


def usable_rows(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that were measured, and whose test half holds anomalies."""
    return [
        row
        for row in rows
        if row["status"] == "done"
        and "calls" in row
        and all(each["roc"] is not None for each in row["calls"]["unsaid"]["detectors"].values())
    ]


def told(row: Row) -> Mapping[str, Any]:
    """Return the call with `polluted` set; `polluted=False` changes no fit."""
    call: Mapping[str, Any] = row["calls"].get("said", row["calls"]["unsaid"])
    return call


def verdict_table(rows: Sequence[Row], setting: str) -> dict[str, Performance]:
    """Return the performance of every judge and baseline in one setting.

    Notes
    -----
    Guide: :doc:`/benchmark`.

    Examples
    --------
    >>> from oddrank.benchmark import verdict_table
    >>> def areas(score, roc):
    ...     labelled = {"roc": roc, "pr": roc / 2}
    ...     return {"score": score, "areas": [score], **labelled, "halves": [labelled, labelled]}
    >>> call = {
    ...     "detectors": {"forest": areas(0.7, 0.6), "knn": areas(0.9, 0.8)},
    ...     "measures": ["uniform"],
    ...     "committees": {"3": {"roc": 0.8, "pr": 0.4}, "7": {"roc": 0.8, "pr": 0.4}},
    ... }
    >>> row = {"dataset": "mine", "setting": "novelty", "status": "done", "volumes": {},
    ...        "calls": {"unsaid": call}}
    >>> table = verdict_table([row], "novelty")
    >>> for judge in ("default call, nothing said", "always forest", "random"):
    ...     right, _, lost, *_ = table[judge].mean
    ...     print(f"{judge}: {right:.1f} of the pairs right, {lost:.1f} ROC lost")
    default call, nothing said: 1.0 of the pairs right, 0.0 ROC lost
    always forest: 0.0 of the pairs right, 0.2 ROC lost
    random: 0.5 of the pairs right, 0.1 ROC lost
    """
    of_setting = [row for row in usable_rows(rows) if row["setting"] == setting]
    if not of_setting:
        return {}
    said = "clean" if setting == "novelty" else "polluted"
    table = {
        "default call, nothing said": _of_calls(
            of_setting, lambda row: row["calls"]["unsaid"], "nothing said"
        ),
        f"default call, told that rows are {said}": _of_calls(of_setting, told, said),
        "volume: excess mass": _performance(of_setting, _volume("em")),
        "volume: mass volume": _performance(of_setting, _volume("mv")),
    }
    for position, measure in enumerate(of_setting[0]["calls"]["unsaid"]["measures"]):
        table[f"measure: {measure}"] = _performance(of_setting, _measure(position))
    for name in _names(of_setting[0]["calls"]["unsaid"]):
        table[f"always {name}"] = _performance(of_setting, _always(name))
    table["random"] = _performance(of_setting, lambda row: np.zeros(len(_raw(row))))
    table["best constant order of the other families"] = _left_out_constant(of_setting)
    table["ceiling: labels of half of the test rows"] = _ceiling(of_setting)
    return {name: each for name, each in table.items() if each.of_dataset}


def _names(call: Mapping[str, Any]) -> list[str]:
    return sorted(name for name in call["detectors"] if not name.startswith(TWIN))


def _raw(row: Row) -> list[str]:
    return _names(row["calls"]["unsaid"])


def _areas(call: Mapping[str, Any], kind: str) -> FloatArray:
    return np.array([call["detectors"][name][kind] for name in _names(call)], dtype=np.float64)


def _best(row: Row, kind: str) -> float:
    """Return the best area of any detector that is fitted on all training rows as they are."""
    return float(_areas(row["calls"]["unsaid"], kind).max())


def _of_calls(
    rows: Sequence[Row], call_of: Callable[[Row], Mapping[str, Any]], said: str
) -> Performance:
    def figures(row: Row) -> FloatArray:
        call = call_of(row)
        found = _figures(row, call, _areas(call, "score"))
        committee = call["committees"][SIZES[said]]
        lost = [_best(row, kind) - committee[kind] for kind in ("roc", "pr")]
        return np.append(found, lost)

    return _averaged(rows, figures)


def _performance(rows: Sequence[Row], judge: RowJudge) -> Performance:
    def figures(row: Row) -> FloatArray | None:
        scores = judge(row)
        if scores is None:
            return None
        return np.append(_figures(row, row["calls"]["unsaid"], scores), [np.nan, np.nan])

    return _averaged(rows, figures)


def _averaged(rows: Sequence[Row], figures_of: Callable[[Row], FloatArray | None]) -> Performance:
    found: dict[str, list[FloatArray]] = {}
    for row in rows:
        figures = figures_of(row)
        if figures is not None:
            found.setdefault(row["dataset"], []).append(figures)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # no clear pair on any seed
        means = {name: np.nanmean(each, axis=0) for name, each in found.items()}
    return Performance(of_dataset=means)


def _figures(row: Row, call: Mapping[str, Any], scores: FloatArray) -> FloatArray:
    roc, pr = _areas(call, "roc"), _areas(call, "pr")
    picked = scores == scores.max()
    return np.array([
        *_pairs_right(scores, roc),
        _best(row, "roc") - roc[picked].mean(),
        _best(row, "pr") - pr[picked].mean(),
    ])  # fmt: skip


def _pairs_right(scores: FloatArray, roc: FloatArray) -> tuple[float, float]:
    """Return the share of pairs ordered as ROC orders them, and of the clear ones; ties half."""
    first, second = np.triu_indices(len(scores), 1)
    apart = roc[first] != roc[second]
    first, second = first[apart], second[apart]
    # compared, not subtracted: both may be infinite
    said = np.greater(scores[first], scores[second]) - np.less(scores[first], scores[second]) * 1.0
    by_roc = roc[first] - roc[second]
    right = 0.5 + 0.5 * said * np.sign(by_roc)
    of_clear = right[np.abs(by_roc) > CLEAR]
    return float(np.mean(right)), float(np.mean(of_clear)) if len(of_clear) else np.nan


def _volume(name: str) -> RowJudge:
    def judge(row: Row) -> FloatArray | None:
        if not row["volumes"]:
            return None
        values = [row["volumes"].get(each, {}).get(name) for each in _raw(row)]
        if all(value is None for value in values):
            return None
        # an area without a value beats no other
        return np.array([-np.inf if value is None else SIGNS[name] * value for value in values])

    return judge


def _measure(position: int) -> RowJudge:
    return lambda row: np.array([
        row["calls"]["unsaid"]["detectors"][name]["areas"][position] for name in _raw(row)
    ])  # fmt: skip


def _always(name: str) -> RowJudge:
    return lambda row: np.array([1.0 if each == name else 0.0 for each in _raw(row)])


def _left_out_constant(rows: Sequence[Row]) -> Performance:
    """Order by the mean ROC ranks in all other families, and try this order on a dataset."""
    achieved: dict[str, FloatArray] = {}
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        others = [row for row in rows if family_of(row["dataset"]) != family_of(dataset)]
        if others:
            ranks = [rankdata(_areas(row["calls"]["unsaid"], "roc")) for row in others]
            order = np.asarray(np.mean(ranks, axis=0))
            own = [row for row in rows if row["dataset"] == dataset]
            achieved |= _performance(own, _constant(order)).of_dataset
    return Performance(of_dataset=achieved)


def _constant(scores: FloatArray) -> RowJudge:
    return lambda _: scores


def _ceiling(rows: Sequence[Row]) -> Performance:
    """Order by the labels of one half of the test rows, and measure on the other half."""

    def figures(row: Row) -> FloatArray | None:
        detectors = [row["calls"]["unsaid"]["detectors"][name] for name in _raw(row)]
        halves = [
            {kind: np.array([each["halves"][half][kind] for each in detectors], dtype=float)
             for kind in ("roc", "pr")}
            for half in (0, 1)
        ]  # fmt: skip
        if any(np.isnan(each["roc"]).any() for each in halves):
            return None
        found = []
        for seen, unseen in (halves, halves[::-1]):
            picked = seen["roc"] == seen["roc"].max()
            lost = [unseen[kind].max() - unseen[kind][picked].mean() for kind in ("roc", "pr")]
            found.append([*_pairs_right(seen["roc"], unseen["roc"]), *lost, np.nan, np.nan])
        return np.asarray(np.mean(found, axis=0))

    return _averaged(rows, figures)
