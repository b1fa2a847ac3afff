"""KDD Cup 1999: network connections to a web server (http) or a mail server (smtp).

The paper's rows are those of the full training file with `logged_in` = 1 and the given service; its
features are `log(v + 0.1)` of three columns. The same rows, in the same order, exist as two small
`.npz` files; both ways give the same numbers here, because the logarithms are taken again from the
integers behind them.

scikit-learn's `fetch_kddcup99(percent10=False)` fetches the same file (same address, same hash),
then holds 206 million Python objects. Five columns of text and numbers suffice, so the file is
read here directly.
"""

from __future__ import annotations

from functools import partial
from typing import BinaryIO

import numpy as np

from oddrank.datasets.sources.parsed import Parsed, parsed

_NAMES = ["log_duration", "log_src_bytes", "log_dst_bytes"]
_RECORD = np.dtype(
    [("duration", float), ("service", "S11"), ("src_bytes", float), ("dst_bytes", float),
     ("logged_in", int), ("label", "S16")]
)  # fmt: skip
_COLUMNS = [0, 2, 4, 5, 11, 41]


def _from_connections(service: str, file: BinaryIO) -> Parsed:
    """Select the service's rows from the original file."""
    table = np.loadtxt(file, dtype=_RECORD, delimiter=",", usecols=_COLUMNS)
    table = table[(table["logged_in"] == 1) & (table["service"] == service.encode())]
    counts = np.column_stack([table["duration"], table["src_bytes"], table["dst_bytes"]])
    return parsed(np.log(counts + 0.1), table["label"] != b"normal.", _NAMES)


def from_arrays(file: BinaryIO) -> Parsed:
    """Read the `.npz` substitute; `round(exp(X) - 0.1)` gives back the integers."""
    with np.load(file, allow_pickle=False) as arrays:
        counts = np.rint(np.exp(arrays["X"]) - 0.1)
        return parsed(np.log(counts + 0.1), arrays["y"] == 1, _NAMES)


http = partial(_from_connections, "http")
smtp = partial(_from_connections, "smtp")
