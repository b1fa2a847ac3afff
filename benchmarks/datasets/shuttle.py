"""Space shuttle radiator positions.

The paper's 85,849 rows are `shuttle.trn` **plus** the 58,000 rows of both files, less class 4:
every training row occurs twice. So a random training half and the test half share rows, which
favours detectors that memorise them. The doubled rows stay here, because the paper's numbers rest
on them.
"""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from benchmarks.datasets.source import (
    Parsed,
    RawFile,
    Route,
    Source,
    column_names,
    parsed,
    uci,
    uci_file,
)


def parse(train: BinaryIO, test: BinaryIO) -> Parsed:
    """Take the training file, then both files; drop class 4; all but class 1 are anomalies."""
    first, second = np.loadtxt(train), np.loadtxt(test)
    table = np.concatenate([first, first, second])
    table = table[table[:, 9] != 4]
    return parsed(table[:, :9], table[:, 9] != 1, column_names(range(9)))


SOURCE = Source(
    name="shuttle",
    counts=(85849, 9, 6155),
    anomaly_percent=7.17,
    anomaly_class="classes other than 1 (class 4 removed)",
    **uci("Statlog (Shuttle)", "NASA", 1993, "C5WS31"),
    original=Route(
        files=(
            RawFile(folder="shuttle", name="shuttle.trn",
                    sha256="87b24ee9fb5137e1d417659cf905d84d0e15342bbaa60770f1ae83da1a38200a",
                    addresses=("{UCI}statlog/shuttle/shuttle.trn.Z",),
                    packed_name="shuttle.trn.Z"),
            uci_file("shuttle", "shuttle.tst",
                     "f776934a628d9b94c482cb058a76ddaa63823e0f74aec065813c9dff3b89d661",
                     "statlog/shuttle"),
        ),
        parse=parse,
    ),
)  # fmt: skip
