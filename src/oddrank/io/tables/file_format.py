"""The kind of a file, found from its first bytes and not from its name."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from oddrank.errors import InvalidDataError
from oddrank.io.tables.compressed import check_unpacked_size, open_unpacked

_BINARY = (
    (b"PAR1", "Parquet"),
    (b"ARROW1", "Feather"),
    (b"\x93NUMPY", "npy"),
    (b"\xd0\xcf\x11\xe0", "workbook"),
)
_REFUSED = (
    (b"FEA1", "a Feather file of version 1", "Write it again with a current pyarrow."),
    (b"\x89HDF", "an HDF5 file", "Save the table as Parquet or CSV."),
    (b"SQLite format 3", "an SQLite database", "Export the table as CSV."),
    (b"%PDF", "a PDF document", "Give the table it was made from."),
    (b"\x80\x02", "a Python pickle, which can run code", "Save the table as Parquet or CSV."),
    (b"\x80\x03", "a Python pickle, which can run code", "Save the table as Parquet or CSV."),
    (b"\x80\x04", "a Python pickle, which can run code", "Save the table as Parquet or CSV."),
    (b"\x80\x05", "a Python pickle, which can run code", "Save the table as Parquet or CSV."),
)
_ARFF = re.compile(rb"\A(\s*%[^\n]*\n|\s)*@relation\b", re.I)
_JSON_OR_MARKUP = re.compile(rb"\A\s*(\{|\[\s*[\[{\"]|<[!?a-zA-Z])")


READABLE_ENDINGS = frozenset(
    {".csv", ".tsv", ".tab", ".txt", ".dat", ".data", ".psv", ".asc", ".parquet", ".pq", ".feather",
     ".arrow", ".npy", ".npz", ".arff", ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".gz", ".bz2",
     ".xz", ".zip"}
)  # fmt: skip


def file_format(path: Path, what: str, max_bytes: int) -> str:
    """Return "Parquet", "Feather", "npy", "npz", "workbook", "ARFF" or "text", or refuse."""
    with path.open("rb") as file:
        start = file.read(16)
    for magic, name in _BINARY:
        if start.startswith(magic):
            return name
    if start.startswith(b"PK\x03\x04"):
        inside = _format_of_archive(path, what, max_bytes)
        if inside:
            return inside
    with open_unpacked(path, what, max_bytes) as stream:
        head = stream.read(2**12)
    for magic, name, remedy in _REFUSED:
        if head.startswith(magic):
            raise InvalidDataError(f"{what} is {name}, which is not read. {remedy}")
    if head.startswith((b"PK\x03\x04", b"\x1f\x8b", *(magic for magic, _ in _BINARY))):
        raise InvalidDataError(f"{what} is packed twice, or not text inside. Unpack it first.")
    if _JSON_OR_MARKUP.match(head):
        raise InvalidDataError(
            f"{what} looks like JSON or markup, not like rows and columns. Save the table as CSV."
        )
    return "ARFF" if _ARFF.match(head) else "text"


def _format_of_archive(path: Path, what: str, max_bytes: int) -> str:
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        if "content.xml" in names or any(name.startswith("xl/") for name in names):
            check_unpacked_size(archive, what, max_bytes)
            return "workbook"
    if "[Content_Types].xml" in names:
        raise InvalidDataError(
            f"{what} is an Office document without sheets. Save the table as CSV."
        )
    return "npz" if names and all(name.endswith(".npy") for name in names) else ""
