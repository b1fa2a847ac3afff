"""Detectors that do whatever a detector should not do, in a module that workers can import."""

import os
import sys
import threading
import warnings

import numpy as np
from sklearn.neighbors import KernelDensity

from tests.planted import Dying, DyingScore, Printing


class Hostile(KernelDensity):
    """Does something else, by its name, in fit or in scoring."""

    def __init__(self, act="", bandwidth=1.0):
        super().__init__(bandwidth=bandwidth)
        self.act = act

    def fit(self, X, y=None):
        getattr(self, f"fit_{self.act}", lambda rows: None)(X)
        return super().fit(X)

    def score_samples(self, X):
        scores = super().score_samples(X)
        return getattr(self, f"score_{self.act}", lambda scores: scores)(scores)

    def fit_raises(self, X):
        raise RuntimeError("no")

    def fit_recursion(self, X):
        return self.fit_recursion(X)

    def fit_hungry(self, X):
        np.ones(2**45)

    def fit_hungry_list(self, X):
        [0] * 2**45

    def fit_spoils_rows(self, X):
        np.asarray(X)[:] = 0.0

    def fit_changes_directory(self, X):
        os.chdir("/")

    def fit_warns(self, X):
        for number in range(50):
            warnings.warn(f"number {number}", stacklevel=1)

    def fit_closes_output(self, X):
        sys.stdout = None

    def fit_starts_threads(self, X):
        for _ in range(20):
            threading.Thread(target=lambda: None, daemon=True).start()

    def fit_seeds_everything(self, X):
        np.random.seed(0)  # noqa: NPY002

    def fit_raises_a_strange_error(self, X):
        class StrangeError(Exception):
            def __str__(self):
                return "\x1b[2J\n\ud800"

        raise StrangeError

    def fit_stops_iteration(self, X):
        raise StopIteration

    def fit_keeps_a_file_open(self, X):
        self.null = os.open(os.devnull, os.O_RDONLY)

    def score_nan(self, scores):
        return scores * np.nan

    def score_infinite(self, scores):
        return np.where(np.arange(len(scores)) % 2, np.inf, -np.inf)

    def score_constant(self, scores):
        return np.zeros(len(scores))

    def score_short(self, scores):
        return scores[:-1]

    def score_none(self, scores):
        return None

    def score_text(self, scores):
        return np.array(["a"] * len(scores))

    def score_complex(self, scores):
        return scores + 1j

    def score_matrix(self, scores):
        return np.outer(scores, scores)

    def score_dictionary(self, scores):
        return dict(enumerate(scores))

    def score_generator(self, scores):
        return (each for each in scores)

    def score_objects(self, scores):
        return np.array([object()] * len(scores))

    def score_huge(self, scores):
        return scores * 1e308

    def score_tiny(self, scores):
        return scores * 1e-320

    def score_booleans(self, scores):
        return scores > np.median(scores)


ACTS = sorted(
    name.partition("_")[2]
    for name in vars(Hostile)
    if name.startswith(("fit_", "score_")) and name != "score_samples"
)
# Those that a ranking must not survive with a figure of its own.
FAILING = {
    "raises", "recursion", "hungry", "hungry_list", "spoils_rows", "raises_a_strange_error",
    "stops_iteration", "nan", "short", "none", "text", "matrix", "dictionary", "generator",
    "objects",
}  # fmt: skip


def hostile_detectors():
    """Return all of them, those that end their process, and two that are well."""
    found = {act: Hostile(act) for act in ACTS}
    found |= {f"fit, {how}": Dying(how) for how in ("exit", "segmentation fault", "out of memory")}
    found |= {f"scores, {how}": DyingScore(how) for how in ("exit", "sys.exit", "endless")}
    return {
        **found,
        "fit, sys.exit": Dying("sys.exit"),
        "fit, endless": Dying("endless"),
        "printing": Printing(),
        "well": KernelDensity(bandwidth=0.5),
        "well, too": KernelDensity(bandwidth=2.0),
    }
