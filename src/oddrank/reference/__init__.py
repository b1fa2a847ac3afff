"""Where volumes come from: samplers of weighted reference points, in a box or around the data."""

from oddrank.reference.auto_reference import AutoReference
from oddrank.reference.data_measure import DataMeasure
from oddrank.reference.importance_mixture import ImportanceMixture
from oddrank.reference.inflated_gaussian import InflatedGaussian
from oddrank.reference.multilevel_splitting import MultilevelSplitting
from oddrank.reference.noisy_data import NoisyData
from oddrank.reference.partial_redraw import PartialRedraw
from oddrank.reference.points import (
    AdaptingSampler,
    FollowingSampler,
    PointSampler,
    ReferencePoints,
    ReferenceSampler,
)
from oddrank.reference.principal_box import PrincipalBox
from oddrank.reference.product_of_marginals import ProductOfMarginals
from oddrank.reference.reference_mixture import ReferenceMixture
from oddrank.reference.uniform_box import UniformBox

__all__ = [
    "AdaptingSampler",
    "AutoReference",
    "DataMeasure",
    "FollowingSampler",
    "ImportanceMixture",
    "InflatedGaussian",
    "MultilevelSplitting",
    "NoisyData",
    "PartialRedraw",
    "PointSampler",
    "PrincipalBox",
    "ProductOfMarginals",
    "ReferenceMixture",
    "ReferencePoints",
    "ReferenceSampler",
    "UniformBox",
]
