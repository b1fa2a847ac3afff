"""Algorithm 1 on the paper's data gives the paper's table, up to a factor of 2."""

import csv

import pytest
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor
from sklearn.svm import OneClassSVM

from benchmarks.datasets import load
from benchmarks.prepare import paper_split
from oddrank import BoundingBox, FeatureSubsampling, Volume, rank_detectors
from oddrank.errors import ResolutionWarning

DETECTORS = {
    "iforest": IsolationForest(),
    "ocsvm": OneClassSVM(nu=0.5, gamma="auto"),
    "lof": LocalOutlierFactor(novelty=True),
}


@pytest.mark.parametrize(
    "n_draws",
    [
        pytest.param(16, id="16 draws"),
        pytest.param(50, id="50 draws", marks=pytest.mark.long),  # as many as in the paper
    ],
)
@pytest.mark.parametrize("dataset", ["ionosphere", "arrhythmia"])
def test_novelty_cells_are_within_a_factor_of_two(dataset, n_draws, data_folder):
    data = load(dataset, data_home=data_folder)
    split = paper_split(data.X, data.y, "novelty", 0)
    with pytest.warns(ResolutionWarning):
        ranking = rank_detectors(
            DETECTORS,
            split.X_train,
            split.X_criteria,
            scale=False,
            judge=Volume(
                box=BoundingBox.from_arrays(split.X_test),
                subsampling=FeatureSubsampling(n_features=5, n_draws=n_draws),
                mass_range=(0.9, 0.999),
            ),
            cv=1,
            n_jobs=1,
            random_state=0,
        )
    with (data_folder.parent / "paper" / "table_novelty.csv").open(encoding="utf-8") as file:
        printed = [row for row in csv.DictReader(file) if row["dataset"] == dataset]
    assert len(printed) == 3
    for row in printed:
        evaluation = ranking.evaluations[row["detector"]]
        assert 0.5 <= evaluation.excess_mass.value / float(row["em"]) <= 2.0
        assert 0.5 <= evaluation.mass_volume.value / float(row["mv"]) <= 2.0
