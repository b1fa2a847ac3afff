"""Fitted models whose scores are counted, and the counts of a chunk of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.criteria import (
    CriteriaOptions,
    OddCounts,
    SampledCriteria,
    ScoreCounts,
    counted_criteria,
    middle_and_spread,
)
from oddrank.detectors import FittedDetector
from oddrank.errors import DetectorError
from oddrank.evaluation.measurement import Measured, depends_on_batch
from oddrank.reference import ScoredReference
from oddrank.rows import ChunkedTable, Draw, Scaling, Table

__all__ = ["Countable", "CountedChunk", "CountedModel", "ModelCounts", "RowsBeyond", "countable_of"]


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedModel:
    """A fitted model, and what its scores are counted against.

    Attributes
    ----------
    name : str
    place : (int, int)
        The fold, and the number of the draw of features.
    features : array of int, or None
        The features of a draw.
    scaling : Scaling
    fitted : FittedDetector
    points : array, sorted upwards
        Scores of all points.
    middle, spread : float
        What oddness is measured with.
    """

    name: str
    place: tuple[int, int]
    features: npt.NDArray[np.intp] | None
    scaling: Scaling
    fitted: FittedDetector
    points: FloatArray
    middle: float
    spread: float

    def rows_for(self, table: Table) -> Table:
        """Return rows as the detector gets them."""
        if self.features is not None:
            table = table.features(self.features)
        return self.scaling.apply(table)


@dataclass(frozen=True, kw_only=True, eq=False)
class Countable:
    """A model, and what figures are made of when all rows are counted.

    Attributes
    ----------
    model : CountedModel
    replicates : list of ScoredReference
    log_volume : float
    of_volume : bool
    share_tied : float
        Share of the rows of the sample whose score another row has too.
    point_scores : array of shape (n_measures, n_points), or None
    """

    model: CountedModel
    replicates: list[ScoredReference]
    log_volume: float
    of_volume: bool
    share_tied: float
    point_scores: FloatArray | None

    def criteria(self, counts: ScoreCounts, options: CriteriaOptions) -> SampledCriteria:
        """Return both criteria of all rows counted."""
        return counted_criteria(
            counts,
            self.model.points,
            self.replicates,
            log_volume=self.log_volume,
            options=options,
            of_volume=self.of_volume,
            share_tied=self.share_tied,
        )


def countable_of(
    fitted: FittedDetector,
    measured: Measured,
    *,
    test: Table,
    scaling: Scaling,
    point_scores: FloatArray | None = None,
    place: tuple[int, int] = (0, 0),
    draw: Draw | None = None,
) -> Countable:
    """Return what is needed to count more rows, and refuse a detector that cannot score in chunks.

    Parameters
    ----------
    fitted : FittedDetector
    measured : Measured
    test : Table
        The rows that were measured, as the detector gets them.
    scaling : Scaling
    point_scores : array of shape (n_measures, n_points), or None
    place : (int, int)
        The fold, and the number of the draw of features.
    draw : tuple of int, or None
        The features of the draw.
    """
    row_scores, replicates = measured.scored.row_scores, measured.seen.replicates
    _check_row_by_row(fitted, test, row_scores)
    middle, spread = middle_and_spread(row_scores)
    scores = [replicate.scores for replicate in replicates]
    if point_scores is not None:
        scores.append(point_scores.ravel())
    return Countable(
        model=CountedModel(
            name=fitted.name,
            place=place,
            features=None if draw is None else np.array(draw),
            scaling=scaling,
            # a new one: answers that the old one remembers need not travel
            fitted=replace(fitted),
            points=np.unique(np.concatenate(scores)),
            middle=middle,
            spread=spread,
        ),
        replicates=replicates,
        log_volume=measured.log_volume,
        of_volume=measured.of_volume,
        share_tied=measured.criteria.share_tied,
        point_scores=point_scores,
    )


def _check_row_by_row(fitted: FittedDetector, test: Table, scores: FloatArray) -> None:
    if depends_on_batch(fitted, test, scores):
        raise DetectorError(
            f"{fitted.name} scores a row by the rows that are scored with it, so that rows in "
            "chunks would get other scores. Rank it on rows in memory, without a sample."
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelCounts:
    """What one model has counted; parts add up with `+`.

    Attributes
    ----------
    scores : ScoreCounts
    odd : OddCounts
    seconds : float
    failure : str
        Why the model could not score some rows; empty if it could.
    """

    scores: ScoreCounts
    odd: OddCounts
    seconds: float = 0.0
    failure: str = ""

    @classmethod
    def nothing(cls, n_points: int, n_halves: int, failure: str = "") -> ModelCounts:
        """Return the counts of no rows."""
        scores = ScoreCounts.nothing(n_points, n_halves)
        return cls(scores=scores, odd=OddCounts.nothing(), failure=failure)

    def __add__(self, other: ModelCounts) -> ModelCounts:
        return ModelCounts(
            scores=self.scores + other.scores,
            odd=self.odd + other.odd,
            seconds=self.seconds + other.seconds,
            failure=self.failure or other.failure,
        )


_SCORES = ("counts", "equal", "lowest", "halves")
_ODD = ("counts", "numbers", "oddness", "n_rows")


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedChunk:
    """What all models have counted in one chunk.

    Attributes
    ----------
    models : tuple of ModelCounts
    skipped : int
        Rows that were left out because they have gaps.
    problem : str
        Why the chunk cannot be read; empty if it can.
    stopped : str
        Why its worker ended, or was ended; empty if it was not.
    """

    models: tuple[ModelCounts, ...] = ()
    skipped: int = 0
    problem: str = ""
    stopped: str = ""

    @property
    def failure(self) -> str:
        """Why this result is not to be stored; empty if it is."""
        failures = (each.failure for each in self.models)
        return self.problem or self.stopped or next(filter(None, failures), "")

    def to_arrays(self) -> Mapping[str, Any]:
        """Return everything as named arrays."""
        arrays: dict[str, Any] = {"n_models": len(self.models), "skipped": self.skipped}
        for place, model in enumerate(self.models):
            arrays[f"{place}.seconds"] = model.seconds
            arrays |= {f"{place}.scores.{part}": getattr(model.scores, part) for part in _SCORES}
            arrays |= {f"{place}.odd.{part}": getattr(model.odd, part) for part in _ODD}
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> CountedChunk:
        """Return the counts that `to_arrays` was called on."""
        models = []
        for place in range(int(arrays["n_models"])):
            odd = {part: arrays[f"{place}.odd.{part}"] for part in _ODD}
            models.append(
                ModelCounts(
                    scores=ScoreCounts(
                        **{part: arrays[f"{place}.scores.{part}"] for part in _SCORES}
                    ),
                    odd=OddCounts(**odd | {"n_rows": int(odd["n_rows"])}),
                    seconds=float(arrays[f"{place}.seconds"]),
                )
            )
        return cls(models=tuple(models), skipped=int(arrays["skipped"]))


@dataclass(frozen=True, kw_only=True, eq=False)
class RowsBeyond:
    """All rows of a table of which a sample was fitted on.

    Attributes
    ----------
    table : ChunkedTable
    odd : mapping of name to OddCounts
        How odd each detector finds them; empty in draws of features.
    sample : array of int
        Numbers of the rows of the sample, ascending.
    """

    table: ChunkedTable
    odd: Mapping[str, OddCounts]
    sample: npt.NDArray[np.int64]
