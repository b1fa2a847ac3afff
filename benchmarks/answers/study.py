"""The study: answers on every table, with clean rows, and with 2 and 8 % odd ones.

Answers are the labels of the table's own rows. What is learnt is held against the labels of fresh
rows. The tables are those of `odd_tables`, and the labelled datasets of `benchmarks.datasets`. All
tables have thirteen detectors; a third of them, drawn by their names, also have seven and three.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks.datasets import SOURCES
from benchmarks.odd_tables.study import MOST_ROWS, SHARES, areas, pool, split, table_of
from benchmarks.odd_tables.study import _folder as folder
from benchmarks.rows import short
from benchmarks.run import Cell
from oddrank import rank_detectors
from oddrank._typing import BoolArray, FloatArray
from oddrank.ranking.answer_findings import (
    agreement_with_answers,
    estimate_odd_rows,
    odd_probability,
)
from oddrank.ranking.answer_model import AnswerModel, Describer, RowDescription, learn
from oddrank.ranking.questions import expected_change, first_rows, next_questions
from oddrank.rows import as_table

N_ANSWERS = (10, 20, 40)
POOLS: Mapping[str, tuple[str, ...]] = {
    "seven": ("forest", "lof50", "svm_tenth", "knn5", "ecod", "pca", "mixture"),
    "three": ("forest", "lof50", "svm_tenth"),
}
ONE_IN = 3
PROBABILITY_BINS = np.array([0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95])
Answer = Callable[[int, np.random.Generator], bool]


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A table with its fresh rows, as the model sees them."""

    train: FloatArray
    test: FloatArray
    train_labels: BoolArray
    labels: Any
    rows: RowDescription
    fresh: RowDescription
    singles: list[list[float]]


