"""What a ranking says: the table, the comparisons, the verdict in words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from oddrank._validation import check_option
from oddrank.comparison import CRITERIA, Comparison, inseparable_groups
from oddrank.errors import DetectorError
from oddrank.evaluation import Evaluation
from oddrank.frames import data_frame
from oddrank.judge_choice import JUDGEMENT
from oddrank.judged_comparison import JudgedComparison
from oddrank.judgement import Judgement
from oddrank.normality import normality_function
from oddrank.ranking_html import ranking_html
from oddrank.ranking_text import concerns_of, ranking_text, verdict_sentences
from oddrank.refit import Refit
from oddrank.scoring import score_table
from oddrank.sureness import Sureness, sureness_of
from oddrank.table import FloatArray, as_table, check_same_features

__all__ = ["Ranking"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Ranking:
    """Detectors from best to worst, and how sure that is.

    Attributes
    ----------
    criterion : "excess_mass", "mass_volume" or "judgement"
        What decides the order.
    evaluations : mapping of name to Evaluation
        In the order of the ranking, best first; unresolved ones last.
    failures : mapping of name to str
        Detectors that could not be fitted or asked for scores, with the reason.
    comparisons : tuple of Comparison
        Every two detectors, by both criteria.
    confidence_level : float
    setting : str
        One line about rows, features, draws and points.
    seconds : mapping of name to float
        Time spent in each detector.
    refit : Refit
        Makes `best_detector`.
    parameters : mapping of str to object
        What `rank_detectors` was asked for, defaults filled in: enough to ask again.
    judgement : Judgement or None
        What the reference measures and the detectors' agreement say, unless volumes decide.
    """

    criterion: str
    evaluations: Mapping[str, Evaluation]
    failures: Mapping[str, str]
    comparisons: tuple[Comparison, ...]
    confidence_level: float
    setting: str
    seconds: Mapping[str, float]
    refit: Refit
    parameters: Mapping[str, Any]
    judgement: Judgement | None = None

    @property
    def best(self) -> str:
        """Name of the detector that the criterion puts first."""
        order = self.order(self.criterion)
        if not order:
            reasons = "; ".join(f"{name}: {why}" for name, why in self.failures.items())
            raise DetectorError(
                "There is no best detector, because none of them could be ranked. "
                + (reasons or "Every criterion is unresolved; draw more reference points.")
            )
        return order[0]

    @cached_property
    def best_detector(self) -> Any:
        """The best detector, fitted anew on all training rows and ready to score raw rows."""
        return self.refit.fitted(self.best)

    def score_samples(self, X: Any) -> FloatArray:
        """Score rows by the best detector: higher is more normal, whatever library it is from."""
        rows = as_table(X, minimum_rows=1)
        check_same_features(self.refit.rows, rows, "X_train", "X")
        orientation = self.refit.orientation(self.best)
        function = normality_function(self.best_detector, orientation=orientation)
        return score_table(function, rows, self.best)

    def order(self, criterion: str) -> tuple[str, ...]:
        """Return the names from best to worst by one criterion, without unresolved ones."""
        if criterion == JUDGEMENT and self.judgement is not None:
            return self.judgement.order
        check_option(criterion, "criterion", "Ranking", CRITERIA)
        sign = -1.0 if criterion == "excess_mass" else 1.0
        values = {
            name: sign * getattr(evaluation, criterion).value
            for name, evaluation in self.evaluations.items()
            if getattr(evaluation, criterion).resolved
        }
        return tuple(sorted(values, key=lambda name: (values[name], name)))

    def groups(self, criterion: str | None = None) -> tuple[tuple[str, ...], ...]:
        """Return runs of the order whose members cannot be separated from each other."""
        criterion = criterion or self.criterion
        return inseparable_groups(self.order(criterion), self.comparisons_by(criterion))

    def comparisons_by(self, criterion: str) -> tuple[Comparison | JudgedComparison, ...]:
        """Return every two detectors, compared by one criterion or by the judgement."""
        if criterion == JUDGEMENT and self.judgement is not None:
            return self.judgement.comparisons
        return tuple(each for each in self.comparisons if each.criterion == criterion)

    def compare(
        self, first: str, second: str, criterion: str | None = None
    ) -> Comparison | JudgedComparison:
        """Return the comparison of two detectors."""
        criterion = criterion or self.criterion
        for comparison in self.comparisons_by(criterion):
            if {comparison.better, comparison.worse} == {first, second}:
                return comparison
        raise DetectorError(
            f"There is no comparison of {first!r} and {second!r} by {criterion}. "
            f"Ranked detectors: {', '.join(map(repr, self.evaluations)) or 'none'}."
        )

    def how_sure(self, first: str, second: str) -> Sureness:
        """Return how often a lead like that of one over the other was right where labels tell."""
        comparison = self.compare(first, second)
        if isinstance(comparison, JudgedComparison):
            return comparison.sureness
        return sureness_of("volume", self.parameters.get("polluted"), comparison.log_ratio.value)

    @property
    def agreement(self) -> bool:
        """Whether no pair is separated one way by one criterion and the other way by the other."""
        separated = {
            criterion: {
                (c.better, c.worse)
                for c in self.comparisons
                if c.criterion == criterion and c.separated
            }
            for criterion in CRITERIA
        }
        reverse = {(worse, better) for better, worse in separated["mass_volume"]}
        return not separated["excess_mass"] & reverse

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        return " ".join(verdict_sentences(self))

    def rows(self) -> list[dict[str, object]]:
        """Return one mapping per detector, best first, failures last."""
        orders = {criterion: self.order(criterion) for criterion in CRITERIA}
        rows: list[dict[str, object]] = []
        for name, evaluation in self.evaluations.items():
            row: dict[str, object] = {"detector": name}
            for criterion in CRITERIA:
                estimate = getattr(evaluation, criterion)
                placed = name in orders[criterion]
                row[criterion] = estimate.value
                row[f"{criterion}_error"] = estimate.standard_error
                row[f"{criterion}_lower"], row[f"{criterion}_upper"] = estimate.interval
                row[f"{criterion}_rank"] = orders[criterion].index(name) + 1 if placed else None
            row |= self._judged_row(name)
            row["trustworthy"] = not concerns_of(evaluation)
            row["failure"] = ""
            rows.append(row)
        rows += [
            {"detector": name, "trustworthy": False, "failure": reason}
            for name, reason in self.failures.items()
        ]
        return rows

    def _judged_row(self, name: str) -> dict[str, object]:
        judgement = self.judgement
        if judgement is None:
            return {}
        areas = zip(judgement.measures, judgement.areas[name], strict=True)
        return {
            "score": judgement.scores[name].value,
            "score_error": judgement.scores[name].standard_error,
            "consensus": judgement.consensus[name],
            **{f"roc_area: {measure}": area.value for measure, area in areas},
        }

    def frame(self) -> Any:
        """Return the table as a pandas frame, one row per detector."""
        return data_frame(self.rows())

    def to_dict(self) -> dict[str, object]:
        """Return everything but the fitted detector as plain numbers and sentences."""
        return {
            "criterion": self.criterion,
            "setting": self.setting,
            "confidence_level": self.confidence_level,
            "order": {criterion: list(self.order(criterion)) for criterion in CRITERIA},
            "groups": {c: [list(group) for group in self.groups(c)] for c in CRITERIA},
            "verdict": self.verdict,
            "evaluations": {name: e.to_dict() for name, e in self.evaluations.items()},
            "failures": dict(self.failures),
            "comparisons": [comparison.to_dict() for comparison in self.comparisons],
            "judgement": self.judgement.to_dict() if self.judgement else None,
        }

    def to_json(self, path: str | Path) -> None:
        """Write `to_dict` to a file."""
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        Path(path).write_text(text + "\n", encoding="utf-8")

    def to_html(self, path: str | Path, **options: Any) -> None:
        """Write the report: one page that needs nothing but itself, and the extra `report`.

        Parameters
        ----------
        path : path
        **options
            As in `oddrank.report.summarise`: `importance`, `labels`, `rows`, `title`, …
        """
        from oddrank.report import html_page, summarise

        page = html_page(summarise(self, **options))
        Path(path).write_text(page, encoding="utf-8")

    def __str__(self) -> str:
        return ranking_text(self)

    def _repr_html_(self) -> str:
        return ranking_html(self)
