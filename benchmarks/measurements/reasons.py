"""Do the reasons name what was planted? Far values and odd combinations, ten datasets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy.spatial import KDTree
from scipy.stats import rankdata
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity, LocalOutlierFactor

from benchmarks.measurements.timing import table
from benchmarks.prepare import split_of
from oddrank.detectors import Candidate, FittedDetector
from oddrank.inspection import Reason, explain_rows
from oddrank.rows import Table, as_table

DATASETS = (
    "wilt", "pima", "annthyroid", "pendigits", "ionosphere", "shuttle",
    "magic_gamma", "page_blocks", "satimage_2", "waveform",
)  # fmt: skip
MAX_ROWS = 2400
N_PLANTED = 40
# Rows are planted until this many were tried, or enough of them are odd to the detector.
N_TRIED = 400
ODD = 0.05
SEED = 1
FIGURES = ("one", "both", "first", "by distance")


def detectors() -> dict[str, Any]:
    return {
        "IsolationForest": IsolationForest(random_state=0),
        "LocalOutlierFactor": LocalOutlierFactor(novelty=True),
        "GaussianMixture": GaussianMixture(3, reg_covar=1e-3, random_state=0),
        "KernelDensity": KernelDensity(bandwidth=0.5),
    }


@dataclass(frozen=True, kw_only=True)
class Planted:
    """A row, and the two features that were changed."""

    row: np.ndarray
    features: tuple[int, int]


def rows_of(name: str, seed: int) -> tuple[Table, np.ndarray]:
    """Return the training rows of a dataset, and ordinary rows that were left out."""
    split = split_of(name, "novelty", seed, MAX_ROWS)
    many = [len(np.unique(column)) >= 10 for column in split.X_train.T]
    train = as_table(split.X_train)
    train = train.features(np.flatnonzero(many))
    return train, split.X_test[split.y_test == 0][:, many]


def middle_and_spread(train: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    middle = np.median(train, axis=0)
    spread = 1.4826 * np.median(np.abs(train - middle), axis=0)
    return middle, np.where(spread > 0.0, spread, train.std(axis=0))


def far_values(train: np.ndarray, rows: np.ndarray, random: Any) -> Iterator[Planted]:
    """Set two features to values 6 to 10 spreads away from the median."""
    middle, spread = middle_and_spread(train)
    for row in rows[random.permutation(len(rows))].copy():
        pair = random.choice(train.shape[1], 2, replace=False)
        side = random.choice([-1.0, 1.0], 2)
        row[pair] = middle[pair] + side * random.uniform(6.0, 10.0, 2) * spread[pair]
        yield Planted(row=row, features=tuple(pair.tolist()))


def odd_combinations(train: np.ndarray, rows: np.ndarray, random: Any) -> Iterator[Planted]:
    """Give two features ordinary values that are far from all rows in their plane."""
    ranks = (rankdata(train, axis=0) - 0.5) / len(train)
    for row in rows[random.permutation(len(rows))].copy():
        pair = random.choice(train.shape[1], 2, replace=False)
        central = [np.flatnonzero(np.abs(ranks[:, j] - 0.5) <= 0.45) for j in pair]
        chosen = [random.choice(each, 200) for each in central]
        plane = KDTree(ranks[:, pair])
        points = np.column_stack([ranks[chosen[0], pair[0]], ranks[chosen[1], pair[1]]])
        best = int(np.argmax(plane.query(points, k=3)[0][:, -1]))
        row[pair] = [train[chosen[0][best], pair[0]], train[chosen[1][best], pair[1]]]
        yield Planted(row=row, features=tuple(pair.tolist()))


def borrowed_pairs(train: np.ndarray, rows: np.ndarray, random: Any) -> Iterator[Planted]:
    """Give two features the ordinary values of one other row, which fit to each other alone."""
    ranks = (rankdata(train, axis=0) - 0.5) / len(train)
    space = KDTree(train / train.std(axis=0))
    for row in rows[random.permutation(len(rows))].copy():
        pair = random.choice(train.shape[1], 2, replace=False)
        central = np.flatnonzero((np.abs(ranks[:, pair] - 0.5) <= 0.45).all(axis=1))
        made = np.tile(row, (20, 1))
        made[:, pair] = train[random.choice(central, len(made))][:, pair]
        best = int(np.argmax(space.query(made / train.std(axis=0), k=3)[0][:, -1]))
        yield Planted(row=made[best], features=tuple(pair.tolist()))


PLANTS = {
    "far values": far_values,
    "odd combinations": odd_combinations,
    "borrowed pairs": borrowed_pairs,
}


# How odd a row may be before anything is planted in it: a share of the rows left out.
GROUNDS = {"ordinary rows": 0.25, "any rows": 0.0}


def planted_rows(
    fitted: FittedDetector, train: Table, rows: np.ndarray, *, kind: str, ground: str, seed: int
) -> list[Planted]:
    """Plant into rows of some ground, and keep those that the detector finds odd then."""
    scores = fitted.score(train.with_values(rows))
    odd, lowest = np.quantile(scores, (ODD, GROUNDS[ground]))
    allowed = rows[scores >= lowest]
    allowed = np.tile(allowed, (1 + N_TRIED // len(allowed), 1))[:N_TRIED]
    made = list(PLANTS[kind](train.values, allowed, np.random.default_rng(seed)))
    after = fitted.score(train.with_values(np.array([each.row for each in made])))
    return [each for each, score in zip(made, after, strict=True) if score < odd][:N_PLANTED]


def measure_one(name: str, label: str, seed: int) -> Iterator[dict[str, Any]]:
    """Yield a record for every planted row that is odd to this detector."""
    train, rows = rows_of(name, seed)
    candidate = Candidate(name=label, detector=detectors()[label])
    fitted = candidate.fit(train, np.random.SeedSequence(seed))
    for ground, kind in product(GROUNDS, PLANTS):
        planted = planted_rows(fitted, train, rows, kind=kind, ground=ground, seed=seed)
        values = np.array([each.row for each in planted]).reshape(-1, train.n_features)
        odd = train.with_values(values)
        explained = explain_rows(fitted, odd, train, root=np.random.SeedSequence(seed))
        for each, reasons in zip(planted, explained, strict=True):
            about = {"dataset": name, "detector": label, "ground": ground, "kind": kind}
            yield about | outcome(each, reasons, train)


def outcome(planted: Planted, reasons: tuple[Reason, ...], train: Table) -> dict[str, Any]:
    """Tell which planted features are among the first two reasons, and what distances find."""
    names = [train.feature_names[j] for j in planted.features]
    found = {reason.column for reason in reasons[:2]} & set(names)
    middle, spread = middle_and_spread(train.values)
    farthest = np.argsort(-np.abs(planted.row - middle) / spread)[:2]
    return {
        "one": bool(found),
        "both": len(found) == 2,
        "first": bool(reasons) and reasons[0].column in names,
        "by distance": bool(set(farthest.tolist()) & set(planted.features)),
        **(named(reasons[0], planted, train) if reasons else {"named": None, "odd pair": None}),
    }


def named(reason: Reason, planted: Planted, train: Table) -> dict[str, Any]:
    """Tell what the first sentence names beside a planted value; None where it names nothing.

    A planted value need not go with unchanged columns either. So the result also says whether the
    two values named are a pair that few rows have: emptier than around 95 % of the rows.
    """
    places = {name: j for j, name in enumerate(train.feature_names)}
    column = places[reason.column]
    told = reason.sentence.partition(" does not go with ")[2].rpartition(" ")[0]
    if column not in planted.features or told not in places:
        return {"named": None, "odd pair": None}
    pair = [column, places[told]]
    rows = train.values[:, pair]
    plane = KDTree((rankdata(rows, axis=0) - 0.5) / len(rows))
    place = [np.mean(rows[:, k] < v) / 2 + np.mean(rows[:, k] <= v) / 2
             for k, v in enumerate(planted.row[pair])]  # fmt: skip
    usual = plane.query(plane.data, k=4)[0][:, -1]
    is_odd = bool(plane.query(place, k=3)[0][-1] > np.quantile(usual, 0.95))
    return {"named": places[told] in planted.features, "odd pair": is_odd}


def run(seed: int = SEED) -> list[dict[str, Any]]:
    return [
        record
        for name in DATASETS
        for label in detectors()
        for record in measure_one(name, label, seed)
    ]


def share(records: list[dict[str, Any]], figure: str) -> str:
    values = [each[figure] for each in records if each[figure] is not None]
    return f"{np.mean(values):.3f}" if values else "none"


def report() -> str:
    records = run()
    parts = []
    for ground in GROUNDS:
        for by, groups in (("detector", tuple(detectors())), ("dataset", DATASETS)):
            cells = []
            for group in (*groups, "all"):
                own = [r for r in records if r["ground"] == ground and group in (r[by], "all")]
                line = [group]
                for kind in PLANTS:
                    of_kind = [each for each in own if each["kind"] == kind]
                    figures = [share(of_kind, each) for each in FIGURES]
                    line += [str(len(of_kind)), " / ".join(figures)]
                cells.append(line)
            head = [by, *(each for kind in PLANTS for each in ("rows", kind))]
            parts.append(table(f"Planted into {ground}: {' / '.join(FIGURES)}", head, cells))
    pairs = [each for each in records if each["kind"] == "odd combinations"]
    n_named = sum(each["named"] is not None for each in pairs)
    parts.append(
        f"\nOf {len(pairs)} odd combinations, {n_named} have a first sentence that says what a "
        f"planted value does not go with. The other planted one: {share(pairs, 'named')}. "
        f"A pair that few rows have: {share(pairs, 'odd pair')}."
    )
    return "\n".join(parts)
