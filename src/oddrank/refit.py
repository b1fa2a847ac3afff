"""The winner, fitted anew on all training rows, taking rows as the user has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from oddrank.fitting import fit_detector
from oddrank.table import Table

__all__ = ["Refit"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Refit:
    """What is needed to fit a ranked detector once more.

    Attributes
    ----------
    detectors : mapping of name to detector
    orientations : mapping of name to None, "normality" or "abnormality"
    rows : Table
        All training rows, as they came; with the test rows where oddrank split them itself.
    scale : bool
    root : SeedSequence
    """

    detectors: Mapping[str, Any]
    orientations: Mapping[str, str | None]
    rows: Table
    scale: bool
    root: np.random.SeedSequence

    def fitted(self, name: str) -> Any:
        """Return the detector of this name, behind a scaler if the ranking scaled the rows."""
        detector = self.detectors[name]
        if self.scale:
            scaler = StandardScaler()
            if self.rows.container != "numpy":
                scaler.set_output(transform=self.rows.container)
            detector = make_pipeline(scaler, detector)
        return fit_detector(detector, self.rows, self.root)
