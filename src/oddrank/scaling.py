"""Features on one scale, learnt on the training rows."""

from __future__ import annotations

from oddrank.bounding_box import BoundingBox
from oddrank.table import Table

__all__ = ["standardise"]


def standardise(
    train: Table, test: Table, box: BoundingBox | None
) -> tuple[Table, Table, BoundingBox | None]:
    """Give every feature of the training rows mean 0 and variance 1, and carry the rest along."""
    middle, spread = train.values.mean(axis=0), train.values.std(axis=0)
    spread[spread == 0.0] = 1.0
    scaled = None
    if box is not None:
        scaled = BoundingBox(
            lower=(box.lower - middle) / spread,
            upper=(box.upper - middle) / spread,
            feature_names=box.feature_names,
        )
    return (
        train.with_values((train.values - middle) / spread),
        test.with_values((test.values - middle) / spread),
        scaled,
    )
