"""What is said of candidates that failed or have no score."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from oddrank.errors import DetectorFailedError, InvalidDataError, OddrankWarning, UnresolvedWarning
from oddrank.search_candidates import SearchCandidate
from oddrank.search_selection import shared_means
from oddrank.successive_halving import SearchScores

__all__ = ["tell_outcome"]


def tell_outcome(candidates: Sequence[SearchCandidate], seen: SearchScores, criterion: str) -> None:
    """Refuse a search without any score, and warn of candidates without one."""
    failed = [candidates[index].name for index in sorted(seen.failures)]
    if len(failed) == len(candidates):
        first = seen.failures[min(seen.failures)]
        raise DetectorFailedError(f"All {len(candidates)} candidates failed. The first: {first}")
    last = np.flatnonzero(seen.finalists)
    means, _ = shared_means(seen.scores[last])
    if not np.isfinite(means).any():
        raise InvalidDataError(
            f"The {criterion.removeprefix('neg_').replace('_', ' ')} of no candidate is resolved, "
            "because their level sets hold too few reference points. Draw more reference points, "
            "give more rows, or pass subsampling=FeatureSubsampling()."
        )
    if failed:
        reason = seen.failures[min(seen.failures)]
        warnings.warn(
            f"{len(failed)} of {len(candidates)} candidates failed and cannot be chosen "
            f"({', '.join(failed[:3])}). The first: {reason}",
            OddrankWarning,
            stacklevel=3,
        )
    unresolved = [
        candidates[int(index)].name
        for index, mean in zip(last, means, strict=True)
        if np.isnan(mean) and index not in seen.failures
    ]
    if unresolved:
        warnings.warn(
            f"{len(unresolved)} of {len(candidates)} candidates are unresolved in too many splits "
            f"and cannot be chosen ({', '.join(unresolved[:3])}). Draw more reference points.",
            UnresolvedWarning,
            stacklevel=3,
        )
