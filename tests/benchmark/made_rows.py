"""Rows as a finished benchmark has them, made by hand."""

from itertools import permutations

import numpy as np

from oddrank.benchmark import RELATIVE_LEVELS, STORED_MASSES

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


TWINS = ("twin of iforest 1", "twin of iforest 2")


def verdict_row(dataset, setting, seed, right=True, n_detectors=6):
    """A row whose measures order the detectors as the labels do, or just the other way round."""
    random = np.random.default_rng([seed, len(dataset)])
    roc = np.sort(random.uniform(0.5, 1.0, n_detectors))
    names = ["iforest", *(f"d{i}" for i in range(1, n_detectors))]
    areas = dict(zip([*names, *TWINS], [*roc, roc[0], roc[0]], strict=True))
    score = {name: 0.7 + (0.2 if right else -0.2) * area for name, area in areas.items()}
    call = {
        "detectors": {
            name: {
                "score": score[name],
                "areas": [score[name]] * 3,
                "roc": area,
                "pr": area / 2,
                "halves": [{"roc": area, "pr": area / 2}] * 2,
            }
            for name, area in areas.items()
        },
        "measures": ["a", "b", "c"],
        "failures": {},
        "leads": [
            [better, worse, score[better] - score[worse], 0.01, p_value, p_value < 0.05]
            for better, worse in permutations(sorted(areas), 2)
            if (score[better], worse) > (score[worse], better)
            for p_value in [1.0 if score[better] == score[worse] else 1e-6]
        ],
        "committees": {
            size: {"roc": roc[-1], "pr": roc[-1] / 2} for size in ("1", "2", "3", "5", "7", "13")
        },
    }
    return {
        "dataset": dataset, "setting": setting, "seed": seed, "status": "done", "draw": -1,
        "detector": "pool", "preset": "verdict", "max_rows": 0,
        "calls": {"unsaid": call} | ({} if setting == "novelty" else {"said": call}),
        "volumes": {
            name: {"em": score[name], "mv": 1.0 / score[name]} for name in names
        },
    }  # fmt: skip


VERDICT_ROWS = [
    verdict_row(dataset, setting, seed, right=dataset != "odd")
    for dataset in ("one", "three", "seven", "odd")
    for setting in ("novelty", "unsupervised")
    for seed in (0, 1)
]
