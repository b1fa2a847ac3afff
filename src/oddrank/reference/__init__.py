"""Where reference points come from: samplers of volume, and measures around the data.

>>> from oddrank import reference
>>> reference.UniformBox(n_points=64).n_points
64
"""

from oddrank.reference.auto_reference import AdaptedMixture, AutoReference
from oddrank.reference.box_points import ImportanceMixture, PrincipalBox, UniformBox
from oddrank.reference.data_measures import (
    DataMeasure,
    InflatedGaussian,
    PartialRedraw,
    ProductOfMarginals,
)
from oddrank.reference.kernels import TruncatedKernels
from oddrank.reference.multilevel_splitting import MultilevelSplitting
from oddrank.reference.noisy_data import NoisyData
from oddrank.reference.points import LEBESGUE, PointSampler, ReferenceSampler
from oddrank.reference.reference_mixture import ReferenceMixture
from oddrank.reference.samplers_by_scores import AdaptingSampler, FollowingSampler
from oddrank.reference.scored_rows import Place, ReferencePoints, ScoredPoints, ScoredRows

__all__ = [
    "LEBESGUE",
    "AdaptedMixture",
    "AdaptingSampler",
    "AutoReference",
    "DataMeasure",
    "FollowingSampler",
    "ImportanceMixture",
    "InflatedGaussian",
    "MultilevelSplitting",
    "NoisyData",
    "PartialRedraw",
    "Place",
    "PointSampler",
    "PrincipalBox",
    "ProductOfMarginals",
    "ReferenceMixture",
    "ReferencePoints",
    "ReferenceSampler",
    "ScoredPoints",
    "ScoredRows",
    "TruncatedKernels",
    "UniformBox",
]
