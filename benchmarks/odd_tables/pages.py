"""The page of the study: what committees, picks and constants lose against the labels."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from benchmarks.datasets import SOURCES
from benchmarks.markdown import table
from oddrank._typing import FloatArray
from oddrank.ranking.sureness import chance_right

Rows = Sequence[dict[str, Any]]
SETTINGS = {"clean": "clean", "two": "2 % odd", "eight": "8 % odd"}
# What is used where nothing is told: half of the tables are clean, a quarter each hold odd rows.
UNKNOWN = {"clean": 0.5, "two": 0.25, "eight": 0.25}
HALF_LEAD = 0.04
N_RESAMPLES, N_SLOPES = 2000, 200
# Tables of one source: they are drawn together.
FAMILIES = {
    "landsat": "satellite", "satimage_2": "satellite", "breastw": "breast", "wdbc": "breast",
    "wpbc": "breast", "annthyroid": "thyroid", "http": "kddcup", "smtp": "kddcup",
}  # fmt: skip
USED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "committee of the thirteen, nothing told": lambda row: row["committees"]["thirteen"],
    "committee of the pool `default`, nothing told": lambda row: row["committees"]["default"],
    "committee of the thirteen, `polluted=False`": lambda row: row["committees"].get(
        "thirteen, said clean"
    ),
    "committee of the pool `default`, `polluted=False`": lambda row: row["committees"].get(
        "default, said clean"
    ),
    "the first of the order": lambda row: row["singles"][0],
    "always the isolation forest": lambda row: _single(row, "forest"),
    "always the mixture": lambda row: _single(row, "mixture"),
    "always kNN(5)": lambda row: _single(row, "knn5"),
    "always the one-class SVM (ν = 0.5)": lambda row: _single(row, "svm_half"),
    "a random pick": lambda row: np.mean(row["singles"], axis=0),
}
BASELINES = ("always the isolation forest", "always the mixture", "a random pick")


def _single(row: dict[str, Any], name: str) -> Any:
    """Return the areas of one detector; where it failed, those of a random pick."""
    if name not in row["order"]:
        return np.mean(row["singles"], axis=0)
    return row["singles"][row["order"].index(name)]


def family_of(name: str) -> str:
    """Return the family of a table; nearly all tables are their own."""
    return FAMILIES.get(name, name)


def complete_rows(stored: Rows) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rows, and what is left out: nothing, each cell is a row of its own."""
    return [row for row in stored if row.get("status", "done") == "done"], []


def lost(rows: Rows, setting: str, used: str, *, of_sources: bool = False) -> FloatArray:
    """Return ROC and average precision that a choice loses in every table, against the best.

    Of the 261 tables, or of the datasets of `benchmarks.datasets` (`of_sources`).
    """
    of_setting = sorted((row for row in rows if row["setting"] == setting
                         and (row["dataset"] in SOURCES) == of_sources),
                        key=lambda row: str(row["dataset"]))  # fmt: skip
    best = np.array([np.max(row["singles"], axis=0) for row in of_setting])
    return np.asarray(best - np.array([USED[used](row) for row in of_setting]))


def page_texts(rows: Rows, out: Path) -> dict[str, str]:  # noqa: ARG001
    """Return the page and the calibration."""
    n_tables = len({row["dataset"] for row in rows} - set(SOURCES))
    figures = calibration(rows)
    template = (Path(__file__).parent / "page.template").read_text(encoding="utf-8")
    text = Template(template).substitute(
        n_tables=n_tables,
        n_sources=len({row["dataset"] for row in rows} & set(SOURCES)),
        lost=_lost_table(rows),
        lost_of_sources=_lost_table(rows, of_sources=True),
        differences=_difference_table(rows),
        pairs=_pair_table(rows),
        half_lead=HALF_LEAD,
        **{f"worse_{setting}": _worse(rows, setting) for setting in SETTINGS},
        **{f"slope_{name}": _slope(figures, name) for name in ("clean", "unknown", "polluted")},
    )
    return {"README.md": text, "calibration.json": json.dumps(figures, indent=2) + "\n"}


def draw_figures(rows: Rows, folder: Path) -> None:
    """Draw nothing: tables say it all."""


def _lost_table(rows: Rows, *, of_sources: bool = False) -> str:
    lines = []
    for used in USED:
        cells = [used]
        for setting in SETTINGS:
            if "polluted=False" in used and setting != "clean":
                cells.append("–")
                continue
            found = lost(rows, setting, used, of_sources=of_sources)
            mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(len(found))
            cells.append(f"{mean[0]:.3f} / {mean[1]:.3f} ({error[0]:.3f} / {error[1]:.3f})")
        lines.append(cells)
    return table(["", *SETTINGS.values()], lines)


def _difference_table(rows: Rows) -> str:
    committee, lines = next(iter(USED)), []
    for used in BASELINES:
        cells = [used]
        for setting in SETTINGS:
            difference = lost(rows, setting, committee) - lost(rows, setting, used)
            low, high = resampled(difference)
            mean = difference.mean(axis=0)
            cells.append(" / ".join(
                f"{mean[k]:+.3f} ({low[k]:+.3f} to {high[k]:+.3f})" for k in range(2)
            ))  # fmt: skip
        lines.append(cells)
    return table(["against", *SETTINGS.values()], lines)


