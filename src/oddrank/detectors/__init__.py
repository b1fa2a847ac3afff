"""Anything that is fitted and scores rows: its sign, its copies and seeds, its name, its check."""

from oddrank.detectors.candidates import (
    Candidate,
    copy_detector,
    detector_name,
    fit_detector,
    name_candidates,
    names_detectors,
    prepare_candidates,
)
from oddrank.detectors.check import check_detector
from oddrank.detectors.named_detectors import DETECTORS, PRESETS, pool_of
from oddrank.detectors.normality import (
    ORIENTATIONS,
    FittedDetector,
    innermost,
    normality_function,
)
from oddrank.detectors.preprocessing import read_for_fit
from oddrank.detectors.refit import Refit

__all__ = [
    "DETECTORS",
    "ORIENTATIONS",
    "PRESETS",
    "Candidate",
    "FittedDetector",
    "Refit",
    "check_detector",
    "copy_detector",
    "detector_name",
    "fit_detector",
    "innermost",
    "name_candidates",
    "names_detectors",
    "normality_function",
    "pool_of",
    "prepare_candidates",
    "read_for_fit",
]
