"""Layouts of text files: encodings, line ends, title lines, totals, footers, packed files."""

from __future__ import annotations

import gzip
import lzma
from datetime import datetime

from tests.io.everyday.everyday_file import (
    CONSTANT,
    EMPTY,
    FREE_TEXT,
    IDENTIFIER,
    TITLE_LINES,
    EverydayFile,
    N,
    comments,
    delimited,
    german,
    moments,
    pick,
    spread,
    whole_numbers,
    with_gaps,
    written,
)
from tests.zip_files import zipped

LENGTHS = spread(N, 1, 40)
WIDTHS = spread(N, 1, 20, step=3571)
SHAPES = pick(N, "round", "square", "long")
SIMPLE = {"length": LENGTHS, "width": WIDTHS, "shape": SHAPES}
SIMPLE_KINDS = {"length": "number", "width": "number", "shape": "category"}
READ = {"kinds": SIMPLE_KINDS, "whole": SIMPLE}
SIMPLE_BYTES = delimited(SIMPLE).encode()


def psql_aligned() -> bytes:
    lines = [" id  |  name  | amount  ", "-----+--------+---------"]
    for i, (name, amount) in enumerate(zip(SHAPES, LENGTHS, strict=True)):
        lines.append(f" {100 + 3 * i:3d} | {name:6s} | {amount:7.2f}")
    return ("\n".join([*lines, f"({N} rows)", ""]) + "\n").encode()


def sqlcmd() -> bytes:
    lines = ["length  width  shape ", "------- ------ ------"]
    lines += [f"{a:7.2f} {b:6.2f} {c:6s}" for a, b, c in zip(*SIMPLE.values(), strict=True)]
    return ("\n".join([*lines, "", f"({N} rows affected)"]) + "\n").encode()


def psql_plain() -> bytes:
    columns = {"amount": spread(152, 1, 90), "kind": pick(152, "a", "b"),
               "open": pick(152, "t", "f")}  # fmt: skip
    return (delimited(columns, "|") + "(152 rows)\n").encode()


def blank_lines_in_the_middle() -> bytes:
    lines = delimited(SIMPLE).splitlines()
    return ("\n".join([*lines[:11], "", *lines[11:31], "", "", *lines[31:], ""]) + "\n").encode()


def with_line_breaks() -> bytes:
    notes = [f'first line {i}\nsecond "line"' if i % 10 == 0 else f"short {i}" for i in range(N)]
    return delimited({"note": notes, **SIMPLE}, ending="\r\n").encode()


def write_table_of_r() -> bytes:
    lines = ['"length" "width" "shape"']
    lines += [f'"{i + 1}" {a} {b} "{c}"'
              for i, (a, b, c) in enumerate(zip(*SIMPLE.values(), strict=True))]  # fmt: skip
    return ("\n".join(lines) + "\n").encode()


def write_csv_of_r() -> bytes:
    lines = ['"","length","width","shape"']
    lines += [f'"{i + 1}",{a},{b},"{c}"'
              for i, (a, b, c) in enumerate(zip(*SIMPLE.values(), strict=True))]  # fmt: skip
    return ("\n".join(lines) + "\n").encode()


def one_column_of_decimal_commas() -> bytes:
    return ("Preis\n" + "".join(german(value) + "\n" for value in LENGTHS)).encode()


def names_in_the_middle() -> bytes:
    """Three files that somebody put one below the other, with their column names."""
    names, *rows = delimited(SIMPLE).splitlines()
    lines = [names, *rows[:19], names, *rows[19:43], names, *rows[43:]]
    return ("\n".join(lines) + "\n").encode()


ONE_COLUMN = [str(value) for value in spread(100, 5, 9)]