@dataclass(frozen=True, kw_only=True)
class Answers:
    """Every table, in every setting."""

    datasets: tuple[str, ...] = ()
    settings: tuple[str, ...] = ("eight", "two", "clean")
    seeds: tuple[int, ...] = (0,)
    max_rows: int = MOST_ROWS

    @property
    def options(self) -> Mapping[str, Any]:
        """What changes the rows of a cell."""
        return {"max_rows": self.max_rows}

    def cells(self) -> Iterator[Cell]:
        """Yield every cell."""
        stored = sorted(path.stem for path in folder().glob("*.npz"))
        for seed in self.seeds:
            for setting in self.settings:
                for name in self.datasets or (*stored, *SOURCES):
                    yield Cell(dataset=name, setting=setting, seed=seed)
                    if setting != "clean" and zlib.crc32(name.encode()) % ONE_IN == 0:
                        for detectors in POOLS:
                            yield Cell(dataset=name, setting=setting, seed=seed, detector=detectors)

    def measure(self, cell: Cell) -> dict[str, Any]:
        """Ask and answer in every way, and hold each against the labels of fresh rows."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            case = _case(cell)
            told = case.train_labels

            def right(row: int, _: np.random.Generator) -> bool:
                return bool(told[row])

            def one_in_ten_wrong(row: int, random: np.random.Generator) -> bool:
                return bool(told[row]) ^ bool(random.random() < 0.1)

            def coin(_: int, random: np.random.Generator) -> bool:
                return bool(random.random() < 0.5)

            # every table has wrong answers of its own
            seed = zlib.crc32(f"{cell.dataset} {cell.seed}".encode())
            row = {
                "singles": case.singles,
                "none": areas(-case.fresh.oddness, case.labels),
                "one": _session(case, right, seed, facts=True),
            }
            if cell.detector not in POOLS:
                row |= {
                    "ten": _session(case, right, seed, at_once=10),
                    "wrong": _session(case, one_in_ten_wrong, seed),
                    "coin": _session(case, coin, seed),
                    **_forests(case, seed),
                }
        return row


def _case(cell: Cell) -> Case:
    X, y = table_of(cell.dataset)
    # the labels travel as a last column: `split` draws rows once
    both = np.column_stack([X, y])
    train, test, labels = split(both, y, cell.dataset, cell.seed, SHARES[cell.setting])
    told, train, test = train[:, -1] == 1, train[:, :-1], test[:, :-1]
    usable = np.ptp(train, axis=0) > 0.0
    train, test = train[:, usable], test[:, usable]
    detectors = pool(train.shape[1])
    detectors = {name: detectors[name] for name in POOLS.get(cell.detector, detectors)}
    ranking = rank_detectors(detectors, train, n_jobs=1, random_state=cell.seed)
    committee, names = ranking.committee, ranking.committee_names
    table = as_table(test)
    describer = Describer.fit(train, seed=cell.seed)
    return Case(
        train=train,
        test=test,
        train_labels=told,
        labels=np.asarray(labels == 1),
        rows=describer.describe(
            train, votes=committee.row_votes_.T, oddness=committee.row_oddness_.mean(axis=0)
        ),
        fresh=describer.describe(
            test, votes=committee.votes(test).T, oddness=committee.oddness(test)
        ),
        singles=[areas(ranking.refit.fitted(name).score(table), labels) for name in names],
    )


def _session(
    case: Case, answer: Answer, seed: int, *, at_once: int = 1, facts: bool = False
) -> dict[str, Any]:
    """Ask up to the last number of answers; return what each number of them is worth."""
    random = np.random.default_rng(seed)
    asked = np.zeros(len(case.rows), dtype=np.bool_)
    order: list[int] = []
    answers: list[bool] = []
    found: dict[str, Any] = {}
    model = learn(case.rows.rows(order), answers)
    while len(order) < min(N_ANSWERS[-1], len(asked)):
        for row in next_questions(
            model, case.rows, asked=asked, n_questions=at_once, random=random
        ):
            order.append(int(row))
            answers.append(answer(int(row), random))
            asked[row] = True
        model = learn(case.rows.rows(order), answers)
        if len(order) in N_ANSWERS:
            positions = np.array(order)
            reached: dict[str, Any] = {"areas": areas(-model.oddness(case.fresh), case.labels)}
            agreed = agreement_with_answers(model, case.rows, positions=positions)
            reached["chance"] = short(float(agreed.chances.max()), 4)
            if facts:
                reached |= _facts(case, model, positions, asked, seed)
            found[str(len(order))] = reached
    return found


def _facts(
    case: Case, model: AnswerModel, positions: Any, asked: BoolArray, seed: int
) -> dict[str, Any]:
    """Return what calibration is measured by."""
    count = estimate_odd_rows(model, case.rows, positions=positions)
    change = expected_change(
        model, case.rows, asked=asked, random=np.random.default_rng(seed), n_answers=5
    )
    return {
        "n_yes": model.n_yes,
        "rows": _calibration(odd_probability(model, case.fresh), case),
        "pairs": _pair_calibration(model, case, positions),
        "count": [int(case.train_labels.sum()), short(count.estimate, 4), count.low, count.high],
        "change": [short(change.n_replaced, 4), _actual_change(case, model, positions, asked)],
    }


def _actual_change(case: Case, model: AnswerModel, positions: Any, asked: BoolArray) -> int:
    """Return how many of the first twenty rows five true answers replace."""
    order, mask, later = list(positions), asked.copy(), model
    for _ in range(5):
        random = np.random.default_rng(len(order))
        row = int(next_questions(later, case.rows, asked=mask, random=random)[0])
        order.append(row)
        mask[row] = True
        later = learn(case.rows.rows(order), case.train_labels[order], prior=model.prior)
    before, after = (first_rows(each.oddness(case.rows), 20) for each in (model, later))
    return len(np.setdiff1d(before, after))


def _calibration(chances: FloatArray, case: Case) -> list[list[float]]:
    """Return by bin: weight, summed probability, weight of odd rows.

    Fresh odd rows are weighted so that their share is that of the table.
    """
    share, odd = float(case.train_labels.mean()), case.labels
    weights = np.ones(len(odd))
    weights[odd] = share * (~odd).sum() / ((1.0 - share) * odd.sum())
    weights /= weights.sum()
    return _binned(chances, odd, weights)


def _pair_calibration(model: AnswerModel, case: Case, positions: Any) -> list[list[float]]:
    found = agreement_with_answers(model, case.rows, positions=positions)
    said, right = [], []
    for a, b in combinations(range(len(case.singles)), 2):
        if case.singles[a][0] != case.singles[b][0] and found.n_yes:
            first, second = (a, b) if found.areas[a] >= found.areas[b] else (b, a)
            said.append(found.how_sure(first, second))
            right.append(case.singles[first][0] > case.singles[second][0])
    return _binned(np.array(said), np.array(right, dtype=np.bool_), np.ones(len(said)))


def _binned(said: FloatArray, right: BoolArray, weights: FloatArray) -> list[list[float]]:
    bins = np.digitize(said, PROBABILITY_BINS)
    sums = [weights, weights * said, weights * right]
    size = len(PROBABILITY_BINS) + 1
    return [short(list(np.bincount(bins, each, minlength=size)), 5) for each in sums]


def _forests(case: Case, seed: int) -> dict[str, Any]:
    """Ask as coniferest does: the most anomalous row that is not known yet."""
    from coniferest.aadforest import AADForest
    from coniferest.pineforest import PineForest

    return {
        name: _greedy(forest, case, seed)
        for name, forest in (("aad", AADForest), ("pine", PineForest))
    }


def _greedy(forest: Any, case: Case, seed: int) -> dict[str, Any]:
    from coniferest.label import Label

    size = min(256, len(case.train))
    model = forest(n_trees=100, n_subsamples=size, random_seed=seed, n_jobs=1).fit(case.train)
    found: dict[str, Any] = {"0": areas(model.score_samples(case.test), case.labels)}
    known: list[int] = []
    for number in range(1, N_ANSWERS[-1] + 1):
        scores = model.score_samples(case.train).copy()
        scores[known] = np.inf
        known.append(int(np.argmin(scores)))
        told = np.where(case.train_labels[known], Label.ANOMALY, Label.REGULAR)
        model = model.fit_known(case.train, case.train[known], told)
        if number in N_ANSWERS:
            found[str(number)] = areas(model.score_samples(case.test), case.labels)
    return found