def resampled(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return a 95 % interval of the mean, from drawing tables again."""
    random = np.random.default_rng(0)
    drawn = random.integers(0, len(values), (N_RESAMPLES, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), (0.025, 0.975), axis=0)
    return np.asarray(low), np.asarray(high)


def _worse(rows: Rows, setting: str) -> str:
    committee = lost(rows, setting, next(iter(USED)))[:, 0]
    return f"{100 * np.mean(committee > lost(rows, setting, BASELINES[0])[:, 0]):.0f} %"


def pairs(rows: Rows, setting: str) -> FloatArray:
    """Return certain lead, whether it is separated, whether labels agree, and family of pairs."""
    found = []
    names = sorted({family_of(str(row["dataset"])) for row in rows})
    for row in rows:
        if row["setting"] != setting:
            continue
        family = names.index(family_of(str(row["dataset"])))
        scores, areas = row["score"], row["singles"]
        together = zip(combinations(range(len(scores)), 2), row["errors"], row["separated"],
                       strict=True)  # fmt: skip
        for (i, j), error, separated in together:
            if areas[i][0] != areas[j][0]:
                right = areas[i][0] > areas[j][0]
                found.append((scores[i] - scores[j] - error, separated, right, family))
    return np.array(found, dtype=float)


def _pair_table(rows: Rows) -> str:
    lines = []
    for setting, called in SETTINGS.items():
        found = pairs(rows, setting)
        separated = found[:, 1] == 1.0
        lines.append([called, f"{found[:, 2].mean():.3f}", f"{found[separated, 2].mean():.3f}",
                      f"{separated.mean():.2f}"])  # fmt: skip
    return table(["training rows", "all pairs", "separated pairs", "share separated"], lines)


def calibration(rows: Rows) -> dict[str, Any]:
    """Return what the package ships: slopes of `how_sure`, and what committees and picks lost."""
    cases = {"clean": {"clean": 1.0}, "polluted": {"eight": 1.0}, "unknown": UNKNOWN}
    slopes = {name: _fitted(rows, shares) for name, shares in cases.items()}
    intervals = {name: _slope_interval(rows, shares) for name, shares in cases.items()}
    losses = {
        name: {
            "pick": _mean_lost(rows, shares, "the first of the order"),
            "committee": _mean_lost(rows, shares, list(USED)[2 if name == "clean" else 0]),
        }
        for name, shares in cases.items()
    }
    return {
        "n_datasets": len({row["dataset"] for row in rows}),
        "half_lead": HALF_LEAD,
        "slopes": slopes,
        "slope_intervals": intervals,
        "volume_slopes": {"clean": _volume_slope(), "polluted": None, "unknown": None},
        "lost": losses,
    }


def _volume_slope() -> float:
    """Return the slope of leads of volumes on clean rows, which 27 other datasets have shown."""
    path = Path(__file__).parents[1] / "verdict" / "calibration.json"
    return float(json.loads(path.read_text(encoding="utf-8"))["volume_slopes"]["clean"])


def _mean_lost(rows: Rows, shares: dict[str, float], used: str) -> list[float]:
    found = sum(share * lost(rows, setting, used).mean(axis=0) for setting, share in shares.items())
    return [round(float(each), 3) for each in np.asarray(found)]


def _fitted(rows: Rows, shares: dict[str, float]) -> float | None:
    """Return the slope; None where labels agree no better than a coin toss."""
    found = {setting: pairs(rows, setting) for setting in shares}
    kept = {setting: each[each[:, 1] == 1.0] for setting, each in found.items()}
    slope = _best_slope(kept, shares)
    agreed = sum(share * kept[setting][:, 2].mean() for setting, share in shares.items())
    return round(slope, 3) if slope > 0.0 and agreed > 0.525 else None


def _slope_interval(rows: Rows, shares: dict[str, float]) -> list[float]:
    """Return a 95 % interval of the slope, from drawing families of tables again."""
    found = {setting: pairs(rows, setting) for setting in shares}
    kept = {setting: each[each[:, 1] == 1.0] for setting, each in found.items()}
    n_families = 1 + int(max(each[:, 3].max() for each in kept.values()))
    parts = {
        setting: [each[each[:, 3] == family] for family in range(n_families)]
        for setting, each in kept.items()
    }
    random, slopes = np.random.default_rng(0), []
    for _ in range(N_SLOPES):
        drawn = random.integers(0, n_families, n_families)
        sample = {s: np.concatenate([of[k] for k in drawn]) for s, of in parts.items()}
        slopes.append(_best_slope(sample, shares))
    return [round(float(each), 2) for each in np.quantile(slopes, (0.025, 0.975))]


def _best_slope(kept: dict[str, FloatArray], shares: dict[str, float]) -> float:
    def loss(slope: float) -> float:
        total = 0.0
        for setting, share in shares.items():
            right = kept[setting][:, 2]
            chance = chance_right(kept[setting][:, 0], slope, HALF_LEAD)
            total -= share * float(np.mean(np.log(np.where(right == 1.0, chance, 1.0 - chance))))
        return total

    return float(minimize_scalar(loss, bounds=(-3.0, 6.0), method="bounded").x)


def _slope(figures: dict[str, Any], name: str) -> str:
    slope, (low, high) = figures["slopes"][name], figures["slope_intervals"][name]
    if slope is None:
        return f"none ({low:.2f} to {high:.2f}: labels agree no better than a coin toss)"
    return f"{slope:.2f} ({low:.2f} to {high:.2f})"
