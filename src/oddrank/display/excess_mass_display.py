"""Excess-mass curves: how much more mass than t times volume the best level set holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from oddrank._frames import data_frame
from oddrank._validation import check_fraction
from oddrank.display.curve_plot import as_named, band_rows, draw_bands
from oddrank.display.matplotlib_axes import axes_to_draw_on
from oddrank.evaluation import CurveBand, evaluate_detector, excess_mass_band, levels_to_show

__all__ = ["ExcessMassDisplay"]

N_LEVELS = 200


class ExcessMassDisplay:
    """Excess-mass curves of one or several detectors, with error bands; higher is better.

    Use `from_evaluations` or `from_estimator`.

    Parameters
    ----------
    bands : sequence of CurveBand
        One per detector.
    confidence_level : float
        Of the bands.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects, once plotted
    lines_ : list of matplotlib lines, once plotted
    """

    def __init__(self, bands: Sequence[CurveBand], *, confidence_level: float = 0.95) -> None:
        self.bands = tuple(bands)
        self.confidence_level = confidence_level

    @classmethod
    def from_evaluations(
        cls,
        evaluations: Any,
        *,
        excess_mass_floor: float = 0.9,
        confidence_level: float = 0.95,
        ax: Any = None,
        **line_kwargs: Any,
    ) -> ExcessMassDisplay:
        """Draw evaluations: a ranking, a mapping, a sequence, or a single one.

        Parameters
        ----------
        evaluations : Ranking, mapping of name to Evaluation, sequence of Evaluation, or Evaluation
        excess_mass_floor : float
            The curves are drawn until the last of them has fallen to this mass.
        confidence_level : float
        ax : matplotlib axes, optional
        **line_kwargs
            For matplotlib's `plot`.
        """
        check_fraction(confidence_level, "confidence_level", "ExcessMassDisplay")
        named = as_named(evaluations)
        levels = levels_to_show(named, excess_mass_floor, N_LEVELS)
        bands = [
            replace(
                excess_mass_band(evaluation, levels, confidence_level, floor=excess_mass_floor),
                name=name,
            )
            for name, evaluation in named.items()
        ]
        return cls(bands, confidence_level=confidence_level).plot(ax=ax, **line_kwargs)

    @classmethod
    def from_estimator(
        cls, detector: Any, X: Any, X_test: Any = None, *, ax: Any = None, **options: Any
    ) -> ExcessMassDisplay:
        """Fit and evaluate a detector, then draw it.

        Parameters
        ----------
        detector, X, X_test, **options
            As in `oddrank.evaluate_detector`.
        ax : matplotlib axes, optional
        """
        evaluation = evaluate_detector(detector, X, X_test, subsampling=None, **options)
        names = ("excess_mass_floor", "confidence_level")
        chosen = {name: options[name] for name in names if name in options}
        return cls.from_evaluations(evaluation, ax=ax, **chosen)

    def plot(self, ax: Any = None, **line_kwargs: Any) -> ExcessMassDisplay:
        """Draw on the axes, or on new ones, and return the display.

        Parameters
        ----------
        ax : matplotlib axes, optional
        **line_kwargs
            For matplotlib's `plot`.
        """
        self.ax_ = axes_to_draw_on(ax)
        self.figure_ = self.ax_.figure
        self.lines_ = draw_bands(self.ax_, self.bands, steps=False, line_kwargs=line_kwargs)
        self.ax_.set(xlabel="level t (mass per volume)", ylabel="excess mass (higher is better)")
        self.ax_.legend(loc="best")
        return self

    def frame(self) -> Any:
        """Return the curves as a pandas frame: detector, t, excess_mass, lower, upper."""
        return data_frame(band_rows(self.bands, "t", "excess_mass"))
