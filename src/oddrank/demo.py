"""The demonstration: six detectors on data that scikit-learn ships. `make demo`, `oddrank demo`.

Hand-written digits. A few of the images are mirrored, and no detector is told which; at the end
that is held against the verdict.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_digits
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.svm import OneClassSVM

from oddrank.inspection import check_against_labels
from oddrank.ranking import Ranking, rank_detectors, screen
from oddrank.rows import Table, few_valued_features

__all__ = ["demo_data", "demo_ranking", "heading", "main"]

# One image in fifty is mirrored.
SHARE_MIRRORED = 0.02
SIDE = 8
# The reader of this screen has no ranking at hand, and perhaps not the extra for the command.
NEXT = "docs/start.md | ranking = rank_detectors(your_detectors, your_table)"
DETECTORS = {
    "density": KernelDensity(bandwidth=0.5),
    "forest": IsolationForest(),
    "gaussian": GaussianMixture(n_components=1, reg_covar=0.01),
    "lof": LocalOutlierFactor(novelty=True),
    "mixture": GaussianMixture(n_components=4, reg_covar=0.01),
    "svm": OneClassSVM(nu=0.1),
}


def demo_data() -> tuple[Table, npt.NDArray[np.int64]]:
    """Return the rows, and the labels that no detector sees."""
    images = load_digits().images.copy()
    n_mirrored = int(SHARE_MIRRORED * len(images))
    mirrored = np.random.default_rng(0).permutation(len(images))[:n_mirrored]
    images[mirrored] = images[mirrored][:, :, ::-1]
    names = tuple(f"pixel ({row}, {column})" for row in range(SIDE) for column in range(SIDE))
    pixels = Table(values=images.reshape(len(images), -1), feature_names=names)
    # pixels of the margin have one value or few
    kept = [j for j, name in enumerate(names) if name not in few_valued_features(pixels)]
    labels = np.zeros(len(images), dtype=np.int64)
    labels[mirrored] = 1
    return pixels.features(np.array(kept)), labels


def heading(rows: Table, labels: npt.NDArray[np.int64]) -> str:
    """Return what the rows are."""
    return (
        f"Hand-written digits  {rows.n_rows:,} rows · {rows.n_features} features\n"
        f"{labels.sum()} of the images are mirrored; no detector knows which. Many of them look\n"
        "ordinary all the same, so do not expect single rows to stand out."
    )


def demo_ranking(rows: Table, **options: Any) -> Ranking:
    """Rank six detectors; options are those of `rank_detectors`."""
    return rank_detectors(DETECTORS, rows, **options)


def main() -> None:
    """Print the ranking, and what the labels say."""
    rows, labels = demo_data()
    sys.stdout.write(f"{heading(rows, labels)}\n\n")
    ranking = demo_ranking(rows, random_state=0)
    check = check_against_labels(ranking, rows, labels)
    shown = screen(ranking, remarks=[check.sentence], next_steps=NEXT)
    sys.stdout.write(f"{shown}\n")


if __name__ == "__main__":
    main()
