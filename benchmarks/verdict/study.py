"""What is measured: the training half plays the user's table, and is ranked without labels.

The test half is labelled, and only this study uses it. Polluted rows are ranked twice, without
`polluted` and with `polluted=True`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.svm import OneClassSVM

from benchmarks.datasets import SOURCES
from benchmarks.prepare import SETTINGS, FloatArray, Split, labelled_areas, split_of
from benchmarks.rows import short
from benchmarks.run import Cell
from benchmarks.verdict.labels import ceiling
from oddrank import FeatureSubsampling, Ranking, References, Volume, rank_detectors
from oddrank._random import stream
from oddrank.criteria import ScoreTail
from oddrank.errors import OddrankWarning
from oddrank.reference import UniformBox
from oddrank.rows import as_table

# Detectors whose names begin so differ from another one in their seed only. They take part in the
# statistics of leads, and in nothing else.
TWIN = "twin of "
SEEDS = (0, 1, 2, 3, 4)
MAX_ROWS = 4000
# Members of the committee, as `Ranking.committee` takes them: told what the rows are, and not told.
COMMITTEES = (3, 7)
# The default judge.
_JUDGE = References()
# The judge "volume", with as many points as is affordable; above 8 features in draws of 5.
_DIRECT_FEATURES = 8
_MASS_RANGE = (0.9, 0.999)
_VOLUME = Volume(
    subsampling=None,
    reference=UniformBox(n_points=2**12, n_replicates=4),
    mass_range=_MASS_RANGE,
)
_VOLUME_IN_DRAWS = Volume(
    subsampling=FeatureSubsampling(5, 10),
    reference=UniformBox(n_points=2**11, n_replicates=2),
    mass_range=_MASS_RANGE,
)


def pool() -> dict[str, Any]:
    """Return the thirteen detectors and the twins, not fitted."""
    from pyod.models.copod import COPOD
    from pyod.models.ecod import ECOD
    from pyod.models.hbos import HBOS
    from pyod.models.knn import KNN
    from pyod.models.pca import PCA

    return {
        "iforest": IsolationForest(),
        "lof10": LocalOutlierFactor(n_neighbors=10, novelty=True),
        "lof50": LocalOutlierFactor(n_neighbors=50, novelty=True),
        "ocsvm_half": OneClassSVM(nu=0.5, gamma="auto"),
        "ocsvm_tenth": OneClassSVM(nu=0.1, gamma="scale"),
        "knn5": KNN(n_neighbors=5),
        "knn30": KNN(n_neighbors=30),
        "ecod": ECOD(),
        "copod": COPOD(),
        "hbos": HBOS(),
        "pca": PCA(),
        "mixture": GaussianMixture(n_components=5, reg_covar=0.001),
        "density": KernelDensity(bandwidth="scott"),
        f"{TWIN}iforest 1": IsolationForest(random_state=1),
        f"{TWIN}iforest 2": IsolationForest(random_state=2),
    }


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The study; tests and quick looks take fewer datasets, seeds or rows."""

    datasets: tuple[str, ...] = tuple(SOURCES)
    settings: tuple[str, ...] = SETTINGS
    seeds: tuple[int, ...] = SEEDS
    max_rows: int = MAX_ROWS

    @property
    def options(self) -> dict[str, Any]:
        """What changes the rows of a cell."""
        return {"max_rows": self.max_rows}

    def cells(self) -> Iterator[Cell]:
        """Yield a cell per seed, dataset and setting: judges need all detectors together."""
        for seed in self.seeds:
            for dataset in self.datasets:
                for setting in self.settings:
                    yield Cell(dataset=dataset, setting=setting, seed=seed)

    def measure(self, cell: Cell) -> dict[str, Any]:
        """Return what every call says, and, for the first seed, EM and MV: they cost most."""
        split = split_of(cell.dataset, cell.setting, cell.seed, self.max_rows)
        usable = np.flatnonzero(np.ptp(split.X_train, axis=0) > 0.0)
        train, test = split.X_train[:, usable], split.X_test[:, usable]
        calls = {"unsaid": measure_call(train, test, split, None, cell.seed)}
        if cell.setting != "novelty":
            calls["said"] = measure_call(train, test, split, True, cell.seed)
        volumes = _volumes(train, cell.seed) if cell.seed == SEEDS[0] else {}
        return {"calls": calls, "volumes": volumes}


