"""How good every judge is, from stored rows: pairs right, losses of pick and committee."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

from benchmarks.datasets import SOURCES
from benchmarks.prepare import FloatArray
from benchmarks.rows import Row
from benchmarks.verdict.labels import pairs_right
from benchmarks.verdict.study import TWIN

Call = Mapping[str, Any]
#: A judge, as a function of one stored row: a score per detector, higher is better; None for none.
RowJudge = Callable[[Row], "FloatArray | None"]

FIGURES = (
    "pairs right",
    "clear pairs right",
    "ROC lost",
    "PR lost",
    "committee ROC lost",
    "committee PR lost",
)
# Members of the committee, as `oddrank.Ranking.committee` takes them.
SIZES = {"nothing said": "7", "clean": "3", "polluted": "3"}
_RESAMPLES = 2000


def family_of(dataset: str) -> str:
    """Return the family of a dataset: a choice made on some families is tried on others."""
    return SOURCES[dataset].family


@dataclass(frozen=True, kw_only=True, eq=False)
class Performance:
    """What a judge achieves.

    Attributes
    ----------
    of_dataset : mapping of dataset to array of shape (6,)
        The figures, averaged over seeds; NaN where there is no committee.
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

    def less(self, other: Performance, figure: int, other_figure: int) -> Performance:
        """Return how much larger one figure is than another judge's, dataset by dataset."""
        return Performance(
            of_dataset={
                name: np.array([figures[figure] - other.of_dataset[name][other_figure]])
                for name, figures in self.of_dataset.items()
                if name in other.of_dataset
            }
        )


def usable_rows(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that were measured, and whose test half holds anomalies."""
    return [
        row
        for row in rows
        if row.get("status", "done") == "done" and None not in row["calls"]["unsaid"]["roc"]
    ]


def unsaid(row: Row) -> Call:
    """Return the call in which nothing is said of the rows."""
    call: Call = row["calls"]["unsaid"]
    return call


def told(row: Row) -> Call:
    """Return the call with `polluted` set; `polluted=False` changes no fit."""
    call: Call = row["calls"].get("said", row["calls"]["unsaid"])
    return call


def names_of(call: Call) -> list[str]:
    """Return the detectors without twins."""
    return sorted(name for name in call["order"] if not name.startswith(TWIN))


def column(call: Call, kind: str) -> FloatArray:
    """Return what a call has of every detector of `names_of`."""
    of_name = dict(zip(call["order"], call[kind], strict=True))
    return np.array([of_name[name] for name in names_of(call)], dtype=np.float64)


def verdict_table(rows: Sequence[Row], setting: str) -> dict[str, Performance]:
    """Return the performance of every judge and baseline in one setting."""
    of_setting = [row for row in usable_rows(rows) if row["setting"] == setting]
    if not of_setting:
        return {}
    said = "clean" if setting == "novelty" else "polluted"
    table = {
        "default call, nothing said": _of_calls(of_setting, unsaid, "nothing said"),
        f"default call, told that rows are {said}": _of_calls(of_setting, told, said),
        "volume: excess mass": _performance(of_setting, _volume("em", 1.0)),
        "volume: mass volume": _performance(of_setting, _volume("mv", -1.0)),
    }
    first = unsaid(of_setting[0])
    for position, measure in enumerate(first["measures"]):
        table[f"measure: {measure}"] = _performance(of_setting, _measure(position))
    for name in names_of(first):
        table[f"always {name}"] = _performance(of_setting, _always(name))
    table["random"] = _performance(of_setting, lambda row: np.zeros(len(names_of(unsaid(row)))))
    table["best constant order of the other families"] = _left_out_constant(of_setting)
    table["ceiling: labels of half of the test rows"] = _averaged(of_setting, _ceiling)
    return {name: each for name, each in table.items() if each.of_dataset}


def _best(row: Row, kind: str) -> float:
    """Return the best area of any detector that is fitted on all training rows as they are."""
    return float(column(unsaid(row), kind).max())


def _of_calls(rows: Sequence[Row], call_of: Callable[[Row], Call], said: str) -> Performance:
    def figures(row: Row) -> FloatArray:
        call = call_of(row)
        committee = call["committees"][SIZES[said]]
        lost = [_best(row, kind) - committee[kind] for kind in ("roc", "pr")]
        return np.append(_figures(row, call, column(call, "score")), lost)

    return _averaged(rows, figures)


def _performance(rows: Sequence[Row], judge: RowJudge) -> Performance:
    def figures(row: Row) -> FloatArray | None:
        scores = judge(row)
        if scores is None:
            return None
        return np.append(_figures(row, unsaid(row), scores), [np.nan, np.nan])

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


def _figures(row: Row, call: Call, scores: FloatArray) -> FloatArray:
    roc, pr = column(call, "roc"), column(call, "pr")
    picked = scores == scores.max()
    return np.array([
        *pairs_right(scores, roc),
        _best(row, "roc") - roc[picked].mean(),
        _best(row, "pr") - pr[picked].mean(),
    ])  # fmt: skip


def _volume(name: str, sign: float) -> RowJudge:
    def judge(row: Row) -> FloatArray | None:
        if not row["volumes"]:
            return None
        values = [row["volumes"].get(each, {}).get(name) for each in names_of(unsaid(row))]
        if all(value is None for value in values):
            return None
        # an area without a value beats no other
        return np.array([-np.inf if value is None else sign * value for value in values])

    return judge


def _measure(position: int) -> RowJudge:
    return lambda row: column(unsaid(row), "areas")[:, position]


def _always(name: str) -> RowJudge:
    return lambda row: np.array([float(each == name) for each in names_of(unsaid(row))])


def _left_out_constant(rows: Sequence[Row]) -> Performance:
    """Order by the mean ROC ranks in all other families, and try this order on a dataset."""
    achieved: dict[str, FloatArray] = {}
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        others = [row for row in rows if family_of(row["dataset"]) != family_of(dataset)]
        if others:
            ranks = [rankdata(column(unsaid(row), "roc")) for row in others]
            order = np.asarray(np.mean(ranks, axis=0))
            own = [row for row in rows if row["dataset"] == dataset]
            achieved |= _performance(own, _constant(order)).of_dataset
    return Performance(of_dataset=achieved)


def _constant(scores: FloatArray) -> RowJudge:
    return lambda _: scores


def _ceiling(row: Row) -> FloatArray | None:
    """Return what ordering by labels of other rows achieves, as it was measured."""
    if unsaid(row)["ceiling"] is None:
        return None
    return np.append(np.array(unsaid(row)["ceiling"], dtype=np.float64), [np.nan, np.nan])
