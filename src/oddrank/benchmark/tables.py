"""Tables in the paper's layout, made from stored rows only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddrank import _plain_text
from oddrank.benchmark.goix2016 import MEASURES, SIGNS, in_printed_order, printed_table
from oddrank.benchmark.seed_tables import seed_results

__all__ = ["ResultCell", "as_printed", "markdown_table", "results_table"]

Results = dict[tuple[str, str], dict[str, "ResultCell"]]


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

    Notes
    -----
    Guide: :doc:`/benchmark`.

    Examples
    --------
    >>> from oddrank.benchmark import ResultCell
    >>> cell = ResultCell(value=0.9, error=0.01, n_seeds=5)
    >>> f"{cell.value} ± {cell.error} over {cell.n_seeds} seeds"
    '0.9 ± 0.01 over 5 seeds'
    """

    value: float
    error: float
    n_seeds: int


def results_table(rows: Iterable[Mapping[str, Any]], setting: str, preset: str) -> Results:
    """Average rows over draws, then over seeds, for one setting and preset.

    A draw counts for EM or MV if all detectors have a value in it, as in `rank_detectors`.

    Notes
    -----
    Guide: :doc:`/benchmark`.

    Examples
    --------
    >>> from oddrank.benchmark import results_table
    >>> rows = [
    ...     {"dataset": "mine", "setting": "novelty", "preset": "oddrank", "status": "done",
    ...      "detector": detector, "seed": seed, "draw": -1, "roc": roc, "pr": roc / 2,
    ...      "em": em, "mv": 1.0 / em}
    ...     for seed in (0, 1)
    ...     for detector, roc, em in [("forest", 0.9, 0.2), ("knn", 0.8, 0.1 + seed / 20)]
    ... ]
    >>> table = results_table(rows, "novelty", "oddrank")
    >>> cell = table["mine", "knn"]["em"]
    >>> round(cell.value, 3), round(cell.error, 3), cell.n_seeds
    (0.125, 0.035, 2)
    """
    table: Results = {}
    for dataset, by_seed in seed_results(rows, setting, preset).items():
        detectors = {detector for measures in by_seed.values() for detector in measures}
        for detector in in_printed_order(detectors, 1):
            found = [measures[detector] for measures in by_seed.values() if detector in measures]
            table[dataset, detector] = {
                measure: _over_seeds([each[measure] for each in found]) for measure in MEASURES
            }
    return table


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

    Notes
    -----
    Guide: :doc:`/benchmark`.

    Examples
    --------
    >>> from math import nan
    >>> from oddrank.benchmark import ResultCell, markdown_table
    >>> def cells(**values):
    ...     return {name: ResultCell(value=values[name], error=nan, n_seeds=1) for name in values}
    >>> results = {
    ...     ("mine", "forest"): cells(roc=0.9, pr=0.4, em=0.2, mv=5.0),
    ...     ("mine", "knn"): cells(roc=0.8, pr=0.3, em=0.1, mv=9.0),
    ... }
    >>> print(markdown_table(results, "novelty"))
    | dataset | detector | seeds | ROC | PR | EM | MV |
    | --- | --- | --- | --- | --- | --- | --- |
    | mine | forest | 1 | **0.900** | **0.400** | **0.2** | **5** |
    | mine | knn | 1 | <u>0.800</u> | <u>0.300</u> | <u>0.1</u> | <u>9</u> |
    """
    printed = printed_table(setting)
    known = any(key in printed for key in results)
    head = ["dataset", "detector", "seeds"]
    for measure in MEASURES:
        head += [measure.upper(), "paper", "ratio"] if known else [measure.upper()]
    lines = []
    ours = {key: {m: cell.value for m, cell in cells.items()} for key, cells in results.items()}
    for key, cells in results.items():
        line = [*key, str(max(cell.n_seeds for cell in cells.values()))]
        for measure in MEASURES:
            text = _figure(cells[measure], measure, int(line[2]))
            line.append(_marked(text, ours, key, measure))
            if known:
                line += _beside(cells[measure].value, printed, key, measure)
        lines.append(line)
    return _plain_text.markdown_table(head, lines)


def _beside(
    value: float, printed: Mapping[tuple[str, str], Mapping[str, float]], key: Any, measure: str
) -> list[str]:
    if key not in printed:
        return ["", ""]
    theirs = printed[key][measure]
    text = f"{theirs:.3f}" if measure in {"roc", "pr"} else as_printed(theirs)
    ratio = "" if np.isnan(value) else f"{value / theirs:.2f}"
    return [_marked(text, printed, key, measure), ratio]


def _figure(cell: ResultCell, measure: str, n_seeds: int) -> str:
    labelled = measure in {"roc", "pr"}
    if np.isnan(cell.value):
        return "no labels" if labelled else "unresolved"
    text = f"{cell.value:.3f}" if labelled else as_printed(cell.value)
    if not np.isnan(cell.error):
        error = f"{cell.error:.3f}" if labelled else as_printed(cell.error, 1)
        text += f"\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{error}"
    return text if cell.n_seeds == n_seeds else f"{text} ({cell.n_seeds} of {n_seeds} seeds)"


def as_printed(value: float, digits: int = 2) -> str:
    """Return a figure as the paper prints them.

    Examples
    --------
    >>> [as_printed(value) for value in (0.0, 0.000123, 0.0123, 9.04, 412.0, 20400.0, 2.04e6)]
    ['0', '1.2e-4', '0.012', '9', '410', '20000', '2e6']
    """
    text = f"{value:.{digits}g}"
    if value == 0.0 or 1e-2 <= abs(value) < 1e5:
        return f"{float(text):.6g}"
    base, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    return f"{base.removesuffix('.0')}e{int(exponent)}"


def _marked(
    text: str,
    table: Mapping[tuple[str, str], Mapping[str, float]],
    key: tuple[str, str],
    measure: str,
) -> str:
    values = [measures[measure] for (name, _), measures in table.items() if name == key[0]]
    if np.isnan(values).any() or min(values) == max(values):
        return text
    worst, best = sorted((min(values), max(values)), key=lambda value: SIGNS[measure] * value)
    marks = {best: "**{}**", worst: "<u>{}</u>"}
    return marks.get(table[key][measure], "{}").format(text)
