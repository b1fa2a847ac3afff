"""A run that was stopped continues; folders of other runs and versions are refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KernelDensity

from oddrank import FeatureSubsampling, feature_importance
from oddrank.errors import InvalidParameterError
from oddrank.evaluation.fold_task import FoldPlan
from oddrank.execution import Workers, checkpoint
from tests.execution.small_run import ALL_FEATURES, DETECTORS, SMALL, X, frame, ranked
from tests.planted import Flaky, Interrupted


def test_a_stopped_run_continues_from_its_checkpoint(expected, tmp_path):
    counter = tmp_path / "fits"
    detectors = {"one": Interrupted(str(counter), stop_at=3), "two": KernelDensity()}
    folder = tmp_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt):
        frame(detectors, checkpoint=folder)
    kept = len(list(folder.glob("*.npz")))
    assert kept > 0
    resumed = frame(detectors, checkpoint=folder)
    fits_in_all = len(counter.read_text())
    counter.unlink()
    detectors["one"].stop_at = -1
    at_once = frame(detectors)
    pd.testing.assert_frame_equal(resumed, at_once, check_exact=True)
    # 5 draws, one fit that was stopped, none repeated but what was under way
    assert fits_in_all <= 5 + 2
    assert not list(folder.glob("*.part"))


def test_a_checkpoint_of_everything_fits_nothing(tmp_path, monkeypatch):
    working = {name: DETECTORS[name] for name in ("forest", "lof")}
    first = frame(working, checkpoint=tmp_path)
    monkeypatch.setattr(FoldPlan, "run", None)
    pd.testing.assert_frame_equal(frame(working, checkpoint=tmp_path), first, check_exact=True)


def test_a_checkpoint_without_a_seed_remembers_it(tmp_path):
    first = frame(checkpoint=tmp_path, random_state=None)
    again = frame(checkpoint=tmp_path, random_state=None)
    pd.testing.assert_frame_equal(first, again, check_exact=True)


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    frame(checkpoint=tmp_path)
    with pytest.raises(InvalidParameterError, match="belongs to a run with other data, options"):
        frame(checkpoint=tmp_path, random_state=8)


def test_damaged_files_of_a_checkpoint_are_made_again(expected, tmp_path):
    frame(checkpoint=tmp_path)
    for path in tmp_path.glob("*.npz"):
        path.write_bytes(path.read_bytes()[:100])
    pd.testing.assert_frame_equal(frame(checkpoint=tmp_path), expected, check_exact=True)
    (tmp_path / "checkpoint.json").write_text("{")
    with pytest.raises(InvalidParameterError, match="Name another folder, or delete it"):
        frame(checkpoint=tmp_path)


def test_checkpoints_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidParameterError, match="cannot be made"):
        frame(checkpoint=tmp_path / "file" / "folder")


def test_failures_are_not_kept_in_a_checkpoint(tmp_path):
    counter = tmp_path / "fits"
    detectors = {"flaky": Flaky(str(counter))}
    folder = tmp_path / "folder"
    first = ranked(detectors, X[:, :3], judge=ALL_FEATURES, checkpoint=folder)
    assert "not yet" in first.failures["flaky"]
    second = ranked(detectors, X[:, :3], judge=ALL_FEATURES, checkpoint=folder)
    assert not second.failures


def test_importances_resume_without_a_seed(tmp_path):
    first, again = (
        feature_importance(
            KernelDensity(),
            X,
            mass_range=(0.9, 0.99),
            reference=SMALL,
            subsampling=FeatureSubsampling(4, 5),
            workers=Workers(checkpoint=tmp_path),
            random_state=None,
        ).frame()
        for _ in range(2)
    )
    pd.testing.assert_frame_equal(first, again, check_exact=True)


def test_a_seed_sequence_of_several_numbers_is_remembered(tmp_path):
    state = np.random.SeedSequence([1, 2])
    first = frame(checkpoint=tmp_path, random_state=state)
    pd.testing.assert_frame_equal(first, frame(checkpoint=tmp_path, random_state=None))


def test_a_folder_of_a_former_version_is_refused(tmp_path, monkeypatch):
    # the same run, but its files hold other arrays
    monkeypatch.setattr(checkpoint, "_FORMAT", checkpoint._FORMAT - 1)
    frame(checkpoint=tmp_path)
    monkeypatch.undo()
    with pytest.raises(InvalidParameterError, match="another version of oddrank"):
        frame(checkpoint=tmp_path)


@pytest.mark.parametrize(
    "make_state",
    [
        lambda: np.random.default_rng(0),
        lambda: np.random.RandomState(0),
        lambda: np.random.SeedSequence(np.int64(5)),
    ],
)
def test_every_kind_of_random_state_is_remembered(make_state, tmp_path):
    first = frame(checkpoint=tmp_path, random_state=make_state())
    pd.testing.assert_frame_equal(first, frame(checkpoint=tmp_path, random_state=None))
