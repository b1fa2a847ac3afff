"""Where volumes come from: samplers of weighted reference points in a box."""

from oddrank.reference.auto_reference import AutoReference
from oddrank.reference.importance_mixture import ImportanceMixture
from oddrank.reference.multilevel_splitting import MultilevelSplitting
from oddrank.reference.points import (
    AdaptingSampler,
    FollowingSampler,
    PointSampler,
    ReferencePoints,
    ReferenceSampler,
)
from oddrank.reference.uniform_box import UniformBox

__all__ = [
    "AdaptingSampler",
    "AutoReference",
    "FollowingSampler",
    "ImportanceMixture",
    "MultilevelSplitting",
    "PointSampler",
    "ReferencePoints",
    "ReferenceSampler",
    "UniformBox",
]
