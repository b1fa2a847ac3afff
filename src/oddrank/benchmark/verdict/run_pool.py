"""One dataset, setting and seed: all detectors fitted and scored once, heard by all judges."""

from __future__ import annotations

import warnings
from time import perf_counter, process_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from oddrank._random import root_of
from oddrank.benchmark.cells import Cell
from oddrank.benchmark.run_cell import facts_of, labelled_areas, split_of
from oddrank.benchmark.specification import BenchmarkSpec
from oddrank.datasets.prepare import Split
from oddrank.detectors import fit_detector, normality_function, score_table
from oddrank.errors import DetectorError, InvalidDataError, OddrankWarning
from oddrank.evaluation import pack_judged, score_reference
from oddrank.judging import CONSENSUS_KINDS, Votes, consensus
from oddrank.ranking import rank_detectors
from oddrank.reference import ReferenceMixture, UniformBox
from oddrank.rows import DIRECT_FEATURES, BoundingBox, FeatureSubsampling, Table

__all__ = ["TRIMMED_SHARE", "run_pool"]

MEASURES = ReferenceMixture()
TRIMMED_SHARE = 0.2
# The judge "volume": as many points as its cost allows beside the others.
_VOLUME = UniformBox(n_points=2**12, n_replicates=4)
_VOLUME_IN_DRAWS = UniformBox(n_points=2**11, n_replicates=2)


def run_pool(cell: Cell, spec: BenchmarkSpec, data_home: str | None) -> list[dict[str, Any]]:
    """Return one row: labelled areas of every detector, and all that the judges look at."""
    shared = facts_of(cell, spec) | {"detector": cell.detector.name, "preset": "verdict"}
    start = perf_counter()
    try:
        split, data_hash = split_of(cell.dataset, cell.setting, cell.seed, spec.max_rows, data_home)
        with threadpool_limits(limits=1, user_api="blas"):
            measured, failures = _measured(cell, spec, split)
    except (DetectorError, InvalidDataError) as error:
        return [{**shared, "status": "failed", "reason": str(error)}]
    return [
        {
            **shared,
            "status": "done",
            "data_hash": data_hash,
            "n_rows": len(split.y_test),
            "n_features": split.X_test.shape[1],
            "measures": list(MEASURES.names),
            "detectors": measured,
            "failures": failures,
            "seconds": perf_counter() - start,
        }
    ]


def _measured(cell: Cell, spec: BenchmarkSpec, split: Split) -> tuple[dict[str, Any], Any]:
    root = root_of(cell.seed, "run_benchmark")
    usable = np.flatnonzero(np.ptp(split.X_train, axis=0) > 0.0)
    train = Table(values=split.X_train, feature_names=split.feature_names).features(usable)
    test = train.with_values(split.X_test[:, usable])
    counted = split.y_test == 0 if cell.setting == "novelty" else split.y_test >= 0
    rows = test.rows(np.flatnonzero(counted))
    box = BoundingBox.from_arrays(train, rows)
    figures: dict[str, Any] = {}
    packed, failures = [], {}
    for each in spec.detectors:
        try:
            clock = [process_time()]
            function = normality_function(fit_detector(each.make(), train, root))
            clock.append(process_time())
            scores = score_table(function, test, each.name)
            clock.append(process_time())
            points = score_reference(function, MEASURES, box, rows, each.name, root=root)
            clock.append(process_time())
        except DetectorError as error:
            failures[each.name] = str(error)
            continue
        kept = np.arange(rows.n_rows)
        packed.append(pack_judged(scores[counted], points, MEASURES.n_points, kept))
        figures[each.name] = labelled_areas(scores, split) | {"cpu": np.diff(clock).tolist()}
    heard = {"areas": Votes.of(packed, 0.0), "trimmed_areas": Votes.of(packed, TRIMMED_SHARE)}
    scores_of = np.array([result["judged.scores"] for result in packed])
    agreed = {kind: consensus(scores_of, kind=kind) for kind in CONSENSUS_KINDS}
    for position, figure in enumerate(figures.values()):
        for name, votes in heard.items():
            figure[name] = [float(f"{value:.6g}") for value in votes.values[:-1, position]]
        figure["consensus"] = {kind: float(values[position]) for kind, values in agreed.items()}
    _add_volumes(figures, cell, spec, train, rows)
    return figures, failures


def _add_volumes(
    figures: dict[str, Any], cell: Cell, spec: BenchmarkSpec, train: Table, rows: Table
) -> None:
    """Add EM and MV as the paper measures them, for the first seed: they cost most of all."""
    in_draws = rows.n_features > DIRECT_FEATURES
    first = (cell.dataset.seeds or spec.seeds)[0]
    if cell.seed != first:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OddrankWarning)  # unresolved areas are null in the rows
        ranking = rank_detectors(
            {each.name: each.make() for each in spec.detectors if each.name in figures},
            train.values,
            rows.values,
            judge="volume",
            subsampling=FeatureSubsampling(spec.draw_features, spec.n_draws) if in_draws else None,
            reference=_VOLUME_IN_DRAWS if in_draws else _VOLUME,
            scale=False,
            n_jobs=1,
            random_state=cell.seed,
        )
    for name, evaluation in ranking.evaluations.items():
        figures[name]["em"] = evaluation.excess_mass.to_dict()["value"]
        figures[name]["mv"] = evaluation.mass_volume.to_dict()["value"]
