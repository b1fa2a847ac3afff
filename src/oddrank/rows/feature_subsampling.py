"""Algorithm 1 of Goix (2016): evaluate in random sub-spaces of a few features, and average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._random import stream
from oddrank._validation import check_integer, check_option
from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.rows.bounding_box import column_ranges
from oddrank.rows.columns import FEW_DISTINCT
from oddrank.rows.table import Table

__all__ = ["FeatureSubsampling", "balanced_draws", "choose_subsampling", "random_draws"]

# "They only apply to continuous datasets, with small dimension (d <= 8)", section 4 of the paper.
DIRECT_FEATURES = 8
Draw = tuple[int, ...]


@dataclass(frozen=True)
class FeatureSubsampling:
    """How features are drawn, and how the criteria of the draws are averaged.

    Parameters
    ----------
    n_features : int
        Features of one draw.
    n_draws : int
        Number of draws, at least 2: their spread is the error.
    aggregation : "mean" or "geometric"
        The paper's mean, or the mean of the logarithms. Raw EM has the unit 1/volume, so a few
        draws with small boxes govern its mean. The geometric mean gives every draw the same weight.

    Examples
    --------
    >>> FeatureSubsampling()
    FeatureSubsampling(n_features=5, n_draws=50, aggregation='mean')
    """

    n_features: int = 5
    n_draws: int = 50
    aggregation: str = "mean"

    def __post_init__(self) -> None:
        check_integer(self.n_features, "n_features", "FeatureSubsampling")
        check_integer(self.n_draws, "n_draws", "FeatureSubsampling", minimum=2)
        options = ("mean", "geometric")
        check_option(self.aggregation, "aggregation", "FeatureSubsampling", options)


def choose_subsampling(subsampling: Any, table: Table, owner: str) -> FeatureSubsampling | None:
    """Return how features are sub-sampled: "auto" means not at all up to 8 features."""
    if isinstance(subsampling, str) and subsampling == "auto":
        return FeatureSubsampling() if table.n_features > DIRECT_FEATURES else None
    if subsampling is None:
        return None
    if not isinstance(subsampling, FeatureSubsampling):
        raise InvalidParameterError(
            f"The 'subsampling' parameter of {owner} must be 'auto', None or a "
            f"FeatureSubsampling. Got {subsampling!r} instead."
        )
    if subsampling.n_features > table.n_features:
        raise InvalidParameterError(
            f"FeatureSubsampling(n_features={subsampling.n_features}) cannot draw from "
            f"{table.n_features} features. Lower n_features, or pass subsampling=None."
        )
    return subsampling


def random_draws(
    subsampling: FeatureSubsampling,
    table: Table,
    root: np.random.SeedSequence,
    *,
    varying: npt.NDArray[np.intp] | None = None,
) -> list[Draw]:
    """Draw features at random, independently for each draw.

    A draw with a constant feature has a box without volume. So only `varying` features are
    drawn.
    """
    usable = _usable(subsampling, table, varying)
    return [
        tuple(
            sorted(
                stream(root, "features", index)
                .choice(usable, subsampling.n_features, replace=False)
                .tolist()
            )
        )
        for index in range(subsampling.n_draws)
    ]


def balanced_draws(
    subsampling: FeatureSubsampling,
    table: Table,
    root: np.random.SeedSequence,
    *,
    n_folds: int = 1,
    varying: npt.NDArray[np.intp] | None = None,
) -> list[Draw]:
    """Draw features so that each is drawn equally often, up to one, in every `n_folds`-th draw."""
    check_draws_of_folds(subsampling, n_folds)
    usable = _usable(subsampling, table, varying)
    random = stream(root, "features")
    times = np.zeros((n_folds, len(usable)), dtype=np.int64)
    draws = []
    for index in range(subsampling.n_draws):
        counts = times[index % n_folds]
        # those drawn least often so far; chance decides between equals
        chosen = np.lexsort((random.random(len(usable)), counts))[: subsampling.n_features]
        counts[chosen] += 1
        draws.append(tuple(sorted(usable[chosen].tolist())))
    return draws


def check_draws_of_folds(subsampling: FeatureSubsampling, n_folds: int) -> None:
    """Refuse fewer than two draws for a fold: their spread is part of the error."""
    if subsampling.n_draws < 2 * n_folds:
        raise InvalidParameterError(
            f"FeatureSubsampling(n_draws={subsampling.n_draws}) is too few for {n_folds} folds, "
            f"which share the draws. Take at least {2 * n_folds} draws, or fewer folds."
        )


def _usable(
    subsampling: FeatureSubsampling, table: Table, varying: npt.NDArray[np.intp] | None
) -> npt.NDArray[np.intp]:
    lowest, highest = column_ranges(table.values)
    constant = ~(highest > lowest)
    if varying is not None:
        constant[np.setdiff1d(np.arange(table.n_features), varying)] = True
    usable = np.flatnonzero(~constant)
    if len(usable) < subsampling.n_features:
        guilty = ", ".join(repr(table.feature_names[j]) for j in np.flatnonzero(constant)[:5])
        more = " …" if constant.sum() > 5 else ""
        raise InvalidDataError(
            f"Every draw of {subsampling.n_features} features has a box of zero volume, because "
            f"{int(constant.sum())} of {table.n_features} features are constant in the test rows "
            f"({guilty}{more}). Drop them and lower n_features to at most {len(usable)}."
        )
    return usable


def few_valued_features(table: Table) -> list[str]:
    """Return the features with fewer than 10 distinct values: volume says little about them.

    If columns are not all numbers, there is no volume, and such features are drawn from their own
    values.
    """
    if not table.is_plain:
        return []
    return [
        name
        for name, column in zip(table.feature_names, table.values.T, strict=True)
        # The first rows are enough to decide for almost every continuous feature.
        if len(np.unique(column[:1000])) < FEW_DISTINCT and len(np.unique(column)) < FEW_DISTINCT
    ]
