"""How far masses reach with a number of rows."""

import pytest

from oddrank import evaluate_scores, feature_importance
from oddrank.criteria import check_masses, masses_for, rows_needed
from oddrank.errors import InvalidParameterError


@pytest.mark.parametrize(
    ("n_rows", "upper"), [(5000, 0.999), (1000, 0.999), (999, 0.99), (100, 0.99), (99, 0.95)]
)
def test_masses_go_as_far_as_the_rows_reach(n_rows, upper):
    assert masses_for(n_rows) == (0.9, upper)
    assert check_masses("auto", n_rows, "f") == (0.9, upper)


def test_a_mass_needs_a_row_beyond_it():
    assert rows_needed(0.9) == 10
    assert rows_needed(0.95) == 20
    assert rows_needed(1.0) > 10**18


def test_masses_that_are_none_are_refused():
    with pytest.raises(InvalidParameterError, match="'mass_range' parameter of f must be two"):
        check_masses((0.9, 0.2), 1000, "f")


def test_small_tables_are_measured_as_far_as_they_reach(recwarn):
    import numpy as np
    from sklearn.mixture import GaussianMixture

    X = np.random.default_rng(0).normal(size=(300, 2))
    evaluation = evaluate_scores(lambda rows: -(rows**2).sum(axis=1), X, random_state=0)
    assert evaluation.diagnostics["rows"].ok
    feature_importance(GaussianMixture(), X, random_state=0)
    assert not [each for each in recwarn if "too few" in str(each.message)]
