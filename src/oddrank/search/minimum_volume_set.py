"""The smallest set of a given mass, from level sets averaged over splits.

After Thomas, Clémençon, Feuillard and Gramfort, "Learning hyperparameters for unsupervised anomaly
detection" (ICML 2016 anomaly detection workshop): on every split the level set of the target mass
is read off rows that the detector was not fitted on. Functions that are 0 on the borders of these
level sets are averaged.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oddrank._random import child
from oddrank._typing import BoolArray, FloatArray
from oddrank.criteria import calibrated_threshold, choice_of_rows
from oddrank.detectors import Candidate, FittedDetector
from oddrank.errors import ResolutionWarning
from oddrank.rows import Table, comparable_values
from oddrank.search.splits import SearchSplits

__all__ = ["AveragedLevelSets", "averaged_level_sets"]

# Log densities may be -inf: averages need numbers.
_LARGEST = 1e100


@dataclass(frozen=True, kw_only=True, eq=False)
class SplitLevelSet:
    """A detector fitted on one split, and its level set of the target mass.

    Attributes
    ----------
    fitted : FittedDetector
        On the training rows of the split.
    threshold : float
        Test rows score at least this much, in the target mass.
    spread : float
        From the threshold to the median of the test rows; it gives splits the same weight.
    """

    fitted: FittedDetector
    threshold: float
    spread: float

    def height(self, table: Table) -> FloatArray:
        """Return 0 on the border of the level set, 1 where half of the rows are more normal."""
        return (_scores(self.fitted, table) - self.threshold) / self.spread


@dataclass(frozen=True, kw_only=True, eq=False)
class AveragedLevelSets:
    """Level sets of one detector over all splits.

    Attributes
    ----------
    members : sequence of SplitLevelSet
    held_out : array
        Heights of all tested rows, each averaged over the splits that tested on it, which were
        not fitted on it.
    tested_by : array of bool of shape (n_held_out, n_splits)
        Which splits these are.
    """

    members: Sequence[SplitLevelSet]
    held_out: FloatArray
    tested_by: BoolArray

    def heights(self, table: Table) -> FloatArray:
        """Return the average over all splits; higher is more normal.

        It serves rows that are compared with rows that no split has seen.
        """
        return np.asarray(np.mean([member.height(table) for member in self.members], axis=0))

    def heights_like_held_out(self, table: Table) -> FloatArray:
        """Return the average over as many splits as one of the held-out rows was tested by.

        The row's own values choose these splits, as a throw of dice would. An average over all
        splits would vary less than the heights of the held-out rows, and too few rows would be
        flagged.
        """
        chosen = self.tested_by[choice_of_rows(comparable_values(table), len(self.tested_by))]
        sums = np.zeros(table.n_rows)
        for split, member in enumerate(self.members):
            places = np.flatnonzero(chosen[:, split])
            if len(places):
                sums[places] += member.height(table.rows(places))
        return np.asarray(sums / chosen.sum(axis=1))


def averaged_level_sets(
    candidate: Candidate,
    table: Table,
    splits: SearchSplits,
    *,
    mass: float,
    root: np.random.SeedSequence,
) -> AveragedLevelSets:
    """Fit the detector on every split, as the search did, and find its level sets."""
    members, sums = [], np.zeros(table.n_rows)
    tested_by = np.zeros((table.n_rows, len(splits)), dtype=bool)
    for split in range(len(splits)):
        train, test = splits.rows(split)
        fitted = candidate.fit(table.rows(train), child(root, "fold", split), fold=split)
        scores = _scores(fitted, table.rows(test))
        threshold = calibrated_threshold(scores, mass)
        distance = float(np.median(scores)) - threshold
        spread = distance if distance > 0.0 else 1.0
        sums[test] += (scores - threshold) / spread
        tested_by[test, split] = True
        members.append(SplitLevelSet(fitted=fitted, threshold=threshold, spread=spread))
    tested = tested_by.any(axis=1)
    return AveragedLevelSets(
        members=members,
        held_out=sums[tested] / tested_by[tested].sum(axis=1),
        tested_by=tested_by[tested],
    )


def warn_of_few_calibration_rows(n_rows: int, mass: float) -> None:
    """Warn if not even one row is expected outside the target mass."""
    if (1.0 - mass) * (n_rows + 1) < 1.0:
        warnings.warn(
            f"{n_rows} calibration rows cannot resolve a mass of {mass:g}; "
            f"{round(1.0 / (1.0 - mass)) - 1} are needed, so too many rows will be flagged. "
            "Lower the mass, raise calibration_size or give more rows.",
            ResolutionWarning,
            stacklevel=4,
        )


def _scores(fitted: FittedDetector, table: Table) -> FloatArray:
    return np.clip(fitted.score(table), -_LARGEST, _LARGEST)