LAYOUT_FILES = (
    EverydayFile(name="windows_line_ends.csv", **READ,
                 content=delimited(SIMPLE, ending="\r\n").encode()),
    EverydayFile(name="byte_order_mark.csv", **READ, content=b"\xef\xbb\xbf" + SIMPLE_BYTES),
    EverydayFile(name="everything_quoted.csv", **READ,
                 content=delimited(SIMPLE, quoting=1).encode()),
    EverydayFile(name="packed.csv.gz", **READ, content=gzip.compress(SIMPLE_BYTES, mtime=0)),
    EverydayFile(name="packed.csv.xz", **READ, content=lzma.compress(SIMPLE_BYTES)),
    EverydayFile(name="packed.zip", **READ, content=zipped({"export/shapes.csv": SIMPLE_BYTES})),
    EverydayFile(name="blanks_around_values.csv", **READ,
                 content=SIMPLE_BYTES.replace(b",", b" , ")),
    EverydayFile(
        name="excel_unicode_text.txt", **READ,
        content=delimited(SIMPLE, "\t", ending="\r\n").encode("utf-16"),
    ),
    EverydayFile(
        name="excel_with_sep_line.csv", **READ,
        content=("sep=;\r\n" + delimited(SIMPLE, ";", ending="\r\n")).encode(), lines={0: 3},
    ),
    EverydayFile(
        name="cyrillic_cp1251.csv",
        content=delimited({"Город": pick(N, "Москва", "Казань", "Пермь"),
                           "Сумма": [f"{v:.2f}".replace(".", ",") for v in LENGTHS],
                           "Оплачено": pick(N, "картой", "наличными")}, ";").encode("cp1251"),
        kinds={"Город": "category", "Сумма": "number", "Оплачено": "category"},
        values={(0, "Город"): "Москва", (0, "Оплачено"): "картой"}, whole={"Сумма": LENGTHS},
    ),
    EverydayFile(
        name="curly_quotes_cp1252.csv",
        content=delimited({"Title": pick(N, "Editor’s choice", "“New”", "Old – sold"),
                           "Price": [f"€{value:.2f}" for value in LENGTHS],
                           "Width": [f"{value} µm" for value in ("5", "9") * (N // 2)]}
                          ).encode("cp1252"),
        kinds={"Title": "category", "Price": "number", "Width": "category"},
        values={(0, "Title"): "Editor’s choice", (0, "Width"): "5 µm"}, whole={"Price": LENGTHS},
    ),
    EverydayFile(
        name="french_cafes_latin1.csv",
        content=delimited({"café": pick(N, "crème", "noisette", "allongé"),
                           "température (°C)": LENGTHS}).encode("latin-1"),
        kinds={"café": "category", "température (°C)": "number"},
        values={(0, "café"): "crème"}, whole={"température (°C)": LENGTHS},
    ),
    EverydayFile(
        name="title_and_blank_line.csv", **READ,
        content=b"Measurements of all parts, spring 2024\n\n" + SIMPLE_BYTES, lines={0: 4, 59: 63},
        notes=(TITLE_LINES,),
    ),
    EverydayFile(
        name="title_lines_with_commas.csv", **READ,
        content=b"Report 2024, all parts\nfrom north, to south\n" + SIMPLE_BYTES, lines={0: 4},
        notes=(TITLE_LINES,),
    ),
    EverydayFile(
        name="settings_above_the_table.csv", **READ,
        content=b"serial,17\nfirmware,2.1\n\n" + SIMPLE_BYTES, lines={0: 5},
        notes=(TITLE_LINES,),
    ),
    EverydayFile(
        name="empty_rows_of_a_spreadsheet_at_the_end.csv", **READ,
        content=SIMPLE_BYTES + b",,\n" * 20,
    ),
    EverydayFile(
        name="title_padded_with_commas.csv", **READ,
        content=b"Measurements,,\nprinted 2024-05-01,,\n" + SIMPLE_BYTES, lines={0: 4},
        notes=(TITLE_LINES,),
    ),
    EverydayFile(
        name="comment_lines.csv", **READ,
        content=b"# logger 7\n# firmware 2.1\n" + SIMPLE_BYTES, lines={0: 4},
    ),
    EverydayFile(
        name="total_line.csv",
        content=(delimited({"shop": pick(N, "north", "south", "east"), "sales": LENGTHS,
                            "visitors": whole_numbers(N, 3, 900)})
                 + f"TOTAL,{sum(LENGTHS):.2f},31337\n").encode(),
        kinds={"shop": "category", "sales": "number", "visitors": "number"},
        whole={"sales": LENGTHS, "shop": pick(N, "north", "south", "east")},
        notes=(r"line 62\b", "TOTAL"),
    ),
    EverydayFile(
        name="fuel_of_the_brand_total.csv",
        content=delimited({"brand": [*pick(N - 1, "Shell", "Aral", "Total"), "Total"],
                           "price": spread(N, 1.5, 2, 3), "litres": LENGTHS}).encode(),
        kinds={"brand": "category", "price": "number", "litres": "number"},
        values={(59, "brand"): "Total"}, whole={"litres": LENGTHS},
    ),
    EverydayFile(
        name="total_line_and_footer.csv",
        content=(delimited({"shop": pick(N, "north", "south"), "sales": LENGTHS})
                 + f"Grand total,{sum(LENGTHS):.2f}\nRecords: 60\n").encode(),
        kinds={"shop": "category", "sales": "number"}, whole={"sales": LENGTHS},
        notes=(r"line 62\b", r"line 63\b"),
    ),
    EverydayFile(
        name="summe_after_a_blank_line.csv",
        content=(delimited({"Filiale": pick(N, "Nord", "Süd"),
                            "Umsatz": [german(value) for value in spread(N, 500, 9_000)]}, ";")
                 + f"\nSumme;{german(sum(spread(N, 500, 9_000)))}\n").encode(),
        kinds={"Filiale": "category", "Umsatz": "number"},
        whole={"Umsatz": spread(N, 500, 9_000)}, notes=(r"line 63\b", "Summe"),
    ),
    EverydayFile(
        name="source_below_the_table.csv", **READ,
        content=SIMPLE_BYTES + b'\n"Source: the office of weights, 2024."\n',
        notes=(r"line 63\b",),
    ),
    EverydayFile(
        name="psql_unaligned.txt", content=psql_plain(), n_rows=152,
        kinds={"amount": "number", "kind": "category", "open": "boolean"},
        whole={"amount": spread(152, 1, 90)}, notes=(r"line 154\b",),
    ),
    EverydayFile(
        name="psql_aligned.txt", content=psql_aligned(),
        kinds={"name": "category", "amount": "number"}, whole={"name": SHAPES, "amount": LENGTHS},
        left_out={"id": IDENTIFIER}, lines={0: 3, 59: 62}, notes=(r"line 63\b",),
    ),
    EverydayFile(
        name="sqlcmd.txt", **READ, content=sqlcmd(), lines={0: 3, 59: 62}, notes=(r"line 64\b",),
    ),
    EverydayFile(
        name="mysql_batch.tsv",
        content=delimited({"id": [9 + 4 * i for i in range(N)],
                           "price": with_gaps(LENGTHS, [12], "NULL"), "shape": SHAPES},
                          "\t").encode(),
        kinds={"price": "number", "shape": "category"}, left_out={"id": IDENTIFIER},
        n_rows=59, n_rows_read=60, lines={11: 13, 13: 15},
    ),
    EverydayFile(
        name="write_csv_of_r.csv", content=write_csv_of_r(),
        kinds=SIMPLE_KINDS, whole=SIMPLE, left_out={"x0": IDENTIFIER},
    ),
    EverydayFile(
        name="write_table_of_r.txt", content=write_table_of_r(),
        kinds=SIMPLE_KINDS, whole=SIMPLE, left_out={"x0": IDENTIFIER},
    ),
    EverydayFile(
        name="pandas_index_in_csv.csv",
        content=delimited({"": range(N), **SIMPLE}).encode(),
        kinds=SIMPLE_KINDS, whole=SIMPLE, left_out={"x0": IDENTIFIER},
    ),
    EverydayFile(
        name="separator_at_every_line_end.csv",
        content=delimited({**SIMPLE, "": [""] * N}, ";").encode(),
        kinds=SIMPLE_KINDS, whole=SIMPLE, left_out={"x3": EMPTY},
    ),
    EverydayFile(
        name="line_breaks_in_quotes.csv", content=with_line_breaks(),
        kinds=SIMPLE_KINDS, whole=SIMPLE, left_out={"note": FREE_TEXT},
        lines={0: 2, 1: 4, 10: 13, 11: 15, 59: 67},
    ),
    EverydayFile(
        name="blank_lines_in_the_middle.csv", **READ, content=blank_lines_in_the_middle(),
        lines={0: 2, 9: 11, 10: 13, 29: 32, 30: 35, 59: 64},
    ),
    EverydayFile(
        name="one_column_with_empty_lines.csv",
        content=("ms\n" + "\n".join(with_gaps(ONE_COLUMN, [10, 50])) + "\n").encode(),
        kinds={"ms": "number"}, n_rows=98, n_rows_read=100,
        values={(9, "ms"): float(ONE_COLUMN[9]), (11, "ms"): float(ONE_COLUMN[11]),
                (99, "ms"): float(ONE_COLUMN[99])},
        lines={9: 11, 11: 13, 99: 101},
    ),
    EverydayFile(
        name="one_column_of_decimal_commas.csv", content=one_column_of_decimal_commas(),
        kinds={"Preis": "number"}, whole={"Preis": LENGTHS},
    ),
    EverydayFile(
        name="one_column_and_its_decimal_sign_given.csv", options={"decimal": ","},
        content=one_column_of_decimal_commas(),
        kinds={"Preis": "number"}, whole={"Preis": LENGTHS},
    ),
    EverydayFile(
        name="column_names_repeated_in_the_middle.csv", content=names_in_the_middle(),
        kinds=SIMPLE_KINDS, n_rows=60, n_rows_read=62,
        values={(0, "length"): LENGTHS[0], (18, "shape"): SHAPES[18], (20, "shape"): SHAPES[19],
                (61, "width"): WIDTHS[59]},
        lines={18: 20, 20: 22, 61: 63}, notes=(r"line 21\b", r"line 46\b"),
    ),
    EverydayFile(
        name="units_below_the_names.csv",
        content=SIMPLE_BYTES.replace(b"shape\n", b"shape\nmm,mm,-\n", 1),
        kinds=SIMPLE_KINDS, whole=SIMPLE, n_rows_read=61, lines={1: 3}, notes=("'mm' in line 2",),
    ),
    EverydayFile(
        name="one_column_without_a_name.txt",
        content="\n".join(ONE_COLUMN).encode(), kinds={"x0": "number"}, n_rows=100,
        whole={"x0": [float(value) for value in ONE_COLUMN]}, lines={0: 1, 99: 100},
    ),
    EverydayFile(
        name="numbers_without_names.csv",
        content=delimited(SIMPLE).split("\n", 1)[1].encode(),
        kinds={"x0": "number", "x1": "number", "x2": "category"},
        whole={"x0": LENGTHS, "x1": WIDTHS, "x2": SHAPES}, lines={0: 1, 59: 60},
    ),
    EverydayFile(
        name="years_as_column_names.csv",
        content=delimited({"Country Name": [f"Country {chr(65 + i % 26)}{i}" for i in range(N)],
                           "Region": pick(N, "Africa", "Asia", "Europe"),
                           "2021": LENGTHS, "2022": WIDTHS}).encode(),
        kinds={"Region": "category", "2021": "number", "2022": "number"},
        whole={"2021": LENGTHS, "2022": WIDTHS}, left_out={"Country Name": FREE_TEXT},
    ),
    EverydayFile(
        name="shop_export.csv",
        content=b"\xef\xbb\xbf" + delimited(
            {"Name": [f"#{1001 + i}" for i in range(N)],
             "Email": [f"buyer{i * 7 % 1009}@example.com" for i in range(N)],
             "Financial Status": pick(N, "paid", "refunded", "pending"),
             "Paid at": [f"{m:%Y-%m-%d %H:%M:%S} +0200"
                         for m in moments(N, "2024-06-01T09:00:00", hours=3)],
             "Currency": ["EUR"] * N, "Total": LENGTHS,
             "Accepts Marketing": pick(N, "yes", "no"),
             "Notes": with_gaps(comments(N), range(0, N, 2)),
             "Vendor": [""] * N}, quoting=1).encode(),
        kinds={"Financial Status": "category", "Paid at": "date", "Total": "number",
               "Accepts Marketing": "boolean"},
        values={(0, "Paid at"): datetime(2024, 6, 1, 7), (1, "Paid at"): datetime(2024, 6, 1, 10)},
        whole={"Total": LENGTHS},
        left_out={"Name": FREE_TEXT, "Email": FREE_TEXT, "Currency": CONSTANT, "Notes": FREE_TEXT,
                  "Vendor": EMPTY},
    ),
    EverydayFile(
        name="payments_export.csv",
        content=delimited(
            {"Date": written(moments(N, "2024-02-01T08:00:00", hours=13), "%d/%m/%Y"),
             "Time": written(moments(N, "2024-02-01T08:00:00", hours=13), "%H:%M:%S"),
             "TimeZone": ["CET"] * N, "Type": pick(N, "Payment", "Refund", "Transfer"),
             "Gross": [f"{value:,.2f}" for value in spread(N, -900, 4_000)],
             "Fee": [f"{-value:.2f}" for value in spread(N, 0, 9)],
             "Transaction ID": [f"9AB{i * 7919 % 100_003:06d}X" for i in range(N)]},
            quoting=1).encode(),
        kinds={"Date": "date", "Time": "number", "Type": "category", "Gross": "number",
               "Fee": "number"},
        values={(0, "Time"): 8 * 3600, (1, "Date"): datetime(2024, 2, 1)},
        whole={"Gross": spread(N, -900, 4_000), "Fee": [-value for value in spread(N, 0, 9)]},
        left_out={"TimeZone": CONSTANT, "Transaction ID": IDENTIFIER},
    ),
)  # fmt: skip
