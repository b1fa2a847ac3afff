"""Ranked detectors, fitted again on all training rows; they take the user's raw rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddrank.detectors.candidates import Candidate
from oddrank.detectors.normality import FittedDetector
from oddrank.rows import Table, natural_order

__all__ = ["Refit"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Refit:
    """What is needed to fit a ranked detector once more.

    Attributes
    ----------
    candidates : mapping of name to Candidate
    rows : Table
        All training rows, unchanged; with the test rows if oddrank split them itself.
    scale : bool
    root : SeedSequence
    groups : array or None
        Rows of one group are never divided.
    """

    candidates: Mapping[str, Candidate]
    rows: Table
    scale: bool
    root: np.random.SeedSequence
    groups: Any = None

    def fitted(self, name: str, *, fold: int | None = None) -> FittedDetector:
        """Return the detector of this name, behind its preprocessing and scaling."""
        candidate = self.candidates[name]
        return candidate.fit(self._training_rows(), self.root, fold=fold, scale=self.scale)

    def _training_rows(self) -> Table:
        # in an order that depends on the rows alone: a shuffled table gives the same fit
        order = natural_order(self.rows.values, self.root)
        return self.rows.rows(order)
