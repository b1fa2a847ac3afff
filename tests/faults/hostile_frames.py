"""Frames as no documentation has them."""

import datetime
from collections.abc import Iterator
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

N_ROWS = 80


def hostile_frames() -> Iterator[tuple[str, object]]:
    """Yield rows of every odd kind, each under a name."""
    random = np.random.default_rng(0)
    good = random.normal(size=(N_ROWS, 3))
    columns = list("abc")
    frame = pd.DataFrame(good, columns=columns)
    for value in (np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 0.0):
        spoiled = good.copy()
        spoiled[3, 1] = value
        yield f"one cell {value}", spoiled
        yield f"one column {value}", np.column_stack([good, np.full(N_ROWS, value)])
    for kind in ("float16", "float32", "longdouble", "complex128", "int8", "uint64", "bool", "O"):
        yield f"of {kind}", good.astype(kind, copy=True)
    yield "no rows", good[:0]
    yield "one row", good[:1]
    yield "two rows", good[:2]
    yield "no columns", good[:, :0]
    yield "one dimension", good[:, 0]
    yield "three dimensions", good[:, :, None]
    yield "a number", 3.0
    yield "nothing", None
    yield "text", "rows"
    yield "a list", good.tolist()
    yield "a ragged list", [[1.0, 2.0], [3.0]]
    yield "equal rows", np.ones((N_ROWS, 3))
    yield "few distinct rows", good[np.arange(N_ROWS) % 3]
    yield "a masked array", np.ma.masked_greater(good, 1.0)
    yield "not contiguous", np.asfortranarray(good)[::-1]
    yield "read-only", np.frombuffer(good.tobytes()).reshape(good.shape)
    yield "a record array", np.array([tuple(row) for row in good], dtype="f8,f8,f8")
    yield "dates", good.astype("datetime64[D]")
    yield "equal names", frame.set_axis(["a", "a", "a"], axis=1)
    yield "names that are numbers", frame.set_axis([0, 1.5, None], axis=1)
    yield (
        "names that are tuples",
        frame.set_axis(pd.MultiIndex.from_product([["x"], columns]), axis=1),
    )
    yield "hostile names", frame.set_axis(["\x1b[2J", "=cmd", "<script>"], axis=1)
    yield "long names", frame.set_axis(["a" * 5000, "b" * 5000, ""], axis=1)
    yield "equal index", frame.set_axis([0] * N_ROWS)
    yield "index of dates", frame.set_axis(pd.date_range("2024", periods=N_ROWS))
    yield "text in a column", frame.assign(d="text")
    yield "lists in a column", frame.assign(d=[[1]] * N_ROWS)
    yield "objects in a column", frame.assign(d=[object()] * N_ROWS)
    yield "mixed in a column", frame.assign(d=[1, "a"] * (N_ROWS // 2))
    yield "gaps in a column", frame.assign(d=np.nan)
    yield "huge integers", frame.assign(d=[10**30] * N_ROWS)
    yield "categories", frame.assign(d=pd.Categorical(["x", "y"] * (N_ROWS // 2)))
    yield "all categories differ", frame.assign(d=pd.Categorical([str(i) for i in range(N_ROWS)]))
    yield "time spans", frame.assign(d=pd.to_timedelta(np.arange(N_ROWS), unit="s"))
    yield "periods", frame.assign(d=pd.period_range("2024", periods=N_ROWS, freq="D"))
    yield "dates with zones", frame.assign(d=pd.date_range("2024", periods=N_ROWS, tz="UTC"))
    yield "old dates", frame.assign(d=pd.to_datetime(["1700-01-01"] * N_ROWS))
    yield "sparse", frame.assign(d=pd.arrays.SparseArray(np.zeros(N_ROWS)))
    decimals = [Decimal(i) for i in range(N_ROWS - 1)]
    yield "decimals", frame.assign(d=[*decimals, None])
    yield "infinite decimals", frame.assign(d=[*decimals, Decimal("-Infinity")])
    yield "decimals of Arrow", pa.table({"a": good[:, 0], "d": pa.array([None, *decimals])})
    yield "times of the day", frame.assign(d=[datetime.time(i % 24) for i in range(N_ROWS)])
    yield "dates as objects", frame.assign(d=[datetime.date(1 + i, 1, 1) for i in range(N_ROWS)])
    yield "small integers", frame.assign(c="text", d=np.arange(N_ROWS, dtype="uint8"))
    yield "a constant", frame.assign(d=1)
    yield "names of attributes", frame.set_axis(["survey", "toarray", "column_names"], axis=1)
    yield "nullable", frame.assign(d=pd.array([1, None] * (N_ROWS // 2), dtype="Int64"))
    yield "intervals", frame.assign(d=pd.cut(good[:, 0], 4))
    yield "a polars frame", pl.DataFrame(good, schema=columns)
    yield "a lazy frame", pl.DataFrame(good, schema=columns).lazy()
    yield "nested polars", pl.DataFrame({"a": good[:, 0], "b": [[1.0]] * N_ROWS})
    yield "a series", frame["a"]
    yield "a dictionary", {"a": good[:, 0]}
    yield "a generator", (row for row in good)
