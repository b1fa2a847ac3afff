"""How often a lead is right: one slope per judge and setting, tried on datasets left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from oddrank._typing import FloatArray
from oddrank.benchmark.verdict.judges import combination, labelled, usable
from oddrank.judging import bounded_lead, chance_right, weighing_of

__all__ = ["JUDGED", "calibrate", "leads", "reliability"]

Row = Mapping[str, Any]
JUDGED = ("volume", "references", "combined", "consensus")
SETTINGS = {"clean": ("novelty",), "polluted": ("unsupervised",),
            "unknown": ("novelty", "unsupervised")}  # fmt: skip
# Users rank three to a dozen detectors; leads are larger among few.
_POOL_SIZES = (3, 5, 8, 13)
_SUBSETS = 6


def leads(rows: Sequence[Row], judge: str, said: str) -> dict[str, FloatArray]:
    """Return, per dataset, pairs of a lead and whether the labels agree with it (1.0 or 0.0).

    Parameters
    ----------
    rows : sequence of rows
    judge : str
    said : "clean", "polluted" or "unknown"
        What the user says of the training rows.
    """
    found: dict[str, list[FloatArray]] = {}
    for row in usable(rows):
        if row["setting"] in SETTINGS[said]:
            pairs = _of_row(row, judge, {"clean": False, "polluted": True}.get(said))
            found.setdefault(row["dataset"], []).append(pairs)
    return {name: np.concatenate(each) for name, each in found.items()}


def _of_row(row: Row, judge: str, polluted: bool | None) -> FloatArray:
    names = list(row["detectors"])
    random = np.random.default_rng([len(names), row["seed"]])
    roc = dict(zip(names, labelled(row, "roc"), strict=True))
    pairs = []
    for size in _POOL_SIZES:
        for _ in range(_SUBSETS if size < len(names) else 1):
            subset = sorted(random.choice(names, min(size, len(names)), replace=False))
            scores = _scores(row, judge, polluted, subset)
            for first, second in combinations(subset, 2):
                lead = scores[first] - scores[second]
                if np.isfinite(lead) and lead != 0.0 and roc[first] != roc[second]:
                    pairs.append((abs(lead), float((lead > 0) == (roc[first] > roc[second]))))
    return np.array(pairs).reshape(-1, 2)


def _scores(row: Row, judge: str, polluted: bool | None, subset: Sequence[str]) -> dict[str, float]:
    detectors = {name: row["detectors"][name] for name in subset}
    if judge == "volume":
        areas = {name: each.get("em") for name, each in detectors.items()}
        logs = {n: np.log(a) if a else np.nan for n, a in areas.items()}
        return {name: float(value) for name, value in logs.items()}
    weighing = weighing_of(judge, polluted)
    scores = combination(weighing.consensus_share, weighing.trimmed_share > 0)(
        {**row, "detectors": detectors}
    )
    return dict(zip(detectors, scores.tolist(), strict=True))


def slope(pairs: FloatArray, judge: str) -> float:
    """Fit `P(right) = 1 / (1 + exp(-slope · lead))`: no lead is right in half of the cases."""
    lead = bounded_lead(judge, pairs[:, 0])[:, None]
    right = pairs[:, 1] > 0.5
    if right.all() or not right.any():
        return 0.0
    model = LogisticRegression(fit_intercept=False, C=1e6)
    # each pair from both sides, so that both answers occur
    model.fit(np.vstack([lead, -lead]), np.concatenate([right, ~right]))
    return max(0.0, float(model.coef_[0, 0]))


def calibrate(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the content of `verdict_calibration.json`."""
    slopes = {}
    for judge in JUDGED:
        slopes[judge] = {
            said: round(_slope_of_datasets(leads(rows, judge, said), judge), 4) for said in SETTINGS
        }
    return {"n_datasets": len({row["dataset"] for row in rows}), "slopes": slopes}


def _slope_of_datasets(of_dataset: Mapping[str, FloatArray], judge: str) -> float:
    return slope(np.concatenate(list(of_dataset.values())), judge)


def reliability(
    rows: Sequence[Row], judge: str, said: str, edges: Sequence[float]
) -> list[dict[str, float]]:
    """Return predicted against observed shares, each dataset by a slope of the others.

    Bins without pairs are left out. `error` is the standard error of the observed share over
    datasets.
    """
    of_dataset = leads(rows, judge, said)
    predicted: dict[str, FloatArray] = {}
    for left_out, pairs in of_dataset.items():
        others = {name: each for name, each in of_dataset.items() if name != left_out}
        value = _slope_of_datasets(others, judge)
        predicted[left_out] = chance_right(value, bounded_lead(judge, pairs[:, 0]))
    bins = []
    for low, high in pairwise(edges):
        said_shares, seen = [], []
        for name, chances in predicted.items():
            inside = (chances >= low) & (chances < high)
            if inside.any():
                said_shares.append(chances[inside].mean())
                seen.append(of_dataset[name][inside, 1].mean())
        if said_shares:
            spread = np.std(seen, ddof=1) / np.sqrt(len(seen)) if len(seen) > 1 else np.nan
            bins.append({
                "predicted": float(np.mean(said_shares)),
                "observed": float(np.mean(seen)),
                "error": float(spread),
                "n_datasets": len(seen),
            })  # fmt: skip
    return bins
