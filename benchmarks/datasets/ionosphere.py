"""Radar returns from the ionosphere: good ones show structure, bad ones pass through."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from benchmarks.datasets.source import Parsed, Route, Source, column_names, parsed, uci, uci_file

_COLUMNS = list(range(2, 34))


def parse(file: BinaryIO) -> Parsed:
    """Columns 0 and 1 (2 and 1 distinct values) go; label `b` is the anomaly."""
    table = np.loadtxt(file, dtype="U16", delimiter=",", usecols=[*_COLUMNS, 34])
    return parsed(table[:, :-1].astype(np.float64), table[:, -1] == "b", column_names(_COLUMNS))


SOURCE = Source(
    name="ionosphere",
    counts=(351, 32, 126),
    anomaly_percent=35.9,
    anomaly_class="bad",
    **uci("Ionosphere", "Sigillito, V., Wing, S., Hutton, L., Baker, K.", 1989, "C5W01B"),
    original=Route(
        files=(
            uci_file("ionosphere", "ionosphere.data",
                     "46d52186b84e20be52918adb93e8fb9926b34795ff7504c24350ae0616a04bbd"),
        ),
        parse=parse,
    ),
)  # fmt: skip
