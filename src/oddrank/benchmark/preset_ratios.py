"""What the authors' grids and points do to EM and MV: preset `paper` over preset `oddrank`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from oddrank.benchmark.printed_tables import SETTINGS
from oddrank.benchmark.tables import results_table

__all__ = ["preset_ratios", "preset_sentence"]

Ratios = dict[tuple[str, str, str], float]


def preset_ratios(rows: Sequence[Mapping[str, Any]], measure: str) -> Ratios:
    """Return the ratio of every (setting, dataset, detector) that both presets have."""
    ratios: Ratios = {}
    for setting in SETTINGS:
        paper, ours = (results_table(rows, setting, preset) for preset in ("paper", "oddrank"))
        for key in paper:
            if key in ours:
                ratio = paper[key][measure].value / ours[key][measure].value
                if np.isfinite(ratio):
                    ratios[setting, *key] = ratio
    return ratios


def preset_sentence(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the median and the extremes of both criteria; nothing if a preset has no rows."""
    parts = []
    for measure in ("em", "mv"):
        ratios = preset_ratios(rows, measure)
        if not ratios:
            return ""
        low, high = (
            min(ratios, key=lambda key: ratios[key]),
            max(ratios, key=lambda key: ratios[key]),
        )
        parts.append(
            f"{measure.upper()} {np.median(list(ratios.values())):.2f} in the median, from "
            f"{ratios[low]:.2f} ({', '.join(low)}) to {ratios[high]:.2f} ({', '.join(high)})"
        )
    return f"Preset `paper` over preset `oddrank`, same models: {'; '.join(parts)}."
