"""Rows as a finished study has them, made by hand."""

from itertools import combinations

import numpy as np

from benchmarks.goix2016.study import GRID_END, RELATIVE_LEVELS, STORED_MASSES

DETECTORS = ("iforest", "ocsvm", "lof")
TWINS = ("twin of iforest 1", "twin of iforest 2")
# Four families; the judges are wrong on the last of them.
FAMILIES = ("adult", "wilt", "letter", "pima")


def made_preset(em, mv, rate=None):
    """What one preset says; with a rate, of a detector whose curves are known."""
    found = {"em": list(np.atleast_1d(em)), "mv": list(np.atleast_1d(mv)), "points_cpu": 4.0}
    if rate is not None:
        heights = np.exp(-rate * RELATIVE_LEVELS)
        found["curves"] = {
            "em": heights.tolist(),
            "mv": (rate * STORED_MASSES**8 / 100.0).tolist(),
        }
        found["beyond_grid"] = float(heights[GRID_END] > 0.9)
    return found


def made_row(
    dataset, detector, seed=0, *, setting="novelty", roc=0.5, pr=0.5, n_draws=0, **presets
):
    return {
        "dataset": dataset, "setting": setting, "seed": seed, "detector": detector, "roc": roc,
        "pr": pr, "n_draws": n_draws, "fit_cpu": 1.0, "rows_cpu": 2.0, **presets,
    }  # fmt: skip


def finished_rows(datasets=("adult", "pima"), *, seeds=(0, 1), settings=("novelty",), spread=0.1):
    """Rows of both presets: the forest is best by everything, LOF worst."""
    random = np.random.default_rng(0)
    rows = []
    for setting in settings:
        for dataset in datasets:
            for seed in seeds:
                for place, detector in enumerate(DETECTORS):
                    noise = 1.0 + spread * random.random()
                    em, mv = noise * 10.0 ** (-4 - place), noise * 10.0 ** (2 + place)
                    rows.append(
                        made_row(
                            dataset, detector, seed, setting=setting,
                            roc=0.9 - 0.1 * place, pr=0.5 - 0.1 * place,
                            paper=made_preset(em, mv),
                            oddrank=made_preset(em, mv, 0.01 * (place + 1)),
                        )
                    )  # fmt: skip
    return rows


def verdict_row(dataset, setting, seed, right=True, n_detectors=6):
    """A row whose measures order the detectors as the labels do, or just the other way round."""
    random = np.random.default_rng([seed, len(dataset)])
    roc = np.sort(random.uniform(0.5, 1.0, n_detectors))
    names = ["iforest", *(f"d{i}" for i in range(1, n_detectors))]
    areas = dict(zip([*names, *TWINS], [*roc, roc[0], roc[0]], strict=True))
    score = {name: 0.7 + (0.2 if right else -0.2) * area for name, area in areas.items()}
    order = sorted(areas, key=lambda name: -score[name])
    pairs = list(combinations(order, 2))
    best = {"roc": roc[-1], "pr": roc[-1] / 2}
    call = {
        "order": order,
        "score": [score[name] for name in order],
        "roc": [areas[name] for name in order],
        "pr": [areas[name] / 2 for name in order],
        "errors": [0.01] * len(pairs),
        "p_values": [1.0 if score[a] == score[b] else 1e-6 for a, b in pairs],
        "committees": {"3": best, "7": best},
        "measures": ["a", "b", "c"],
        "areas": [[score[name]] * 3 for name in order],
        "ceiling": [1.0, 1.0, 0.0, 0.0],
    }
    return {
        "dataset": dataset, "setting": setting, "seed": seed, "detector": "pool",
        "calls": {"unsaid": call} | ({} if setting == "novelty" else {"said": call}),
        "volumes": {name: {"em": score[name], "mv": 1.0 / score[name]} for name in names},
    }  # fmt: skip


VERDICT_ROWS = [
    verdict_row(dataset, setting, seed, right=dataset != "pima")
    for dataset in FAMILIES
    for setting in ("novelty", "unsupervised")
    for seed in (0, 1)
]
