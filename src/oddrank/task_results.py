"""Results of tasks as named arrays: small to send, and stored without pickle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank.criteria import SampledCriteria
from oddrank.level_sets import LevelSets
from oddrank.roc_area import roc_area
from oddrank.scoring import ScoredReference
from oddrank.table import FloatArray
from oddrank.uncertainty import SampledCriterion

__all__ = ["NamedArrays", "pack_criteria", "pack_draw", "pack_judged", "unpack_criteria"]

NamedArrays = Mapping[str, npt.NDArray[Any]]

_CRITERIA = ("excess_mass", "mass_volume")
_SAMPLES = ("value", "without_replicate", "on_halves", "is_maximum", "log_unit")
_NUMBERS = ("movement", "roc_value", "roc_error")
_LEVELS = ("thresholds", "mass", "log_volume")


def pack_draw(criteria: SampledCriteria) -> dict[str, npt.NDArray[Any]]:
    """Keep the two areas of a draw of features with their resamples, in plain units.

    Of the reference points an average needs only what fewer of them give: samplers may stop at
    different numbers of replicates in different draws.
    """
    arrays = {}
    for name in _CRITERIA:
        criterion: SampledCriterion = getattr(criteria, name)
        unit = np.exp(criterion.log_unit)
        without = criterion.without_replicate
        fewer = without.mean() if (without > 0).all() else np.nan
        arrays[f"{name}.value"] = np.array(criterion.value * unit)
        arrays[f"{name}.on_fewer_points"] = np.array(fewer * unit)
        arrays[f"{name}.on_halves"] = criterion.on_halves * unit
        arrays[f"{name}.n_replicates"] = np.array(len(without))
    return arrays | {"points_error": np.array(criteria.points_error)}


def pack_criteria(criteria: SampledCriteria) -> dict[str, npt.NDArray[Any]]:
    """Keep all that an evaluation is made of."""
    arrays = {
        f"{name}.{part}": np.asarray(getattr(getattr(criteria, name), part))
        for name in _CRITERIA
        for part in _SAMPLES
    }
    arrays |= {f"level_sets.{part}": getattr(criteria.level_sets, part) for part in _LEVELS}
    arrays["log_volume_error"] = criteria.log_volume_error
    arrays["inside_floor"] = np.array(criteria.inside_floor)
    arrays["inside_effective"] = np.array(criteria.inside_effective)
    arrays |= {name: np.array(getattr(criteria, name)) for name in (*_NUMBERS, "points_error")}
    return arrays


def pack_judged(
    row_scores: FloatArray,
    replicates: list[ScoredReference],
    n_points: int,
    kept: npt.NDArray[np.intp],
) -> dict[str, npt.NDArray[Any]]:
    """Keep what a judgement is made of: areas by measure, row by row and point by point.

    Parameters
    ----------
    row_scores : array of shape (n_rows,)
    replicates : list of ScoredReference
        Each holds `n_points` points of every measure, one measure after the other.
    n_points : int
    kept : array of int
        The rows whose share in errors is kept: many rows would be much to send, and add little.
    """
    of_measure = np.hstack([part.scores.reshape(-1, n_points) for part in replicates])
    areas = [roc_area(row_scores, scores) for scores in of_measure]
    return {
        "judged.areas": np.array([area.value for area in areas]),
        "judged.of_rows": np.array([area.of_rows[kept] for area in areas], dtype=np.float32),
        "judged.of_points": np.array([area.of_points for area in areas], dtype=np.float32),
        "judged.scores": row_scores[kept],
    }


def unpack_criteria(arrays: NamedArrays) -> SampledCriteria:
    """Return what `pack_criteria` was given."""
    excess_mass, mass_volume = (
        SampledCriterion(
            value=float(arrays[f"{name}.value"]),
            without_replicate=arrays[f"{name}.without_replicate"],
            on_halves=arrays[f"{name}.on_halves"],
            is_maximum=bool(arrays[f"{name}.is_maximum"]),
            log_unit=float(arrays[f"{name}.log_unit"]),
        )
        for name in _CRITERIA
    )
    return SampledCriteria(
        excess_mass=excess_mass,
        mass_volume=mass_volume,
        level_sets=LevelSets(**{part: arrays[f"level_sets.{part}"] for part in _LEVELS}),
        log_volume_error=arrays["log_volume_error"],
        inside_floor=int(arrays["inside_floor"]),
        inside_effective=float(arrays["inside_effective"]),
        **{name: float(arrays[name]) for name in _NUMBERS},
    )
