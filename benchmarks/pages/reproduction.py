"""How close preset `paper` comes to the printed tables and to preset `oddrank`, and what is not."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from oddrank._plain_text import markdown_table
from oddrank._random import root_of, stream
from oddrank._typing import FloatArray
from oddrank.benchmark import (
    RELATIVE_LEVELS,
    SETTINGS,
    as_printed,
    chosen_rows,
    printed_table,
    results_table,
    seed_results,
)
from oddrank.errors import InvalidDataError

__all__ = [
    "Reproduction",
    "closeness_sentences",
    "outliers_markdown",
    "preset_ratios",
    "preset_sentence",
    "read_reasons",
    "reproduce",
]

Row = Mapping[str, Any]
FACTOR = 2.0
# The authors' grid of levels ends here, in units of 1 / volume.
GRID_END = 100.0
NOT_FOUND = "not looked into yet"


@dataclass(frozen=True, kw_only=True)
class ReproducedCell:
    """One measure of one detector on one dataset and setting, ours against the printed one.

    Attributes
    ----------
    setting, dataset, detector, measure : str
    ours, printed : float
        Ours is the mean over seeds.
    seeds : array
        The value of each seed.
    one_run : (float, float)
        Where a single run falls: over seeds, or, where features are drawn, the 95 % interval of
        means of as many draws, drawn again with replacement from those of all seeds.
    largest_draw : float
        The share that the largest draw has in the sum over a seed's draws, averaged over seeds;
        NaN where features are not drawn.
    beyond_grid : float
        EM only: the share of draws (or seeds) whose curve has not fallen to 0.9 where the
        authors' grid ends.
    """

    setting: str
    dataset: str
    detector: str
    measure: str
    ours: float
    printed: float
    seeds: FloatArray
    one_run: tuple[float, float]
    largest_draw: float
    beyond_grid: float

    @property
    def ratio(self) -> float:
        """Ours over the printed one."""
        return self.ours / self.printed

    @property
    def close(self) -> bool:
        """Whether they are within a factor of 2."""
        return 1.0 / FACTOR <= self.ratio <= FACTOR


@dataclass(frozen=True, kw_only=True)
class Reproduction:
    """All cells of both tables that have rows.

    Attributes
    ----------
    cells : tuple of ReproducedCell
        Of EM and MV.
    roc_differences : array
        Absolute differences of ROC areas to the printed ones.
    """

    cells: tuple[ReproducedCell, ...]
    roc_differences: FloatArray

    def share_close(self, measure: str | None = None) -> tuple[int, int]:
        """Return how many EM and MV cells, or of one of them, are within a factor of 2; and all."""
        chosen = [cell for cell in self.cells if measure in {None, cell.measure}]
        return sum(cell.close for cell in chosen), len(chosen)


def reproduce(rows: Sequence[Row], *, random_state: Any = 0) -> Reproduction:
    """Compare the rows of preset `paper` with both printed tables."""
    cells: list[ReproducedCell] = []
    differences = []
    for setting in SETTINGS:
        results = seed_results(rows, setting, "paper")
        values = _by_cell(chosen_rows(rows, setting, "paper"))
        curves = _by_cell(chosen_rows(rows, setting, "oddrank"))
        for (dataset, detector), printed in printed_table(setting).items():
            seeds = _seeds(results, dataset, detector)
            if not len(seeds["roc"]):
                continue
            differences.append(abs(float(seeds["roc"].mean()) - printed["roc"]))
            for measure in ("em", "mv"):
                cell = ReproducedCell(
                    setting=setting, dataset=dataset, detector=detector, measure=measure,
                    ours=float(seeds[measure].mean()), printed=printed[measure],
                    seeds=seeds[measure],
                    **_looked_into(values.get((dataset, detector), []),
                                   curves.get((dataset, detector), []),
                                   seeds[measure], measure, random_state),
                )  # fmt: skip
                cells.append(cell)
    return Reproduction(cells=tuple(cells), roc_differences=np.array(differences))


def _seeds(results: Any, dataset: str, detector: str) -> dict[str, FloatArray]:
    found = [each[detector] for each in results.get(dataset, {}).values() if detector in each]
    known = [each for each in found if not np.isnan(list(each.values())).any()]
    return {name: np.array([each[name] for each in known]) for name in ("roc", "em", "mv")}


def _by_cell(rows: Sequence[Row]) -> dict[tuple[str, str], list[Row]]:
    cells: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        cells.setdefault((row["dataset"], row["detector"]), []).append(row)
    return cells


def _looked_into(
    rows: Sequence[Row],
    with_curves: Sequence[Row],
    seeds: FloatArray,
    measure: str,
    random_state: Any,
) -> dict[str, Any]:
    draws: dict[int, list[float]] = {}
    for row in rows:
        if row["draw"] >= 0:
            draws.setdefault(row["seed"], []).append(row[measure])
    one_run, largest = (float(seeds.min()), float(seeds.max())), np.nan
    if draws:
        pool = np.concatenate(list(draws.values()))
        random = stream(root_of(random_state, "reproduce"), "features")
        n_draws = len(next(iter(draws.values())))
        means = pool[random.integers(len(pool), size=(2000, n_draws))].mean(axis=1)
        one_run = tuple(np.quantile(means, (0.025, 0.975)).tolist())
        largest = float(np.mean([max(values) / sum(values) for values in draws.values()]))
    level = int(np.searchsorted(RELATIVE_LEVELS, GRID_END * 0.999))
    heights = [row["curves"]["em"][level] for row in with_curves if "curves" in row]
    beyond = float(np.mean(np.array(heights) > 0.9)) if heights and measure == "em" else np.nan
    return {"one_run": one_run, "largest_draw": largest, "beyond_grid": beyond}


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
        f"{inside} printed {'figure lies' if inside == 1 else 'figures lie'} where a single run of "
        "ours may fall."
    )
    return sentences


def outliers_markdown(reproduction: Reproduction, reasons: Sequence[Mapping[str, Any]] = ()) -> str:
    """Return a line per EM or MV cell that is off by more than a factor of 2; reasons follow."""
    head = ("setting", "dataset", "detector", "criterion", "ours", "paper", "ratio",
            "one run gives", "largest draw", "beyond the grid", "reason")  # fmt: skip
    lines, found = [], dict[str, int]()
    for cell in sorted(_outside(reproduction), key=lambda cell: -abs(np.log(cell.ratio))):
        number = found.setdefault(_reason(cell, reasons), len(found) + 1)
        lines.append((
            cell.setting, cell.dataset, cell.detector, cell.measure.upper(), as_printed(cell.ours),
            as_printed(cell.printed), f"{cell.ratio:.2f}",
            f"{as_printed(cell.one_run[0])} to {as_printed(cell.one_run[1])}",
            _percent(cell.largest_draw), _percent(cell.beyond_grid), str(number),
        ))  # fmt: skip
    table = markdown_table(head, lines)
    texts = "\n".join(f"{number}. {text[:1].upper()}{text[1:]}." for text, number in found.items())
    return f"{table}\n\nThe reasons:\n\n{texts}" if found else table


def read_reasons(path: Path) -> list[dict[str, Any]]:
    """Return what people found out about cells, from a TOML file; nothing if there is none.

    Each of its `[[reasons]]` has a `text` and any of `dataset`, `setting`, `detector` and
    `measure`; the first that fits a cell is taken.
    """
    if not path.exists():
        return []
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        reasons = [dict(each) for each in content["reasons"]]
        if all(isinstance(each["text"], str) for each in reasons):
            return reasons
        raise TypeError("a 'text' is not a string")
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise InvalidDataError(
            f"The reasons in '{path}' cannot be understood: {error}. "
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


def preset_ratios(rows: Sequence[Row], measure: str) -> dict[tuple[str, str, str], float]:
    """Return the ratio of every (setting, dataset, detector) that both presets have."""
    ratios: dict[tuple[str, str, str], float] = {}
    for setting in SETTINGS:
        paper, ours = (results_table(rows, setting, preset) for preset in ("paper", "oddrank"))
        for key in paper:
            if key in ours:
                ratio = paper[key][measure].value / ours[key][measure].value
                if np.isfinite(ratio):
                    ratios[setting, *key] = ratio
    return ratios


def preset_sentence(rows: Sequence[Row]) -> str:
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
