"""Mass-volume and excess-mass curves of one or several detectors, with error bands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from oddrank._frames import data_frame
from oddrank._validation import check_fraction, check_mass_range
from oddrank.evaluation import (
    CurveBand,
    Evaluation,
    evaluate_detector,
    excess_mass_band,
    levels_to_show,
    mass_volume_band,
)
from oddrank.plots.axes import axes_to_draw_on, label
from oddrank.plots.palette import series_style

__all__ = ["ExcessMassDisplay", "MassVolumeDisplay", "as_named", "draw_bands"]

N_POINTS = 200
MARKERS_PER_CURVE = 7
MASS_RANGE = (0.9, 0.999)


def as_named(evaluations: Any) -> dict[str, Evaluation]:
    """Return evaluations by name, from a mapping, a ranking, a sequence or a single one."""
    if isinstance(evaluations, Evaluation):
        evaluations = [evaluations]
    evaluations = getattr(evaluations, "evaluations", evaluations)
    if isinstance(evaluations, Mapping):
        return dict(evaluations)
    return {evaluation.name: evaluation for evaluation in evaluations}


def draw_bands(ax: Any, bands: Sequence[CurveBand], *, steps: bool, line_kwargs: Any) -> list[Any]:
    """Draw each curve over its band, and return the lines.

    Parameters
    ----------
    ax : matplotlib axes
    bands : sequence of CurveBand
        As `bands` of a display has them.
    steps : bool
        Whether curves are step functions, as mass-volume curves are.
    line_kwargs : mapping or None
        For matplotlib's `plot`.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from oddrank import MassVolumeDisplay, evaluate_scores
    >>> from oddrank.plots import draw_bands
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> evaluation = evaluate_scores(lambda rows: -(rows**2).sum(axis=1), X, random_state=0)
    >>> left, right = Figure().subplots(1, 2)
    >>> display = MassVolumeDisplay.from_evaluations({"radius": evaluation}, ax=left)
    >>> lines = draw_bands(right, display.bands, steps=True, line_kwargs={"linewidth": 1.0})
    >>> [line.get_label() for line in lines]
    ['radius']
    """
    lines = []
    for position, band in enumerate(bands):
        style = series_style(position)
        options = {
            "color": style.colour,
            "marker": style.marker,
            "markevery": (position % 3, max(1, len(band.x) // MARKERS_PER_CURVE)),
            "markersize": 5,
            "drawstyle": "steps-pre" if steps else "default",
            "label": label(band.name),
            **(line_kwargs or {}),
        }
        if style.dashes and "linestyle" not in options:
            options["dashes"] = style.dashes
        (line,) = ax.plot(band.x, band.y, **options)
        ax.fill_between(
            band.x,
            band.lower,
            band.upper,
            step="pre" if steps else None,
            color=line.get_color(),
            alpha=0.18,
            linewidth=0,
        )
        lines.append(line)
    return lines


class _CurveDisplay(ABC):
    """What both displays have in common; the class attributes say where they differ."""

    #: Options of `evaluate_detector` that `from_evaluations` takes, too.
    _shared: ClassVar[tuple[str, ...]]
    #: Names of abscissa and ordinate in `frame`, and beside the axes.
    _names: ClassVar[tuple[str, str]]
    _labels: ClassVar[tuple[str, str]]
    #: Whether curves are step functions on a logarithmic scale.
    _steps: ClassVar[bool]

    def __init__(self, bands: Sequence[CurveBand], *, confidence_level: float = 0.95) -> None:
        self.bands = tuple(bands)
        self.confidence_level = confidence_level

    @classmethod
    @abstractmethod
    def from_evaluations(cls, evaluations: Any, **options: Any) -> Self:
        """Draw evaluations."""

    @classmethod
    def from_estimator(
        cls, detector: Any, X: Any, X_test: Any = None, *, ax: Any = None, **options: Any
    ) -> Self:
        """Fit and evaluate a detector, then draw it.

        Parameters
        ----------
        detector, X, X_test, **options
            As in `oddrank.evaluate_detector`.
        ax : matplotlib axes, optional
        """
        evaluation = evaluate_detector(detector, X, X_test, subsampling=None, **options)
        chosen = {name: options[name] for name in cls._shared if name in options}
        return cls.from_evaluations(evaluation, ax=ax, **chosen)

    @classmethod
    def _from_bands(
        cls, named: Mapping[str, Evaluation], band: Callable[[Evaluation, float], CurveBand],
        confidence_level: float,
    ) -> Self:  # fmt: skip
        check_fraction(confidence_level, "confidence_level", cls.__name__)
        bands = [replace(band(each, confidence_level), name=name) for name, each in named.items()]
        return cls(bands, confidence_level=confidence_level)

    def plot(self, ax: Any = None, **line_kwargs: Any) -> Self:
        """Draw on the axes, or on new ones, and return the display.

        Parameters
        ----------
        ax : matplotlib axes, optional
        **line_kwargs
            For matplotlib's `plot`.
        """
        self.ax_ = axes_to_draw_on(ax, figsize=(6.4, 4.0 + 0.12 * len(self.bands)))
        self.figure_ = self.ax_.figure
        self.lines_ = draw_bands(self.ax_, self.bands, steps=self._steps, line_kwargs=line_kwargs)
        # volumes differ by orders of magnitude: detectors of all qualities can be read on such axes
        if self._steps and any((band.y > 0).any() for band in self.bands):
            self.ax_.set_yscale("log", nonpositive="clip")
        self.ax_.set(xlabel=self._labels[0], ylabel=self._labels[1])
        # below the axes: inside, many names would hide the curves
        self.ax_.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False)
        return self

    def frame(self) -> Any:
        """Return the curves as a pandas frame: detector, abscissa, ordinate, lower, upper."""
        x, y = self._names
        return data_frame(
            [
                {"detector": band.name, x: a, y: b, "lower": low, "upper": high}
                for band in self.bands
                for a, b, low, high in zip(
                    *(each.tolist() for each in (band.x, band.y, band.lower, band.upper)),
                    strict=True,
                )
            ]
        )


class MassVolumeDisplay(_CurveDisplay):
    """Mass-volume curves of one or several detectors, with error bands; lower is better.

    How much space a detector needs to hold each share of the data. Use `from_evaluations` or
    `from_estimator`.

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

    _shared = ("mass_range", "confidence_level")
    _names = ("mass", "volume")
    _labels = ("mass", "volume (lower is better)")
    _steps = True

    @classmethod
    def from_evaluations(
        cls,
        evaluations: Any,
        *,
        mass_range: tuple[float, float] | None = None,
        confidence_level: float = 0.95,
        ax: Any = None,
        **line_kwargs: Any,
    ) -> Self:
        """Draw evaluations: a ranking, a mapping, a sequence, or a single one.

        Parameters
        ----------
        evaluations : Ranking, mapping of name to Evaluation, sequence of Evaluation, or Evaluation
        mass_range : (float, float), optional
            Masses to draw the curves over: those of the ranking by default, else 0.9 to 0.999.
        confidence_level : float
        ax : matplotlib axes, optional
        **line_kwargs
            For matplotlib's `plot`.
        """
        chosen = mass_range or getattr(evaluations, "masses", MASS_RANGE)
        low, high = check_mass_range(chosen, "mass_range", "MassVolumeDisplay")
        masses = np.linspace(max(low, 1e-6), high, N_POINTS)
        return cls._from_bands(
            as_named(evaluations),
            lambda each, level: mass_volume_band(each, masses, level),
            confidence_level,
        ).plot(ax=ax, **line_kwargs)


