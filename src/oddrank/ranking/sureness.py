"""How often a lead like this was right where labels tell: calibrated, not derived.

A small error says that another sample would give the same order. It does not say that the order is
that of the labels: only datasets with labels can tell how often it is. The figures were fitted on
the benchmark "verdict" (`benchmarks/verdict`), and are checked there on families of datasets left
out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from oddrank._typing import FloatArray
from oddrank.criteria import Estimate

__all__ = ["Sureness", "chance_right", "lost_by_labels", "sureness_of"]

_SETTINGS = {None: "unknown", False: "clean", True: "polluted"}


@dataclass(frozen=True, kw_only=True)
class Sureness:
    """How sure it is that labels would order two detectors alike.

    Attributes
    ----------
    probability : float
        That the area under the ROC curve of the labels would order the two alike; 0.5 where it is
        withheld.
    withheld : bool
        Whether nothing is claimed: the two are not separated, or labels agreed with such leads no
        better than a coin toss.
    n_datasets : int
        Tables that this was calibrated on.

    Examples
    --------
    >>> from oddrank import Sureness
    >>> Sureness(probability=0.62, withheld=False, n_datasets=27).tenths
    6
    """

    probability: float
    withheld: bool
    n_datasets: int

    @property
    def tenths(self) -> int:
        """In how many of ten cases labels agreed."""
        return min(max(round(10 * self.probability), 5), 10)

    @property
    def is_coin_toss(self) -> bool:
        """Whether labels agreed no better than a coin toss."""
        return not self.withheld and self.tenths == 5

    @property
    def sentence(self) -> str:
        """The same in plain words."""
        if self.withheld:
            return "Nothing tells which of the two finds odd rows better: treat them as equal."
        start = f"On {self.n_datasets} tables labels agreed with a lead like this"
        if self.is_coin_toss:
            return f"{start} no better than a coin toss: treat the two as equal."
        return f"{start} in {self.tenths} of 10 cases."


def sureness_of(judge: str, polluted: bool | None, lead: Estimate, *, separated: bool) -> Sureness:
    """Return how often a lead was right.

    Parameters
    ----------
    judge : "volume", "references" or "consensus"
    polluted : bool or None
        None for what is not known: clean and polluted datasets together.
    lead : Estimate
        Difference of two mean areas; for the judge "volume", the logarithm of the criteria's ratio.
    separated : bool
        Where the two are not separated nothing is claimed.

    Examples
    --------
    >>> leads = [Estimate.normal(value, 0.01, 0.95) for value in (0.03, 0.3)]
    >>> small, large = (sureness_of("references", False, lead, separated=True) for lead in leads)
    >>> 0.5 <= small.probability < large.probability < 1.0
    True
    """
    table = calibration()
    slope = table["volume_slopes" if judge == "volume" else "slopes"][_SETTINGS[polluted]]
    # none where labels agreed no better than a coin toss
    withheld, probability = slope is None or not separated, 0.5
    if not withheld and judge == "volume":
        # leads of volumes have no upper end, and get one
        probability = float(1.0 / (1.0 + np.exp(-slope * lead.value / (1.0 + lead.value))))
    elif not withheld:
        certain = np.array(lead.value - lead.standard_error)
        probability = float(chance_right(certain, slope, float(table["half_lead"])))
    return Sureness(probability=probability, withheld=withheld, n_datasets=int(table["n_datasets"]))


def chance_right(certain_lead: FloatArray, slope: float, half_lead: float) -> FloatArray:
    """Return how often a lead is right: in half of the cases where nothing of it is certain.

    `1 / (1 + exp(-slope · x / (x + half_lead)))`, where `x` is the lead less its standard error.
    """
    x = np.maximum(certain_lead, 0.0)
    return np.asarray(1.0 / (1.0 + np.exp(-slope * x / (x + half_lead))))


def lost_by_labels(polluted: bool | None) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ROC and PR areas that committees and single picks lost on datasets with labels."""
    found = calibration()["lost"][_SETTINGS[polluted]]
    (roc, pr), (pick_roc, pick_pr) = found["committee"], found["pick"]
    return (float(roc), float(pr)), (float(pick_roc), float(pick_pr))


def calibrated_on() -> int:
    """Return how many tables the figures were calibrated on."""
    return int(calibration()["n_datasets"])


@cache
def calibration() -> dict[str, Any]:
    """Return the figures that ship with the package."""
    text = (resources.files("oddrank.ranking") / "verdict_calibration.json").read_text("utf-8")
    content: dict[str, Any] = json.loads(text)
    return content
