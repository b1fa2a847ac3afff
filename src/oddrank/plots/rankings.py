"""A ranking as a picture: one line per detector, with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from oddrank._frames import data_frame
from oddrank.criteria import CRITERIA, SCORE, Criterion, Estimate, criterion_named
from oddrank.plots.axes import draw_intervals
from oddrank.plots.curves import as_named
from oddrank.ranking import letters, rank_detectors

__all__ = ["RankingDisplay"]


class RankingDisplay:
    """Detectors from best to worst with the confidence interval of each.

    Intervals that overlap may still belong to detectors that are separated: comparisons are paired,
    and `Ranking.compare` has the error of a difference.

    Parameters
    ----------
    rows : sequence of mappings
        With the keys "detector", "value", "lower" and "upper"; best first.
    criterion : "excess_mass" or "mass_volume"
    groups : sequence of sequences of str
        Detectors that cannot be told apart, drawn as letters at the side.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects, once plotted

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.covariance import EllipticEnvelope
    >>> from sklearn.neighbors import KernelDensity
    >>> from oddrank import rank_detectors
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> detectors = {"density": KernelDensity(), "ellipse": EllipticEnvelope()}
    >>> ranking = rank_detectors(detectors, X, random_state=0)
    >>> from oddrank import RankingDisplay
    >>> RankingDisplay.from_ranking(ranking).frame()["detector"].tolist()
    ['density', 'ellipse']
    """

    def __init__(
        self,
        rows: Sequence[Mapping[str, Any]],
        *,
        criterion: str,
        groups: Sequence[Sequence[str]] = (),
    ) -> None:
        self.rows = tuple(rows)
        self.criterion = criterion
        self.groups = tuple(tuple(group) for group in groups)

    @classmethod
    def from_ranking(
        cls, ranking: Any, *, criterion: str | None = None, ax: Any = None
    ) -> RankingDisplay:
        """Draw a ranking by the criterion that decided it, or by another one.

        Parameters
        ----------
        ranking : Ranking
        criterion : "excess_mass", "mass_volume" or, if there is one, "judgement", optional
        ax : matplotlib axes, optional
        """
        decides = ranking.judgement.criterion
        known = tuple(dict.fromkeys((decides, *CRITERIA)))
        chosen = criterion_named(criterion or decides, "RankingDisplay", known)
        estimates = (
            ranking.judgement.scores
            if chosen == SCORE
            else {name: each[chosen] for name, each in ranking.evaluations.items()}
        )
        groups = ranking.groups(chosen.name)
        return cls(_rows(estimates, chosen), criterion=chosen.name, groups=groups).plot(ax=ax)

    @classmethod
    def from_evaluations(
        cls, evaluations: Any, *, criterion: str = "excess_mass", ax: Any = None
    ) -> RankingDisplay:
        """Draw evaluations of the same rows, best first.

        Parameters
        ----------
        evaluations : mapping of name to Evaluation, sequence of Evaluation, or Evaluation
        criterion : "excess_mass" or "mass_volume"
        ax : matplotlib axes, optional
        """
        chosen = criterion_named(criterion, "RankingDisplay")
        estimates = {name: each[chosen] for name, each in as_named(evaluations).items()}
        return cls(_rows(estimates, chosen), criterion=chosen.name).plot(ax=ax)

    @classmethod
    def from_estimators(
        cls, detectors: Any, X: Any, X_test: Any = None, *, ax: Any = None, **options: Any
    ) -> RankingDisplay:
        """Rank detectors, then draw the ranking.

        Parameters
        ----------
        detectors, X, X_test, **options
            As in `oddrank.rank_detectors`.
        ax : matplotlib axes, optional
        """
        return cls.from_ranking(rank_detectors(detectors, X, X_test, **options), ax=ax)

    def plot(self, ax: Any = None) -> RankingDisplay:
        """Draw on the axes, or on new ones, and return the display."""
        self.ax_ = draw_intervals(ax, self.rows, name="detector", value="value", one_style=False)
        self.figure_ = self.ax_.figure
        shown = criterion_named(self.criterion, "RankingDisplay", (*CRITERIA, SCORE))
        self.ax_.set_xlabel(f"{shown.label} ({shown.direction})")
        self._draw_groups()
        return self

    def frame(self) -> Any:
        """Return the intervals as a pandas frame: detector, value, lower, upper."""
        return data_frame(self.rows)

    def _draw_groups(self) -> None:
        if not any(len(group) > 1 for group in self.groups):
            return
        of_name = letters(self.groups)
        for position, row in enumerate(self.rows):
            self.ax_.annotate(of_name.get(str(row["detector"]), ""), (1.02, position),
                              xycoords=("axes fraction", "data"), va="center",
                              annotation_clip=False)  # fmt: skip
        # below the axis, since the title is the user's
        self.ax_.set_xlabel(f"{self.ax_.get_xlabel()}\nsame letter: cannot be told apart")


def _rows(estimates: Mapping[str, Estimate], criterion: Criterion) -> list[dict[str, Any]]:
    rows = [
        {
            "detector": name,
            "value": estimate.value,
            "lower": estimate.interval[0],
            "upper": estimate.interval[1],
        }
        for name, estimate in estimates.items()
    ]
    return sorted(rows, key=lambda row: (row["value"] != row["value"],
                                         -criterion.sign * row["value"]))  # fmt: skip
