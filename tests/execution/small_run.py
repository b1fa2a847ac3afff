"""A ranking of twenty small tasks, as a frame: what must not depend on where they run."""

from dataclasses import fields, replace

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import LocalOutlierFactor

from oddrank import FeatureSubsampling, Volume, rank_detectors
from oddrank.execution import Workers, finished_tasks
from oddrank.reference import UniformBox
from tests.planted import FailingFit

SMALL = UniformBox(n_points=2**9, n_replicates=2)
X = np.random.default_rng(0).normal(size=(500, 10)) @ np.random.default_rng(1).normal(size=(10, 10))
DETECTORS = {
    "forest": IsolationForest(n_estimators=20),
    "lof": LocalOutlierFactor(novelty=True),
    "mixture": GaussianMixture(2),
    "failing": FailingFit(),
}
ALL_FEATURES = Volume(mass_range=(0.9, 0.99), reference=SMALL, subsampling=None)
DRAWS = replace(ALL_FEATURES, subsampling=FeatureSubsampling(4, 5))


def ranked(detectors=DETECTORS, rows=X, **options):
    """Rank; what says where and how tasks run may be given beside the other options."""
    workers = {
        each.name: options.pop(each.name) for each in fields(Workers) if each.name in options
    }
    options = {"judge": DRAWS, "random_state": 7, **options}
    return rank_detectors(detectors, rows, workers=Workers(**workers), **options)


def frame(detectors=DETECTORS, rows=X, **options):
    return ranked(detectors, rows, **options).frame()


def run_tasks(tasks, plan, rows, workers):
    """All results, in the order of the tasks."""
    results = dict(finished_tasks(tasks, plan, rows, workers))
    return [results[position] for position in range(len(tasks))]
