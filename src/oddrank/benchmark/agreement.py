"""How often a label-free verdict agrees with the labelled one, and what it costs to follow it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np

__all__ = ["PairCounts", "constant_order_counts", "count_pairs", "exact_orders", "regret"]

Measures = Mapping[str, float]
Results = Mapping[tuple[str, str], Measures]

# Mass volume is better when smaller, all other measures when larger.
_SIGNS = {"roc": 1.0, "pr": 1.0, "em": 1.0, "mv": -1.0}


@dataclass(frozen=True, kw_only=True)
class PairCounts:
    """Pairs of detectors on one dataset that two verdicts order alike.

    Attributes
    ----------
    surely : int
        Pairs that both order, and order alike.
    possibly : int
        With those that one of them leaves tied, as rounded figures do.
    total : int
        Pairs that are looked at.
    """

    surely: int
    possibly: int
    total: int

    def __str__(self) -> str:
        share = (
            str(self.surely) if self.surely == self.possibly else f"{self.surely}-{self.possibly}"
        )
        return f"{share}/{self.total}"


def count_pairs(results: Results, criterion: str, *, against: tuple[str, ...]) -> PairCounts:
    """Count the pairs that a criterion orders as all of `against` do.

    Pairs on which the measures of `against` contradict each other are not looked at.
    """
    surely = possibly = total = 0
    for dataset, first, second in _pairs(results):
        wanted = [_order(results, dataset, first, second, measure) for measure in against]
        if len(set(wanted) - {0}) > 1:
            continue
        total += 1
        found = {*wanted, _order(results, dataset, first, second, criterion)}
        contradiction = len(found - {0}) > 1
        surely += not contradiction and 0 not in found
        possibly += not contradiction
    return PairCounts(surely=surely, possibly=possibly, total=total)


def exact_orders(results: Results, criterion: str, measure: str) -> int:
    """Count the datasets whose detectors a criterion puts in exactly the order of a measure."""
    return sum(
        _ranked(results, dataset, criterion) == _ranked(results, dataset, measure)
        for dataset in _datasets(results)
    )


def constant_order_counts(results: Results, measure: str) -> dict[tuple[str, ...], PairCounts]:
    """Count, for every fixed order of the detectors, the pairs that it gets right: best first."""
    detectors = sorted({detector for _, detector in results})
    counts = {}
    for order in permutations(detectors):
        place = {detector: -position for position, detector in enumerate(order)}
        constant = {
            key: {"constant": float(place[key[1]]), measure: values[measure]}
            for key, values in results.items()
        }
        counts[order] = count_pairs(constant, "constant", against=(measure,))
    return dict(sorted(counts.items(), key=lambda item: -item[1].surely))


def regret(results: Results, pick: str, measure: str = "roc") -> dict[str, float]:
    """Return, per dataset, how much of a measure is lost by following a pick.

    Parameters
    ----------
    results : mapping of (dataset, detector) to measures
    pick : str
        "em" or "mv" takes the best by that criterion; "always:NAME" takes one detector; "random"
        averages over all.
    measure : str
    """
    lost = {}
    for dataset in _datasets(results):
        values = {d: m[measure] for (name, d), m in results.items() if name == dataset}
        if pick == "random":
            gained = float(np.mean(list(values.values())))
        elif pick.startswith("always:"):
            gained = values[pick.removeprefix("always:")]
        else:
            gained = values[_ranked(results, dataset, pick)[0]]
        lost[dataset] = max(values.values()) - gained
    return lost


def _pairs(results: Results) -> Iterable[tuple[str, str, str]]:
    for dataset in _datasets(results):
        detectors = sorted(d for name, d in results if name == dataset)
        for first, second in combinations(detectors, 2):
            yield dataset, first, second


def _datasets(results: Results) -> list[str]:
    return list(dict.fromkeys(dataset for dataset, _ in results))


def _order(results: Results, dataset: str, first: str, second: str, measure: str) -> int:
    difference = results[dataset, first][measure] - results[dataset, second][measure]
    if np.isnan(difference):
        return 0  # unresolved: it orders nothing
    return int(np.sign(_SIGNS.get(measure, 1.0) * difference))


def _ranked(results: Results, dataset: str, measure: str) -> list[str]:
    values = {d: m[measure] for (name, d), m in results.items() if name == dataset}
    sign = _SIGNS.get(measure, 1.0)
    place = {d: np.inf if np.isnan(value) else -sign * value for d, value in values.items()}
    return sorted(values, key=lambda detector: (place[detector], detector))
