"""Scores for all rows of a table that is not in memory: chunk by chunk, the oddest are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from oddrank._frames import data_frame
from oddrank._text import counted
from oddrank._typing import FloatArray
from oddrank._validation import check_fraction, check_integer
from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.ranking import FoldCalibrated
from oddrank.rows import Table, as_table, is_frame, large_table

__all__ = ["LargeScores", "collect_scores", "score_large_table"]

N_ODDEST = 1000

OnChunk = Callable[[int, Any, FloatArray, FloatArray], None]


@dataclass(frozen=True, kw_only=True, eq=False)
class LargeScores:
    """The oddest rows of a large table, and how many of all rows stand out.

    Attributes
    ----------
    numbers : array of int
        Places of the oddest rows in the table, oddest first.
    oddness, p_values, adjusted_p_values : arrays
        Of these rows; p-values are adjusted after Benjamini and Hochberg, over all rows.
    n_rows, n_flagged, n_not_scored : int
        How many rows the table has, how many have an adjusted p-value of at most `fdr`, and how
        many have gaps that the model cannot take.
    fdr : float
    levels, adjusted_levels : arrays
        Every p-value that occurs, upwards, and what it is adjusted to.
    """

    numbers: npt.NDArray[np.int64]
    oddness: FloatArray
    p_values: FloatArray
    adjusted_p_values: FloatArray
    n_rows: int
    n_flagged: int
    n_not_scored: int
    fdr: float
    levels: FloatArray
    adjusted_levels: FloatArray

    def frame(self) -> Any:
        """Return the oddest rows as a pandas frame."""
        parts = (self.numbers, self.oddness, self.p_values, self.adjusted_p_values)
        names = ("row", "oddness", "p_value", "adjusted_p_value")
        rows = zip(*(part.tolist() for part in parts), strict=True)
        return data_frame([dict(zip(names, row, strict=True)) for row in rows])

    def __repr__(self) -> str:
        return f"<LargeScores: {self.n_flagged:,} of {counted(self.n_rows, 'row')} flagged>"


def score_large_table(
    model: FoldCalibrated,
    X: Any,
    *,
    fdr: float = 0.1,
    n_oddest: int = N_ODDEST,
    on_chunk: OnChunk | None = None,
) -> LargeScores:
    """Score all rows of a table chunk by chunk, in bounded memory, and keep the oddest.

    P-values compare rows with those that the model was fitted on. Where these are a sample of the
    same table they hold as many odd rows in proportion, so hardly any row is flagged: go by the
    oddness.

    Parameters
    ----------
    model : CalibratedDetector or Committee
        Fitted on other rows: `ranking.committee`, `ranking.best_detector`.
    X : path, pyarrow dataset, Dask array or frame, array or frame
        The path is that of a Parquet file or of a folder of them. Chunks of a Dask collection are
        scored where they are.
    fdr : float
        False-discovery rate of the flags.
    n_oddest : int
        How many rows are kept.
    on_chunk : function of (start, chunk, oddness, p_values), optional
        Called for every chunk in order, to write scores beside rows. Chunks of a Dask collection
        stay where they are, and None is given for them.

    Returns
    -------
    LargeScores

    Examples
    --------
    >>> from sklearn.mixture import GaussianMixture
    >>> from oddrank import CalibratedDetector
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> model = CalibratedDetector(GaussianMixture(), random_state=0).fit(X)
    >>> new = np.vstack([X[:500] + 0.01, [[9.0, 9.0]]])
    >>> int(score_large_table(model, new).numbers[0])
    500
    """
    owner = "score_large_table"
    if not isinstance(model, FoldCalibrated):
        raise InvalidParameterError(
            f"The 'model' parameter of {owner} must be a fitted CalibratedDetector or Committee, "
            f"such as ranking.committee. Got {model!r} instead."
        )
    check_fraction(fdr, "fdr", owner)
    check_integer(n_oddest, "n_oddest", owner)
    asked = partial(_compared, model)
    return collect_scores(large_table(X).map(asked), fdr=fdr, n_oddest=n_oddest, on_chunk=on_chunk)


def collect_scores(
    chunks: Iterable[tuple[Any, tuple[FloatArray, FloatArray]]],
    *,
    fdr: float,
    n_oddest: int = N_ODDEST,
    on_chunk: OnChunk | None = None,
) -> LargeScores:
    """Keep the oddest rows of all chunks, and how often every p-value occurs.

    Parameters
    ----------
    chunks : iterable of (chunk, (oddness, p_values))
        NaN for rows that could not be scored.
    fdr, n_oddest, on_chunk
        As in `score_large_table`.
    """
    start, n_not_scored = 0, 0
    levels, counts = np.empty(0), np.empty(0, dtype=np.int64)
    oddest = (np.empty(0, dtype=np.int64), np.empty(0), np.empty(0))
    for chunk, (oddness, p_values) in chunks:
        numbers = start + np.arange(len(oddness))
        if on_chunk is not None:
            on_chunk(start, chunk, oddness, p_values)
        known = ~np.isnan(p_values)
        n_not_scored += int(np.count_nonzero(~known))
        oddest = _oddest(oddest, (numbers[known], oddness[known], p_values[known]), n_oddest)
        # p-values are shares of a few thousand held-out rows: there are few different ones
        found, times = np.unique(p_values[known], return_counts=True)
        levels, counts = _merged(levels, counts, found, times)
        start += len(oddness)
    n_scored = start - n_not_scored
    adjusted = levels * n_scored / np.maximum(np.cumsum(counts), 1)
    adjusted = np.minimum(np.minimum.accumulate(adjusted[::-1])[::-1], 1.0)
    numbers, oddness, p_values = oddest
    return LargeScores(
        numbers=numbers,
        oddness=oddness,
        p_values=p_values,
        adjusted_p_values=adjusted[np.searchsorted(levels, p_values)],
        n_rows=start,
        n_flagged=int(counts[adjusted <= fdr].sum()),
        n_not_scored=n_not_scored,
        fdr=fdr,
        levels=levels,
        adjusted_levels=adjusted,
    )


def _compared(model: FoldCalibrated, chunk: Any) -> tuple[FloatArray, FloatArray]:
    """Return oddness and p-values of a chunk; NaN for rows with gaps that the model cannot take."""
    names = getattr(model, "feature_names_in_", None)
    if names is not None and is_frame(chunk):
        chunk = _chosen(chunk, list(names))
    table = as_table(chunk, minimum_rows=1)
    whole = np.arange(table.n_rows)
    if not model.takes_gaps:
        whole = np.flatnonzero(~np.isnan(table.values).any(axis=1))
    oddness, p_values = np.full((2, table.n_rows), np.nan)
    if len(whole) == table.n_rows:
        return model.compare(chunk)
    if len(whole):
        kept = table.rows(whole)
        rows = Table(values=kept.values, feature_names=kept.feature_names)
        oddness[whole], p_values[whole] = model.compare(_named(rows, names))
    return oddness, p_values


def _chosen(chunk: Any, names: list[str]) -> Any:
    frame = nw.from_native(chunk, eager_only=True)
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise InvalidDataError(
            f"The table has no column {missing[0]!r}, which the model was fitted on. Give the "
            "columns of the table that was ranked."
        )
    return frame.select(names).to_native()


def _named(rows: Table, names: Any) -> Any:
    """Return rows as the model was given them: with names, or without."""
    return rows.values if names is None else replace(rows, container="pandas").wrap(rows.values)


Oddest = tuple[npt.NDArray[np.int64], FloatArray, FloatArray]


def _oddest(first: Oddest, second: Oddest, most: int) -> Oddest:
    numbers = np.concatenate([first[0], second[0]])
    oddness = np.concatenate([first[1], second[1]])
    p_values = np.concatenate([first[2], second[2]])
    order = np.lexsort((numbers, -oddness))[:most]
    return numbers[order], oddness[order], p_values[order]


def _merged(
    levels: FloatArray,
    counts: npt.NDArray[np.int64],
    more: FloatArray,
    more_counts: npt.NDArray[np.int64],
) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    together, place = np.unique(np.concatenate([levels, more]), return_inverse=True)
    total = np.bincount(place, weights=np.concatenate([counts, more_counts]))
    return together, total.astype(np.int64)
