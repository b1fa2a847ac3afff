"""Scorers without labels for scikit-learn's own searches."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from oddrank._random import root_of
from oddrank._validation import check_option
from oddrank.criteria import EXCESS_MASS, MASS_VOLUME
from oddrank.detectors import ORIENTATIONS, FittedDetector, detector_name
from oddrank.errors import UnresolvedWarning
from oddrank.evaluation import check_box, check_sampler, criteria_of, criteria_options, score_fold
from oddrank.reference import AutoReference, Place, ReferenceSampler, UniformBox
from oddrank.rows import BoundingBox, as_table

__all__ = ["LabelFreeScorer", "make_label_free_scorer"]

# By their names among scikit-learn's scorers, whose higher values are better.
CRITERIA_OF_SCORERS = {"excess_mass": EXCESS_MASS, "neg_mass_volume": MASS_VOLUME}


def scorer_sampler() -> UniformBox:
    """Return the default points; all candidates and folds of a search share them."""
    return UniformBox(n_points=2**12, n_replicates=4)


class LabelFreeScorer:
    """What `make_label_free_scorer` returns: call it with a fitted detector and rows.

    It can be pickled, copied and sent to other processes. All candidates see the same reference
    points.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KernelDensity
    >>> from oddrank import make_label_free_scorer
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> scorer = make_label_free_scorer("neg_mass_volume", random_state=0)
    >>> scorer(KernelDensity().fit(X), X) < 0.0
    True
    """

    def __init__(
        self,
        criterion: str,
        *,
        box: BoundingBox | None,
        reference: ReferenceSampler | str | None,
        orientation: str | None,
        mass_range: tuple[float, float] | str,
        excess_mass_floor: float,
        root: np.random.SeedSequence,
    ) -> None:
        self.criterion = criterion
        self.box = box
        self.reference = reference
        self.orientation = orientation
        self.mass_range = mass_range
        self.excess_mass_floor = excess_mass_floor
        self.root = root

    def __call__(self, estimator: Any, X: Any, y: Any = None) -> float:  # noqa: ARG002
        """Return the criterion on these rows, higher = better; labels are not used.

        NaN, with an `UnresolvedWarning`, if the criterion has no value at this resolution.
        """
        table = as_table(X)
        owner = "a label-free scorer"
        box = check_box(self.box, table, owner=owner)
        sampler = check_sampler(
            self.reference, scorer_sampler, owner, auto=AutoReference, table=table
        )
        name = detector_name(estimator)
        fitted = FittedDetector(name=name, detector=estimator, orientation=self.orientation)
        options = criteria_options(self.mass_range, self.excess_mass_floor, table.n_rows, owner)
        continuous = None if table.is_plain else table.continuous
        place = Place(box=box, rows=table.values, root=self.root, continuous=continuous)
        fold = score_fold(fitted, table, place, sampler, options)
        criterion = CRITERIA_OF_SCORERS[self.criterion]
        estimate = criteria_of(fold, options, self.root).criteria[criterion].estimate(0.95)
        if not estimate.resolved:
            warnings.warn(
                f"The {self.criterion} of {name} is unresolved on these {table.n_rows} rows. "
                "Draw more reference points or give larger folds.",
                UnresolvedWarning,
                stacklevel=2,
            )
        return criterion.sign * estimate.value

    def __repr__(self) -> str:
        return f"make_label_free_scorer({self.criterion!r}, box={self.box!r})"


def make_label_free_scorer(
    criterion: str = "excess_mass",
    *,
    box: BoundingBox | None = None,
    reference: ReferenceSampler | str | None = None,
    orientation: str | None = None,
    mass_range: tuple[float, float] | str = "auto",
    excess_mass_floor: float = 0.9,
    random_state: Any = None,
) -> LabelFreeScorer:
    """Make a scorer for `GridSearchCV`, `cross_val_score` and the like.

    Parameters
    ----------
    criterion : "excess_mass" or "neg_mass_volume"
        Higher is better for both.
    box : BoundingBox, optional
        Where volumes are measured. Give `BoundingBox.from_arrays(X)` of all rows: without it each
        fold is measured in the box of its own rows, and scores of different folds (or of different
        rounds of a halving search) are not comparable.
    reference : sampler or "auto", optional
        By default 4 × 4,096 Sobol points, the same for every candidate and fold. Frames that are
        not all numbers have no volume; their default is `ReferenceMixture()`.
    orientation : None, "normality" or "abnormality"
    mass_range, excess_mass_floor
        As in `evaluate_scores`.
    random_state : None, int or numpy random state
        Decides the reference points, which are the same for all candidates and folds.

    Returns
    -------
    LabelFreeScorer
        A function of (estimator, X, y=None).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.neighbors import KernelDensity
    >>> from oddrank import BoundingBox
    >>> X = np.random.default_rng(0).normal(size=(600, 2))
    >>> scorer = make_label_free_scorer(
    ...     "neg_mass_volume", box=BoundingBox.from_arrays(X), mass_range=(0.9, 0.99)
    ... )
    >>> search = GridSearchCV(KernelDensity(), {"bandwidth": [0.01, 0.3]}, scoring=scorer).fit(X)
    >>> search.best_params_
    {'bandwidth': 0.3}
    """
    owner = "make_label_free_scorer"
    check_option(criterion, "criterion", owner, tuple(CRITERIA_OF_SCORERS))
    check_option(orientation, "orientation", owner, ORIENTATIONS)
    if box is not None:
        check_box(box, owner=owner)
    criteria_options(mass_range, excess_mass_floor, 0, owner)
    check_sampler(reference, scorer_sampler, owner, auto=AutoReference)
    return LabelFreeScorer(
        criterion,
        box=box,
        reference=reference,
        orientation=orientation,
        mass_range=mass_range,
        excess_mass_floor=excess_mass_floor,
        root=root_of(random_state, owner),
    )
