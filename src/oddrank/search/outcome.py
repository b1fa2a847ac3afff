"""The outcome of a search: candidates without a score, results as in scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from oddrank.errors import DetectorFailedError, InvalidDataError, OddrankWarning, UnresolvedWarning
from oddrank.search.candidates import SearchCandidate
from oddrank.search.rounds import SearchScores
from oddrank.search.selection import Selection, shared_means

__all__ = ["results_table", "tell_outcome"]


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
            f"No candidate has a resolved {criterion.replace('_', ' ')}, "
            "because the level sets hold too few reference points. Draw more reference points, "
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


def results_table(
    candidates: Sequence[SearchCandidate], seen: SearchScores, selection: Selection
) -> dict[str, Any]:
    """Return `cv_results_`: one entry per candidate in every column.

    Times are those of the last round of each candidate; they alone differ from run to run.
    """
    results: dict[str, Any] = {}
    for name, seconds in (("fit", seen.fit_seconds), ("score", seen.score_seconds)):
        results[f"mean_{name}_time"] = seconds.mean(axis=1)
        results[f"std_{name}_time"] = seconds.std(axis=1)
    results["params"] = [dict(candidate.params) for candidate in candidates]
    for name in sorted({name for candidate in candidates for name in candidate.params}):
        results[f"param_{name}"] = _column(candidates, name)
    for split in range(seen.scores.shape[1]):
        results[f"split{split}_test_score"] = seen.scores[:, split]
    results["mean_test_score"] = selection.means
    results["std_test_score"] = selection.deviations
    results["rank_test_score"] = selection.ranks.astype(np.int32)
    results["mean_deficit"] = selection.deficits
    results["error_of_deficit"] = selection.errors
    results["round"] = seen.rounds
    results["n_scored"] = seen.n_scored
    return results


def _column(candidates: Sequence[SearchCandidate], name: str) -> Any:
    # Masked where another detector has no such parameter.
    column = np.ma.MaskedArray(np.empty(len(candidates), dtype=object), mask=True)
    for position, candidate in enumerate(candidates):
        if name in candidate.params:
            column[position] = candidate.params[name]
    return column
