"""The level sets of a detector over the data, for two features: the picture behind the idea."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddrank._frames import data_frame
from oddrank._random import root_of
from oddrank._text import percent
from oddrank._typing import FloatArray
from oddrank.detectors import FittedDetector, detector_name, fit_detector
from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.plots.axes import axes_to_draw_on, label
from oddrank.rows import Table, as_table

__all__ = ["LevelSetDisplay"]

MOST_POINTS = 2000


class LevelSetDisplay:
    """Level sets that hold given shares of the rows: a good detector needs little space for them.

    Parameters
    ----------
    horizontal, vertical : arrays
        The grid's coordinates.
    scores : array of shape (len(vertical), len(horizontal))
        Normality on the grid.
    thresholds : array
        Of the level sets, decreasing.
    masses : array
        Shares of the rows that they hold, increasing.
    volumes : array
        Shares of the box that they take.
    rows : Table
        The rows that are drawn.
    name : str
        The detector.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects, once plotted

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.covariance import EllipticEnvelope
    >>> from oddrank import LevelSetDisplay
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> display = LevelSetDisplay.from_estimator(EllipticEnvelope(), X, random_state=0)
    >>> display.frame()["mass"].tolist()
    [0.5, 0.9, 0.95, 0.99]
    """

    def __init__(
        self,
        *,
        horizontal: FloatArray,
        vertical: FloatArray,
        scores: FloatArray,
        thresholds: FloatArray,
        masses: FloatArray,
        volumes: FloatArray,
        rows: Table,
        name: str,
    ) -> None:
        self.horizontal, self.vertical, self.scores = horizontal, vertical, scores
        self.thresholds, self.masses, self.volumes = thresholds, masses, volumes
        self.rows = rows
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        detector: Any,
        X: Any,
        *,
        masses: tuple[float, ...] = (0.5, 0.9, 0.95, 0.99),
        fitted: bool = False,
        orientation: str | None = None,
        n_grid: int = 200,
        random_state: Any = None,
        ax: Any = None,
    ) -> LevelSetDisplay:
        """Score a grid over two features, and draw the level sets of these masses.

        Parameters
        ----------
        detector : object
            A copy is fitted on `X` unless `fitted`.
        X : array or frame of two features
        masses : tuple of float
            Shares of the rows inside each level set.
        fitted : bool
            Whether the detector is fitted already, or a function of rows.
        orientation : None, "normality" or "abnormality"
        n_grid : int
            Points of the grid to each side.
        random_state : None, int or numpy random state
        ax : matplotlib axes, optional
        """
        table = as_table(X)
        _check(table, masses)
        chosen = np.sort(np.asarray(masses, dtype=np.float64))
        name = detector_name(detector)
        if not fitted:
            detector = fit_detector(detector, table, root_of(random_state, "LevelSetDisplay"))
        scorer = FittedDetector(name=name, detector=detector, orientation=orientation)
        thresholds = np.quantile(scorer.score(table), 1.0 - chosen, method="lower")
        horizontal, vertical = _grid(table, n_grid)
        across, up = np.meshgrid(horizontal, vertical)
        points = table.with_values(np.column_stack([across.ravel(), up.ravel()]))
        scores = scorer.score(points).reshape(across.shape)
        display = cls(
            horizontal=horizontal,
            vertical=vertical,
            scores=scores,
            thresholds=thresholds,
            masses=chosen,
            volumes=np.array([(scores >= threshold).mean() for threshold in thresholds]),
            rows=table,
            name=name,
        )
        return display.plot(ax=ax)

    def plot(self, ax: Any = None) -> LevelSetDisplay:
        """Draw on the axes, or on new ones, and return the display."""
        self.ax_ = axes_to_draw_on(ax)
        self.figure_ = self.ax_.figure
        self._draw_sets()
        step = max(1, self.rows.n_rows // MOST_POINTS)
        self.ax_.scatter(*self.rows.values[::step].T, s=4, color="black", alpha=0.45, linewidths=0)
        horizontal, vertical = map(label, self.rows.feature_names)
        self.ax_.set(xlabel=horizontal, ylabel=vertical, title=label(self.name))
        return self

    def frame(self) -> Any:
        """Return one row per level set: mass, threshold, share of the box."""
        columns = (self.masses.tolist(), self.thresholds.tolist(), self.volumes.tolist())
        names = ("mass", "threshold", "share_of_box")
        return data_frame(
            [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        )

    def _draw_sets(self) -> None:
        from matplotlib import colormaps
        from matplotlib.lines import Line2D

        # One step darker per level set inwards; blue stays readable in grey.
        shades = colormaps["Blues"](np.linspace(0.72, 0.18, len(self.thresholds)))
        handles = []
        for position in reversed(range(len(self.thresholds))):
            inside = self.scores >= self.thresholds[position]
            text = f"{self.masses[position]:.3g}: {percent(self.volumes[position])} of the box"
            self.ax_.contourf(self.horizontal, self.vertical, inside.astype(float), [0.5, 1.5],
                              colors=[shades[position]])  # fmt: skip
            self.ax_.contour(self.horizontal, self.vertical, inside.astype(float), [0.5],
                             colors="#08306b", linewidths=0.8)  # fmt: skip
            handles.append(
                Line2D(
                    [], [], color=shades[position], linewidth=8, solid_capstyle="butt", label=text
                )
            )
        legend = self.ax_.legend(
            handles=handles[::-1],
            title="share of rows inside",
            loc="upper left",
            bbox_to_anchor=(1.02, 1.0),
            fontsize="small",
        )
        legend.get_title().set_fontsize("small")


def _grid(table: Table, n_grid: int) -> tuple[FloatArray, FloatArray]:
    low, high = table.values.min(axis=0), table.values.max(axis=0)
    return np.linspace(low[0], high[0], n_grid), np.linspace(low[1], high[1], n_grid)


def _check(table: Table, masses: tuple[float, ...]) -> None:
    if table.n_features != 2:
        raise InvalidDataError(
            f"Level sets can be drawn over two features, and X has {table.n_features}. "
            "Choose two columns."
        )
    if len(masses) == 0 or not all(0.0 < mass < 1.0 for mass in masses):
        raise InvalidParameterError(
            "The 'masses' parameter of LevelSetDisplay must be numbers between 0 and 1. "
            f"Got {masses!r} instead."
        )
