"""Rankings grow their reference points only where that may separate two detectors."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.covariance import EllipticEnvelope

from oddrank import FeatureSubsampling, References, Volume, level_sets, rank_detectors
from oddrank.criteria import MASS_VOLUME, FoldedCriteria, SampledCriteria, SampledCriterion
from oddrank.evaluation import EvaluationPlan
from oddrank.execution import run_tasks
from oddrank.judging import compare_volumes
from oddrank.reference import AutoReference
from tests.quick_density import QuickDensity


class OnAGrid(OutlierMixin, BaseEstimator):
    """Calls normal what has two decimals: all of the rows, and none of the volume."""

    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def score_samples(self, X):
        return (np.round(X, 2) == X).all(axis=1).astype(float)


ROWS = np.concatenate(
    [
        np.random.default_rng(0).normal(size=(3000, 3)),
        np.random.default_rng(1).normal(5.0, 0.5, size=(3000, 3)),
    ]
).round(2)
# Never accurate enough: only the order can stop it.
STRICT = AutoReference(relative_error=1e-4, max_points=64 * 36, n_points=64)
BY_VOLUME = Volume(reference=STRICT, criterion="mass_volume")
LEVELS = level_sets([1.0], [0.0])
ELLIPSE = EllipticEnvelope(support_fraction=1.0, random_state=0)
DETECTORS = {
    "fine": QuickDensity(bandwidth=0.25),
    "coarse": QuickDensity(bandwidth=0.36),
    "ellipse": ELLIPSE,
}


def n_replicates(ranking):
    """Replicates of reference points, the same in every fit."""
    found = {
        name: {fold.n_replicates for fold in evaluation.criteria.folds}
        for name, evaluation in ranking.evaluations.items()
    }
    assert all(len(each) == 1 for each in found.values()), found
    return {name: each.pop() for name, each in found.items()}


def criteria_of(ranking):
    return {name: evaluation.criteria for name, evaluation in ranking.evaluations.items()}


def rank(detectors=None, **options):
    options = {"judge": BY_VOLUME, "random_state": 0} | options
    return rank_detectors(detectors or DETECTORS, ROWS, **options)


@pytest.fixture(scope="module")
def ranking():
    return rank()


def test_only_the_detectors_that_points_may_separate_go_on(ranking):
    assert n_replicates(ranking) == {"fine": 32, "coarse": 32, "ellipse": 8}
    assert ranking.compare("ellipse", "fine", criterion="mass_volume").separated
    check = ranking.evaluations["ellipse"].diagnostics["accuracy"]
    assert check.ok
    assert "more points would not change the ranking" in check.message
    assert not ranking.evaluations["fine"].diagnostics["accuracy"].ok


def test_those_that_go_on_have_what_they_would_have_alone(ranking):
    alone = rank({"fine": DETECTORS["fine"], "coarse": DETECTORS["coarse"]})
    assert n_replicates(alone) == {"fine": 32, "coarse": 32}
    for name in ("fine", "coarse"):
        assert alone.evaluations[name].mass_volume == ranking.evaluations[name].mass_volume


class Counting(QuickDensity):
    """Counts what it is asked to score."""

    scored: list = []  # noqa: RUF012

    def score_samples(self, X):
        self.scored.append(len(X))
        return super().score_samples(X)


def test_points_are_scored_once():
    Counting.scored.clear()
    found = rank({"counted": Counting(bandwidth=0.25), "coarse": DETECTORS["coarse"]})
    assert n_replicates(found)["counted"] == 32
    # of each of two fits: test rows in both tasks, and every point of the budget once; and 1,000
    # rows again, to see whether a score is of its row alone
    assert sum(Counting.scored) == 2 * (2 * 3000 + STRICT.max_points) + 1000


def test_neither_the_order_of_detectors_nor_jobs_matter(ranking):
    turned = rank(dict(reversed(DETECTORS.items())), n_jobs=2)
    assert n_replicates(turned) == n_replicates(ranking)
    assert str(turned) == str(ranking)


def test_a_stopped_run_goes_on_where_it_was(ranking, tmp_path, monkeypatch):
    first = rank(checkpoint=tmp_path)
    assert str(first) == str(ranking)

    def never(*_):
        raise AssertionError("this was done before")

    monkeypatch.setattr(EvaluationPlan, "run", never)
    assert str(rank(checkpoint=tmp_path)) == str(ranking)


def test_a_larger_budget_uses_the_first_look_that_is_there(tmp_path):
    pair = {"fine": DETECTORS["fine"], "coarse": DETECTORS["coarse"]}
    few = AutoReference(relative_error=1e-4, max_points=64 * 16, n_points=64)
    assert n_replicates(
        rank(pair, judge=replace(BY_VOLUME, reference=few), checkpoint=tmp_path)
    ) == {
        "fine": 12,
        "coarse": 12,
    }
    more = rank(pair, checkpoint=tmp_path)
    assert n_replicates(more) == {"fine": 32, "coarse": 32}
    assert str(more) == str(rank(pair))


def test_who_is_alone_or_has_no_budget_is_measured_once(monkeypatch):
    seen = []

    def noting(tasks, plan, *rest, **options):
        seen.append(plan.sampler.n_replicates)
        return run_tasks(tasks, plan, *rest, **options)

    monkeypatch.setattr("oddrank.evaluation.joint.run_tasks", noting)
    assert n_replicates(rank({"ellipse": ELLIPSE})) == {"ellipse": 32}
    seen.clear()
    pair = {"fine": DETECTORS["fine"], "coarse": DETECTORS["coarse"]}
    rank(pair, judge=replace(BY_VOLUME, reference=STRICT.first_look))
    assert seen == [8]


def test_two_looks_are_not_wrong_more_often_than_one():
    """Equal detectors whose errors are all of the points: few may be called separated."""
    random, wrong, n_trials = np.random.default_rng(0), 0, 2000
    for _ in range(n_trials):
        logs = random.normal(0.0, 0.05, size=(2, 60))
        looks = [
            {name: _criteria(each[:n]) for name, each in zip("ab", logs, strict=True)}
            for n in (8, 60)
        ]
        goes_on = bool(BY_VOLUME.undecided(looks[0], 0.95))
        (pair,) = compare_volumes(looks[goes_on], MASS_VOLUME, 0.95)
        wrong += pair.separated
    # 0.05, a tenth more for the first look, and three standard deviations
    assert wrong / n_trials < 0.055 + 3.0 * np.sqrt(0.05 * 0.95 / n_trials)


def _criteria(log_replicates):
    n_replicates = len(log_replicates)
    without = (log_replicates.sum() - log_replicates) / (n_replicates - 1)
    criterion = SampledCriterion(
        value=float(np.exp(log_replicates.mean())),
        without_replicate=np.exp(without),
        on_halves=np.exp(np.resize([1e-4, -1e-4], 200) + log_replicates.mean()),
        criterion=MASS_VOLUME,
    )
    sampled = SampledCriteria(
        share_tied=0.0,
        excess_mass=criterion,
        mass_volume=criterion,
        level_sets=LEVELS,
        log_volume_error=np.zeros(1),
        inside_floor=1,
        inside_effective=1.0,
    )
    return FoldedCriteria(folds=(sampled,))


def test_freedom_is_that_of_the_few_replicates_that_matter():
    random, wrong, n_trials = np.random.default_rng(1), 0, 3000
    for _ in range(n_trials):
        few, many = random.normal(0.0, 0.05, size=8), random.normal(0.0, 0.05, size=60)
        looks = {"few": _criteria(few), "many": _criteria(many)}
        wrong += compare_volumes(looks, MASS_VOLUME, 0.95)[0].separated
    assert wrong / n_trials < 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / n_trials)


def test_equal_detectors_and_a_clear_order_need_no_more_points():
    pair = {"first": ELLIPSE, "second": ELLIPSE}
    assert n_replicates(rank(pair)) == {"first": 8, "second": 8}
    pair = {"density": DETECTORS["fine"], "ellipse": ELLIPSE}
    assert n_replicates(rank(pair)) == {"density": 8, "ellipse": 8}


def test_volumes_that_decide_nothing_stay_at_the_first_look():
    beside = rank(judge=References(volume=Volume(reference=STRICT)))
    assert beside.criterion == "mean_area"
    assert beside.evaluations["fine"].in_volume
    assert set(n_replicates(beside).values()) == {8}


def test_leads_that_are_small_beside_the_error_of_the_rows_are_left_alone():
    few_rows = ROWS[::20]
    with pytest.warns(UserWarning, match="150 rows are too few"):
        ranking = rank_detectors(
            {"fine": DETECTORS["fine"], "coarse": DETECTORS["coarse"]},
            few_rows,
            judge=Volume(
                reference=AutoReference(relative_error=1e-4, max_points=2**16, n_points=2**11),
                criterion="mass_volume",
            ),
            random_state=0,
        )
    pair = ranking.compare("fine", "coarse", criterion="mass_volume")
    assert not pair.separated
    assert pair.lead.points_error < pair.lead.standard_error / 2.0
    assert n_replicates(ranking) == {"fine": 8, "coarse": 8}


def test_detectors_without_a_criterion_are_undecided(ranking):
    beside = References()
    assert beside.undecided(criteria_of(ranking), 0.95) == frozenset()
    assert BY_VOLUME.undecided(criteria_of(ranking), 0.95) <= set(DETECTORS)
    found = rank(
        {"grid": OnAGrid(), "ellipse": ELLIPSE}, judge=Volume(reference=STRICT), scale=False
    )
    assert beside.undecided(criteria_of(found), 0.95) == {"grid"}
    assert n_replicates(found) == {"grid": 32, "ellipse": 32}


def test_in_draws_of_features_only_unresolved_draws_go_on(monkeypatch):
    seen = []

    def noting(tasks, plan, *rest, **options):
        seen.append((plan.sampler.n_replicates, [(task.name, task.draw) for task in tasks]))
        return run_tasks(tasks, plan, *rest, **options)

    monkeypatch.setattr("oddrank.evaluation.joint.run_tasks", noting)
    judge = replace(BY_VOLUME, subsampling=FeatureSubsampling(n_features=2, n_draws=4))
    rank(judge=judge)
    assert [count for count, _ in seen] == [8]
    assert len(seen[0][1]) == 12
    assert all(isinstance(draw, tuple) for _, draw in seen[0][1])
    seen.clear()
    rank({"grid": OnAGrid(), "ellipse": ELLIPSE}, judge=judge, scale=False)
    assert [count for count, _ in seen] == [8, 32]
    assert {name for name, _ in seen[1][1]} == {"grid"}
