"""One cell: fit once, score each set of points once, and measure it by every preset."""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._random import child, root_of, stream
from oddrank._typing import FloatArray
from oddrank.benchmark.cells import ALL_FEATURES, Cell
from oddrank.benchmark.goix2016 import paper_excess_mass, paper_mass_volume
from oddrank.benchmark.labelled_rows import labelled_areas, scored_rows
from oddrank.benchmark.specification import BenchmarkSpec
from oddrank.criteria import CriteriaOptions, SampledCriteria, sample_criteria
from oddrank.curves import LevelSets, excess_mass_curve
from oddrank.datasets import prepare
from oddrank.detectors import Candidate, is_radial_one_class_svm
from oddrank.evaluation import best_pair, pair_at
from oddrank.reference import (
    ImportanceMixture,
    PointSampler,
    ScoredReference,
    ScoredRows,
    UniformBox,
)
from oddrank.rows import BoundingBox, Table, natural_order

__all__ = ["RELATIVE_LEVELS", "STORED_MASSES", "measure_cell"]

PAPER_POINTS = UniformBox(n_points=50_000, method="random", n_replicates=2)
# A single draw needs fewer points than all features at once: there are many draws.
DRAW_SAMPLER = UniformBox(n_points=2**14, n_replicates=2)
# Where fewer Sobol points than these fall into the level set of mass 0.9, excess mass is noise or
# has no value at all: points are then drawn around the rows.
FEWEST_INSIDE = 10
DRAW_IMPORTANCE = ImportanceMixture(n_points=2**11, n_replicates=8)

# Where curves are stored. Levels are `t` times the volume of the box, and volumes are shares of it:
# so curves of different draws of features can be averaged.
RELATIVE_LEVELS: FloatArray = np.concatenate(([0.0], np.geomspace(1e-2, 1e6, 49)))
STORED_MASSES: FloatArray = np.round(np.linspace(0.9, 0.999, 34), 3)


def measure_cell(
    cell: Cell, spec: BenchmarkSpec, split: prepare.Split
) -> dict[str, dict[str, Any]]:
    """Return what the row of every preset says about a cell.

    ROC and PR areas are those of all features. EM and MV are measured there too, unless the dataset
    has draws of features: then they are measured in the draws.
    """
    root = root_of(cell.seed, "run_benchmark")
    train = Table(values=split.X_train, feature_names=split.feature_names)
    test = train.with_values(split.X_test)
    box = None
    if cell.draw != ALL_FEATURES:
        features = _draw(split, spec.draw_features, cell.draw, root)
        train, test = train.features(features), test.features(features)
        # the authors took anomalies out before they looked at the range
        box = BoundingBox.from_arrays(split.X_criteria[:, features])
        root = child(root, "features", cell.draw)
    elif not cell.dataset.draws:
        box = BoundingBox(lower=split.lower, upper=split.upper)
    clock = process_time()
    candidate = Candidate(name=cell.detector.name, detector=cell.detector.make())
    fitted = candidate.fit(_training_rows(cell, train), root)
    fit_end = process_time()
    scores = fitted.score(test)
    facts: dict[str, Any] = {"fit_cpu": fit_end - clock, "rows_cpu": process_time() - fit_end}
    if cell.draw == ALL_FEATURES:
        facts |= labelled_areas(scores, split)
    if box is None:
        return dict.fromkeys(cell.presets, facts)
    scored = _ScoredCell(
        at=scored_rows(fitted, test, scores, split, box=box, root=root),
        drawn=cell.draw != ALL_FEATURES,
        offset=_offset(fitted.detector),
    )
    facts["log_volume"] = box.log_volume
    measures = {"paper": _paper, "oddrank": _oddrank}
    return {preset: facts | measures[preset](scored) for preset in cell.presets}


def _draw(
    split: prepare.Split, n_features: int, index: int, root: np.random.SeedSequence
) -> npt.NDArray[np.intp]:
    usable = np.flatnonzero(np.ptp(split.X_criteria, axis=0) > 0.0)
    return np.sort(stream(root, "features", index).choice(usable, n_features, replace=False))


def _training_rows(cell: Cell, train: Table) -> Table:
    limit = cell.detector.max_training_rows
    if limit and train.n_rows > limit:
        return train.rows(np.arange(limit))  # the rows are already shuffled
    return train


