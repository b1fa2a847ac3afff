"""How often a label-free verdict agrees with the labelled one, and the cost of following it.

Rounded or unresolved figures leave pairs tied. Counts are then ranges, and a pick among tied
detectors is random.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from benchmarks.goix2016.paper import SIGNS

Measures = Mapping[str, float]
Results = Mapping[tuple[str, str], Measures]


@dataclass(frozen=True, kw_only=True)
class PairCounts:
    """Pairs of detectors on one dataset, or whole datasets, that two verdicts order alike.

    Attributes
    ----------
    surely : int
        Pairs that both verdicts order, and order alike.
    possibly : int
        These, and the pairs that one verdict leaves tied, for example by rounding.
    total : int
        Pairs that are counted.
    """

    surely: int
    possibly: int
    total: int

    @property
    def expected(self) -> float:
        """Their number if ties are broken at random."""
        return (self.surely + self.possibly) / 2.0


def count_pairs(results: Results, criterion: str, *, against: tuple[str, ...]) -> PairCounts:
    """Count the pairs that a criterion orders as all of `against` do.

    Pairs on which the measures of `against` contradict each other are not counted.
    """
    verdicts = [
        verdict
        for measured in _by_dataset(results).values()
        for verdict in _verdicts(measured, criterion, against)
    ]
    return _counts(verdicts)


def exact_orders(results: Results, criterion: str, *, against: tuple[str, ...]) -> PairCounts:
    """Count the datasets on which a criterion gets every pair of `count_pairs` right."""
    return _counts(
        min(_verdicts(measured, criterion, against), default=_TIED)
        for measured in _by_dataset(results).values()
    )


def with_constant_order(results: Results, order: tuple[str, ...]) -> Results:
    """Return the results with one more measure, "constant", that never looks at the data."""
    place = {detector: -float(position) for position, detector in enumerate(order)}
    return {key: {**values, "constant": place[key[1]]} for key, values in results.items()}


def regret(results: Results, pick: str, measure: str = "roc") -> dict[str, float]:
    """Return, per dataset, how much of a measure is lost by following a pick.

    "em" or "mv" takes the best by that criterion; "always:NAME" takes one detector; "random"
    averages over all, as does a criterion that is unresolved for all.
    """
    lost = {}
    for dataset, measured in _by_dataset(results).items():
        chosen = _picked(measured, pick)
        gained = sum(measured[detector][measure] for detector in chosen) / len(chosen)
        lost[dataset] = max(measures[measure] for measures in measured.values()) - gained
    return lost


def detectors_of(results: Results) -> list[str]:
    """Return the detectors that every dataset has, in the order of the results."""
    measured = _by_dataset(results).values()
    names = dict.fromkeys(detector for _, detector in results)
    return [name for name in names if all(name in each for each in measured)]


def _by_dataset(results: Results) -> dict[str, dict[str, Measures]]:
    found: dict[str, dict[str, Measures]] = {}
    for (dataset, detector), measures in results.items():
        found.setdefault(dataset, {})[detector] = measures
    return found


def _picked(measured: Mapping[str, Measures], pick: str) -> list[str]:
    if pick == "random":
        return list(measured)
    if pick.startswith("always:"):
        return [pick.removeprefix("always:")]
    values = {detector: SIGNS[pick] * measures[pick] for detector, measures in measured.items()}
    known = [value for value in values.values() if not math.isnan(value)]
    best = [detector for detector, value in values.items() if known and value == max(known)]
    return best or list(measured)


# What is known of a pair that is counted: wrong, tied, right.
_WRONG, _TIED, _RIGHT = -1, 0, 1


def _verdicts(
    measured: Mapping[str, Measures], criterion: str, against: tuple[str, ...]
) -> list[int]:
    verdicts = []
    for pair in combinations(measured.values(), 2):
        wanted = {_order(pair, measure) for measure in against}
        if len(wanted - {0}) > 1:
            continue
        found = wanted | {_order(pair, criterion)}
        contradiction = len(found - {0}) > 1
        verdicts.append(_WRONG if contradiction else _TIED if 0 in found else _RIGHT)
    return verdicts


def _counts(verdicts: Iterable[int]) -> PairCounts:
    given = list(verdicts)
    return PairCounts(
        surely=given.count(_RIGHT),
        possibly=len(given) - given.count(_WRONG),
        total=len(given),
    )


def _order(pair: tuple[Measures, Measures], measure: str) -> int:
    difference = SIGNS.get(measure, 1.0) * (pair[0][measure] - pair[1][measure])
    return (difference > 0) - (difference < 0)  # 0 for NaN: unresolved figures order nothing
