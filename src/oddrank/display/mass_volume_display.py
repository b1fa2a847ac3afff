"""Mass-volume curves: how much space a detector needs to hold each share of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from oddrank._frames import data_frame
from oddrank._validation import check_fraction, check_mass_range
from oddrank.display.curve_plot import as_named, band_rows, draw_bands
from oddrank.display.matplotlib_axes import axes_to_draw_on
from oddrank.evaluation import CurveBand, evaluate_detector, mass_volume_band

__all__ = ["MassVolumeDisplay"]

N_MASSES = 200


class MassVolumeDisplay:
    """Mass-volume curves of one or several detectors, with error bands; lower is better.

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

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import IsolationForest
    >>> from oddrank import MassVolumeDisplay
    >>> X = np.random.default_rng(0).normal(size=(4000, 2))
    >>> display = MassVolumeDisplay.from_estimator(IsolationForest(), X, random_state=0)
    >>> display.ax_.get_xlabel()
    'mass'
    """

    def __init__(self, bands: Sequence[CurveBand], *, confidence_level: float = 0.95) -> None:
        self.bands = tuple(bands)
        self.confidence_level = confidence_level

    @classmethod
    def from_evaluations(
        cls,
        evaluations: Any,
        *,
        mass_range: tuple[float, float] = (0.9, 0.999),
        confidence_level: float = 0.95,
        ax: Any = None,
        **line_kwargs: Any,
    ) -> MassVolumeDisplay:
        """Draw evaluations: a ranking, a mapping, a sequence, or a single one.

        Parameters
        ----------
        evaluations : Ranking, mapping of name to Evaluation, sequence of Evaluation, or Evaluation
        mass_range : (float, float)
            Masses to draw the curves over.
        confidence_level : float
        ax : matplotlib axes, optional
        **line_kwargs
            For matplotlib's `plot`.
        """
        low, high = check_mass_range(mass_range, "mass_range", "MassVolumeDisplay")
        check_fraction(confidence_level, "confidence_level", "MassVolumeDisplay")
        masses = np.linspace(low, high, N_MASSES)
        masses = masses[masses > 0.0]
        bands = [
            replace(mass_volume_band(evaluation, masses, confidence_level), name=name)
            for name, evaluation in as_named(evaluations).items()
        ]
        return cls(bands, confidence_level=confidence_level).plot(ax=ax, **line_kwargs)

    @classmethod
    def from_estimator(
        cls, detector: Any, X: Any, X_test: Any = None, *, ax: Any = None, **options: Any
    ) -> MassVolumeDisplay:
        """Fit and evaluate a detector, then draw it.

        Parameters
        ----------
        detector, X, X_test, **options
            As in `oddrank.evaluate_detector`.
        ax : matplotlib axes, optional
        """
        evaluation = evaluate_detector(detector, X, X_test, subsampling=None, **options)
        names = ("mass_range", "confidence_level")
        chosen = {name: options[name] for name in names if name in options}
        return cls.from_evaluations(evaluation, ax=ax, **chosen)

    def plot(self, ax: Any = None, *, log: bool = True, **line_kwargs: Any) -> MassVolumeDisplay:
        """Draw on the axes, or on new ones, and return the display.

        Parameters
        ----------
        ax : matplotlib axes, optional
        log : bool
            Volumes on a logarithmic axis, where detectors of all qualities can be read.
        **line_kwargs
            For matplotlib's `plot`.
        """
        self.ax_ = axes_to_draw_on(ax)
        self.figure_ = self.ax_.figure
        self.lines_ = draw_bands(self.ax_, self.bands, steps=True, line_kwargs=line_kwargs)
        if log and any((band.y > 0).any() for band in self.bands):
            self.ax_.set_yscale("log", nonpositive="clip")
        self.ax_.set(xlabel="mass", ylabel="volume (lower is better)")
        self.ax_.legend(loc="upper left")
        return self

    def frame(self) -> Any:
        """Return the curves as a pandas frame: detector, mass, volume, lower, upper."""
        return data_frame(band_rows(self.bands, "mass", "volume"))
