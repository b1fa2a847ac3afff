"""What a ranking hands out to be used: the winner and the committee, fitted on all rows."""

from __future__ import annotations

from collections.abc import Sequence

from oddrank._random import integer_seed
from oddrank.detectors import Refit
from oddrank.judging import CalibratedDetector, Committee

__all__ = ["calibrated_best", "fitted_committee"]


def calibrated_best(name: str, refit: Refit) -> CalibratedDetector:
    """Fit one detector anew on all training rows, with p-values and flags from folds."""
    candidate = refit.candidates[name]
    return CalibratedDetector(
        candidate.detector,
        preprocess=candidate.preprocess,
        scale=refit.scale,
        orientation=candidate.orientation,
        random_state=refit.root,
    ).fit(refit.rows.wrap(refit.rows.values), trusted=refit.trusted)


def fitted_committee(names: Sequence[str], refit: Refit) -> Committee:
    """Fit these detectors as one, on all training rows."""
    candidates = refit.candidates
    orientation = {n: candidates[n].orientation for n in names if candidates[n].orientation}
    return Committee(
        [(name, candidates[name].detector) for name in names],
        preprocess=candidates[names[0]].preprocess,
        scale=refit.scale,
        orientation=orientation or None,
        random_state=integer_seed(refit.root, "committee"),
    ).fit(refit.rows.wrap(refit.rows.values), trusted=refit.trusted)
