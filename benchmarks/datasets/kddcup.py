"""KDD Cup 1999: network connections to a web server (http) or a mail server (smtp).

The paper's rows are those of the full training file with `logged_in` = 1 and the given service; its
features are `log(v + 0.1)` of three columns. The same rows, in the same order, exist as two small
`.npz` files of ODDS and ADBench; both ways give the same numbers here, because the logarithms are
taken again from the integers behind them.

scikit-learn's `fetch_kddcup99(percent10=False)` fetches the same file (same address, same hash),
then holds 206 million Python objects. Six columns suffice, so the file is read here directly.
"""

from __future__ import annotations

from functools import partial
from typing import BinaryIO

import numpy as np

from benchmarks.datasets.source import Parsed, RawFile, Route, Source, parsed, uci

_NAMES = ["log_duration", "log_src_bytes", "log_dst_bytes"]
_RECORD = np.dtype(
    [("duration", float), ("service", "S11"), ("src_bytes", float), ("dst_bytes", float),
     ("logged_in", int), ("label", "S16")]
)  # fmt: skip
_COLUMNS = [0, 2, 4, 5, 11, 41]


def parse(file: BinaryIO, *, service: str) -> Parsed:
    """Select the service's rows from the original file."""
    table = np.loadtxt(file, dtype=_RECORD, delimiter=",", usecols=_COLUMNS)
    table = table[(table["logged_in"] == 1) & (table["service"] == service.encode())]
    counts = np.column_stack([table["duration"], table["src_bytes"], table["dst_bytes"]])
    return parsed(np.log(counts + 0.1), table["label"] != b"normal.", _NAMES)


def parse_arrays(file: BinaryIO) -> Parsed:
    """Read the `.npz` substitute; `round(exp(X) - 0.1)` gives back the integers."""
    with np.load(file, allow_pickle=False) as arrays:
        counts = np.rint(np.exp(arrays["X"]) - 0.1)
        return parsed(np.log(counts + 0.1), arrays["y"] == 1, _NAMES)


# The content's own hash is not published; that of the packed file is, by scikit-learn.
CONNECTIONS = RawFile(
    folder="kddcup99",
    name="kddcup.data",
    sha256=None,
    addresses=("{UCI}kddcup99-mld/kddcup.data.gz", "{FIGSHARE}5976045"),
    packed_name="kddcup.data.gz",
    packed_sha256="3b6c942aa0356c0ca35b7b595a26c89d343652c9db428893e7494f837b274292",
)


def _source(
    service: str, counts: tuple[int, int, int], percent: float, arrays: str, sha256: str
) -> Source:
    return Source(
        name=service,
        counts=counts,
        anomaly_percent=percent,
        anomaly_class="attack",
        **uci("KDD Cup 1999 Data", "Stolfo, S., Fan, W., Lee, W., Prodromidis, A., Chan, P.", 1999,
              "C51C7N"),
        original=Route(files=(CONNECTIONS,), parse=partial(parse, service=service)),
        substitute=Route(
            files=(RawFile(folder=service, name=arrays, sha256=sha256),),
            parse=parse_arrays,
            by_way_of="ODDS and ADBench (BSD 2-Clause)",
        ),
        family="kddcup",
    )  # fmt: skip


HTTP = _source("http", (567498, 3, 2211), 0.39, "16_http.npz",
               "9d98710091551587f4740cfc851a6b064fff6319a337c2dc77ee6da4bcc2e02c")  # fmt: skip
SMTP = _source("smtp", (95156, 3, 30), 0.03, "34_smtp.npz",
               "d2569fc9bc12115419e3f5b37d19921e10e6c26e5ad1e61064cfb0fbc402dfdd")  # fmt: skip
