"""Rows as a finished benchmark has them, made by hand."""

import numpy as np

from oddrank.benchmark.stored_curves import RELATIVE_LEVELS, STORED_MASSES

DETECTORS = ("iforest", "ocsvm", "lof")


def made_row(
    dataset, detector, seed=0, draw=-1, *, setting="novelty", preset="oddrank", **measures
):
    return {
        "dataset": dataset, "setting": setting, "preset": preset, "status": "done", "seed": seed,
        "detector": detector, "draw": draw, "fit_cpu": 1.0, "rows_cpu": 2.0, "points_cpu": 4.0,
        **measures,
    }  # fmt: skip


def made_curves(rate):
    """EM and MV of a detector whose curves are known."""
    return {
        "em": np.exp(-rate * RELATIVE_LEVELS).tolist(),
        "em_error": np.full(len(RELATIVE_LEVELS), 0.001).tolist(),
        "mv": (rate * STORED_MASSES**8 / 100.0).tolist(),
        "mv_error": np.full(len(STORED_MASSES), 0.0001).tolist(),
    }


def finished_rows(datasets=("adult", "pima"), *, seeds=(0, 1), settings=("novelty",), spread=0.1):
    """Rows of both presets: the forest is best by everything, LOF worst."""
    random = np.random.default_rng(0)
    rows = []
    for setting in settings:
        for dataset in datasets:
            for seed in seeds:
                for place, detector in enumerate(DETECTORS):
                    noise = 1.0 + spread * random.random()
                    measures = {
                        "roc": 0.9 - 0.1 * place,
                        "pr": 0.5 - 0.1 * place,
                        "em": noise * 10.0 ** (-4 - place),
                        "mv": noise * 10.0 ** (2 + place),
                    }
                    for preset in ("paper", "oddrank"):
                        row = made_row(
                            dataset, detector, seed, setting=setting, preset=preset, **measures
                        )
                        if preset == "oddrank":
                            row["curves"] = made_curves(0.01 * (place + 1))
                        rows.append(row)
    return rows
