"""How often a lead is right: fitted on stored rows, and tried on families of datasets left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

from benchmarks.prepare import FloatArray
from benchmarks.rows import Row
from benchmarks.verdict.judges import (
    Call,
    column,
    family_of,
    names_of,
    told,
    unsaid,
    usable_rows,
    verdict_table,
)
from benchmarks.verdict.study import TWIN
from oddrank.criteria import holm
from oddrank.ranking import MARGIN, chance_right

BoolArray = npt.NDArray[np.bool_]
# What the user says of the training rows, and the settings in which this holds.
SAID = {
    "clean": ("novelty",),
    "polluted": ("unsupervised",),
    "unknown": ("novelty", "unsupervised"),
}
POOLS = (2, 5, 13)
HALF_LEAD = 0.04
_SUBSETS = {2: 40, 5: 8, 13: 1}
LEVEL = 0.05


@dataclass(frozen=True, kw_only=True, eq=False)
class Leads:
    """Pairs of detectors, in pools of some size.

    Attributes
    ----------
    certain : array
        Lead less its standard error.
    separated, right : arrays of bool
        Whether the two are told apart in their pool, and whether labels order them alike.
    family : array of str
    """

    certain: FloatArray
    separated: BoolArray
    right: BoolArray
    family: Any

    def of(self, chosen: BoolArray) -> Leads:
        """Return these pairs only."""
        return Leads(
            certain=self.certain[chosen],
            separated=self.separated[chosen],
            right=self.right[chosen],
            family=self.family[chosen],
        )


def gather_leads(rows: Sequence[Row], said: str, pool: int) -> Leads:
    """Return all pairs of random pools of this size; twins and detectors of one class take part."""
    found = []
    for row in usable_rows(rows):
        if row["setting"] in SAID[said]:
            found += _of_row(row, unsaid(row) if said == "unknown" else told(row), pool)
    certain, separated, right, family = (np.array(part) for part in zip(*found, strict=True))
    return Leads(certain=certain, separated=separated, right=right, family=family)


@dataclass(frozen=True, kw_only=True)
class Lead:
    """What a call says of one pair: the better by its score, the worse, and how sure that is."""

    better: str
    worse: str
    value: float
    error: float
    p_value: float


def leads_of(call: Call) -> Iterator[Lead]:
    """Yield the leads of all pairs of a call, twins too."""
    scores = dict(zip(call["order"], call["score"], strict=True))
    pairs = combinations(call["order"], 2)
    for (better, worse), error, p_value in zip(
        pairs, call["errors"], call["p_values"], strict=True
    ):
        value = scores[better] - scores[worse]
        yield Lead(better=better, worse=worse, value=value, error=error, p_value=p_value)


def _of_row(row: Row, call: Call, pool: int) -> list[tuple[float, bool, bool, str]]:
    names = sorted(call["order"])
    random = np.random.default_rng([row["seed"], pool])
    roc = dict(zip(call["order"], call["roc"], strict=True))
    leads = list(leads_of(call))
    found = []
    for _ in range(_SUBSETS[pool]):
        subset = set(random.choice(names, min(pool, len(names)), replace=False))
        pairs = [lead for lead in leads if lead.better in subset and lead.worse in subset]
        adjusted = holm(np.array([lead.p_value for lead in pairs]))
        for lead, corrected in zip(pairs, adjusted, strict=True):
            if roc[lead.better] != roc[lead.worse]:
                apart = bool(corrected < LEVEL and lead.value >= MARGIN)
                right = bool(roc[lead.better] > roc[lead.worse])
                found.append((lead.value - lead.error, apart, right, family_of(row["dataset"])))
    return found


def fitted_slope(leads: Leads) -> float:
    """Fit `P(right)` to separated pairs, each family with the same weight."""
    apart = leads.of(leads.separated)
    x = np.maximum(apart.certain, 0.0)
    x = (x / (x + HALF_LEAD))[:, None]
    _, place, counts = np.unique(apart.family, return_inverse=True, return_counts=True)
    weights = 1.0 / counts[place]
    model = LogisticRegression(fit_intercept=False, C=1e6)
    # each pair from both sides, so that both answers occur
    model.fit(np.vstack([x, -x]), np.concatenate([apart.right, ~apart.right]), np.tile(weights, 2))
    return max(0.0, float(model.coef_[0, 0]))


def calibrate_verdict(rows: Sequence[Row]) -> dict[str, Any]:
    """Return what the package ships for leads of mean areas."""
    slopes = {said: round(fitted_slope(gather_leads(rows, said, 13)), 3) for said in SAID}
    return {
        "n_datasets": len({row["dataset"] for row in usable_rows(rows)}),
        "half_lead": HALF_LEAD,
        "slopes": slopes,
        "volume_slopes": {said: round(_volume_slope(rows, said), 3) for said in SAID},
        "lost": {said: _lost(rows, said) for said in SAID},
    }


def _volume_slope(rows: Sequence[Row], said: str) -> float:
    """Fit `1 / (1 + exp(-slope · x / (1 + x)))` to all pairs, `x` a log ratio of excess mass."""
    x, right = [], []
    for row in usable_rows(rows):
        if row["setting"] not in SAID[said]:
            continue
        areas = {name: each["em"] for name, each in row["volumes"].items() if each["em"]}
        roc = dict(zip(names_of(unsaid(row)), column(unsaid(row), "roc"), strict=True))
        for first, second in combinations(sorted(areas), 2):
            lead = float(np.log(areas[first] / areas[second]))
            if lead != 0.0 and roc[first] != roc[second]:
                x.append(abs(lead) / (1.0 + abs(lead)))
                right.append((lead > 0.0) == (roc[first] > roc[second]))
    if len(set(right)) < 2:
        return 0.0
    columns, labels = np.array(x)[:, None], np.array(right)
    model = LogisticRegression(fit_intercept=False, C=1e6)
    model.fit(np.vstack([columns, -columns]), np.concatenate([labels, ~labels]))
    return max(0.0, float(model.coef_[0, 0]))


def _lost(rows: Sequence[Row], said: str) -> dict[str, list[float]]:
    """Return the ROC and PR areas that the single pick and the committee lose, over settings."""
    place = 0 if said == "unknown" else 1
    tables = [list(verdict_table(rows, setting).values()) for setting in SAID[said]]
    means = np.mean([table[place].mean for table in tables if table], axis=0)
    return {
        "pick": [round(float(value), 3) for value in means[2:4]],
        "committee": [round(float(value), 3) for value in means[4:6]],
    }


def reliability(
    rows: Sequence[Row], said: str, pool: int, edges: Sequence[float]
) -> list[dict[str, float]]:
    """Return claimed against seen shares of separated pairs, each family by a slope of the others.

    `error` is the standard error of the seen share over families.
    """
    leads = gather_leads(rows, said, 13)
    tried = gather_leads(rows, said, pool)
    tried = tried.of(tried.separated)
    claimed = np.empty(len(tried.right))
    for family in np.unique(tried.family):
        own = tried.family == family
        slope = fitted_slope(leads.of(leads.family != family))
        claimed[own] = chance_right(tried.certain[own], slope, HALF_LEAD)
    bins = []
    for low, high in pairwise(edges):
        inside = (claimed >= low) & (claimed < high)
        families = np.unique(tried.family[inside])
        if len(families) > 1:
            of_family = [tried.right[inside & (tried.family == each)].mean() for each in families]
            said_of = [claimed[inside & (tried.family == each)].mean() for each in families]
            bins.append({
                "claimed": float(np.mean(said_of)),
                "seen": float(np.mean(of_family)),
                "error": float(np.std(of_family, ddof=1) / np.sqrt(len(families))),
                "families": len(families),
                "pairs": int(inside.sum()),
            })  # fmt: skip
    return bins


def twins_separated(rows: Sequence[Row]) -> dict[str, tuple[int, int]]:
    """Count pairs of twins, and those whose own p-value tells them apart, by setting."""
    counts: dict[str, tuple[int, int]] = {}
    for row in usable_rows(rows):
        for lead in leads_of(told(row)):
            if all(
                name.startswith(TWIN) or f"{TWIN}{name} " in other
                for name, other in ((lead.better, lead.worse), (lead.worse, lead.better))
            ):
                apart, total = counts.get(row["setting"], (0, 0))
                told_apart = int(lead.p_value < LEVEL and lead.value >= MARGIN)
                counts[row["setting"]] = (apart + told_apart, total + 1)  # fmt: skip
    return counts
