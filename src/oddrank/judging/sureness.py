"""How often a lead of this size was right where labels tell: calibrated, not derived.

A small error says that another sample would give the same order. It does not say that the order is
that of the labels: only datasets with labels can tell how often it is. The slopes were fitted on
the benchmark "verdict" (`benchmarks/verdict`), and are checked there on datasets left out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

__all__ = ["Sureness", "bounded_lead", "chance_right", "sureness_of"]


@dataclass(frozen=True, kw_only=True)
class Sureness:
    """How sure the order of two detectors is.

    Attributes
    ----------
    probability : float
        That the area under the ROC curve of the labels would order the two alike; at least 0.5.
    n_datasets : int
        Datasets that this was calibrated on.
    """

    probability: float
    n_datasets: int

    @property
    def sentence(self) -> str:
        """It in plain words."""
        tenths = min(max(round(10 * self.probability), 5), 10)
        cases = {5: "no oftener than a coin", 10: "nearly always"}.get(
            tenths, f"in {tenths} of 10 cases"
        )
        return f"On {self.n_datasets} public datasets a lead this large was right {cases}."


def sureness_of(judge: str, polluted: bool | None, lead: float) -> Sureness:
    """Return how often a lead was right.

    Parameters
    ----------
    judge : "volume", "references", "combined" or "consensus"
    polluted : bool or None
        None for what is not known: clean and polluted datasets together.
    lead : float
        Difference of two scores; for the judge "volume", the logarithm of the criteria's ratio.

    Examples
    --------
    >>> small, large = (sureness_of("combined", None, lead).probability for lead in (0.05, 0.6))
    >>> 0.5 <= small < large < 1.0
    True
    """
    table = _calibration()
    setting = {None: "unknown", False: "clean", True: "polluted"}[polluted]
    slope = float(table["slopes"][judge][setting])
    probability = chance_right(slope, bounded_lead(judge, lead))
    return Sureness(probability=float(probability), n_datasets=int(table["n_datasets"]))


def bounded_lead(judge: str, lead: Any) -> Any:
    """Return what the slope multiplies: leads of volumes have no upper end, and get one."""
    return lead / (1.0 + lead) if judge == "volume" else lead


def chance_right(slope: float, lead: Any) -> Any:
    """Return how often a bounded lead is right: in half of the cases where there is none."""
    return 1.0 / (1.0 + np.exp(-max(slope, 0.0) * lead))


@cache
def _calibration() -> dict[str, Any]:
    text = (resources.files("oddrank.judging") / "verdict_calibration.json").read_text("utf-8")
    content: dict[str, Any] = json.loads(text)
    return content
