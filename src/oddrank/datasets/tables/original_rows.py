"""The unchanged cells of a text file, for result files that repeat them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from oddrank.datasets.tables.compressed import open_unpacked
from oddrank.datasets.tables.raw_table import TextSource
from oddrank.datasets.tables.text.layout import BLANKS

__all__ = ["original_rows"]


def original_rows(source: TextSource) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of every row from the column names on, and the line that each begins in.

    Notes
    -----
    Guide: :doc:`/datasets`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pandas
    >>> from oddrank import datasets
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "table.csv"
    ...     frame = pandas.DataFrame({"a": range(3, 180, 3), "b": [i % 23 for i in range(59)]})
    ...     frame.to_csv(path, index=False)
    ...     table = datasets.read_table(path)
    ...     print(list(datasets.original_rows(table.text))[:2])
    [(1, ['a', 'b']), (2, ['3', '0'])]
    """
    with open_unpacked(source.path, source.path.name, source.max_bytes) as stream:
        text = io.TextIOWrapper(stream, encoding=source.encoding, errors="replace", newline="")
        for line, cells in _split(text, source.separator):
            if line >= source.top_line and cells:
                yield line, cells
        text.detach()


def _split(text: io.TextIOWrapper, separator: str) -> Iterator[tuple[int, list[str]]]:
    if separator == BLANKS:
        for number, line in enumerate(text, start=1):
            yield number, line.split()
        return
    reader = csv.reader(text, delimiter=separator)
    before = 0
    for cells in reader:
        yield before + 1, cells
        before = reader.line_num
