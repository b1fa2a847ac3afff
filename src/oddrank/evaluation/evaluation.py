"""EM and MV of one scoring function, with errors and with the reasons to trust them or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from oddrank._frames import data_frame
from oddrank._text import Place, Wording, figure, shortened
from oddrank._validation import check_option
from oddrank.criteria import CRITERIA, EXCESS_MASS, MASS_VOLUME, Criterion, Estimate, FoldedCriteria
from oddrank.curves import LevelSets

__all__ = ["WORST_FIRST", "Diagnostic", "Diagnostics", "Evaluation"]

# Names of checks: what makes a figure meaningless comes before what makes it coarse.
WORST_FIRST = (
    "resolved",
    "chains",
    "tied scores",
    "discrete features",
    "box",
    "outside",
    "dimension",
    "few draws",
    "points inside",
    "accuracy",
    "relative error",
    "rows",
)


@dataclass(frozen=True, kw_only=True)
class Diagnostic:
    """One check.

    Attributes
    ----------
    name : str
    value : float
    ok : bool
    message : str
        What was found and what it means.
    advice : Wording or None
        What to do, unless it is fine.
    """

    name: str
    value: float
    ok: bool
    message: str
    advice: Wording | None = None

    def says(self, place: Place = "python") -> str:
        """Return what was found and what to do, in the words of this place."""
        return self.message if self.advice is None else f"{self.message} {self.advice.at(place)}"

    def __str__(self) -> str:
        return f"{'ok ' if self.ok else '!  '}{self.says()}"


@dataclass(frozen=True, kw_only=True)
class Diagnostics:
    """All checks of an evaluation; iterate over them, or print them.

    Attributes
    ----------
    checks : tuple of Diagnostic
    """

    checks: tuple[Diagnostic, ...]

    @property
    def trustworthy(self) -> bool:
        """Whether every check is fine."""
        return all(check.ok for check in self.checks)

    @property
    def concerns(self) -> tuple[Diagnostic, ...]:
        """The checks that are not fine."""
        return tuple(check for check in self.checks if not check.ok)

    def __getitem__(self, name: str) -> Diagnostic:
        names = [check.name for check in self.checks]
        check_option(name, "name", "Diagnostics", names)
        return self.checks[names.index(name)]

    def __str__(self) -> str:
        return "\n".join(str(check) for check in self.checks)

    def __repr__(self) -> str:
        n_fine = len(self.checks) - len(self.concerns)
        return f"<Diagnostics: {n_fine} of {len(self.checks)} checks are fine>"


@dataclass(frozen=True, kw_only=True, eq=False)
class Evaluation:
    """How good a scoring function is, as far as data without labels can tell.

    Attributes
    ----------
    name : str
        The detector's name.
    estimates : mapping of Criterion to Estimate
    level_sets : LevelSets or None
        What both curves are made from, of the first fit; None if features were sub-sampled,
        because every draw then has its own level sets.
    diagnostics : Diagnostics
        Whether to trust the figures, and why.
    measure : str
        The reference measure that volumes are in.
    criteria : FoldedCriteria
        Both criteria on every fold, under resampling: for paired comparisons.
    roc_area : Estimate or None
        Area under the ROC curve of rows against reference points; None for volumes.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank import evaluate_scores
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> evaluation = evaluate_scores(lambda rows: -(rows**2).sum(axis=1), X, random_state=0)
    >>> evaluation.mass_volume.resolved, evaluation.diagnostics["box"].ok
    (True, True)
    """

    name: str
    estimates: Mapping[Criterion, Estimate]
    level_sets: LevelSets | None
    diagnostics: Diagnostics
    measure: str
    criteria: FoldedCriteria
    roc_area: Estimate | None = None

    def __getitem__(self, criterion: Criterion) -> Estimate:
        return self.estimates[criterion]

    @property
    def excess_mass(self) -> Estimate:
        """Area below the excess-mass curve over [0, EM⁻¹(floor)]; bigger is better.

        The upward bias of the maximum in it is estimated and removed; `level_sets` give the plain
        area.
        """
        return self.estimates[EXCESS_MASS]

    @property
    def mass_volume(self) -> Estimate:
        """Area below the mass-volume curve over the mass range; smaller is better."""
        return self.estimates[MASS_VOLUME]

    def to_dict(self) -> dict[str, object]:
        """Return plain numbers and sentences, ready for JSON."""
        return {
            "name": self.name,
            "measure": self.measure,
            "excess_mass": self.excess_mass.to_dict(),
            "mass_volume": self.mass_volume.to_dict(),
            "trustworthy": self.diagnostics.trustworthy,
            "concerns": [check.says() for check in self.diagnostics.concerns],
            **({} if self.roc_area is None else {"roc_area": self.roc_area.to_dict()}),
        }

    def frame(self) -> Any:
        """Return one row per criterion as a pandas frame."""
        rows = [
            {
                "detector": self.name,
                "criterion": criterion,
                "value": estimate.value,
                "standard_error": estimate.standard_error,
                "lower": estimate.interval[0],
                "upper": estimate.interval[1],
            }
            for criterion, estimate in ((each.name, self[each]) for each in CRITERIA)
        ]
        return data_frame(rows)

    def __repr__(self) -> str:
        figures = ", ".join(f"{each.label} {figure(self[each].value, 3)}" for each in CRITERIA)
        return f"<Evaluation of {shortened(self.name, 60)!r}: {figures}>"

    def __str__(self) -> str:
        verdict = "yes" if self.diagnostics.trustworthy else "with care: see the lines with '!'"
        lines = [
            self.name,
            f"  excess mass (bigger is better)   {self.excess_mass}",
            f"  mass volume (smaller is better)  {self.mass_volume}",
            f"  trust: {verdict}",
        ]
        if self.roc_area is not None:
            lines.insert(3, f"  ROC area (bigger is better)      {self.roc_area}")
        return "\n".join(lines + [f"    {check}" for check in self.diagnostics.checks])
