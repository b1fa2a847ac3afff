"""Workbooks, binary files, frames, folders, lists and standard input."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
import openpyxl
import pandas
import polars
import pyarrow

from tests.io.everyday.everyday_file import (
    CONSTANT,
    EMPTY,
    FREE_TEXT,
    IDENTIFIER,
    TITLE_LINES,
    EverydayFile,
    N,
    delimited,
    german,
    moments,
    pick,
    spread,
    written,
)
from tests.zip_files import zipped

PRICES = spread(N, 1, 90)
HEIGHTS = spread(N, 150, 200, 1, step=3571)
TOWNS = pick(N, "Rome", "Oslo", "Lima")
DAYS = moments(N, "2024-01-02", days=3)
PAID = [i % 3 == 0 for i in range(N)]
MIXED = {"price": PRICES, "town": TOWNS, "day": DAYS, "paid": PAID, "height": HEIGHTS}
MIXED_KINDS = {"price": "number", "town": "category", "day": "date", "paid": "boolean",
               "height": "number"}  # fmt: skip
READ: dict[str, Any] = {"kinds": MIXED_KINDS, "whole": MIXED}
MIXED_ROWS = [list(MIXED), *map(list, zip(*MIXED.values(), strict=True))]

# Days 1 to 12 of February, in no order; and all days of March.
FEBRUARY = [datetime(2024, 2, i * 5 % 12 + 1) for i in range(30)]
MARCH = moments(30, "2024-03-01", days=1)

Sheet = Sequence[Sequence[Any]]


def write_workbook(path: Path, sheets: dict[str, Sheet]) -> None:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    book.save(path)
    book.close()


# What LibreOffice writes below a table that has been formatted to the end of the sheet.
ODS_END = (
    '<table:table-row table:number-rows-repeated="1048515">'
    '<table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
)


def ods_cell(value: Any) -> str:
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, bool):
        kind = f'office:value-type="boolean" office:boolean-value="{str(value).lower()}"'
    elif isinstance(value, datetime):
        kind = f'office:value-type="date" office:date-value="{value:%Y-%m-%d}"'
    elif isinstance(value, int | float):
        kind = f'office:value-type="float" office:value="{value}"'
    else:
        kind = 'office:value-type="string"'
    return f"<table:table-cell {kind}><text:p>{escape(str(value))}</text:p></table:table-cell>"


def ods(rows: Sheet, end: str = "") -> bytes:
    """Return an OpenDocument spreadsheet of one sheet."""
    space = "urn:oasis:names:tc:opendocument:xmlns"
    body = "".join(
        f"<table:table-row>{''.join(map(ods_cell, row))}</table:table-row>" for row in rows
    )
    body += end
    content = (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<office:document-content xmlns:office="{space}:office:1.0" '
        f'xmlns:table="{space}:table:1.0" xmlns:text="{space}:text:1.0" office:version="1.2">'
        f'<office:body><office:spreadsheet><table:table table:name="Tabelle1">{body}'
        "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<manifest:manifest xmlns:manifest="{space}:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
        "</manifest:manifest>"
    )
    return zipped(
        {"mimetype": kind.encode(), "content.xml": content.encode(),
         "META-INF/manifest.xml": manifest.encode()}
    )  # fmt: skip


def parquet_with_row_labels(path: Path) -> None:
    frame = pandas.DataFrame(MIXED)
    frame[frame["price"] > 0].set_index(np.arange(N) * 17 % 101).to_parquet(path)


def parquet_with_named_index(path: Path) -> None:
    pandas.DataFrame(MIXED, index=pandas.Index(spread(N, 0, 1, 4), name="key")).to_parquet(path)


def feather_of_polars(path: Path) -> None:
    polars.DataFrame(MIXED).write_ipc(path, compat_level=polars.CompatLevel.oldest())


def month(first: int, n: int = 20) -> dict[str, Any]:
    part = slice(first, first + n)
    return {"price": PRICES[part], "town": TOWNS[part], "height": HEIGHTS[part]}


def folder_of_months(path: Path) -> None:
    path.mkdir()
    for number, first in enumerate((0, 20, 40), start=1):
        (path / f"2024-0{number}.csv").write_text(delimited(month(first)))
    (path / ".2024-04.csv.swp").write_bytes(b"\x00hidden")


def folder(path: Path, files: dict[str, str]) -> None:
    path.mkdir()
    for name, text in files.items():
        (path / name).write_text(text)


def list_of_files(path: Path) -> list[Path]:
    path.mkdir()
    first, second = path / "z.csv", path / "a.csv"
    first.write_text(delimited(month(0, 30)))
    second.write_text(delimited(month(30, 30)))
    return [first, second]


def folder_with_another_schema(path: Path) -> None:
    folder_of_months(path)
    columns = month(20)
    columns["weight"] = columns.pop("height")
    (path / "2024-02.csv").write_text(delimited(columns))


def folder_with_decimal_commas_in_one_file(path: Path) -> None:
    path.mkdir()
    (path / "1_point.csv").write_text(delimited(month(0, 30), ";"))
    comma = {name: [str(value).replace(".", ",") for value in values]
             for name, values in month(30, 30).items()}  # fmt: skip
    (path / "2_comma.csv").write_text(delimited(comma, ";"))


def folder_without_tables(path: Path) -> None:
    path.mkdir()
    (path / ".hidden.csv").write_text("a,b\n1,2\n")


SHEET_AND_FRAME_FILES = (
    EverydayFile(
        name="workbook.xlsx", **READ,
        content=lambda path: write_workbook(path, {"Data": MIXED_ROWS}),
    ),
    EverydayFile(
        name="workbook_with_a_title.xlsx", **READ,
        content=lambda path: write_workbook(path, {"Data": [["Sales of 2024"], [], *MIXED_ROWS]}),
        lines={0: 4, 59: 63}, notes=(TITLE_LINES,),
    ),
    EverydayFile(
        name="workbook_of_several_sheets.xlsx", **READ,
        content=lambda path: write_workbook(
            path, {"Cover": [], "Sales": MIXED_ROWS, "Prices": [["sku", "cost"], ["a", 1.5]]}),
        notes=("Sales",),
    ),
    EverydayFile(
        name="workbook_and_the_sheet_asked_for.xlsx", options={"sheet": "Towns"},
        content=lambda path: write_workbook(
            path, {"Sales": [["x"], [1.5]],
                   "Towns": [["height", "town"], *zip(HEIGHTS, TOWNS, strict=True)]}),
        kinds={"height": "number", "town": "category"}, whole={"height": HEIGHTS, "town": TOWNS},
    ),
    EverydayFile(
        name="workbook_without_the_sheet.xlsx", options={"sheet": "Twons"},
        content=lambda path: write_workbook(path, {"Sales": MIXED_ROWS, "Towns": MIXED_ROWS}),
        refusal="'Twons'",
    ),
    EverydayFile(
        name="workbook_of_empty_sheets.xlsx", refusal="workbook_of_empty_sheets.xlsx",
        content=lambda path: write_workbook(path, {"Sheet1": [], "Sheet2": []}),
    ),
    EverydayFile(
        name="workbook_with_total_and_blank_rows.xlsx",
        content=lambda path: write_workbook(path, {"Data": [
            ["id", "town", "price"],
            *([500 + 7 * i, TOWNS[i], PRICES[i]] for i in range(30)), [],
            *([500 + 7 * i, TOWNS[i], PRICES[i]] for i in range(30, N)),
            ["Total", None, round(sum(PRICES), 2)]]}),
        kinds={"town": "category", "price": "number"}, left_out={"id": IDENTIFIER},
        whole={"price": PRICES, "town": TOWNS}, lines={0: 2, 29: 31, 30: 33, 59: 62},
        notes=("Total",),
    ),
    EverydayFile(
        name="workbook_with_numbers_as_text.xlsx",
        content=lambda path: write_workbook(path, {"Data": [
            ["code", "price", "share"],
            *([f"C{i:03d}", f"$1,{100 + i}.50", f"{i * 1.5} %"] for i in range(N))]}),
        kinds={"price": "number", "share": "number"}, left_out={"code": FREE_TEXT},
        whole={"price": [1100.5 + i for i in range(N)], "share": [i * 1.5 for i in range(N)]},
    ),
    EverydayFile(
        name="workbook_with_the_table_in_the_middle.xlsx",
        content=lambda path: write_workbook(path, {"Data": [
            [], [], [None, "Report"], [], [None, "price", "town", "start"],
            *([None, PRICES[i], TOWNS[i], time(i % 24, i)] for i in range(N))]}),
        kinds={"price": "number", "town": "category", "start": "number"},
        whole={"price": PRICES, "town": TOWNS, "start": [i % 24 * 3600 + i * 60 for i in range(N)]},
        lines={0: 6}, notes=(TITLE_LINES,),
    ),
    EverydayFile(
        name="workbook_with_errors_and_years.xlsx",
        content=lambda path: write_workbook(path, {"Data": [
            ["Region", 2021, 2022],
            *([TOWNS[i], "#DIV/0!" if i == 7 else PRICES[i], HEIGHTS[i]] for i in range(N))]}),
        kinds={"Region": "category", "2021": "number", "2022": "number"},
        n_rows=59, n_rows_read=60, lines={6: 8, 8: 10}, values={(8, "2021"): PRICES[8]},
    ),
    EverydayFile(name="calc_sheet.ods", **READ, content=ods(MIXED_ROWS)),
    EverydayFile(name="calc_sheet_filled_up.ods", **READ, content=ods(MIXED_ROWS, ODS_END)),
    EverydayFile(
        name="calc_sheet_with_a_title.ods", **READ,
        content=ods([["Verkäufe 2024", None, None, None, None], *MIXED_ROWS]), lines={0: 3},
    ),
    EverydayFile(
        name="row_labels_of_pandas.parquet", **READ, content=parquet_with_row_labels, lines=None,
        left_out={"__index_level_0__": "the frame's index"},
    ),
    EverydayFile(
        name="named_index_of_pandas.parquet", **READ, content=parquet_with_named_index, lines=None,
        left_out={"key": "the frame's index"},
    ),
    EverydayFile(name="polars.arrow", **READ, content=feather_of_polars, lines=None),
    EverydayFile(name="pandas_frame", **READ, lines=None,
                 content=lambda _: pandas.DataFrame(MIXED)),
    EverydayFile(name="polars_frame", **READ, lines=None,
                 content=lambda _: polars.DataFrame(MIXED)),
    EverydayFile(name="pyarrow_table", **READ, lines=None, content=lambda _: pyarrow.table(MIXED)),
    EverydayFile(
        name="polars_frame_of_many_types", lines=None,
        content=lambda _: polars.DataFrame({
            "cost": polars.Series([f"{v:.2f}" for v in PRICES]).str.to_decimal(scale=2),
            "day": [day.date() for day in DAYS],
            "town": polars.Series(TOWNS, dtype=polars.Categorical),
            "paid": PAID,
            "count": polars.Series([7 * i * i for i in range(N)], dtype=polars.UInt32),
            "nothing": polars.Series([None] * N)}),
        kinds={"cost": "number", "day": "date", "town": "category", "paid": "boolean",
               "count": "number"},
        whole={"cost": PRICES, "day": DAYS, "town": TOWNS, "paid": PAID},
        left_out={"nothing": EMPTY},
    ),
    EverydayFile(
        name="pandas_frame_of_more_types", lines=None,
        content=lambda _: pandas.DataFrame({
            "level": pandas.Categorical(np.tile([1, 2, 3], N // 3)),
            "at": pandas.date_range("2024-01-01", periods=N, freq="h", tz="Europe/Berlin"),
            "took": pandas.to_timedelta(np.arange(N) * 61, unit="s"),
            "day": [day.date() for day in DAYS],
            "town": pandas.array(TOWNS, dtype="string"), 7: PRICES}),
        kinds={"level": "category", "at": "date", "took": "number", "day": "date",
               "town": "category", "7": "number"},
        values={(0, "level"): "1", (1, "took"): 61, (1, "town"): "Oslo"},
        whole={"day": DAYS, "town": TOWNS, "7": PRICES},
    ),
    EverydayFile(
        name="pandas_frame_of_objects",
        content=lambda _: pandas.DataFrame(
            {"money": pandas.Series([f"${value:,.2f}" for value in PRICES], dtype=object),
             "seen": pandas.Series([str(day) for day in DAYS], dtype=object),
             "count": pandas.array([None, *range(3, 3 * N, 3)], dtype="Int64"),
             "town": pandas.Categorical(TOWNS), "always": 1}),
        kinds={"money": "number", "seen": "date", "count": "number", "town": "category"},
        left_out={"always": CONSTANT}, n_rows=N - 1, n_rows_read=N, lines=None,
        values={(1, "money"): PRICES[1], (1, "seen"): DAYS[1], (1, "count"): 3},
    ),
    EverydayFile(
        name="folder_of_months", content=folder_of_months, lines={},
        kinds={"price": "number", "town": "category", "height": "number"},
        whole={"price": PRICES, "town": TOWNS, "height": HEIGHTS}, notes=(r"\b3 files",),
    ),
    EverydayFile(
        name="list_of_two_files", content=list_of_files, lines={},
        kinds={"price": "number", "town": "category", "height": "number"},
        whole={"price": PRICES, "town": TOWNS, "height": HEIGHTS}, notes=(r"\b2 files",),
    ),
    EverydayFile(
        name="folder_with_decimal_commas_in_one_file", lines={},
        content=folder_with_decimal_commas_in_one_file,
        kinds={"price": "number", "town": "category", "height": "number"},
        whole={"price": PRICES, "town": TOWNS, "height": HEIGHTS}, notes=(r"\b2 files",),
    ),
    EverydayFile(
        name="folder_with_columns_in_another_order", lines={},
        content=lambda path: folder(path, {
            "a.csv": delimited({"price": PRICES[:30], "height": HEIGHTS[:30]}),
            "b.csv": delimited({"height": HEIGHTS[30:], "price": PRICES[30:]})}),
        kinds={"price": "number", "height": "number"},
        whole={"price": PRICES, "height": HEIGHTS},
    ),
    EverydayFile(
        name="folder_whose_second_file_decides", lines={},
        content=lambda path: folder(path, {
            "a.csv": delimited({"day": written(FEBRUARY, "%d/%m/%Y"),
                                "sold": [german(1000 + 97 * i, 0) for i in range(30)]}, ";"),
            "b.csv": delimited({"day": written(MARCH, "%d/%m/%Y"),
                                "sold": [german(1000.5 + 97 * i) for i in range(30)]}, ";")}),
        kinds={"day": "date", "sold": "number"},
        whole={"day": [*FEBRUARY, *MARCH],
               "sold": [*range(1000, 3910, 97), *(1000.5 + 97 * i for i in range(30))]},
    ),
    EverydayFile(
        name="folder_with_other_things_in_it", lines={},
        content=lambda path: folder(path, {
            "a.csv": delimited(month(0, 30)), "b.csv": delimited(month(30, 30)),
            "README.md": "# Sales\n\nOne file a month.\n", "plot.png": "\x89PNG"}),
        kinds={"price": "number", "town": "category", "height": "number"},
        whole={"price": PRICES, "town": TOWNS, "height": HEIGHTS}, notes=(r"\b2 files",),
    ),
    EverydayFile(
        name="folder_with_another_schema", content=folder_with_another_schema,
        refusal="2024-02.csv.*'(height|weight)'",
    ),
    EverydayFile(
        name="folder_without_tables", content=folder_without_tables,
        refusal="folder_without_tables",
    ),
)  # fmt: skip