class ExcessMassDisplay(_CurveDisplay):
    """Excess-mass curves of one or several detectors, with error bands; higher is better.

    How much more mass than t times volume the best level set holds. Use `from_evaluations` or
    `from_estimator`.

    Parameters
    ----------
    bands, confidence_level
        As in `MassVolumeDisplay`, and so are the attributes.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank import ExcessMassDisplay, evaluate_scores
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> evaluation = evaluate_scores(lambda rows: -(rows**2).sum(axis=1), X, random_state=0)
    >>> list(ExcessMassDisplay.from_evaluations(evaluation).frame().columns)
    ['detector', 't', 'excess_mass', 'lower', 'upper']
    """

    _shared = ("excess_mass_floor", "confidence_level")
    _names = ("t", "excess_mass")
    _labels = ("level t (mass per volume)", "excess mass (higher is better)")
    _steps = False

    @classmethod
    def from_evaluations(
        cls,
        evaluations: Any,
        *,
        excess_mass_floor: float = 0.9,
        confidence_level: float = 0.95,
        ax: Any = None,
        **line_kwargs: Any,
    ) -> Self:
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
        named, floor = as_named(evaluations), excess_mass_floor
        levels = levels_to_show(named, floor, N_POINTS)
        return cls._from_bands(
            named,
            lambda each, level: excess_mass_band(each, levels, level, floor=floor),
            confidence_level,
        ).plot(ax=ax, **line_kwargs)