def _offset(detector: Any) -> float:
    """Return what a one-class SVM subtracts from its kernel sum in `decision_function`.

    The authors used that function. Far from all rows its sum is lost in rounding, and all such
    points tie.
    """
    return float(np.ravel(detector.offset_)[0]) if is_radial_one_class_svm(detector) else 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class _ScoredCell:
    at: ScoredRows
    drawn: bool
    offset: float

    def reference(self, sampler: PointSampler) -> tuple[list[ScoredReference], dict[str, float]]:
        clock = process_time()
        parts = sampler.score_replicates(self.at, range(sampler.n_replicates))
        return parts, {"points_cpu": process_time() - clock}


def _paper(scored: _ScoredCell) -> dict[str, Any]:
    parts, times = scored.reference(PAPER_POINTS)
    reference = np.concatenate([part.scores for part in parts]) - scored.offset
    scores = scored.at.row_scores - scored.offset
    unit = scored.at.box.log_volume
    em = paper_excess_mass(scores, reference, unit, step=0.001 if scored.drawn else 0.01)
    mv = paper_mass_volume(scores, reference, unit, step=0.001 if scored.drawn else 0.0001)
    return {"em": em, "mv": mv, "em_error": None, "mv_error": None, **times}


def _oddrank(scored: _ScoredCell) -> dict[str, Any]:
    criteria, times = _criteria(scored, DRAW_SAMPLER if scored.drawn else UniformBox())
    points = "sobol"
    if scored.drawn and _n_inside(criteria, scored.at.box) < FEWEST_INSIDE:
        criteria, more = _criteria(scored, DRAW_IMPORTANCE)
        times, points = {name: times[name] + more[name] for name in times}, "importance"
    curves = _curves(criteria, scored.at.box.log_volume, len(scored.at.rows))
    measured: dict[str, Any] = {"curves": curves, "points": points, **times}
    for name, criterion in (("em", criteria.excess_mass), ("mv", criteria.mass_volume)):
        if scored.drawn:  # one draw of many: the other draws show its error
            value = criterion.value * np.exp(criterion.log_unit)
            measured |= {name: float(value) if value > 0 else None, f"{name}_error": None}
        else:
            estimate = criterion.estimate(0.95).to_dict()
            measured |= {name: estimate["value"], f"{name}_error": estimate["standard_error"]}
    return measured


def _criteria(
    scored: _ScoredCell, sampler: PointSampler
) -> tuple[SampledCriteria, dict[str, float]]:
    parts, times = scored.reference(sampler)
    at = scored.at
    criteria = sample_criteria(
        at.row_scores[natural_order(at.rows, at.root)],
        parts,
        log_volume=at.box.log_volume,
        options=CriteriaOptions(n_halves=0) if scored.drawn else CriteriaOptions(),
        random=stream(at.root, "rows", 0),
    )
    return criteria, times


def _n_inside(criteria: SampledCriteria, box: BoundingBox) -> float:
    """Return how many points of `DRAW_SAMPLER` lie in the level set of mass 0.9."""
    levels = criteria.level_sets
    first = min(int(np.searchsorted(levels.mass, 0.9)), len(levels) - 1)
    share = np.exp(levels.log_volume[first] - box.log_volume)
    return float(share * DRAW_SAMPLER.n_points * DRAW_SAMPLER.n_replicates)


def _curves(criteria: SampledCriteria, log_volume: float, n_rows: int) -> dict[str, list[float]]:
    """Return EM at the relative levels and MV at the masses, with standard errors.

    Errors come from the rows (binomial, at the best level set of each level) and from the
    replicates of the reference points.
    """
    levels = criteria.level_sets
    relative = LevelSets(
        thresholds=levels.thresholds, mass=levels.mass, log_volume=levels.log_volume - log_volume
    )
    share = relative.volume
    points = np.nan_to_num(criteria.log_volume_error)
    best = best_pair(relative, RELATIVE_LEVELS)
    row_error = np.sqrt(levels.mass * (1.0 - levels.mass) / n_rows)
    pair = pair_at(levels, STORED_MASSES)
    reach = np.sqrt(STORED_MASSES * (1.0 - STORED_MASSES) / n_rows)
    outer = share[pair_at(levels, STORED_MASSES + reach)]
    inner = share[pair_at(levels, STORED_MASSES - reach)]
    curves = {
        "em": excess_mass_curve(relative)(RELATIVE_LEVELS),
        "em_error": np.hypot(row_error[best], RELATIVE_LEVELS * share[best] * points[best]),
        "mv": share[pair],
        "mv_error": np.hypot((outer - inner) / 2.0, share[pair] * points[pair]),
    }
    # four digits: more than any plot shows
    return {name: [float(f"{value:.4g}") for value in values] for name, values in curves.items()}