def measure_call(
    train: FloatArray, test: FloatArray, split: Split, polluted: bool | None, seed: int
) -> dict[str, Any]:
    """Rank, score the test rows with the ranking's own fits, and compare with the labels.

    Lists are in the order of the ranking; `errors` and `p_values` are those of the leads of all
    pairs of that order. The call that everybody makes also has the area of every measure, and what
    an order by the labels of other rows would achieve.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddrankWarning)
        ranking = rank_detectors(
            pool(), train, judge=_JUDGE, polluted=polluted, scale=False, n_jobs=1, random_state=seed
        )
    table = as_table(test)
    scores = {name: ranking.refit.fitted(name).score(table) for name in ranking.order}
    areas = [labelled_areas(scores[name], split.y_test) for name in ranking.order]
    leads = [ranking.compare(a, b) for a, b in combinations(ranking.order, 2)]
    call = {
        "order": list(ranking.order),
        "score": short([ranking.judgement.scores[name].value for name in ranking.order]),
        "roc": [each["roc"] for each in areas],
        "pr": short([each["pr"] for each in areas]),
        "errors": short([each.lead.standard_error for each in leads], 4),
        "p_values": short([each.p_value for each in leads], 4),
        "committees": {
            str(size): labelled_areas(_committee(ranking, scores, size), split.y_test)
            for size in COMMITTEES
        },
    }
    if polluted is None:
        half = stream(np.random.SeedSequence(seed), "split", 1).random(len(test)) < 0.5
        call["measures"] = list(ranking.judgement.measures)
        by_measure = ranking.judgement.areas
        call["areas"] = short([[a.value for a in by_measure[name]] for name in ranking.order], 6)
        call["ceiling"] = ceiling(_on_halves(scores, split, half))
    return call


def _committee(ranking: Ranking, scores: dict[str, FloatArray], size: int) -> FloatArray:
    """Return the mean log tails of the first detectors, as the committee of this study had them."""
    names = [name for name in ranking.order if not name.startswith(TWIN)][:size]
    tails = [ScoreTail.of(ranking.held_out[name]).log_probability(scores[name]) for name in names]
    return np.asarray(np.mean(tails, axis=0))


def _on_halves(scores: dict[str, FloatArray], split: Split, half: Any) -> FloatArray:
    """Return ROC and PR areas of all detectors but twins, on both halves of the test rows."""
    areas = [
        [list(labelled_areas(each[part], split.y_test[part]).values()) for part in (half, ~half)]
        for name, each in scores.items()
        if not name.startswith(TWIN)
    ]
    return np.array(areas, dtype=np.float64)


def _volumes(train: FloatArray, seed: int) -> dict[str, dict[str, float | None]]:
    """Return EM and MV as the paper measures them."""
    detectors = {name: each for name, each in pool().items() if not name.startswith(TWIN)}
    judge = _VOLUME if train.shape[1] <= _DIRECT_FEATURES else _VOLUME_IN_DRAWS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddrankWarning)  # unresolved areas are null in the rows
        ranking = rank_detectors(
            detectors, train, judge=judge, scale=False, n_jobs=1, random_state=seed
        )
    return {
        name: {
            "em": _finite(evaluation.excess_mass.value),
            "mv": _finite(evaluation.mass_volume.value),
        }
        for name, evaluation in ranking.evaluations.items()
    }


def _finite(value: float) -> float | None:
    return short(float(value)) if np.isfinite(value) else None
