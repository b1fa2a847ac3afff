"""One cell: fit once, score each set of points once, and make one row per preset."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter, process_time
from typing import Any

import joblib
import numpy as np
import numpy.typing as npt
import scipy
import sklearn
from sklearn.metrics import average_precision_score, roc_auc_score
from threadpoolctl import threadpool_limits

from oddrank import __version__
from oddrank._random import child, root_of, stream
from oddrank._typing import FloatArray
from oddrank.benchmark.cells import ALL_FEATURES, Cell
from oddrank.benchmark.paper_grids import paper_excess_mass, paper_mass_volume
from oddrank.benchmark.specification import BenchmarkSpec, DatasetSpec
from oddrank.benchmark.stored_curves import curves_of
from oddrank.criteria import CriteriaOptions, SampledCriteria, sample_criteria
from oddrank.datasets import load, prepare, read_table
from oddrank.datasets.dataset import LabelArray
from oddrank.datasets.prepare import Split
from oddrank.detectors import fit_detector, is_radial_one_class_svm, normality_function, score_table
from oddrank.errors import DetectorError, InvalidDataError
from oddrank.evaluation import RowHalves, score_reference
from oddrank.reference import ImportanceMixture, PointSampler, ScoredReference, UniformBox
from oddrank.rows import BoundingBox, Table

__all__ = ["facts_of", "labelled_areas", "run_cell", "split_of"]

# With fewer anomalies in a half, ROC areas are noise.
FEWEST_ANOMALIES = 50

PAPER_POINTS = UniformBox(n_points=50_000, method="random", n_replicates=2)
# One draw is one of many: fewer points than for all features, more in all draws together.
DRAW_SAMPLER = UniformBox(n_points=2**14, n_replicates=2)
# Where fewer Sobol points than these fall into the level set of mass 0.9, excess mass is noise or
# has no value at all: points are then drawn around the rows.
FEWEST_INSIDE = 10
DRAW_IMPORTANCE = ImportanceMixture(n_points=2**11, n_replicates=8)


def run_cell(cell: Cell, spec: BenchmarkSpec, data_home: str | None) -> list[dict[str, Any]]:
    """Return one row per preset; a failure is a row with its reason."""
    shared = facts_of(cell, spec)
    start = perf_counter()
    try:
        split, data_hash = split_of(cell.dataset, cell.setting, cell.seed, spec.max_rows, data_home)
        with threadpool_limits(limits=1, user_api="blas"):
            measured = _measure(cell, spec, split)
    except (DetectorError, InvalidDataError) as error:
        failed = {**shared, "status": "failed", "reason": str(error)}
        return [{**failed, "preset": preset} for preset in cell.presets]
    shared |= {
        "status": "done",
        "data_hash": data_hash,
        "seconds": perf_counter() - start,
    }
    return [{**shared, "preset": preset, **measured[preset]} for preset in cell.presets]


def _measure(cell: Cell, spec: BenchmarkSpec, split: Split) -> dict[str, dict[str, Any]]:
    root = root_of(cell.seed, "run_benchmark")
    train = Table(values=split.X_train, feature_names=split.feature_names)
    test = train.with_values(split.X_test)
    box = None
    if cell.draw != ALL_FEATURES:
        drawn = _draw(split, spec.draw_features, cell.draw, root)
        train, test = train.features(drawn), test.features(drawn)
        # of the rows that count: the authors took anomalies out before they looked at the range
        box = BoundingBox.from_arrays(split.X_criteria[:, drawn])
        root = child(root, "features", cell.draw)
    elif not cell.dataset.draws:
        box = BoundingBox(lower=split.lower, upper=split.upper)
    clock = process_time()
    detector = _fitted(cell, train, root)
    function = normality_function(detector)
    fitted = process_time()
    scores = score_table(function, test, cell.detector.name)
    facts: dict[str, Any] = {"fit_cpu": fitted - clock, "rows_cpu": process_time() - fitted}
    if cell.draw == ALL_FEATURES:
        facts |= labelled_areas(scores, split)
    if box is None:
        return dict.fromkeys(cell.presets, facts)
    # the rows whose excess mass and mass volume count: normal ones only in the novelty setting
    counted = split.y_test == 0 if cell.setting == "novelty" else np.ones(len(scores), dtype=bool)
    scored = _Scored(
        cell=cell, function=function, rows=test.rows(np.flatnonzero(counted)),
        scores=scores[counted], box=box, root=root, offset=_offset(detector),
    )  # fmt: skip
    facts["log_volume"] = box.log_volume
    measures = {"paper": _paper, "oddrank": _oddrank}
    return {preset: facts | measures[preset](scored) for preset in cell.presets}


@dataclass(frozen=True, kw_only=True, eq=False)
class _Scored:
    cell: Cell
    function: Callable[[Any], Any]
    rows: Table
    scores: FloatArray
    box: BoundingBox
    root: np.random.SeedSequence
    offset: float

    def reference(self, sampler: PointSampler) -> tuple[list[ScoredReference], dict[str, float]]:
        clock = process_time()
        parts = score_reference(
            self.function, sampler, self.box, self.rows, self.cell.detector.name, root=self.root
        )
        return parts, {"points_cpu": process_time() - clock}


def _fitted(cell: Cell, train: Table, root: np.random.SeedSequence) -> Any:
    limit = cell.detector.max_training_rows
    if limit and train.n_rows > limit:
        train = train.rows(np.arange(limit))  # rows are shuffled already
    return fit_detector(cell.detector.make(), train, root)


def _offset(detector: Any) -> float:
    """Return what a one-class SVM subtracts from its kernel sum in `decision_function`.

    The authors took that function. Far from all rows its sum is lost in rounding, and all such
    points tie.
    """
    return float(np.ravel(detector.offset_)[0]) if is_radial_one_class_svm(detector) else 0.0


def labelled_areas(scores: FloatArray, split: Split) -> dict[str, Any]:
    """Return ROC and PR areas of scores (higher = more normal) against the labels."""
    if len(np.unique(split.y_test)) < 2:
        return {"roc": None, "pr": None}
    finite = np.nan_to_num(-scores, posinf=np.finfo(float).max, neginf=np.finfo(float).min)
    return {
        "roc": float(roc_auc_score(split.y_test, finite)),
        "pr": float(average_precision_score(split.y_test, finite)),
    }


def _paper(scored: _Scored) -> dict[str, Any]:
    parts, times = scored.reference(PAPER_POINTS)
    reference = np.concatenate([part.scores for part in parts]) - scored.offset
    scores = scored.scores - scored.offset
    drawn, unit = scored.cell.draw != ALL_FEATURES, scored.box.log_volume
    em = paper_excess_mass(scores, reference, unit, step=0.001 if drawn else 0.01)
    mv = paper_mass_volume(scores, reference, unit, step=0.001 if drawn else 0.0001)
    return {"em": em, "mv": mv, "em_error": None, "mv_error": None, **times}


def _oddrank(scored: _Scored) -> dict[str, Any]:
    drawn = scored.cell.draw != ALL_FEATURES
    criteria, times = _criteria(scored, DRAW_SAMPLER if drawn else UniformBox())
    points = "sobol"
    if drawn and _n_inside(criteria, scored.box) < FEWEST_INSIDE:
        criteria, more = _criteria(scored, DRAW_IMPORTANCE)
        times, points = {name: times[name] + more[name] for name in times}, "importance"
    curves = curves_of(criteria, scored.box.log_volume, scored.rows.n_rows)
    measured: dict[str, Any] = {"curves": curves, "points": points, **times}
    for name, criterion in (("em", criteria.excess_mass), ("mv", criteria.mass_volume)):
        if drawn:  # one draw of many: its error is told by the others
            value = criterion.value * np.exp(criterion.log_unit)
            measured |= {name: float(value) if value > 0 else None, f"{name}_error": None}
        else:
            estimate = criterion.estimate(0.95).to_dict()
            measured |= {name: estimate["value"], f"{name}_error": estimate["standard_error"]}
    return measured


def _criteria(scored: _Scored, sampler: PointSampler) -> tuple[SampledCriteria, dict[str, float]]:
    parts, times = scored.reference(sampler)
    halves = RowHalves.of(scored.rows.values, scored.root)
    drawn = scored.cell.draw != ALL_FEATURES
    criteria = sample_criteria(
        scored.scores[halves.order],
        parts,
        log_volume=scored.box.log_volume,
        options=CriteriaOptions(n_halves=0) if drawn else CriteriaOptions(),
        random=halves.random(),
    )
    return criteria, times


def _n_inside(criteria: SampledCriteria, box: BoundingBox) -> float:
    """Return how many points of `DRAW_SAMPLER` lie in the level set of mass 0.9."""
    levels = criteria.level_sets
    first = min(int(np.searchsorted(levels.mass, 0.9)), len(levels) - 1)
    share = np.exp(levels.log_volume[first] - box.log_volume)
    return float(share * DRAW_SAMPLER.n_points * DRAW_SAMPLER.n_replicates)


def _draw(split: Split, n_features: int, index: int, root: np.random.SeedSequence) -> Any:
    usable = np.flatnonzero(np.ptp(split.X_criteria, axis=0) > 0.0)
    return np.sort(stream(root, "features", index).choice(usable, n_features, replace=False))


@lru_cache(maxsize=2)
def split_of(
    dataset: DatasetSpec, setting: str, seed: int, max_rows: int, data_home: str | None
) -> tuple[Split, str]:
    """Return the prepared rows of a dataset, and a hash of what they were made from."""
    X, y = _rows(dataset, data_home)
    if max_rows and len(y) > max_rows:
        kept = _capped(y, max_rows, stream(root_of(seed, "run_benchmark"), "split"))
        X, y = X[kept], y[kept]
    split = prepare.paper_split((X, y), setting, random_state=seed)
    return split, str(joblib.hash((X, y)))


def _capped(y: LabelArray, max_rows: int, random: np.random.Generator) -> npt.NDArray[np.intp]:
    """Sample rows down; where anomalies are rare, as many of them stay as ROC areas need."""
    odd, ordinary = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    n_odd = min(len(odd), max(FEWEST_ANOMALIES, round(max_rows * len(odd) / len(y))))
    parts = (
        random.choice(odd, n_odd, replace=False),
        random.choice(ordinary, min(len(ordinary), max_rows - n_odd), replace=False),
    )
    return np.sort(np.concatenate(parts))


def _rows(dataset: DatasetSpec, data_home: str | None) -> tuple[Any, Any]:
    if not dataset.path:
        loaded = load(dataset.name, data_home=data_home, progress=False)
        return loaded.X, loaded.y
    table = read_table(dataset.path, label=dataset.label or None)
    if table.labels is None:
        return table.X, np.zeros(len(table.X), dtype=np.int64)
    odd = {"1", "1.0", "true", "yes", "anomaly", "o", "outlier"}
    labels = [str(label).strip().lower() in odd for label in table.labels]
    return table.X, np.array(labels, dtype=np.int64)


def facts_of(cell: Cell, spec: BenchmarkSpec) -> dict[str, Any]:
    """Return what every row of a cell says about itself."""
    return {
        "dataset": cell.dataset.name,
        "setting": cell.setting,
        "detector": cell.detector.name,
        "seed": cell.seed,
        "draw": cell.draw,
        "parameters": dict(cell.detector.parameters),
        "max_rows": spec.max_rows,
        "versions": {
            "python": platform.python_version(),
            "oddrank": __version__,
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "scikit-learn": sklearn.__version__,
        },
    }
