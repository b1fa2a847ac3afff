"""What one pass over a table in parts finds: some rows, and the range of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.errors import InvalidDataError
from oddrank.rows.columns import names_of
from oddrank.rows.settled_types import settled
from oddrank.rows.table import is_frame

__all__ = ["Survey", "check_names", "is_chunk", "join", "rows_of"]

RowNumbers = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Survey:
    """Some rows, and the range of all rows that were read for them; parts add up with `+`.

    Attributes
    ----------
    rows : list of arrays or frames
    corners : list of arrays of shape (2, n_features)
        Lowest and highest values of each part; NaN in columns that are not numbers.
    """

    rows: list[Any]
    corners: list[FloatArray]

    @classmethod
    def nothing(cls) -> Survey:
        """Return what reading no rows gives."""
        return cls(rows=[], corners=[])

    @classmethod
    def of(cls, part: Any, places: RowNumbers) -> Survey:
        """Return the rows in these places, and the range of all."""
        corners = [_corners(column) for column in _columns(part)]
        rows = [rows_of(part, places)] if len(places) else []
        return cls(rows=rows, corners=[np.array(corners).T])

    def __add__(self, other: Survey) -> Survey:
        return Survey(rows=self.rows + other.rows, corners=self.corners + other.corners)

    @property
    def range(self) -> FloatArray | None:
        """Lowest and highest values of all rows; None where parts have different columns."""
        if len({part.shape for part in self.corners}) != 1:
            return None
        lowest = np.fmin.reduce([part[0] for part in self.corners])
        return np.array([lowest, np.fmax.reduce([part[1] for part in self.corners])])


def _columns(part: Any) -> Iterator[Any]:
    if not is_frame(part):
        return iter(np.asarray(part).T)
    frame = nw.from_native(part, eager_only=True)
    return (settled(series).to_numpy() for series in frame.iter_columns())


def _corners(column: Any) -> tuple[float, float]:
    values = np.asarray(column)
    if values.dtype.kind not in "biuf":
        return np.nan, np.nan
    return float(np.fmin.reduce(values)), float(np.fmax.reduce(values))


def is_chunk(X: Any) -> bool:
    """Return whether this is a frame in memory, or an array of two dimensions."""
    is_array = getattr(X, "ndim", 0) == 2 and not hasattr(X, "toarray")
    return is_array or isinstance(nw.from_native(X, pass_through=True), nw.DataFrame)


def check_names(part: Any) -> None:
    """Refuse a frame with two columns of the same name."""
    repeated = [name for name, count in Counter(names_of(part)).items() if count > 1]
    if repeated:
        raise InvalidDataError(
            f"A chunk has more than one column called {repeated[0]!r}. "
            "Rename or drop the copies before evaluating."
        )


def rows_of(part: Any, places: RowNumbers) -> Any:
    """Return some rows of an array or frame."""
    if is_frame(part):
        return nw.from_native(part, eager_only=True)[places.tolist()].to_native()
    return np.asarray(part)[places]


def join(parts: list[Any]) -> Any:
    """Return arrays or frames one below the other."""
    if not all(_alike(part, parts[0]) for part in parts):
        raise InvalidDataError(
            f"Chunks have different columns: {_columns_of(parts)}. Give all chunks the same "
            "columns, in the same order."
        )
    if not is_frame(parts[0]):
        return np.concatenate(parts)
    frames = _of_common_types([nw.from_native(part, eager_only=True) for part in parts])
    try:
        joined = nw.concat(frames, how="vertical").to_native()
    except Exception as error:  # of the frame's own library
        raise InvalidDataError(
            f"Chunks have columns of different types: {str(error).splitlines()[0]}. Give all "
            "chunks the same types."
        ) from error
    return joined.reset_index(drop=True) if hasattr(joined, "reset_index") else joined


def _of_common_types(frames: list[Any]) -> list[Any]:
    """Return frames whose numbers are of one type; whole numbers in some chunks are usual."""
    schemas = [frame.schema for frame in frames]
    if frames[0].implementation.is_pandas_like() or all(each == schemas[0] for each in schemas):
        return frames
    mixed = [
        name
        for name in schemas[0]
        if len({schema[name] for schema in schemas}) > 1
        and all(schema[name].is_numeric() for schema in schemas)
    ]
    return [
        frame.with_columns(*(nw.col(name).cast(nw.Float64()) for name in mixed)) for frame in frames
    ]


def _alike(part: Any, first: Any) -> bool:
    return names_of(part) == names_of(first) and part.shape[1] == first.shape[1]


def _columns_of(parts: list[Any]) -> str:
    kinds = {
        ", ".join(names_of(part)) if is_frame(part) else f"{part.shape[1]} without names": 0
        for part in parts
    }
    return "; ".join(list(kinds)[:3])
