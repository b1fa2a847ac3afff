"""Level sets, their two curves and the exact areas below these, with numpy and scipy only."""

from oddrank.curves.excess_mass import (
    ExcessMassCurve,
    excess_mass_area,
    excess_mass_areas,
    excess_mass_curve,
)
from oddrank.curves.levels import (
    LevelSetCounts,
    LevelSets,
    count_level_sets,
    level_sets,
    log_of_shares,
    sort_reference,
)
from oddrank.curves.mass_volume import (
    MassVolumeCurve,
    mass_volume_area,
    mass_volume_areas,
    mass_volume_curve,
)

__all__ = [
    "ExcessMassCurve",
    "LevelSetCounts",
    "LevelSets",
    "MassVolumeCurve",
    "count_level_sets",
    "excess_mass_area",
    "excess_mass_areas",
    "excess_mass_curve",
    "level_sets",
    "log_of_shares",
    "mass_volume_area",
    "mass_volume_areas",
    "mass_volume_curve",
    "sort_reference",
]
