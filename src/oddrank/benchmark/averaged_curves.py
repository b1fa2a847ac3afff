"""EM and MV curves of a dataset, averaged over draws and seeds, from stored rows only.

Levels and volumes are relative to the box, as they are stored. Bands show one standard deviation
over seeds. With one seed they show one standard error instead: over draws of features where there
are any, otherwise the stored one, of rows and reference points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddrank._typing import FloatArray
from oddrank.benchmark.seed_results import chosen_rows, in_printed_order
from oddrank.benchmark.stored_curves import RELATIVE_LEVELS, STORED_MASSES
from oddrank.evaluation import CurveBand

__all__ = ["AveragedCurves", "averaged_curves"]

Row = Mapping[str, Any]
_ABSCISSAS = {"em": RELATIVE_LEVELS, "mv": STORED_MASSES}


@dataclass(frozen=True, kw_only=True)
class AveragedCurves:
    """The curves of all detectors on one dataset in one setting.

    Attributes
    ----------
    dataset, setting : str
    excess_mass, mass_volume : tuple of CurveBand
        One per detector.
    n_seeds, n_draws : int
        What they are averaged over; no draws where all features are used at once.
    band : str
        What the bands show.
    """

    dataset: str
    setting: str
    excess_mass: tuple[CurveBand, ...]
    mass_volume: tuple[CurveBand, ...]
    n_seeds: int
    n_draws: int
    band: str


def averaged_curves(rows: Sequence[Row], setting: str) -> list[AveragedCurves]:
    """Return the curves of every dataset that has any; only preset `oddrank` stores them."""
    stored = [row for row in chosen_rows(rows, setting, "oddrank") if "curves" in row]
    groups: dict[str, dict[str, list[Row]]] = {}
    for row in stored:
        groups.setdefault(row["dataset"], {}).setdefault(row["detector"], []).append(row)
    return [_averaged(dataset, setting, groups[dataset]) for dataset in in_printed_order(groups, 0)]


def _averaged(dataset: str, setting: str, of_detector: Mapping[str, list[Row]]) -> AveragedCurves:
    names = in_printed_order(of_detector, 1)
    everything = [row for rows in of_detector.values() for row in rows]
    n_seeds = len({row["seed"] for row in everything})
    n_draws = len({row["draw"] for row in everything if row["draw"] >= 0})
    if n_seeds > 1:
        band = "standard deviation over seeds"
    else:
        band = "standard error over draws" if n_draws > 1 else "standard error"
    bands = {
        kind: tuple(_band(name, of_detector[name], kind) for name in names) for kind in _ABSCISSAS
    }
    return AveragedCurves(
        dataset=dataset,
        setting=setting,
        excess_mass=bands["em"],
        mass_volume=bands["mv"],
        n_seeds=n_seeds,
        n_draws=n_draws,
        band=band,
    )


def _band(name: str, rows: Sequence[Row], kind: str) -> CurveBand:
    of_seed: dict[int, list[Any]] = {}
    for row in rows:
        of_seed.setdefault(row["seed"], []).append(row["curves"][kind])
    seeds: list[FloatArray] = [np.array(curves) for curves in of_seed.values()]
    means = np.array([curves.mean(axis=0) for curves in seeds])
    if len(means) > 1:
        reach = means.std(axis=0, ddof=1)
    elif len(seeds[0]) > 1:
        reach = seeds[0].std(axis=0, ddof=1) / np.sqrt(len(seeds[0]))
    else:
        reach = np.array(rows[0]["curves"][f"{kind}_error"])
    middle = means.mean(axis=0)
    return CurveBand(
        name=name,
        x=_ABSCISSAS[kind],
        y=middle,
        lower=np.maximum(middle - reach, 0.0),
        upper=middle + reach,
    )
