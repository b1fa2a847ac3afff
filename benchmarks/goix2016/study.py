"""What is measured: a model is fitted once per view of the features, and measured in two ways.

Preset `paper` follows the authors' code: 100,000 uniform points, EM and MV on grids. Preset
`oddrank` takes the same fitted models with exact areas and Sobol points, or points around the rows
where fewer than ten Sobol points fall into the level set of mass 0.9.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from time import process_time
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor
from sklearn.svm import OneClassSVM

from benchmarks.datasets import PAPER
from benchmarks.goix2016.paper import paper_excess_mass, paper_mass_volume
from benchmarks.prepare import SETTINGS, FloatArray, Split, labelled_areas, split_of
from benchmarks.rows import short
from benchmarks.run import Cell
from oddrank import (
    BoundingBox,
    LevelSets,
    evaluate_scores,
    excess_mass_curve,
    level_sets,
    mass_volume_curve,
    normality_function,
)
from oddrank._random import child, integer_seed, stream
from oddrank.errors import OddrankWarning
from oddrank.reference import ImportanceMixture, UniformBox

DETECTORS = {
    "iforest": IsolationForest(),
    # the settings of that time: today's default of gamma is another one
    "ocsvm": OneClassSVM(kernel="rbf", nu=0.5, gamma="auto"),
    "lof": LocalOutlierFactor(n_neighbors=20, novelty=True),
}
TRAINING_ROWS = {"ocsvm": 10_000}
# Datasets whose criteria are means over draws of 5 features (Algorithm 1).
DRAWN = frozenset(
    ("annthyroid", "arrhythmia", "forestcover", "ionosphere", "pendigits", "shuttle", "spambase")
)
DRAW_FEATURES = 5
SEEDS = (0, 1, 2, 3, 4)
# The largest datasets have fewer seeds, and so has preset `paper` in draws: its points cost most.
FEWER_SEEDS = (0, 1, 2)
LARGEST = frozenset(("forestcover", "shuttle"))

# The paper's, however few rows there are.
MASS_RANGE = (0.9, 0.999)

PAPER_POINTS = UniformBox(n_points=50_000, method="random", n_replicates=2)
# A single draw needs fewer points than all features at once: there are many draws.
DRAW_POINTS = UniformBox(n_points=2**14, n_replicates=2)
FEWEST_INSIDE = 10
DRAW_IMPORTANCE = ImportanceMixture(n_points=2**11, n_replicates=8)

# Where curves are stored. Levels are `t` times the volume of the box, and volumes are shares of it:
# so curves of different draws of features can be averaged.
RELATIVE_LEVELS: FloatArray = np.concatenate(([0.0], np.geomspace(1e-2, 1e6, 49)))
STORED_MASSES: FloatArray = np.round(np.linspace(0.9, 0.999, 34), 3)
# The authors' grid of levels ends at 100/volume.
GRID_END = int(np.searchsorted(RELATIVE_LEVELS, 100.0 * 0.999))


@dataclass(frozen=True, kw_only=True)
class Goix2016:
    """The study; tests and quick looks take fewer datasets, seeds, draws or rows."""

    datasets: tuple[str, ...] = tuple(PAPER)
    settings: tuple[str, ...] = SETTINGS
    seeds: tuple[int, ...] = SEEDS
    n_draws: int = 50
    max_rows: int = 0
    detectors: Mapping[str, Any] = field(default_factory=lambda: DETECTORS)

    @property
    def options(self) -> dict[str, Any]:
        """What changes the rows of a cell."""
        return {"n_draws": self.n_draws, "max_rows": self.max_rows}

    def cells(self) -> Iterator[Cell]:
        """Yield a cell per dataset, setting, seed and detector."""
        for dataset in self.datasets:
            for setting in self.settings:
                for seed in self.seeds:
                    if dataset in LARGEST and seed not in FEWER_SEEDS:
                        continue
                    for detector in self.detectors:
                        yield Cell(dataset=dataset, setting=setting, seed=seed, detector=detector)

    def measure(self, cell: Cell) -> dict[str, Any]:
        """Return ROC and PR areas of all features, EM and MV by preset, and times."""
        split = split_of(cell.dataset, cell.setting, cell.seed, self.max_rows)
        root = np.random.SeedSequence(cell.seed)
        drawn = cell.dataset in DRAWN
        box = BoundingBox(lower=split.lower, upper=split.upper)
        whole = self._view(cell, split, np.arange(len(split.lower)), box, root)
        areas = labelled_areas(whole.score(split.X_test), split.y_test)
        views = self._draws(cell, split, root) if drawn else iter((whole,))
        presets: dict[str, Callable[[View], dict[str, Any]]] = {"oddrank": _by_oddrank}
        if not drawn or cell.seed in FEWER_SEEDS:
            presets["paper"] = _by_the_paper
        found: dict[str, list[dict[str, Any]]] = {preset: [] for preset in presets}
        times = {"fit_cpu": whole.fit_cpu * drawn, "rows_cpu": 0.0}
        for view in views:
            times["fit_cpu"] += view.fit_cpu
            times["rows_cpu"] += view.rows_cpu
            for preset, measure in presets.items():
                clock = process_time()
                measured = measure(view)
                found[preset].append({**measured, "points_cpu": process_time() - clock})
        joined = {preset: _joined(each) for preset, each in found.items()}
        return {**areas, "n_draws": self.n_draws if drawn else 0, **times, **joined}

    def _draws(self, cell: Cell, split: Split, root: np.random.SeedSequence) -> Iterator[View]:
        usable = np.flatnonzero(np.ptp(split.X_criteria, axis=0) > 0.0)
        for draw in range(self.n_draws):
            random = stream(root, "features", draw)
            features = np.sort(random.choice(usable, DRAW_FEATURES, replace=False))
            # the authors took anomalies out before they looked at the range
            box = BoundingBox.from_arrays(split.X_criteria[:, features])
            yield self._view(cell, split, features, box, child(root, "features", draw), drawn=True)

    def _view(
        self,
        cell: Cell,
        split: Split,
        features: Any,
        box: BoundingBox,
        root: np.random.SeedSequence,
        *,
        drawn: bool = False,
    ) -> View:
        model = clone(self.detectors[cell.detector])
        if "random_state" in model.get_params():
            model.set_params(random_state=integer_seed(root, "detector"))
        limit = TRAINING_ROWS.get(cell.detector)  # the rows are already shuffled
        clock = process_time()
        model.fit(split.X_train[:limit, features])
        fitted = process_time()
        score = normality_function(model)
        rows = split.X_criteria[:, features]
        row_scores = np.asarray(score(rows), dtype=np.float64)
        return View(
            score=score,
            rows=rows,
            row_scores=row_scores,
            box=box,
            root=root,
            drawn=drawn,
            # what `decision_function`, which the authors used, subtracts from the kernel sum: far
            # from all rows the sum is lost in rounding, and all such points tie
            offset=float(model.offset_[0]) if isinstance(model, OneClassSVM) else 0.0,
            fit_cpu=fitted - clock,
            rows_cpu=process_time() - fitted,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class View:
    """A model fitted on some features, and the rows and the box in which it is measured."""

    score: Callable[[Any], Any]
    rows: FloatArray
    row_scores: FloatArray
    box: BoundingBox
    root: np.random.SeedSequence
    drawn: bool
    offset: float
    fit_cpu: float
    rows_cpu: float

    @property
    def volume(self) -> float:
        """Volume of the box."""
        return float(np.exp(self.box.log_volume))

    def reference(self, sampler: UniformBox | ImportanceMixture) -> tuple[FloatArray, Any]:
        """Return scores of reference points and, if they differ, their log weights."""
        chunks = [
            chunk
            for index in range(sampler.n_replicates)
            for chunk in sampler.replicate(
                self.box, self.rows, stream(self.root, "reference", index)
            )
        ]
        scores = np.concatenate([self.score(chunk.points) for chunk in chunks])
        if chunks[0].log_weights is None:
            return scores, None
        weights = np.concatenate([chunk.log_weights for chunk in chunks])
        return scores, weights - np.log(sampler.n_replicates)

    def levels(self, sampler: UniformBox | ImportanceMixture) -> LevelSets:
        """Return the level sets, measured with these points."""
        scores, weights = self.reference(sampler)
        return level_sets(
            self.row_scores, scores, log_volume=self.box.log_volume, log_weights=weights
        )


def _by_the_paper(view: View) -> dict[str, Any]:
    reference = view.reference(PAPER_POINTS)[0] - view.offset
    scores = view.row_scores - view.offset
    em_step, mv_step = (0.001, 0.001) if view.drawn else (0.01, 0.0001)
    return {
        "em": paper_excess_mass(scores, reference, view.volume, step=em_step),
        "mv": paper_mass_volume(scores, reference, view.volume, step=mv_step),
    }


def _by_oddrank(view: View) -> dict[str, Any]:
    if view.drawn:  # one draw of many: the other draws show its error
        levels = view.levels(DRAW_POINTS)
        if _points_inside(levels, view) < FEWEST_INSIDE:
            levels = view.levels(DRAW_IMPORTANCE)
        curve = excess_mass_curve(levels)
        em = curve.area(0.9) if curve.resolves(0.9) else None
        mv = mass_volume_curve(levels).area(*MASS_RANGE) or None
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OddrankWarning)  # a criterion without a value is null
            evaluation = evaluate_scores(
                view.score,
                view.rows,
                reference=UniformBox(),
                box=view.box,
                mass_range=MASS_RANGE,
                random_state=view.root,
            )
        assert evaluation.level_sets is not None  # there is one fit
        levels = evaluation.level_sets
        em, mv = (
            each.value if each.resolved else None
            for each in (evaluation.excess_mass, evaluation.mass_volume)
        )
    return {
        "em": em,
        "mv": mv,
        "em_curve": excess_mass_curve(levels)(RELATIVE_LEVELS / view.volume),
        "mv_curve": mass_volume_curve(levels)(STORED_MASSES) / view.volume,
    }


def _points_inside(levels: LevelSets, view: View) -> float:
    """Return how many of `DRAW_POINTS` lie in the level set of mass 0.9."""
    share = float(mass_volume_curve(levels)(0.9)) / view.volume
    return share * DRAW_POINTS.n_points * DRAW_POINTS.n_replicates


def _joined(views: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a list of the values of all views, and their mean curves."""
    joined = {
        "em": short([each["em"] for each in views]),
        "mv": short([each["mv"] for each in views]),
        "points_cpu": short(sum(each["points_cpu"] for each in views)),
    }
    if "em_curve" in views[0]:
        em = np.array([each["em_curve"] for each in views])
        mv = np.array([each["mv_curve"] for each in views])
        curves = {"em": em.mean(axis=0), "mv": mv.mean(axis=0)}
        joined["curves"] = {kind: short(curve.tolist()) for kind, curve in curves.items()}
        joined["beyond_grid"] = float(np.mean(em[:, GRID_END] > 0.9))
    return joined
