"""Results of a search as scikit-learn's searches give them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from oddrank.search_candidates import SearchCandidate
from oddrank.search_selection import Selection
from oddrank.successive_halving import SearchScores

__all__ = ["results_table"]


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
