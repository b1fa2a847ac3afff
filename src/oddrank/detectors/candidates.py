"""Detectors under names: from a mapping, from pairs, or from their classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from oddrank._validation import check_option
from oddrank.detectors.fitted_detector import Candidate, detector_name
from oddrank.detectors.normality import ORIENTATIONS
from oddrank.errors import DetectorError, InvalidParameterError

__all__ = ["name_candidates"]


def name_candidates(
    detectors: Mapping[str, Any] | Sequence[Any], orientation: str | Mapping[str, str] | None
) -> list[Candidate]:
    """Name every detector, and refuse what can be seen to be unfit before any work starts."""
    pairs = _pairs(detectors)
    if not pairs:
        raise InvalidParameterError("There are no detectors to rank. Pass at least one.")
    names = [name for name, _ in pairs]
    for name, count in Counter(names).items():
        if count > 1:
            raise InvalidParameterError(
                f"{count} detectors are called {name!r}. Give every detector a name of its own."
            )
    directions = _orientations(orientation, names)
    candidates = []
    for name, detector in pairs:
        candidate = Candidate(name=name, detector=detector, orientation=directions[name])
        try:
            candidate.check()
        except DetectorError as error:
            raise DetectorError(f"{name}: {error}") from None
        candidates.append(candidate)
    return candidates


def _pairs(detectors: Any) -> list[tuple[str, Any]]:
    if isinstance(detectors, Mapping):
        return [(_checked_name(name), detector) for name, detector in detectors.items()]
    single = hasattr(detectors, "fit") or isinstance(detectors, str)
    if single or not isinstance(detectors, Iterable):
        raise InvalidParameterError(
            "The 'detectors' parameter of rank_detectors must be a mapping of names to detectors "
            f"or a sequence of detectors. Got {type(detectors).__name__} instead; "
            "put a single detector into a list."
        )
    listed = list(detectors)
    if listed and all(_is_pair(item) for item in listed):
        return [(_checked_name(name), detector) for name, detector in listed]
    seen: Counter[str] = Counter()
    pairs = []
    for detector in listed:
        name = detector_name(detector)
        seen[name] += 1
        pairs.append((name if seen[name] == 1 else f"{name}-{seen[name]}", detector))
    return pairs


def _is_pair(item: Any) -> bool:
    return isinstance(item, tuple) and len(item) == 2


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not name.strip():
        raise InvalidParameterError(
            f"A detector's name must be a text that is not empty. Got {name!r} instead."
        )
    return name


def _orientations(
    orientation: str | Mapping[str, str] | None, names: list[str]
) -> dict[str, str | None]:
    if isinstance(orientation, Mapping):
        for name in orientation:
            check_option(name, "orientation", "rank_detectors", names)
        given = {name: orientation.get(name) for name in names}
    else:
        given = dict.fromkeys(names, orientation)
    for each in given.values():
        check_option(each, "orientation", "rank_detectors", ORIENTATIONS)
    return given
