"""Tables in the paper's layout, made from stored rows only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.goix2016.paper import MEASURES, SIGNS, in_printed_order, printed_table
from benchmarks.goix2016.seed_tables import seed_results
from benchmarks.markdown import table
from benchmarks.rows import Row


@dataclass(frozen=True, kw_only=True)
class ResultCell:
    """One measure of one detector on one dataset.

    Attributes
    ----------
    value : float
        Mean over seeds; NaN where it has no value.
    error : float
        Standard deviation over seeds; NaN for one seed.
    n_seeds : int
        Seeds that have a value.
    """

    value: float
    error: float
    n_seeds: int


Results = dict[tuple[str, str], dict[str, ResultCell]]


def results_table(rows: Iterable[Row], setting: str, preset: str) -> Results:
    """Average rows over seeds, for one setting and preset."""
    results: Results = {}
    for dataset, by_seed in seed_results(rows, setting, preset).items():
        detectors = {detector for measures in by_seed.values() for detector in measures}
        for detector in in_printed_order(detectors, 1):
            found = [measures[detector] for measures in by_seed.values() if detector in measures]
            results[dataset, detector] = {
                measure: _over_seeds([each[measure] for each in found]) for measure in MEASURES
            }
    return results


def _over_seeds(values: list[float]) -> ResultCell:
    known = [value for value in values if not np.isnan(value)]
    return ResultCell(
        value=float(np.mean(known)) if known else np.nan,
        error=float(np.std(known, ddof=1)) if len(known) > 1 else np.nan,
        n_seeds=len(known),
    )


def markdown_table(results: Results, setting: str) -> str:
    """Return ours beside the paper's, best in bold and worst underlined per dataset and measure.

    Figures are means over seeds ± their standard deviation; the ratio is ours over the paper's.
    """
    printed = printed_table(setting)
    head = ["dataset", "detector", "seeds"]
    for measure in MEASURES:
        head += [measure.upper(), "paper", "ratio"]
    lines = []
    ours = {key: {m: cell.value for m, cell in cells.items()} for key, cells in results.items()}
    for key, cells in results.items():
        line = [*key, str(max(cell.n_seeds for cell in cells.values()))]
        for measure in MEASURES:
            text = _figure(cells[measure], measure, int(line[2]))
            line.append(_marked(text, ours, key, measure))
            line += _beside(cells[measure].value, printed, key, measure)
        lines.append(line)
    return table(head, lines)


def _beside(
    value: float, printed: Mapping[tuple[str, str], Mapping[str, float]], key: Any, measure: str
) -> list[str]:
    theirs = printed[key][measure]
    text = f"{theirs:.3f}" if measure in {"roc", "pr"} else as_printed(theirs)
    ratio = "" if np.isnan(value) else f"{value / theirs:.2f}"
    return [_marked(text, printed, key, measure), ratio]


def _figure(cell: ResultCell, measure: str, n_seeds: int) -> str:
    labelled = measure in {"roc", "pr"}
    if np.isnan(cell.value):
        return "unresolved"
    text = f"{cell.value:.3f}" if labelled else as_printed(cell.value)
    if not np.isnan(cell.error):
        error = f"{cell.error:.3f}" if labelled else as_printed(cell.error, 1)
        text += f"\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{error}"
    return text if cell.n_seeds == n_seeds else f"{text} ({cell.n_seeds} of {n_seeds} seeds)"


def as_printed(value: float, digits: int = 2) -> str:
    """Return a figure as the paper prints them."""
    text = f"{value:.{digits}g}"
    if value == 0.0 or 1e-2 <= abs(value) < 1e5:
        return f"{float(text):.6g}"
    base, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    return f"{base.removesuffix('.0')}e{int(exponent)}"


def _marked(
    text: str,
    measured: Mapping[tuple[str, str], Mapping[str, float]],
    key: tuple[str, str],
    measure: str,
) -> str:
    values = [measures[measure] for (name, _), measures in measured.items() if name == key[0]]
    if np.isnan(values).any() or min(values) == max(values):
        return text
    worst, best = sorted((min(values), max(values)), key=lambda value: SIGNS[measure] * value)
    marks = {best: "**{}**", worst: "<u>{}</u>"}
    return marks.get(measured[key][measure], "{}").format(text)
