"""The page of the study: what answers are worth, and whether what is said of them holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from benchmarks.answers.study import N_ANSWERS, POOLS
from benchmarks.markdown import table
from oddrank._typing import FloatArray

Rows = Sequence[dict[str, Any]]
SETTINGS = {"eight": "8 % odd", "two": "2 % odd", "clean": "clean"}
WAYS = {
    "one": "one question at a time",
    "ten": "ten questions at once",
    "wrong": "one answer in ten wrong",
    "coin": "answers by tossing a coin",
}
FORESTS = {"aad": "coniferest AADForest", "pine": "coniferest PineForest"}


def complete_rows(stored: Rows) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rows, and what is left out: nothing, each cell is a row of its own."""
    return [row for row in stored if row.get("status", "done") == "done"], []


def draw_figures(rows: Rows, folder: Path) -> None:
    """Draw nothing: tables say it all."""


def page_texts(rows: Rows, out: Path) -> dict[str, str]:  # noqa: ARG001
    """Return the page."""
    template = (Path(__file__).parent / "page.template").read_text(encoding="utf-8")
    large = [row for row in rows if row["detector"] not in POOLS]
    small = {row["dataset"] for row in rows if row["detector"] in POOLS}
    text = Template(template).substitute(
        n_tables=len({row["dataset"] for row in large}),
        n_small=len(small),
        lost=_lost_table(large, {**WAYS, **FORESTS}),
        kept=_kept_table(large),
        pools=_pool_table([row for row in rows if row["dataset"] in small]),
        worst=_worst_table(large),
        calibration=_calibration_table(large),
        counts=_count_table(large),
        change=_change_table(large),
        null=_null_table(large),
    )
    return {"README.md": text}


def _reached(row: dict[str, Any], way: str, n_answers: int) -> Any:
    if not n_answers:
        return row[way]["0"] if way in FORESTS else row["none"]
    found = row[way].get(str(n_answers)) or row[way][max(row[way], key=int)]
    return found if way in FORESTS else found["areas"]


def lost(rows: Rows, setting: str, way: str, n_answers: int) -> FloatArray:
    """Return ROC area and average precision lost in every table against the best detector."""
    return np.array([
        np.max(row["singles"], axis=0) - np.array(_reached(row, way, n_answers))
        for row in rows if row["setting"] == setting
    ])  # fmt: skip


def _lost_table(rows: Rows, ways: dict[str, str]) -> str:
    lines = []
    for setting, called in SETTINGS.items():
        for way, name in ways.items():
            cells = [called, name]
            for n_answers in (0, *N_ANSWERS):
                found = lost(rows, setting, way, n_answers)
                mean = found.mean(axis=0) if len(found) else np.full(2, np.nan)
                cells.append(f"{mean[0]:.3f} / {mean[1]:.3f}")
            lines.append(cells)
    return table(["rows", "", *(f"{n} answers" for n in (0, *N_ANSWERS))], lines)


def gain(rows: Rows, setting: str, way: str, n_answers: int) -> FloatArray:
    """Return the mean ROC area and average precision that answers gain."""
    before = lost(rows, setting, way, 0).mean(axis=0)
    return np.asarray(before - lost(rows, setting, way, n_answers).mean(axis=0))


def _kept_table(rows: Rows) -> str:
    lines = []
    for setting in ("eight", "two"):
        for way in ("ten", "wrong"):
            cells = [SETTINGS[setting], WAYS[way]]
            for n_answers in N_ANSWERS:
                whole = gain(rows, setting, "one", n_answers)
                roc, precision = 100 * gain(rows, setting, way, n_answers) / whole
                cells.append(f"{roc:.0f} % / {precision:.0f} %")
            lines.append(cells)
    return table(["rows", "", *(f"{n} answers" for n in N_ANSWERS)], lines)


def _pool_table(rows: Rows) -> str:
    lines = []
    for setting in ("eight", "two"):
        for detector, called in (("pool", "thirteen"), *((name, name) for name in POOLS)):
            here = [row for row in rows if row["detector"] == detector]
            cells = [SETTINGS[setting], called]
            for n_answers in (0, *N_ANSWERS):
                roc, precision = lost(here, setting, "one", n_answers).mean(axis=0)
                cells.append(f"{roc:.3f} / {precision:.3f}")
            lines.append(cells)
    return table(["rows", "detectors", *(f"{n} answers" for n in (0, *N_ANSWERS))], lines)


def _worst_table(rows: Rows) -> str:
    lines = []
    for setting, called in SETTINGS.items():
        start = lost(rows, setting, "one", 0)
        more = [lost(rows, setting, "one", n)[:, 0] - start[:, 0] for n in N_ANSWERS]
        lines.append([called, *(f"{each.mean():+.3f}, {each.max():+.3f}" for each in more)])
    return table(["rows", *(f"{n} answers" for n in N_ANSWERS)], lines)


def _calibration_table(rows: Rows) -> str:
    lines = []
    for what, called in (("rows", "a row is odd"), ("pairs", "a detector agrees better")):
        parts = [row["one"][str(n)][what] for row in rows for n in N_ANSWERS
                 if str(n) in row["one"]]  # fmt: skip
        weight, said, right = np.sum(np.array(parts, dtype=float), axis=0)
        for k in np.flatnonzero(weight > 0.0):
            lines.append([called, f"{said[k] / weight[k]:.2f}", f"{right[k] / weight[k]:.2f}"])
    return table(["what", "said", "labels agree"], lines)


def _count_table(rows: Rows) -> str:
    lines = []
    for n in N_ANSWERS:
        cells = [str(n)]
        every = []
        for setting in SETTINGS:
            found = np.array([row["one"][str(n)]["count"] for row in rows
                              if row["setting"] == setting and str(n) in row["one"]])  # fmt: skip
            every.append(found)
            cells.append(_coverage(found))
        together = np.concatenate([each for each in every if len(each)])
        width = np.median(together[:, 3] - together[:, 2])
        lines.append([*cells, _coverage(together), f"{width:.0f}"])
    return table(["answers", *SETTINGS.values(), "together", "median width"], lines)


def _coverage(found: FloatArray) -> str:
    if not len(found):
        return "–"
    return f"{100 * np.mean((found[:, 0] >= found[:, 2]) & (found[:, 0] <= found[:, 3])):.0f} %"


def _change_table(rows: Rows) -> str:
    found = np.array([row["one"][str(n)]["change"] for row in rows for n in N_ANSWERS
                      if str(n) in row["one"]])  # fmt: skip
    lines = []
    for low, high in ((0.0, 0.5), (0.5, 2.0), (2.0, 5.0), (5.0, 20.1)):
        here = (found[:, 0] >= low) & (found[:, 0] < high)
        if here.any():
            means = found[here].mean(axis=0)
            lines.append([f"{means[0]:.1f}", f"{means[1]:.1f}", str(int(here.sum()))])
    return table(["rows of the first 20 said to change", "changed", "cases"], lines)


def _null_table(rows: Rows) -> str:
    lines = []
    for n in N_ANSWERS:
        chances = [row["coin"][str(n)]["chance"] for row in rows if str(n) in row["coin"]]
        more = [lost(rows, setting, "coin", n)[:, 0] - lost(rows, setting, "coin", 0)[:, 0]
                for setting in SETTINGS if len(lost(rows, setting, "coin", 0))]  # fmt: skip
        above = 100 * float(np.mean(np.array(chances) > 0.5))
        lines.append([str(n), f"{np.concatenate(more).mean():+.3f}", f"{above:.1f} %"])
    return table(["answers", "ROC area lost", "tables with a chance above 0.5"], lines)
