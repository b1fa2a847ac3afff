"""What a task brings back goes through named arrays and is the same afterwards."""

import io
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from sklearn.neighbors import KernelDensity

from oddrank._random import root_of
from oddrank.criteria import CriteriaOptions, DrawAreas, SampledCriteria
from oddrank.detectors import Candidate
from oddrank.evaluation import EvaluationPlan, EvaluationTask, TaskResult
from oddrank.reference import AutoReference, ReferenceMixture, UniformBox
from oddrank.rows import BoundingBox, as_table
from tests.planted import FailingFit

ROWS = np.random.default_rng(0).normal(size=(300, 4))
TABLE = as_table(ROWS)
POINTS = UniformBox(n_points=64, n_replicates=3)
GROWING = AutoReference(relative_error=0.5, max_points=2**10, n_points=2**6)


def run(detector=None, draw=None, seen=None, **options):
    candidate = Candidate(name="it", detector=KernelDensity() if detector is None else detector)
    places = np.arange(len(ROWS))
    plan = EvaluationPlan(
        **{
            "form": TABLE.without_rows(),
            "train": (places[:150],),
            "test": (places[150:],),
            "scale": False,
            "sampler": POINTS,
            "options": CriteriaOptions(mass_range=(0.9, 0.95), n_halves=4),
            "root": root_of(0, "test"),
            "box": BoundingBox.from_arrays(TABLE),
            **options,
        }
    )
    task = EvaluationTask(candidate=candidate, fold=0, draw=draw, index=0, seen=seen)
    return plan.run(task, ROWS, ROWS)


def through_a_file(result):
    file = io.BytesIO()
    np.savez(file, **result.to_arrays())
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        return TaskResult.from_arrays(dict(arrays))


def assert_same(first, second):
    assert type(first) is type(second)
    if is_dataclass(first):
        for each in fields(first):
            assert_same(getattr(first, each.name), getattr(second, each.name))
    elif isinstance(first, np.ndarray):
        assert first.dtype == second.dtype
        np.testing.assert_array_equal(first, second)
    elif isinstance(first, list | tuple):
        assert len(first) == len(second)
        for pair in zip(first, second, strict=True):
            assert_same(*pair)
    else:
        np.testing.assert_equal(first, second)


RESULTS = {
    "all features": ({}, SampledCriteria),
    "with areas": ({"measures": ReferenceMixture(n_points=16, n_replicates=2)}, SampledCriteria),
    "in a draw": ({"draw": (0, 2), "box": None}, DrawAreas),
    "to go on": ({"sampler": GROWING.first_look, "keeps_points": True}, SampledCriteria),
    "scores alone": ({"sampler": None}, type(None)),
}


@pytest.mark.parametrize("case", RESULTS)
def test_every_part_is_the_same_after_a_file(case):
    options, kind = RESULTS[case]
    result = run(**options)
    assert isinstance(result.criteria, kind)
    assert (result.judged is not None) == (case == "with areas")
    assert (result.seen is not None) == (case == "to go on")
    assert (result.scores is None) == (case == "in a draw")
    assert 0.0 < result.fit_seconds < result.seconds
    assert_same(through_a_file(result), result)


def test_a_task_goes_on_from_what_was_stored():
    first = run(sampler=GROWING.first_look, keeps_points=True)
    gone_on, at_once = (
        run(sampler=GROWING, seen=seen) for seen in (through_a_file(first).seen, None)
    )
    assert_same(gone_on.criteria, at_once.criteria)


def test_a_failure_is_a_result_without_criteria():
    result = run(FailingFit())
    assert result.criteria is result.judged is result.scores is result.seen is None
    assert result.failure == ("it failed to fit 150 rows of 4 features: RuntimeError: no licence")
    assert result.seconds > 0.0
    assert run().failure == ""


def test_results_do_not_depend_on_the_name():
    named = {
        name: EvaluationTask(
            candidate=Candidate(name=name, detector=KernelDensity()), fold=0, draw=None, index=0
        )
        for name in ("a", "b")
    }
    assert named["a"].name != named["b"].name
    assert str(named["a"].identity) == str(named["b"].identity)
