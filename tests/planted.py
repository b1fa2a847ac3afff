"""Detectors whose true order is known, in a module so that other processes can import them."""

import os
import signal
import sys
import time
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.neighbors import KernelDensity

from oddrank import Volume, rank_detectors
from oddrank.reference import UniformBox


class KnownDensity(OutlierMixin, BaseEstimator):
    """Scores by the log density of a centred Gaussian with given standard deviations."""

    def __init__(self, deviations=(1.0,)):
        self.deviations = deviations

    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def score_samples(self, X):
        return -((np.asarray(X) / np.asarray(self.deviations)) ** 2).sum(axis=1)


class RandomScore(KnownDensity):
    """A score without any meaning, though the same for the same row."""

    def score_samples(self, X):
        return np.sin(1e5 * np.asarray(X).sum(axis=1))


class Shifted(KnownDensity):
    """Scores by the distance to a point off the middle, the same in every feature."""

    def score_samples(self, X):
        return -((np.asarray(X) - self.deviations) ** 2).sum(axis=1)


class FailingFit(KnownDensity):
    def fit(self, X, y=None):
        raise RuntimeError("no licence")


class FailingScore(KnownDensity):
    def score_samples(self, X):
        return np.full(len(X), np.nan)


class Slow(KernelDensity):
    """Takes its time, so that something can happen meanwhile."""

    def fit(self, X, y=None):
        time.sleep(0.15)
        return super().fit(X)


class Interrupted(KernelDensity):
    """Stops the whole run, once, when a given number of fits has been done."""

    def __init__(self, counter="", stop_at=0, bandwidth=1.0):
        super().__init__(bandwidth=bandwidth)
        self.counter = counter
        self.stop_at = stop_at

    def fit(self, X, y=None):
        path = Path(self.counter)
        done = len(path.read_text(encoding="utf-8")) if path.exists() else 0
        path.write_text("x" * (done + 1), encoding="utf-8")
        if done == self.stop_at:
            raise KeyboardInterrupt
        return super().fit(X)


class Flaky(KernelDensity):
    """Fails the first time it is fitted, and never again."""

    def __init__(self, counter="", bandwidth=1.0):
        super().__init__(bandwidth=bandwidth)
        self.counter = counter

    def fit(self, X, y=None):
        path = Path(self.counter)
        if not path.exists():
            path.write_text("x", encoding="utf-8")
            raise MemoryError("not yet")
        return super().fit(X)


class FitWithoutLabels(KnownDensity):
    """Has a fit method that takes rows only."""

    def fit(self, X):
        return super().fit(X)


class Plain:
    """Has nothing of scikit-learn, and scores the other way round."""

    def fit(self, X):
        self.middle = np.asarray(X).mean(axis=0)

    def decision_function(self, X):
        return ((np.asarray(X) - self.middle) ** 2).sum(axis=1)


class NotCloneable(KnownDensity):
    """Changes its parameter, which scikit-learn's clone refuses."""

    def __init__(self, deviations=(1.0,)):
        self.deviations = list(deviations)


DEVIATIONS = (1.0, 2.0)
TRUE, WRONG = KnownDensity(DEVIATIONS), KnownDensity((1.0, 1.0))
# Volumes decide, with few points.
BY_VOLUME = Volume(reference=UniformBox(n_points=2**10, n_replicates=4))


def gaussian(seed, n_rows=4000):
    return np.random.default_rng(seed).normal(size=(n_rows, 2)) * DEVIATIONS


@cache
def planted_ranking(seed, **options):
    detectors = {"true": TRUE, "wrong": WRONG, "random": RandomScore(), "copy": TRUE}
    options = {"judge": BY_VOLUME, "scale": False, "random_state": seed, **options}
    return rank_detectors(detectors, gaussian(seed), **options)


class Dying(KernelDensity):
    """Takes its process with it, in one of the ways in which that happens."""

    def __init__(self, how="exit", bandwidth=1.0):
        super().__init__(bandwidth=bandwidth)
        self.how = how

    def fit(self, X, y=None):
        if self.how == "exit":
            os._exit(3)
        if self.how == "segmentation fault":
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.how == "out of memory":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == "sys.exit":
            sys.exit(5)
        while self.how == "endless":
            time.sleep(0.05)
        return super().fit(X)


class DyingScore(Dying):
    """Can be fitted, and ends when it is asked for scores."""

    def fit(self, X, y=None):
        return KernelDensity.fit(self, X)

    def score_samples(self, X):
        Dying.fit(self, X)
        return super().score_samples(X)


class Printing(KernelDensity):
    """Prints where results go, in Python and below it."""

    def fit(self, X, y=None):
        print("printed by Python")  # noqa: T201
        os.write(1, b"printed below Python\n")
        return super().fit(X)


def printing():
    """Return detectors for the command line."""
    return {"loud": Printing(), "quiet": KernelDensity(bandwidth=0.5)}


class Sleeping(KernelDensity):
    """Takes longer than any test waits."""

    def fit(self, X, y=None):
        time.sleep(60.0)
        return super().fit(X)


def sleeping():
    """Return detectors for the command line: some are finished at once, one is not."""
    return {"quick": KernelDensity(), "wide": KernelDensity(bandwidth=2.0), "slow": Sleeping()}
