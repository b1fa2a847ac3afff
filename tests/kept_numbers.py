"""Numbers that must stay what they are while the structure changes.

`python -m tests.kept_numbers store` writes them to `kept_numbers.json`; a test compares. Whoever
changes a number on purpose stores them again, in a commit that says why.
"""

import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.svm import OneClassSVM

import oddrank
from oddrank import FeatureSubsampling, Volume, rank_detectors
from oddrank.reference import ImportanceMixture, MultilevelSplitting, UniformBox

STORED = Path(__file__).parent / "kept_numbers.json"
CALLS: dict[str, Callable] = {}


def kept(function):
    CALLS[function.__name__] = function
    return function


def rows(n_rows, n_features, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_features))
    X[: n_rows // 3] += 3.0
    return X


def density(X):
    return -(np.asarray(X) ** 2).sum(axis=1)


def pool():
    return {
        "forest": IsolationForest(n_estimators=30),
        "kde": KernelDensity(bandwidth=0.4),
        "lof": LocalOutlierFactor(novelty=True),
        "mixture": GaussianMixture(2),
        "svm": OneClassSVM(nu=0.1),
    }


def few():
    return {name: pool()[name] for name in ("kde", "mixture", "forest")}


def estimate(each):
    return [each.value, each.standard_error, *each.interval]


def of_evaluation(evaluation):
    return [estimate(evaluation.excess_mass), estimate(evaluation.mass_volume)]


def of_ranking(ranking):
    return {
        "order": list(ranking.order),
        "scores": {name: estimate(each) for name, each in ranking.judgement.scores.items()},
        "areas": {n: [a.value for a in of] for n, of in ranking.judgement.areas.items()},
        "leads": [
            [c.better, c.worse, estimate(c.lead), c.p_value, c.adjusted_p_value, c.separated]
            for c in ranking.judgement.comparisons
        ],
    }


@kept
def curves_of_plain_scores():
    random = np.random.default_rng(1)
    levels = oddrank.level_sets(random.normal(1.0, 1.0, 500), random.normal(size=2000))
    excess, volume = oddrank.excess_mass_curve(levels), oddrank.mass_volume_curve(levels)
    return [excess.inverse(0.9), excess.area(0.9), volume.area(0.9, 0.999), float(volume(0.5))]


@kept
def curves_of_weighted_points():
    random = np.random.default_rng(2)
    levels = oddrank.level_sets(
        random.normal(1.0, 1.0, 300).round(1),
        random.normal(size=1000).round(1),
        log_volume=2.5,
        log_weights=random.normal(size=1000),
    )
    excess, volume = oddrank.excess_mass_curve(levels), oddrank.mass_volume_curve(levels)
    return [excess.inverse(0.9), excess.area(0.9), volume.area(0.9, 0.99)]


@kept
def merged_counts():
    random = np.random.default_rng(3)
    points = random.normal(size=500)
    parts = [
        oddrank.count_level_sets(random.normal(1.0, 1.0, size), points) for size in (100, 7, 300)
    ]
    levels = (parts[0] + parts[1] + parts[2]).level_sets()
    return [oddrank.excess_mass_curve(levels).area(0.9), levels.mass.sum(), levels.log_volume[-1]]


@kept
def evaluate_scores_plane():
    return of_evaluation(oddrank.evaluate_scores(density, rows(1500, 2), random_state=0))


@kept
def evaluate_scores_uniform():
    return of_evaluation(
        oddrank.evaluate_scores(
            density, rows(1500, 3), reference=UniformBox(n_points=2**10), random_state=1
        )
    )


@kept
def evaluate_scores_importance():
    reference = ImportanceMixture(n_points=2**9, n_replicates=4)
    return of_evaluation(
        oddrank.evaluate_scores(density, rows(1500, 4), reference=reference, random_state=2)
    )


@kept
def evaluate_scores_splitting():
    reference = MultilevelSplitting(n_points=2**11)
    return of_evaluation(
        oddrank.evaluate_scores(density, rows(1200, 12), reference=reference, random_state=3)
    )


@kept
def evaluate_detector_forest():
    return of_evaluation(
        oddrank.evaluate_detector(IsolationForest(n_estimators=30), rows(1200, 2), random_state=4)
    )


@kept
def evaluate_detector_test_rows():
    return of_evaluation(
        oddrank.evaluate_detector(
            GaussianMixture(2), rows(1200, 3), rows(900, 3, 1), random_state=5
        )
    )


@kept
def evaluate_detector_draws():
    return of_evaluation(
        oddrank.evaluate_detector(
            GaussianMixture(1), rows(900, 12), subsampling=FeatureSubsampling(3, 8), random_state=6
        )
    )


@kept
def rank_by_references():
    return of_ranking(rank_detectors(pool(), rows(700, 3), random_state=7))


@kept
def rank_by_references_wide():
    return of_ranking(rank_detectors(few(), rows(500, 12), random_state=8))


@kept
def rank_unscaled():
    return of_ranking(rank_detectors(few(), rows(400, 3), scale=False, random_state=9))


@kept
def rank_test_rows():
    return of_ranking(rank_detectors(few(), rows(400, 3), rows(300, 3, 1), random_state=10))


@kept
def rank_polluted():
    return of_ranking(rank_detectors(few(), rows(500, 3), polluted=True, random_state=11))


@kept
def rank_by_consensus():
    return of_ranking(rank_detectors(pool(), rows(500, 3), judge="consensus", random_state=12))


@kept
def rank_by_volume():
    ranking = rank_detectors(few(), rows(1500, 2), judge="volume", random_state=13)
    volumes = [estimate(c.lead) for c in ranking.comparisons_by("mass_volume")]
    return {**of_ranking(ranking), "mass_volume": volumes}


@kept
def rank_by_volume_in_draws():
    judge = Volume(subsampling=FeatureSubsampling(3, 8), criterion="mass_volume")
    ranking = rank_detectors(few(), rows(900, 12), judge=judge, random_state=14)
    evaluations = {name: of_evaluation(ranking.evaluations[name]) for name in ranking.order}
    return {**of_ranking(ranking), "evaluations": evaluations}


@kept
def volumes_beside_references():
    ranking = rank_detectors(few(), rows(1500, 3), random_state=15)
    return {name: of_evaluation(ranking.evaluations[name]) for name in ranking.order}


@kept
def rank_mixed_frame():
    import pandas as pd

    random = np.random.default_rng(16)
    frame = pd.DataFrame(rows(400, 2), columns=["a", "b"])
    frame["level"] = random.choice(["x", "y", "z"], 400, p=[0.7, 0.25, 0.05])
    frame.loc[::50, "a"] = np.nan
    return of_ranking(rank_detectors(few(), frame, preprocess="auto", random_state=16))


@kept
def new_rows():
    ranking = rank_detectors(pool(), rows(500, 3), random_state=17)
    new = rows(40, 3, 2) * 1.5
    return {
        "best": [ranking.best_detector.p_values(new), ranking.best_detector.score_samples(new)],
        "committee": [ranking.committee.p_values(new), ranking.committee.score_samples(new)],
        "scores": ranking.score_samples(new),
    }


@kept
def own_rows():
    ranking = rank_detectors(few(), rows(400, 3), random_state=18)
    return ranking.odd_rows(n_explained=0).oddness


@kept
def importances():
    found = oddrank.feature_importance(
        GaussianMixture(1),
        rows(1200, 5),
        subsampling=FeatureSubsampling(2, 20, aggregation="geometric"),
        random_state=20,
    )
    return {
        name: estimate(each)
        for name, each in zip(found.feature_names, found.importances, strict=True)
    }


@kept
def labels():
    X = np.vstack([rows(300, 3), 6.0 + rows(20, 3, 5)])
    odd = np.arange(320) >= 300
    check = oddrank.check_against_labels(rank_detectors(few(), X, random_state=21), X, odd)
    return [[each.area, each.value, each.rank, estimate(each.lead)] for each in check.places]


@kept
def scorer():
    X = rows(800, 2)
    box = oddrank.BoundingBox.from_arrays(X)
    fitted = KernelDensity(bandwidth=0.3).fit(X)
    return [
        oddrank.make_label_free_scorer(name, box=box, mass_range=(0.9, 0.99), random_state=22)(
            fitted, X
        )
        for name in ("excess_mass", "neg_mass_volume")
    ]


def plain(value):
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(each) for each in value]
    if isinstance(value, np.generic):
        return value.item()
    return value


def numbers(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return json.loads(json.dumps(plain(CALLS[name]())))


def main():
    if sys.argv[1:] == ["store"]:
        found = {name: numbers(name) for name in CALLS}
        STORED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    for name in sys.argv[1:] or CALLS:
        same = numbers(name) == stored.get(name)
        sys.stdout.write(f"{'equal' if same else 'OTHER'} {name}\n")


if __name__ == "__main__":
    main()
