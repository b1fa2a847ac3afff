"""The reproduction of the printed tables as Markdown: how close it is, and what is not."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from oddrank.benchmark.reproduction import FACTOR, ReproducedCell, Reproduction
from oddrank.benchmark.tables import short
from oddrank.errors import InvalidDataError

__all__ = ["closeness_sentences", "outliers_markdown", "read_reasons"]

NOT_FOUND = "not looked into yet"


def closeness_sentences(reproduction: Reproduction) -> list[str]:
    """Return what can be said in a few sentences."""
    differences = reproduction.roc_differences
    sentences = [
        f"ROC: the median absolute difference to the printed tables is "
        f"{np.median(differences):.3f}, the largest {differences.max():.3f} "
        f"({len(differences)} cells)."
    ]
    close, total = reproduction.share_close()
    parts = []
    for measure in ("em", "mv"):
        right, of = reproduction.share_close(measure)
        parts.append(f"{measure.upper()} {right} of {of}")
    inside = sum(
        cell.one_run[0] <= cell.printed <= cell.one_run[1] for cell in _outside(reproduction)
    )
    sentences.append(
        f"EM and MV: {close} of {total} cells ({100 * close / total:.0f} %) are within a factor of "
        f"{FACTOR:.0f} of the printed ones ({', '.join(parts)}). Of the {total - close} others, "
        f"{inside} printed figures lie where a single run of ours may fall."
    )
    return sentences


def outliers_markdown(reproduction: Reproduction, reasons: Sequence[Mapping[str, Any]] = ()) -> str:
    """Return one line per EM or MV cell that is off by more than a factor of 2, with its reason."""
    head = ("setting", "dataset", "detector", "criterion", "ours", "paper", "ratio",
            "one run gives", "largest draw", "beyond the grid", "reason")  # fmt: skip
    lines = [head, ("---",) * len(head)]
    for cell in sorted(_outside(reproduction), key=lambda cell: -abs(np.log(cell.ratio))):
        lines.append((
            cell.setting, cell.dataset, cell.detector, cell.measure.upper(), short(cell.ours),
            short(cell.printed), f"{cell.ratio:.2f}",
            f"{short(cell.one_run[0])} to {short(cell.one_run[1])}",
            _percent(cell.largest_draw), _percent(cell.beyond_grid), _reason(cell, reasons),
        ))  # fmt: skip
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def read_reasons(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Return what people found out about cells, from a TOML file; nothing if there is none.

    Each of its `[[reasons]]` has a `text` and any of `dataset`, `setting`, `detector` and
    `measure`; the first that fits a cell is taken.
    """
    target = Path(path)
    if not target.exists():
        return []
    try:
        content = tomllib.loads(target.read_text(encoding="utf-8"))
        reasons = [dict(each) for each in content["reasons"]]
        if all(isinstance(each["text"], str) for each in reasons):
            return reasons
        raise TypeError("a 'text' is not a string")
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise InvalidDataError(
            f"The reasons in '{target}' cannot be understood: {error}. "
            "Give [[reasons]] with a text, and any of dataset, setting, detector and measure."
        ) from error


def _outside(reproduction: Reproduction) -> list[ReproducedCell]:
    return [cell for cell in reproduction.cells if not cell.close]


def _reason(cell: ReproducedCell, reasons: Sequence[Mapping[str, Any]]) -> str:
    for reason in reasons:
        asked = {name: value for name, value in reason.items() if name != "text"}
        if all(getattr(cell, name, None) == value for name, value in asked.items()):
            return str(reason["text"])
    return NOT_FOUND


def _percent(share: float) -> str:
    return "" if np.isnan(share) else f"{100 * share:.0f} %"
