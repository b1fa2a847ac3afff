"""What a search learns, held against a mixture whose density is known."""

import joblib
import numpy as np
import pytest

from benchmarks.measurements import known_sets
from oddrank import datasets

N_SEEDS, NEEDED = 20, 18


def test_the_true_set_has_its_mass_and_no_difference_to_itself():
    sample = datasets.make_known_density("mixture", 500, 2, random_state=0)
    truth = known_sets.true_set(sample, 2, seed=0)
    assert truth.difference(truth.inside) == 0.0
    error = np.sqrt(np.sum(truth.masses[truth.inside] ** 2))
    assert abs(truth.masses[truth.inside].sum() - known_sets.MASS) < 4.0 * error
    everything = np.ones(len(truth.points), dtype=bool)
    outside = truth.volumes[~truth.inside].sum() / truth.volumes[truth.inside].sum()
    assert truth.difference(everything) == pytest.approx(outside)


def test_learned_sets_of_a_few_seeds_are_near_the_best(monkeypatch):
    monkeypatch.setattr(known_sets, "N_ROWS", 1000)
    runs = [run for seed in range(2) for run in known_sets.known_runs(2, "OneClassSVM", seed)]
    assert {run.criterion for run in runs} == set(known_sets.CRITERIA)
    assert np.median([run.ratio for run in runs]) <= known_sets.GOAL
    assert max(run.difference for run in runs) < 0.5


@pytest.mark.long
@pytest.mark.parametrize("d", [2, 5])
@pytest.mark.parametrize("name", list(known_sets.DETECTORS))
def test_learned_sets_are_within_15_percent_of_the_best_on_the_grid(d, name):
    found = joblib.Parallel(n_jobs=2)(
        joblib.delayed(known_sets.known_runs)(d, name, seed) for seed in range(N_SEEDS)
    )
    for criterion in known_sets.CRITERIA:
        runs = [run for runs in found for run in runs if run.criterion == criterion]
        within, _ = known_sets.count_within(runs)
        assert within >= NEEDED, f"{criterion}: {[round(run.ratio, 2) for run in runs]}"
