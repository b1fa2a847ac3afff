"""How close preset `paper` comes to the printed tables, and what is known of cells that do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddrank._random import root_of, stream
from oddrank._typing import FloatArray
from oddrank.benchmark.printed_tables import SETTINGS, printed_table
from oddrank.benchmark.seed_results import SeedResults, chosen_rows, seed_results
from oddrank.benchmark.stored_curves import RELATIVE_LEVELS

__all__ = ["ReproducedCell", "Reproduction", "reproduce"]

Row = Mapping[str, Any]
FACTOR = 2.0
# The authors' grid of levels ends here, in units of 1 / volume.
GRID_END = 100.0


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
    """Hold the rows of preset `paper` against both printed tables."""
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


def _seeds(results: SeedResults, dataset: str, detector: str) -> dict[str, FloatArray]:
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
