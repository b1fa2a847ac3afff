"""The two kinds of curves with their bands, at as many points as a page needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from oddrank._typing import FloatArray
from oddrank.errors import InvalidDataError
from oddrank.evaluation import (
    CurveBand,
    Evaluation,
    excess_mass_band,
    levels_to_show,
    mass_volume_band,
)
from oddrank.ranking import Ranking
from oddrank.report.summary import CurveSummary

__all__ = ["excess_mass_curves", "mass_volume_curves"]

N_POINTS = 160


def mass_volume_curves(ranking: Ranking) -> tuple[CurveSummary, ...]:
    """Return the mass-volume curves over the mass range; none where features were drawn."""
    low, high = ranking.masses
    masses = np.linspace(max(low, 1e-6), high, N_POINTS)
    return _summaries(_with_curves(ranking), mass_volume_band, masses, ranking.confidence_level)


def excess_mass_curves(ranking: Ranking) -> tuple[CurveSummary, ...]:
    """Return the excess-mass curves down to the floor; none where they do not exist."""
    evaluations = _with_curves(ranking)
    floor = ranking.parameters["judge"].in_volume.excess_mass_floor
    try:
        levels = levels_to_show(evaluations, floor, N_POINTS)
    except InvalidDataError:
        return ()
    band_of = partial(excess_mass_band, floor=floor)
    return _summaries(evaluations, band_of, levels, ranking.confidence_level)


def _with_curves(ranking: Ranking) -> dict[str, Evaluation]:
    return {
        name: evaluation
        for name, evaluation in ranking.evaluations.items()
        if not evaluation.criteria.drawn
    }


def _summaries(
    evaluations: Mapping[str, Evaluation],
    band_of: Callable[[Any, Any, float], CurveBand],
    x: FloatArray,
    confidence_level: float,
) -> tuple[CurveSummary, ...]:
    summaries = []
    for name, evaluation in evaluations.items():
        band = band_of(evaluation, x, confidence_level)
        summaries.append(
            CurveSummary(
                detector=name,
                x=tuple(band.x.tolist()),
                y=tuple(band.y.tolist()),
                lower=tuple(band.lower.tolist()),
                upper=tuple(band.upper.tolist()),
            )
        )
    return tuple(summaries)
