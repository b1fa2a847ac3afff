"""A pool of detectors on one dataset, setting and seed: ranked, then compared with labels."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from oddrank._random import root_of, stream
from oddrank._typing import BoolArray, FloatArray
from oddrank.benchmark.cells import Cell
from oddrank.benchmark.labelled_rows import labelled_areas
from oddrank.benchmark.specification import BenchmarkSpec
from oddrank.datasets import prepare
from oddrank.errors import OddrankWarning
from oddrank.judging import References, Volume, mean_log_tails
from oddrank.ranking import Ranking, rank_detectors
from oddrank.reference import UniformBox
from oddrank.rows import DIRECT_FEATURES, FeatureSubsampling, Table

__all__ = ["COMMITTEES", "TWIN", "measure_pool"]

COMMITTEES = (1, 2, 3, 4, 5, 7, 13)
# Detectors whose names begin so differ from another one in their seed only. They take part in the
# statistics of leads, and in nothing else.
TWIN = "twin of "
# The default judge. Volumes decide nothing there, so few points measure them.
_JUDGE = References(volume=Volume(reference=UniformBox(n_points=2**8, n_replicates=2)))
# The judge "volume", with as many points as is affordable.
_VOLUME = UniformBox(n_points=2**12, n_replicates=4)
_VOLUME_IN_DRAWS = UniformBox(n_points=2**11, n_replicates=2)


def measure_pool(
    cell: Cell, spec: BenchmarkSpec, split: prepare.Split
) -> dict[str, dict[str, Any]]:
    """Return what the one row of a pool says.

    The training half plays the user's table. It is ranked without `polluted` and, if it is
    polluted, again with `polluted=True`. The test half is labelled, and only this function uses it.
    """
    usable = np.flatnonzero(np.ptp(split.X_train, axis=0) > 0.0)
    train = Table(values=split.X_train, feature_names=split.feature_names).features(usable)
    test = train.with_values(split.X_test[:, usable])
    detectors = {each.name: each.make() for each in spec.detectors}
    half = stream(root_of(cell.seed, "run_benchmark"), "split", 1).random(test.n_rows) < 0.5
    calls = {"unsaid": _call(detectors, train, test, split, half, polluted=None, seed=cell.seed)}
    if split.setting != "novelty":
        calls["said"] = _call(detectors, train, test, split, half, polluted=True, seed=cell.seed)
    return {
        "verdict": {
            "n_rows": len(split.y_test),
            "n_features": len(usable),
            "calls": calls,
            "volumes": _volumes(detectors, cell, spec, train),
        }
    }


def _call(
    detectors: Mapping[str, Any],
    train: Table,
    test: Table,
    split: prepare.Split,
    half: BoolArray,
    *,
    polluted: bool | None,
    seed: int,
) -> dict[str, Any]:
    """Rank, fit every detector as the ranking would, and compare everything with the labels."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddrankWarning)
        ranking = rank_detectors(
            detectors,
            train,
            judge=_JUDGE,
            polluted=polluted,
            scale=False,
            n_jobs=1,
            random_state=seed,
        )
    scores = {name: ranking.refit.fitted(name).score(test) for name in ranking.order}
    order = [name for name in ranking.order if not name.startswith(TWIN)]
    return {
        "detectors": {
            name: {
                "score": ranking.judgement.scores[name].value,
                "areas": [_short(area.value) for area in ranking.judgement.areas[name]],
                **labelled_areas(scores[name], split),
                # what labels say on one half of the test rows, and on the other
                "halves": [
                    labelled_areas(scores[name][part], _part(split, part)) for part in (half, ~half)
                ],
            }
            for name in ranking.order
        },
        "measures": list(ranking.judgement.measures),
        "failures": dict(ranking.failures),
        "leads": [
            [c.better, c.worse, _short(c.lead.value), _short(c.lead.standard_error),
             _short(c.p_value), c.separated]
            for c in ranking.comparisons
        ],
        "committees": {
            str(size): labelled_areas(_committee(ranking, scores, order[:size]), split)
            for size in COMMITTEES
        },
    }  # fmt: skip


def _committee(ranking: Ranking, scores: Mapping[str, FloatArray], names: list[str]) -> FloatArray:
    """Return the scores of `oddrank.Committee`, from fits that exist already."""
    return mean_log_tails(
        [ranking.held_out[name] for name in names], [scores[name] for name in names]
    )


def _part(split: prepare.Split, rows: BoolArray) -> Any:
    return _Labels(split.y_test[rows])


class _Labels:
    def __init__(self, y_test: Any) -> None:
        self.y_test = y_test


def _short(value: float) -> float:
    return float(f"{value:.6g}")


def _volumes(
    detectors: Mapping[str, Any], cell: Cell, spec: BenchmarkSpec, train: Table
) -> dict[str, dict[str, float | None]]:
    """Return EM and MV as the paper measures them, for the first seed only: they cost most."""
    if cell.seed != (cell.dataset.seeds or spec.seeds)[0]:
        return {}
    in_draws = train.n_features > DIRECT_FEATURES
    judge = Volume(
        subsampling=FeatureSubsampling(spec.draw_features, spec.n_draws) if in_draws else None,
        reference=_VOLUME_IN_DRAWS if in_draws else _VOLUME,
    )
    pool = {name: each for name, each in detectors.items() if not name.startswith(TWIN)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddrankWarning)  # unresolved areas are null in the rows
        ranking = rank_detectors(
            pool, train, judge=judge, scale=False, n_jobs=1, random_state=cell.seed
        )
    return {
        name: {
            "em": _or_none(evaluation.excess_mass.value),
            "mv": _or_none(evaluation.mass_volume.value),
        }
        for name, evaluation in ranking.evaluations.items()
    }


def _or_none(value: float) -> float | None:
    return _short(value) if np.isfinite(value) else None
