"""How near the set that a search learns is to the true one, on a mixture whose density is known."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import qmc
from sklearn.base import clone
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.svm import OneClassSVM

from benchmarks.measurements.timing import table
from oddrank import BoundingBox, LabelFreeSearchCV, datasets
from oddrank._random import root_of
from oddrank.criteria import calibrated_threshold
from oddrank.detectors import Candidate
from oddrank.reference import ImportanceMixture
from oddrank.rows import as_table
from oddrank.search import averaged_level_sets, make_splits

MASS = 0.95
CRITERIA = ("excess_mass", "mass_volume")
POINTS = ImportanceMixture(n_points=2**9, n_replicates=4)
N_ROWS = 4000
N_SPLITS = 5
# The true set's level comes from this many rows, volumes from this many weighted points.
LEVEL_ROWS, VOLUME_POINTS = 200_000, 2**13
# Most of the true set's volume is that of the widest Gaussian.
WIDE_WEIGHTS = (0.7, 0.2, 0.1)
SEEDS = range(20)
GOAL = 1.15
DETECTORS: Mapping[str, tuple[Any, str, list[Any]]] = {
    "KernelDensity": (KernelDensity(), "bandwidth", [0.05, 0.1, 0.2, 0.4, 0.8, 1.6]),
    "OneClassSVM": (OneClassSVM(), "gamma", [0.01, 0.1, 1.0, 10.0, 100.0]),
    "LocalOutlierFactor": (
        LocalOutlierFactor(novelty=True), "n_neighbors", [5, 10, 20, 40, 80, 160]
    ),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class KnownRun:
    """One choice compared with the truth.

    Attributes
    ----------
    difference : float
        Volume of the symmetric difference of the learned set and the true one, over the volume of
        the true one.
    ratio : float
        That over the smallest on the grid.
    exact_ratio : float
        The same for level sets whose mass is exactly the target's: what the setting alone does.
    """

    d: int
    detector: str
    criterion: str
    seed: int
    chosen: float
    difference: float
    ratio: float
    exact_ratio: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Truth:
    """Points near the mixture, the volume and mass of each, and the true set."""

    points: Any
    volumes: Any
    masses: Any
    inside: Any

    def difference(self, learned: Any) -> float:
        """Return the volume of the symmetric difference over that of the true set."""
        return float(self.volumes[learned != self.inside].sum() / self.volumes[self.inside].sum())

    def level_of_mass(self, scores: Any, mass: float) -> float:
        """Return the level above which this mass lies."""
        order = np.argsort(-scores)
        held = np.cumsum(self.masses[order])
        return float(scores[order][np.searchsorted(held, mass * held[-1])])


def known_runs(d: int, name: str, seed: int) -> list[KnownRun]:
    """Tune one detector by each criterion, and compare the learned set with the true one."""
    sample = datasets.make_known_density("mixture", N_ROWS, d, random_state=seed)
    truth = true_set(sample, d, seed)
    detector, parameter, values = DETECTORS[name]
    candidates = [clone(detector).set_params(**{parameter: value}) for value in values]
    sets = [learned_differences(each, sample.X, truth, seed) for each in candidates]
    learned, exact = np.array(sets).T
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for criterion in CRITERIA:
            # both criteria come from one scoring: the second search reads the first one's
            search = LabelFreeSearchCV(
                detector,
                {parameter: values},
                criterion=criterion,
                n_splits=N_SPLITS,
                mass=MASS,
                reference=POINTS,
                checkpoint=folder,
                random_state=seed,
            ).fit(sample.X)
            index = search.best_index_
            run = KnownRun(
                d=d,
                detector=name,
                criterion=criterion,
                seed=seed,
                chosen=values[index],
                difference=learned[index],
                ratio=learned[index] / learned.min(),
                exact_ratio=exact[index] / exact.min(),
            )
            runs.append(run)
    return runs


def true_set(sample: Any, d: int, seed: int) -> Truth:
    """Draw points from a wider mixture and the box, and weigh them by the inverse of their density.

    Uniform points hardly ever fall between two sets that differ by a tenth in five dimensions.
    """
    random = np.random.default_rng([seed, 1])
    density = sample.density
    wide = type(density)(
        d=d, weights=WIDE_WEIGHTS, widths=tuple(1.4 * width for width in density.widths)
    )
    box = BoundingBox.from_arrays(sample.X, margin=0.2)
    n_even = VOLUME_POINTS // 8
    even = box.scale_up(qmc.Sobol(d, seed=random).random(n_even))
    points = np.concatenate([even, wide.sample(VOLUME_POINTS - n_even, random)])
    in_box = ((points >= box.lower) & (points <= box.upper)).all(axis=1)
    drawn = np.exp(wide.log_density(points)) * 7.0 / 8.0 + in_box * np.exp(-box.log_volume) / 8.0
    volumes = 1.0 / (drawn * VOLUME_POINTS)
    log_density = density.log_density(points)
    fresh = density.log_density(density.sample(LEVEL_ROWS, random))
    return Truth(
        points=points,
        volumes=volumes,
        masses=volumes * np.exp(log_density),
        inside=log_density >= np.quantile(fresh, 1.0 - MASS),
    )


def learned_differences(detector: Any, X: Any, truth: Truth, seed: int) -> tuple[float, float]:
    """Return how far the set that a search learns is from the truth, and that of exact mass."""
    root, rows = root_of(seed, "LabelFreeSearchCV"), as_table(X)
    splits = make_splits(len(X), N_SPLITS, test_size=0.2, calibration_size=None, root=root)
    candidate = Candidate(name=type(detector).__name__, detector=detector)
    averaged = averaged_level_sets(candidate, rows, splits, mass=MASS, root=root)
    heights = averaged.heights(as_table(truth.points))
    levels = (
        calibrated_threshold(averaged.held_out, MASS),
        truth.level_of_mass(heights, MASS),
    )
    learned, exact = (truth.difference(heights >= level) for level in levels)
    return learned, exact


def count_within(runs: Sequence[KnownRun]) -> tuple[int, int]:
    """Return how many learned sets, and how many of exact mass, are within the goal."""
    return (
        sum(run.ratio <= GOAL for run in runs),
        sum(run.exact_ratio <= GOAL for run in runs),
    )


def known_table(runs: Sequence[KnownRun]) -> str:
    """Return one row per dimension, detector and criterion."""
    kinds: dict[tuple[int, str, str], list[KnownRun]] = {}
    for run in runs:
        kinds.setdefault((run.d, run.detector, run.criterion), []).append(run)
    rows = []
    for (d, name, criterion), of_kind in kinds.items():
        within, exact = count_within(of_kind)
        ratios = [run.ratio for run in of_kind]
        rows.append([
            d, name, "EM" if criterion == "excess_mass" else "MV",
            f"{within} of {len(of_kind)}", f"{np.median(ratios):.2f}", f"{max(ratios):.2f}",
            f"{exact} of {len(of_kind)}",
            f"{np.median([run.difference for run in of_kind]):.2f}",
        ])  # fmt: skip
    return table(
        "Learned 0.95 sets of a known mixture (goal: within 15 % of the best in 18 of 20)",
        ["d", "detector", "criterion", "within 15 %", "median ratio", "largest ratio",
         "exact mass: within", "median difference"],
        sorted(rows, key=lambda row: (row[0], list(DETECTORS).index(str(row[1])), row[2])),
    )  # fmt: skip
