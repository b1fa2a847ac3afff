"""Sheets of workbooks (.xlsx, .xls, .ods), read by python-calamine."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from oddrank._text import counted
from oddrank.errors import InvalidDataError
from oddrank.io.optional_libraries import require
from oddrank.io.reading import Reading

# A sheet is laid out whole in memory, from its first to its last used cell.
MAX_CELLS = 20_000_000
_XLSX_CELL = re.compile(rb'<(?:\w+:)?c\s[^>]*?\br="([A-Z]{1,3})(\d{1,7})"')
_ODS_ROW = re.compile(rb"<table:table-row\b([^>]*)>(.*?)</table:table-row>", re.S)
_ODS_CELL = re.compile(rb"<table:(?:covered-)?table-cell\b([^>]*?)(/?)>")
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """The cells of a sheet.

    Attributes
    ----------
    name : str
    rows : list of lists
    first : int
        The number of the first row, counted from 1.
    others : list of str
        Other sheets that are not hidden.
    """

    name: str
    rows: list[list[Any]]
    first: int
    others: list[str]


def open_sheet(data: bytes, what: str, reading: Reading) -> Sheet:
    """Return the sheet that is told, or the first that is not hidden."""
    calamine = require("python_calamine", "Reading workbooks")
    archive = zipfile.ZipFile(io.BytesIO(data)) if data.startswith(b"PK") else None
    try:
        if archive is not None and "content.xml" in archive.namelist():
            # all sheets of such a file are laid out when it is opened
            for height, width in _ods_extents(archive.read("content.xml")):
                _check_size(height, width, f"A sheet of {what}")
        workbook = calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        visible = _visible(workbook)
        name = _chosen(list(workbook.sheet_names), visible, what, reading)
        if archive is not None and "xl/workbook.xml" in archive.namelist():
            _check_size(*_xlsx_extent(archive, name), f"Sheet {name!r} of {what}")
        elif archive is not None and "content.xml" not in archive.namelist():
            raise InvalidDataError(f"{what} is a binary workbook. Save it as .xlsx or .csv.")
        sheet = workbook.get_sheet_by_name(name)
        return Sheet(
            name=name,
            rows=sheet.to_python(skip_empty_area=True),
            first=(sheet.start or (0, 0))[0] + 1,
            others=[each for each in visible if each != name],
        )
    except InvalidDataError:
        raise
    except BaseException as error:
        # a panic in the library's Rust code is no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
            raise
        raise InvalidDataError(
            f"{what} cannot be read as a workbook: {str(error)[:200]}. Save it again."
        ) from error


def _visible(workbook: Any) -> list[str]:
    return [
        str(sheet.name)
        for sheet in workbook.sheets_metadata
        if str(sheet.visible).endswith(".Visible") and str(sheet.typ).endswith(".WorkSheet")
    ]


def _chosen(names: list[str], visible: list[str], what: str, reading: Reading) -> str:
    """Return the sheet that is told; the first that is not hidden; or that of the table before."""
    if reading.sheet in names:
        return str(reading.sheet)
    if reading.sheet is not None and not (reading.columns and len(visible) == 1):
        shown = ", ".join(map(repr, names[:5]))
        raise InvalidDataError(
            f"{what} has no sheet {reading.sheet!r}. Name another one with --sheet; it has {shown}."
        )
    if not visible:
        raise InvalidDataError(f"All sheets of {what} are hidden. Name one with --sheet.")
    return visible[0]


def _check_size(height: int, width: int, what: str) -> None:
    """Refuse a sheet that spans more cells than memory holds, before it is laid out."""
    if height * width > MAX_CELLS:
        raise InvalidDataError(
            f"{what} spans {counted(height, 'row')} and {counted(width, 'column')}, more cells "
            f"than the {MAX_CELLS:,} that are read. Delete what stands far from the table, name "
            "another sheet with --sheet, or save the sheet as CSV."
        )


def _xlsx_extent(archive: zipfile.ZipFile, name: str) -> tuple[int, int]:
    sheets = ElementTree.fromstring(archive.read("xl/workbook.xml")).iter()
    wanted = next(each.get(_RELATION) for each in sheets if each.get("name") == name)
    links = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    target = next(link.get("Target", "") for link in links if link.get("Id") == wanted)
    path = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
    rows, columns = [0], {b""}
    for column, row in _XLSX_CELL.findall(archive.read(path)):
        rows.append(int(row))
        columns.add(column)
    places = [0]
    for column in columns:
        place = 0
        for letter in column:
            place = 26 * place + letter - 64
        places.append(place)
    return max(rows), max(places)


def _ods_extents(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield rows and columns of every sheet, up to the last cell that holds something."""
    for table in content.split(b"<table:table ")[1:]:
        height = row_number = width = 0
        for attributes, cells in _ODS_ROW.findall(table):
            row_number += _repeated(attributes, b"rows")
            column = 0
            for cell, empty in _ODS_CELL.findall(cells):
                column += _repeated(cell, b"columns")
                if b"office:value" in cell or not empty:
                    height, width = row_number, max(width, column)
        yield height, width


def _repeated(attributes: bytes, what: bytes) -> int:
    found = re.search(rb"number-" + what + rb'-repeated="(\d+)"', attributes)
    return int(found[1]) if found else 1
