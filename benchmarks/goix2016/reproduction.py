"""How close preset `paper` comes to the printed tables and to preset `oddrank`, and what is not."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.goix2016.paper import printed_table
from benchmarks.goix2016.seed_tables import seed_results
from benchmarks.goix2016.tables import as_printed, results_table
from benchmarks.markdown import table
from benchmarks.prepare import SETTINGS, FloatArray
from benchmarks.rows import Row
from oddrank._random import stream

FACTOR = 2.0
NOT_FOUND = "not looked into yet"


@dataclass(frozen=True, kw_only=True)
class ReproducedCell:
    """One measure of one detector on one dataset and setting, ours against the printed one.

    Attributes
    ----------
    setting, dataset, detector, measure : str
    ours, printed : float
        Ours is the mean over seeds.
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
    """All EM and MV cells of both tables that have rows; absolute differences of ROC areas."""

    cells: tuple[ReproducedCell, ...]
    roc_differences: FloatArray

    @property
    def outside(self) -> list[ReproducedCell]:
        """The cells that are off by more than a factor of 2."""
        return [cell for cell in self.cells if not cell.close]

    def share_close(self, measure: str | None = None) -> tuple[int, int]:
        """Return how many EM and MV cells, or of one of them, are within a factor of 2; and all."""
        chosen = [cell for cell in self.cells if measure in {None, cell.measure}]
        return sum(cell.close for cell in chosen), len(chosen)


def reproduce(rows: Sequence[Row]) -> Reproduction:
    """Compare the rows of preset `paper` with both printed tables."""
    cells: list[ReproducedCell] = []
    differences = []
    for setting in SETTINGS:
        results = seed_results(rows, setting, "paper")
        of_cell: dict[tuple[str, str], list[Row]] = {}
        for row in rows:
            if row["setting"] == setting:
                of_cell.setdefault((row["dataset"], row["detector"]), []).append(row)
        for (dataset, detector), printed in printed_table(setting).items():
            seeds = _seeds(results, dataset, detector)
            if not len(seeds["roc"]):
                continue
            differences.append(abs(float(seeds["roc"].mean()) - printed["roc"]))
            cells += [
                ReproducedCell(
                    setting=setting, dataset=dataset, detector=detector, measure=measure,
                    ours=float(seeds[measure].mean()), printed=printed[measure],
                    **_looked_into(of_cell[dataset, detector], seeds[measure], measure),
                )
                for measure in ("em", "mv")
            ]  # fmt: skip
    return Reproduction(cells=tuple(cells), roc_differences=np.array(differences))


def _seeds(results: Any, dataset: str, detector: str) -> dict[str, FloatArray]:
    found = [each[detector] for each in results.get(dataset, {}).values() if detector in each]
    known = [each for each in found if not np.isnan(list(each.values())).any()]
    return {name: np.array([each[name] for each in known]) for name in ("roc", "em", "mv")}


def _looked_into(rows: Sequence[Row], seeds: FloatArray, measure: str) -> dict[str, Any]:
    draws = [row["paper"][measure] for row in rows if row["n_draws"] and "paper" in row]
    one_run, largest = (float(seeds.min()), float(seeds.max())), np.nan
    if draws:
        pool = np.concatenate(draws)
        random = stream(np.random.SeedSequence(0), "features")
        means = pool[random.integers(len(pool), size=(2000, len(draws[0])))].mean(axis=1)
        one_run = tuple(np.quantile(means, (0.025, 0.975)).tolist())
        largest = float(np.mean([max(values) / sum(values) for values in draws]))
    shares = [row["oddrank"]["beyond_grid"] for row in rows if "oddrank" in row]
    beyond = float(np.mean(shares)) if shares and measure == "em" else np.nan
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
        cell.one_run[0] <= cell.printed <= cell.one_run[1] for cell in reproduction.outside
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
    for cell in sorted(reproduction.outside, key=lambda cell: -abs(np.log(cell.ratio))):
        number = found.setdefault(_reason(cell, reasons), len(found) + 1)
        lines.append((
            cell.setting, cell.dataset, cell.detector, cell.measure.upper(), as_printed(cell.ours),
            as_printed(cell.printed), f"{cell.ratio:.2f}",
            f"{as_printed(cell.one_run[0])} to {as_printed(cell.one_run[1])}",
            _percent(cell.largest_draw), _percent(cell.beyond_grid), number,
        ))  # fmt: skip
    texts = "\n".join(f"{number}. {text[:1].upper()}{text[1:]}." for text, number in found.items())
    return f"{table(head, lines)}\n\nThe reasons:\n\n{texts}" if found else table(head, lines)


def read_reasons(path: Path) -> list[dict[str, Any]]:
    """Return what people found out about cells; nothing if there is no file.

    Each of its `[[reasons]]` has a `text` and any of `dataset`, `setting`, `detector` and
    `measure`; the first that fits a cell is taken.
    """
    if not path.exists():
        return []
    reasons: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["reasons"]
    return reasons


def _reason(cell: ReproducedCell, reasons: Sequence[Mapping[str, Any]]) -> str:
    for reason in reasons:
        asked = {name: value for name, value in reason.items() if name != "text"}
        if all(getattr(cell, name) == value for name, value in asked.items()):
            return str(reason["text"])
    return NOT_FOUND


def _percent(share: float) -> str:
    return "" if np.isnan(share) else f"{100 * share:.0f} %"


def preset_sentence(rows: Sequence[Row]) -> str:
    """Return median and extremes of `paper` over `oddrank`; nothing if a preset has no rows."""
    parts = []
    for measure in ("em", "mv"):
        ratios = _preset_ratios(rows, measure)
        if not ratios:
            return ""
        low, high = min(ratios, key=lambda k: ratios[k]), max(ratios, key=lambda k: ratios[k])
        parts.append(
            f"{measure.upper()} {np.median(list(ratios.values())):.2f} in the median, from "
            f"{ratios[low]:.2f} ({', '.join(low)}) to {ratios[high]:.2f} ({', '.join(high)})"
        )
    return f"Preset `paper` over preset `oddrank`, same models: {'; '.join(parts)}."


def _preset_ratios(rows: Sequence[Row], measure: str) -> dict[tuple[str, str, str], float]:
    ratios: dict[tuple[str, str, str], float] = {}
    for setting in SETTINGS:
        paper, ours = (results_table(rows, setting, preset) for preset in ("paper", "oddrank"))
        for key in paper:
            if key in ours:
                ratio = paper[key][measure].value / ours[key][measure].value
                if np.isfinite(ratio):
                    ratios[setting, *key] = ratio
    return ratios
