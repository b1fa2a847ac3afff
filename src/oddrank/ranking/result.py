"""What a ranking says: the table, the comparisons, the verdict in words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from oddrank._files import write_text
from oddrank._frames import data_frame
from oddrank._random import integer_seed
from oddrank._typing import FloatArray
from oddrank._validation import check_integer, check_option
from oddrank.criteria import criterion_named, masses_for
from oddrank.detectors import Refit
from oddrank.errors import DetectorError, InvalidDataError, InvalidParameterError
from oddrank.evaluation import Evaluation, ScoredDetectors, ScoredFits, score_detectors
from oddrank.execution import Workers
from oddrank.ranking.answer_findings import OddRowCount
from oddrank.ranking.calibrated import CalibratedDetector, FoldCalibrated
from oddrank.ranking.committee import Committee, order_weights
from oddrank.ranking.comparison import Comparison, compare_volumes
from oddrank.ranking.flat import ranking_dict
from oddrank.ranking.groups import inseparable_groups, letters
from oddrank.ranking.judgement import Judgement
from oddrank.ranking.judges import Judge, Volume
from oddrank.ranking.questions import ExpectedChange
from oddrank.ranking.screen import details_text, ranking_html, ranking_line, screen
from oddrank.ranking.sureness import Sureness, calibrated_on
from oddrank.ranking.table import RankingTable, ranking_table
from oddrank.ranking.taught import (
    Teaching,
    answers_by_place,
    check_same_order,
    labels_in_order,
)
from oddrank.ranking.verdict import Check, Verdict, checks_of, verdict_of
from oddrank.rows import (
    DIRECT_FEATURES,
    RowSample,
    Table,
    as_table,
    check_same_features,
    index_of,
    large_table,
)

if TYPE_CHECKING:
    from oddrank.inspection import OddRows, Questions

__all__ = ["Ranking"]

# Where rows are said to be clean, members learn from three quarters of them: more rows only help.
FITS_ON_CLEAN_ROWS: Mapping[str, int] = {"cv": 4, "n_repeats": 2}
# With fewer test rows in a fit every verdict is called a guess.
ENOUGH_TEST_ROWS = 100


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Ranking:
    """Detectors from best to worst, and how sure that is.

    Attributes
    ----------
    judgement : Judgement
        Who decided, the scores behind the order, and every pair compared.
    scored : ScoredDetectors
        What the fits of all detectors say of rows and of points.
    refit : Refit
        Fits a detector once more, on all training rows.
    judge : Judge
    n_jobs : int or None
        Processes of later work.
    sample : RowSample or None
        Which rows of a larger table were tested.
    index : pandas index or None
        Of the tested rows, if they came with one.
    taught : Teaching or None
        Answers about rows, if there are any.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KernelDensity
    >>> from oddrank import rank_detectors
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> detectors = {"fine": KernelDensity(bandwidth=0.3), "coarse": KernelDensity()}
    >>> ranking = rank_detectors(detectors, X, random_state=0)
    >>> len(ranking), ranking.best in ranking
    (2, True)
    """

    judgement: Judgement
    scored: ScoredDetectors
    refit: Refit
    judge: Judge
    n_jobs: int | None = None
    sample: RowSample | None = None
    index: Any = None
    taught: Teaching | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All detectors that worked: in the order of the ranking, unresolved ones last."""
        unranked = sorted(set(self.scored.names) - set(self.order))
        return (*self.order, *unranked)

    @property
    def failures(self) -> Mapping[str, str]:
        """Detectors that could not be fitted or asked for scores, with the reason."""
        return dict(sorted(self.scored.failures.items()))

    @property
    def seconds(self) -> Mapping[str, float]:
        """Time spent in each detector."""
        return self.scored.seconds

    @property
    def confidence_level(self) -> float:
        """Of intervals, and of what counts as told apart."""
        return self.judgement.confidence_level

    @property
    def setting(self) -> str:
        """One line about rows, features, draws and points."""
        setting = self.scored.plan.in_words(self.scored.folds)
        if self.sample is None:
            return setting
        return f"a sample of {self.n_rows:,} of {self.sample.n_rows:,} rows; {setting}"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What `rank_detectors` was asked for, defaults filled in."""
        return {
            "judge": self.judge,
            "polluted": self.judgement.polluted,
            "preprocess": next(iter(self.refit.candidates.values())).preprocess,
            "scale": self.refit.scale,
            "cv": len(self.scored.folds),
            "sample": None if self.sample is None else len(self.sample.numbers),
        }

    @property
    def tested_rows(self) -> Table:
        """The rows that were tested: all of them, where oddrank split them."""
        return self.scored.folds.test_rows

    @property
    def row_labels(self) -> Any:
        """What the tested rows are called: by their index, else by their number in the table."""
        if self.sample is not None:
            return self.sample.numbers
        return np.arange(self.n_rows) if self.index is None else self.index

    @property
    def has_test_rows(self) -> bool:
        """Whether there were test rows of their own."""
        return self.scored.folds.test_rows is not self.scored.folds.train_rows

    @property
    def n_test_rows(self) -> int:
        """Test rows of the smallest fold."""
        return min(map(len, self.scored.folds.test))

    @property
    def masses(self) -> tuple[float, float]:
        """Masses between which mass volumes are measured."""
        if isinstance(self.judge, Volume):
            return self.scored.plan.options.mass_range
        return masses_for(len(self.scored.folds.test[0]))

    @cached_property
    def held_out(self) -> Mapping[str, FloatArray]:
        """Scores of the test rows by fits that have not seen them; empty where features were drawn.

        NaN for rows that no fit was tested on.
        """
        if not isinstance(self.scored, ScoredFits):
            return {}
        together = self.scored.folds.put_together
        return {name: together(parts) for name, parts in self.scored.row_scores.items()}

    @cached_property
    def evaluations(self) -> Mapping[str, Evaluation]:
        """Excess mass and mass volume of every detector, in the order of the ranking.

        Where volumes do not decide they are measured when this is first read, up to 8 features.
        """
        scored: ScoredDetectors | None = self.scored
        reason = ""
        if not isinstance(self.judge, Volume):
            scored, reason = self._volumes()
        found = {} if scored is None else scored.evaluations
        found = {name: found[name] for name in self.names if name in found}
        return _Evaluations(found, dict.fromkeys(self.names, reason))

    def _volumes(self) -> tuple[ScoredDetectors | None, str]:
        rows = self.refit.rows
        if not rows.is_plain or rows.n_features > DIRECT_FEATURES:
            return None, (
                f"Volumes are measured of up to {DIRECT_FEATURES} features, of numbers without "
                "gaps. Rank with judge='volume' to measure draws of numeric features."
            )
        folds, root = self.scored.folds, self.refit.root
        try:
            plan = Volume(confidence_level=self.confidence_level).plan(folds, root, "Ranking")
        except InvalidDataError as error:  # a constant feature: its box has no volume
            return None, str(error)
        candidates = [self.refit.candidates[name] for name in self.names]
        workers = Workers(n_jobs=self.n_jobs)
        return score_detectors(
            candidates, folds, plan, scale=self.refit.scale, root=root, workers=workers
        ), ""

    @property
    def n_rows(self) -> int:
        """How many rows the figures are of."""
        return self.tested_rows.n_rows

    @property
    def is_a_guess(self) -> bool:
        """Whether there are too few test rows for more than a guess."""
        return self.n_test_rows < ENOUGH_TEST_ROWS

    @property
    def criterion(self) -> str:
        """Name of what decides the order: "mean_area", "excess_mass" or "mass_volume"."""
        return self.judgement.criterion.name

    @property
    def order(self) -> tuple[str, ...]:
        """Names from best to worst, without those that could not be ranked."""
        return self.judgement.order

    @property
    def best(self) -> str:
        """Name of the detector that comes first."""
        if not self.order:
            reasons = "; ".join(f"{name}: {why}" for name, why in self.failures.items())
            raise DetectorError(
                "There is no best detector, because none of them could be ranked. "
                + (reasons or "Every criterion is unresolved; draw more reference points.")
            )
        if self.taught is not None and self.taught.model.n_yes:
            return max(self.order, key=lambda name: self.chances[name])
        return self.order[0]

    @property
    def chances(self) -> Mapping[str, float]:
        """How probable it is that each detector agrees best with the answers; all alike before."""
        names = self.order
        if self.taught is None:
            return dict.fromkeys(names, 1.0 / len(names)) if names else {}
        found = dict(zip(self.taught.committee.names_, self.taught.agreement.chances, strict=True))
        return {name: float(found[name]) for name in names}

    @property
    def answers(self) -> Mapping[Any, bool | None]:
        """All answers and known labels so far, by row number; None is "cannot say"."""
        return {} if self.taught is None else dict(self.taught.answers)

    @property
    def asked_answers(self) -> Mapping[Any, bool | None]:
        """Those of these answers that are no labels known before: what a file of answers holds."""
        return {} if self.taught is None else dict(self.taught.asked)

    @property
    def odd_row_count(self) -> OddRowCount:
        """How many rows are odd in the sense of the answers, with an interval."""
        return self._asked("The number of odd rows is").odd_row_count

    @property
    def row_chances(self) -> FloatArray:
        """The probability that each row is odd in the sense of the answers."""
        return self._asked("The probability that a row is odd is").row_chances

    def expected_change(self, n_answers: int = 5) -> ExpectedChange:
        """Return how many of the first rows of the list further answers probably replace."""
        check_integer(n_answers, "n_answers", "expected_change")
        taught = self._asked("What further answers change is")
        if n_answers not in self._expected:
            self._expected[n_answers] = taught.expected_change(n_answers, self.refit.root)
        return self._expected[n_answers]

    @cached_property
    def _expected(self) -> dict[int, ExpectedChange]:
        return {}

    def _asked(self, what: str) -> Teaching:
        if self.taught is None or not len(self.taught.asked_places):
            raise InvalidDataError(
                f"{what} estimated from answers to questions, and there are none. "
                "Call ranking.ask() and tell the answers."
            )
        return self.taught

    def ask(self, n: int = 10) -> Questions:
        """Return rows that are worth an answer, the best question first.

        Parameters
        ----------
        n : int
            How many; several at once are chosen to differ from each other. No row is asked twice.
        """
        from oddrank.inspection import ask_rows

        return ask_rows(self, n)

    def tell(
        self, answers: Any, *, by: str | None = None, asked: bool = True, rows: Any = None
    ) -> Ranking:
        """Return a ranking that follows answers, those before and these; nothing is fitted again.

        Parameters
        ----------
        answers : mapping, Series, or frame with a column "answer"
            Of row number or index label to True (odd), False, or None (cannot say). A later answer
            about a row replaces an earlier one. With `asked=False` also a sequence or array, with
            one label for each row of the ranking.
        by : None, "row" or "index"
            What whole numbers are, where an index has whole numbers of its own.
        asked : bool
            False for labels that were known before. They teach as answers do. A row without one
            (None, NaN) can still be asked.
        rows : array or frame, optional
            Known cases that are not in the ranked table, with the same columns; `answers` is then a
            sequence, array or Series with one label for each of them. They are never asked. A case
            that is told twice counts twice.

        Examples
        --------
        >>> import numpy as np
        >>> from oddrank import rank_detectors
        >>> X = np.random.default_rng(0).normal(size=(200, 3))
        >>> ranking = rank_detectors("fast", X, random_state=0)
        >>> labels = [True, False, *[None] * 198]
        >>> ranking.tell(labels, asked=False).answers
        {0: True, 1: False}
        >>> taught = ranking.tell([True, True], rows=[[3.0, 3.0, 0.0], [3.2, 2.9, 0.1]])
        >>> alike = [[3.1, 3.0, 0.0]]
        >>> bool(taught.score_samples(alike)[0] < ranking.score_samples(alike)[0])
        True
        """
        check_option(asked, "asked", "tell", (True, False))
        if rows is not None:
            return self._tell_cases(answers, rows, by)
        told = answers_by_place(answers, self.row_labels, by, asked=asked)
        return replace(self, taught=self.teaching.told(told, asked=asked))

    def _tell_cases(self, labels: Any, rows: Any, by: str | None) -> Ranking:
        if by is not None:
            raise InvalidParameterError(
                "The 'by' parameter of tell is about rows of the ranked table. Leave it out where "
                "'rows' are given: the labels are in the order of these rows."
            )
        table, ranked = as_table(rows, name="rows", minimum_rows=1), self.refit.rows
        check_same_features(ranked, table, "the ranked table", "rows")
        if ranked.is_plain and not table.is_plain:
            raise InvalidDataError(
                f"{table.why_not_plain('rows')} The ranked table holds numbers without gaps. Give "
                "known cases in the same form."
            )
        check_same_order(labels, index_of(rows))
        told = labels_in_order(labels, table.n_rows, "'rows'")
        known = np.flatnonzero([label is not None for label in told])
        if not len(known):
            return replace(self, taught=self.teaching)
        cases = rows if len(known) == table.n_rows else large_table(rows, "rows").take(known)
        odd = np.array([told[row] is True for row in known], dtype=np.bool_)
        return replace(self, taught=self.teaching.told_cases(cases, odd))

    @cached_property
    def teaching(self) -> Teaching:
        """The rows as answers see them, with the answers so far."""
        if self.taught is not None:
            return self.taught
        if self.has_test_rows:
            raise InvalidDataError(
                "Answers are about the rows that were ranked on. Rank without X_test to ask."
            )
        return Teaching.start(self.committee, self.tested_rows, self.refit.root)

    def detector(self, name: str) -> CalibratedDetector:
        """Return one detector of the ranking with its p-values, as `oddrank.CalibratedDetector`."""
        if name not in self._calibrated:
            if name not in self.names:
                self._refuse(name)
            candidate, refit = self.refit.candidates[name], self.refit
            self._calibrated[name] = CalibratedDetector(
                candidate.detector,
                preprocess=candidate.preprocess,
                scale=refit.scale,
                orientation=candidate.orientation,
                random_state=refit.root,
            ).fit(refit.rows.wrap(refit.rows.values), groups=refit.groups)
        return self._calibrated[name]

    @cached_property
    def _calibrated(self) -> dict[str, CalibratedDetector]:
        return {}

    @property
    def best_detector(self) -> CalibratedDetector:
        """The first of the order, as an `oddrank.CalibratedDetector`."""
        return self.detector(self.best)

    @property
    def committee_names(self) -> tuple[str, ...]:
        """The detectors that join the committee: all that were ranked."""
        return self.order

    @cached_property
    def committee_weights(self) -> Mapping[str, float]:
        """How much the vote of each member counts.

        It falls with the place in the order: fast where the user says that rows are clean
        (`polluted=False`), slowly otherwise.
        """
        names = self.committee_names
        known = bool(names) and all(name in self.held_out for name in names)
        scores = np.array([self.held_out[name] for name in names]) if known else None
        if scores is not None:
            scores = scores[:, ~np.isnan(scores).any(axis=0)]
        weights = order_weights(scores, len(names), self.judgement.polluted)
        return dict(zip(names, (weights / weights.sum()).tolist(), strict=True))

    @property
    def committee(self) -> Committee:
        """What to use: all detectors as one, taught by the answers, if there are any."""
        return self._committee if self.taught is None else self.taught.taught

    @cached_property
    def _committee(self) -> Committee:
        """What to use: all detectors as one, with the list, scores and p-values.

        It is fitted when it is first asked for, on folds of its own: see `oddrank.Committee`.
        """
        names, refit = self.committee_names or (self.best,), self.refit
        members = [refit.candidates[name] for name in names]
        orientation = {each.name: each.orientation for each in members if each.orientation}
        return Committee(
            [(each.name, each.detector) for each in members],
            weights=self.committee_weights,
            **(FITS_ON_CLEAN_ROWS if self.judgement.polluted is False else {}),
            preprocess=members[0].preprocess,
            scale=refit.scale,
            orientation=orientation or None,
            random_state=integer_seed(refit.root, "committee"),
        ).fit(refit.rows.wrap(refit.rows.values), groups=refit.groups)

    def model(self, of: str = "committee") -> FoldCalibrated:
        """Return the committee, or the detector of this name."""
        return self.committee if of == "committee" else self.detector(of)

    def score_samples(self, X: Any) -> FloatArray:
        """Score new rows by the committee: higher is more normal."""
        return self.committee.score_samples(self._like_ranked(X))

    def _like_ranked(self, X: Any) -> Any:
        """Return rows if they have the columns of the ranked table."""
        rows = as_table(X, minimum_rows=1)
        check_same_features(self.refit.rows, rows, "the ranked table", "X")
        return X.wrap(X.values) if isinstance(X, Table) else X

    def p_values(self, X: Any) -> FloatArray:
        """Return conformal p-values of new rows by the committee."""
        return self.committee.p_values(self._like_ranked(X))

    def predict(self, X: Any) -> Any:
        """Return -1 for new rows that the committee flags at its calibrated mass, 1 else."""
        return self.committee.predict(self._like_ranked(X))

    def odd_rows(self, of: str = "committee", *, n_explained: int = 10) -> OddRows:
        """Return the rows that were tested, oddest first, with reasons.

        Parameters
        ----------
        of : str
            Who finds rows odd: "committee", or the name of a detector.
        n_explained : int
            How many of the oddest rows get reasons at once; `OddRows.reasons` explains any row.
        """
        from oddrank.inspection import odd_rows

        if (of, n_explained) not in self._odd_rows:
            self._odd_rows[of, n_explained] = odd_rows(self, of=of, n_explained=n_explained)
        return self._odd_rows[of, n_explained]

    @cached_property
    def _odd_rows(self) -> dict[tuple[str, int], OddRows]:
        return {}

    def order_by(self, criterion: str) -> tuple[str, ...]:
        """Return the names from best to worst by excess mass or mass volume, if resolved."""
        if criterion == self.criterion:
            return self.order
        chosen = criterion_named(criterion, "Ranking")
        values = {
            name: -chosen.sign * evaluation[chosen].value
            for name, evaluation in self.evaluations.items()
            if evaluation[chosen].resolved
        }
        return tuple(sorted(values, key=lambda name: (values[name], name)))

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Every two detectors, by what decides the order."""
        return self.judgement.comparisons

    def comparisons_by(self, criterion: str) -> tuple[Comparison, ...]:
        """Return every two detectors, compared by excess mass or mass volume."""
        if criterion == self.criterion:
            return self.comparisons
        chosen = criterion_named(criterion, "Ranking")
        criteria = {name: each.criteria for name, each in self.evaluations.items()}
        return compare_volumes(criteria, chosen, self.confidence_level, self.judgement.polluted)

    def compare(self, first: str, second: str, criterion: str | None = None) -> Comparison:
        """Return the comparison of two detectors."""
        criterion = criterion or self.criterion
        for each in self.comparisons_by(criterion):
            if {each.better, each.worse} == {first, second}:
                return each
        raise DetectorError(
            f"There is no comparison of {first!r} and {second!r} by {criterion}. "
            f"Ranked detectors: {', '.join(map(repr, self.names)) or 'none'}."
        )

    def how_sure(self, first: str, second: str) -> Sureness:
        """Return how sure it is that one detector finds odd rows better than the other.

        Before answers: how often a lead like this was right where labels tell. After answers: how
        probable it is that the first agrees better with them than the second.
        """
        if self.taught is None:
            return self.compare(first, second).sureness
        names = list(self.taught.committee.names_)
        for name in {first, second} - set(names):
            self._refuse(name)
        found = self.taught.agreement.how_sure(names.index(first), names.index(second))
        n_yes = self.taught.model.n_yes
        return Sureness(probability=found, withheld=not n_yes, n_datasets=calibrated_on())

    def groups(self, criterion: str | None = None) -> tuple[tuple[str, ...], ...]:
        """Return groups of detectors that cannot be told apart; one may be in several."""
        criterion = criterion or self.criterion
        return inseparable_groups(self.order_by(criterion), self.comparisons_by(criterion))

    @property
    def letters(self) -> dict[str, str]:
        """The groups of each detector, as letters: who shares one cannot be told apart."""
        return letters(self.groups())

    @cached_property
    def conclusion(self) -> Verdict:
        """The verdict in parts: what to use, how clear that is, how far it holds."""
        return verdict_of(self)

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        return str(self.conclusion)

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """Everything that was looked at, worst first, each thing once for all detectors."""
        return checks_of(self)

    @property
    def details(self) -> str:
        """What the verdict is made of, as text: leads, volumes, kinds of anomaly, checks."""
        return details_text(self)

    @cached_property
    def table(self) -> RankingTable:
        """The table that all outputs render."""
        return ranking_table(self)

    def frame(self) -> Any:
        """Return the table as a pandas frame, one row per detector."""
        return data_frame(self.table.records())

    def to_dict(self) -> dict[str, object]:
        """Return the verdict and its figures as one flat mapping; see docs/ranking_schema.json."""
        return ranking_dict(self)

    def to_json(self, path: str | Path) -> None:
        """Write `to_dict` to a file."""
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        write_text(path, text + "\n")

    def to_html(self, path: str | Path, **options: Any) -> None:
        """Write the report, one page; options are those of `oddrank.report.html_page`."""
        from oddrank.report import html_page

        write_text(path, html_page(self, **options))

    def plot(self, ax: Any = None) -> Any:
        """Draw the ranking with its letters, and return the `RankingDisplay`."""
        from oddrank.plots import RankingDisplay

        return RankingDisplay.from_ranking(self, ax=ax)

    def __getitem__(self, name: str) -> Evaluation:
        """Return the evaluation of a detector."""
        if name not in self.names:
            self._refuse(name)
        return self.evaluations[name]

    def _refuse(self, name: str) -> NoReturn:
        why = self.failures.get(name, "It is not in this ranking.")
        raise DetectorError(f"No detector {name!r} was ranked. {why} Ranked: {list(self)}.")

    def __iter__(self) -> Iterator[str]:
        return iter(self.order)

    def __len__(self) -> int:
        return len(self.order)

    def __repr__(self) -> str:
        return ranking_line(self)

    def __str__(self) -> str:
        return screen(self)

    def _repr_html_(self) -> str:
        return ranking_html(self)


class _Evaluations(dict[str, Evaluation]):
    """Evaluations by name, or the reason why there are none."""

    def __init__(self, found: Mapping[str, Evaluation], reasons: Mapping[str, str]) -> None:
        super().__init__(found)
        self.reasons = reasons

    def __missing__(self, name: str) -> Evaluation:
        known = ", ".join(map(repr, self.reasons)) or "none"
        raise DetectorError(
            self.reasons.get(name) or f"No detector {name!r} was ranked. Ranked: {known}."
        )
