"""Which rows are odd: every row with its oddness, p-value and flag, the oddest with reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._frames import data_frame
from oddrank._random import child
from oddrank._text import counted, p_value_in_words, share_in_words, wrapped
from oddrank._typing import BoolArray, FloatArray
from oddrank._validation import check_fraction, check_integer, check_option
from oddrank.criteria import model_tail, spreads_below
from oddrank.detectors import FittedDetector
from oddrank.errors import DetectorError
from oddrank.inspection.reasons import Reason, explain_rows
from oddrank.ranking import Ranking, held_out_votes
from oddrank.rows import Table

__all__ = ["OddRows", "held_out_oddness", "odd_rows", "order_by_oddness"]

SHOWN_ROWS = 5
# How many of the rows flagged at this false-discovery rate were not labelled as anomalies on 27
# datasets: docs/rows.md.
MEASURED_FDR = 0.1
MEASURED_SHARES = {"best": "more than one in three"}


@dataclass(frozen=True, kw_only=True, eq=False)
class OddRows:
    """The rows of a table, and how odd they are.

    Attributes
    ----------
    rows : array of int
        What each row is called, its place in the table by default.
    oddness : array
        How many spreads a row's score lies below the median of the rows of its fold, by fits that
        have not seen it; of a committee the mean of its highest votes, each minus the logarithm of
        a tail probability. Higher = odder.
    p_values, adjusted_p_values : arrays
        By a model of the tail of the other rows' scores, and adjusted after Benjamini and Hochberg;
        NaN where the model cannot be believed. They are no promise: docs/rows.md has how often
        such flags were right.
    flagged : array of bool
        Whether a row stands out.
    table : Table
        The rows themselves.
    reasons : mapping of place to tuple of Reason
        Of the oddest rows.
    fdr : float
        The false-discovery rate that was asked for.
    of : str
        Who finds these rows odd.
    problem : str
        Why nothing is flagged, where the tail cannot be believed.
    """

    rows: npt.NDArray[np.intp]
    oddness: FloatArray
    p_values: FloatArray
    adjusted_p_values: FloatArray
    flagged: BoolArray
    table: Table
    reasons: Mapping[int, tuple[Reason, ...]] = field(default_factory=dict)
    fdr: float
    of: str
    problem: str

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    @property
    def n_flagged(self) -> int:
        """How many of them stand out."""
        return int(self.flagged.sum())

    @property
    def order(self) -> npt.NDArray[np.intp]:
        """Places of the rows, oddest first; equal ones in their own order."""
        return order_by_oddness(-self.oddness)

    def why(self, place: int) -> str:
        """Return the reasons of the row in this place, empty if it has none."""
        return "; ".join(each.sentence for each in self.reasons.get(place, ()))

    def records(self) -> list[dict[str, object]]:
        """Return one mapping per row, oddest first."""
        return [
            {
                "row": int(self.rows[place]),
                "oddness": float(self.oddness[place]),
                "p_value": float(self.p_values[place]),
                "adjusted_p_value": float(self.adjusted_p_values[place]),
                "flagged": bool(self.flagged[place]),
                "reasons": self.why(place),
            }
            for place in self.order.tolist()
        ]

    def frame(self) -> Any:
        """Return a pandas frame of every row, oddest first."""
        return data_frame(self.records())

    def to_dict(self) -> dict[str, object]:
        """Return plain values; None where there is no p-value."""
        rows = [
            {name: None if value != value else value for name, value in record.items()}  # noqa: PLR0124
            for record in self.records()
        ]
        return {"fdr": self.fdr, "of": self.of, "problem": self.problem, "rows": rows}

    @property
    def verdict(self) -> str:
        """How many rows stand out, in one sentence."""
        if self.problem:
            return f"No row is flagged: {self.problem}."
        if not self.n_flagged:
            return f"No row of {self.n_rows:,} stands out."
        stand = "stands" if self.n_flagged == 1 else "stand"
        aim = f"Expect about {share_in_words(self.fdr)} of them to be ordinary"
        if self.fdr == MEASURED_FDR and self.of in MEASURED_SHARES:
            aim += f"; on public data with labels it was {MEASURED_SHARES[self.of]}"
        aim = "" if self.n_flagged == 1 else f" {aim}."
        return f"{self.n_flagged:,} of {self.n_rows:,} rows {stand} out.{aim}"

    def __str__(self) -> str:
        lines = [wrapped(self.verdict)]
        for place in self.order[:SHOWN_ROWS].tolist():
            p_value = float(self.p_values[place])
            known = "" if np.isnan(p_value) else f", p {p_value_in_words(p_value)}"
            mark = "*" if self.flagged[place] else " "
            why = f": {self.why(place)}" if self.why(place) else ""
            oddness = f"oddness {self.oddness[place]:.1f}"
            lines.append(wrapped(f"{mark} row {self.rows[place]}, {oddness}{known}{why}"))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<OddRows: {self.n_flagged} of {counted(self.n_rows, 'row')} flagged>"


def order_by_oddness(scores: FloatArray) -> npt.NDArray[np.intp]:
    """Return positions from the oddest row to the most normal; equal scores in their own order."""
    return np.argsort(scores, kind="stable")


def odd_rows(
    ranking: Ranking,
    *,
    fdr: float = 0.1,
    of: str = "best",
    n_explained: int = 10,
    row_numbers: npt.NDArray[np.intp] | None = None,
) -> OddRows:
    """Tell how odd every row of the ranking's table is, by fits that have not seen it.

    Parameters
    ----------
    ranking : Ranking
    fdr : float
        False-discovery rate of the flags, as far as the model of the tail is right.
    of : "best" or "committee"
    n_explained : int
        How many of the oddest rows get reasons.
    row_numbers : array of int, optional
        What the rows are called; their places by default.
    """
    owner = "odd_rows"
    check_fraction(fdr, "fdr", owner)
    check_option(of, "of", owner, ("best", "committee"))
    check_integer(n_explained, "n_explained", owner, minimum=0)
    rows = ranking.tested_rows
    oddness = held_out_oddness(ranking, of)
    tail = model_tail(oddness, fdr) if of == "best" else None
    nothing = np.full(rows.n_rows, np.nan)
    oddest = order_by_oddness(-oddness)[:n_explained]
    reasons = _reasons(ranking, oddest, of) if n_explained else []
    return OddRows(
        rows=np.arange(rows.n_rows) if row_numbers is None else np.asarray(row_numbers),
        oddness=oddness,
        p_values=nothing if tail is None else tail.p_values,
        adjusted_p_values=nothing if tail is None else tail.adjusted_p_values,
        flagged=np.zeros(rows.n_rows, dtype=bool) if tail is None else tail.flagged,
        table=rows,
        reasons=dict(zip(oddest.tolist(), reasons, strict=True)),
        fdr=fdr,
        of=of,
        problem="a committee orders its rows, and flags none" if tail is None else tail.problem,
    )


def held_out_oddness(ranking: Ranking, of: str = "best") -> FloatArray:
    """Return spreads below the median score of each row's fold."""
    best = ranking.best  # says why there is none
    names = [best] if of == "best" else list(ranking.committee_names)
    scores = [ranking.held_out[name] for name in names if name in ranking.held_out]
    if len(scores) < len(names) or any(np.isnan(each).any() for each in scores):
        raise DetectorError(
            "Rows have no scores by fits that have not seen them, because features were drawn or "
            "only one fold was fitted. Rank with judge='references' and cv=2."
        )
    if of == "best":
        return _by_folds(scores[0], ranking.row_folds)
    weights = np.array([ranking.committee_weights[name] for name in names])
    return -held_out_votes(scores, ranking.row_folds, weights)


def _by_folds(scores: FloatArray, folds: npt.NDArray[np.intp]) -> FloatArray:
    oddness = np.empty(len(folds))
    for fold in np.unique(folds):
        oddness[folds == fold] = spreads_below(scores[folds == fold], scores[folds == fold])
    return oddness


def _reasons(ranking: Ranking, places: npt.NDArray[np.intp], of: str) -> list[tuple[Reason, ...]]:
    """Ask fits that have not seen the rows in these places: one that has may find them ordinary."""
    rows = ranking.tested_rows
    model = ranking.best_detector if of == "best" else ranking.committee
    root = child(ranking.refit.root, "reasons")
    # no fit has seen test rows of their own
    folds = np.full(len(places), -1) if ranking.has_test_rows else model.row_folds_[places]
    reasons: list[tuple[Reason, ...]] = [()] * len(places)
    for fold in np.unique(folds).tolist():
        here = np.flatnonzero(folds == fold)
        whole = FittedDetector(name=of, detector=model)
        unseen = whole if fold < 0 else model.of_fold(fold)
        explained = explain_rows(unseen, rows.rows(places[here]), rows, root=root)
        for place, each in zip(here.tolist(), explained, strict=True):
            reasons[place] = each
    return reasons
