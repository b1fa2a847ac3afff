"""Files whose truth is known: what was meant is made first, and then written in a random way."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

WORDS = ["red", "blue", "Köln", "São Paulo", "a b", "it's", "NA", "None", "x-1", "東京", "Łódź"]
HARD_WORDS = [
    'say "so"',
    "one, two",
    "semi;colon",
    "tab\there",
    "two\nlines",
    " blanks ",
    "#hash",
    '5" pipe',
    "|bar|",
]
GAPS = ["", "NA", "N/A", "null", "?", "-"]
ORDERS = {"dmy": ["%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y %H:%M"], "mdy": ["%m/%d/%Y", "%m/%d/%Y %H:%M"],
          "ymd": ["%Y-%m-%d", "%Y/%m/%d", "%Y-%m-%d %H:%M:%S"]}  # fmt: skip


@dataclass(frozen=True)
class MadeFile:
    """A file, what it means, and what a user could say about it."""

    path: Path
    truth: dict[str, list[Any]]
    cells: list[list[str]]
    told: dict[str, Any] = field(default_factory=dict)
    categories: list[str] = field(default_factory=list)


def make_file(seed: int, folder: Path, kind: str | None = None) -> MadeFile:
    """Make a table of 60 rows or more, and write it as "text", a "sheet" or "parquet"."""
    random = np.random.default_rng(seed)
    kind = kind or random.choice(["text", "text", "text", "text", "sheet", "parquet"])
    n_rows = int(random.integers(60, 90))
    if kind == "text":
        return _text_file(random, n_rows, folder / f"made{seed}.csv")
    return _typed_file(random, n_rows, folder / f"made{seed}", kind)


def _pick(random: np.random.Generator, options: list[Any]) -> Any:
    return options[int(random.integers(len(options)))]


def _text_file(random: np.random.Generator, n_rows: int, path: Path) -> MadeFile:
    separator = _pick(random, [",", ",", ";", "\t", "|", "blanks"])
    decimal = "," if separator in (";", "\t") and random.random() < 0.6 else "."
    thousands = _pick(random, ["", "", "." if decimal == "," else ","])
    order = _pick(random, ["dmy", "mdy", "ymd"])
    hard = separator != "blanks" and random.random() < 0.4
    makers: list[Callable[..., tuple[list[Any], list[str]]]] = [
        _integers, _floats, _floats, _words, _dates, _percents, _large, _three_digits, _clock
    ]  # fmt: skip
    names, truth, texts, categories = [], {}, [], []
    n_columns = int(random.integers(2 if separator == "blanks" else 1, 8))
    for j in range(n_columns):
        maker = _pick(random, makers)
        name = _pick(random, ["size", "wert", "größe", "#x", "a b", "column, with comma"])
        name = f"{name}{j}" if not name.isdigit() else name + str(j)
        if separator == "blanks":
            name = name.replace(" ", "").replace(",", "")
        values, written = maker(random, n_rows, decimal=decimal, thousands=thousands, order=order,
                                hard=hard, blanks=separator == "blanks")  # fmt: skip
        written = _with_gaps(random, values, written, one_word=separator == "blanks")
        names.append(name)
        truth[name] = values
        texts.append(written)
        if maker is _words:
            categories.append(name)
    header = random.random() < 0.85
    if not header:
        truth = {f"x{j}": values for j, values in enumerate(truth.values())}
        categories = [f"x{names.index(name)}" for name in categories]
    rows = [list(row) for row in zip(*texts, strict=True)]
    lines = [names, *rows] if header else rows
    told = {"separator": separator, "decimal": decimal, "thousands": thousands, "dates": order,
            "header": header, "quote": '"'}  # fmt: skip
    body = _written(random, lines, separator)
    end = _pick(random, ["\n", "\n", "\r\n"])
    body = body.replace("\r\n", "\n")
    if end == "\r\n" and not hard:
        body = body.replace("\n", "\r\n")
    if random.random() < 0.15 and len(names) > 1:
        body += end * int(random.integers(1, 4))
    n_titles = int(random.random() < 0.1 and n_columns > 1) * int(random.integers(1, 3))
    body = "Report\n" * n_titles + body
    told["skip_rows"] = n_titles
    encoding = _pick(random, ["utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1252", "cp1250"])
    try:
        content = body.encode(encoding)
    except UnicodeEncodeError:
        encoding, content = "utf-8", body.encode()
    told["encoding"] = encoding
    if random.random() < 0.1:
        path, content = path.with_suffix(".csv.gz"), gzip.compress(content)
    path.write_bytes(content)
    return MadeFile(path, truth, rows, told, categories)


def _written(random: np.random.Generator, lines: list[list[str]], separator: str) -> str:
    quoting = _pick(random, [csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    text = io.StringIO()
    if separator == "blanks":
        for line in lines:
            cells = [f'"{cell}"' if " " in cell or not cell else cell for cell in line]
            text.write(" " * int(random.integers(0, 3)) + "   ".join(cells) + "\n")
        return text.getvalue()
    csv.writer(text, delimiter=separator, quoting=quoting, lineterminator="\n").writerows(lines)
    return text.getvalue()


def _with_gaps(
    random: np.random.Generator, values: list[Any], written: list[str], *, one_word: bool
) -> list[str]:
    """Put gaps into a third of the columns."""
    if random.random() > 0.35:
        return written
    text = isinstance(values[0], str)
    word = "" if text and not one_word else _pick(random, GAPS[1:] if one_word else GAPS)
    if text and one_word:
        return written
    for row in random.choice(len(values), int(random.integers(1, 8)), replace=False).tolist():
        values[row], written[row] = None, word
    return written


def _number(value: float, digits: int, decimal: str, thousands: str) -> str:
    text = f"{value:,.{digits}f}" if thousands else f"{value:.{digits}f}"
    return text.replace(",", "T").replace(".", decimal).replace("T", thousands)


def _integers(random: Any, n: int, **_: Any) -> tuple[list[Any], list[str]]:
    values = random.integers(-50, 5000, n).tolist()
    return [float(v) for v in values], [str(v) for v in values]


def _floats(random: Any, n: int, *, decimal: str, thousands: str, **_: Any) -> Any:
    digits = int(random.integers(1, 5))
    values = [round(float(v), digits) for v in random.normal(0, 10 ** random.uniform(0, 4), n)]
    return values, [_number(v, digits, decimal, thousands) for v in values]


def _large(random: Any, n: int, *, decimal: str, thousands: str, **_: Any) -> Any:
    values = [float(v) for v in random.integers(1, 2_000_000, n)]
    return values, [_number(v, 0, decimal, thousands) for v in values]


def _three_digits(random: Any, n: int, *, decimal: str, thousands: str, **_: Any) -> Any:
    values = [round(float(v), 3) for v in random.uniform(1, 999, n)]
    return values, [_number(v, 3, decimal, thousands) for v in values]


def _percents(random: Any, n: int, *, decimal: str, **_: Any) -> Any:
    values = [round(float(v), 1) for v in random.uniform(0, 100, n)]
    return [float(f"{v}e-2") for v in values], [_number(v, 1, decimal, "") + "%" for v in values]


def _words(random: Any, n: int, *, hard: bool, blanks: bool, **_: Any) -> Any:
    words = WORDS + (HARD_WORDS if hard else [])
    words = [word for word in words if '"' not in word] if blanks else words
    values = [str(_pick(random, words)) for _ in range(n)]
    return values, list(values)


def _dates(random: Any, n: int, *, order: str, blanks: bool, **_: Any) -> Any:
    form = _pick(random, ORDERS[order])
    # a month of days leaves the order open where all of them are below 13
    days = int(_pick(random, [11, 400, 4000]))
    start = datetime(2023, int(random.integers(1, 12)), 1)
    after = zip(random.integers(0, days, n), random.integers(0, 1440, n), strict=True)
    stamps = [start + timedelta(days=int(d), minutes=int(m)) for d, m in after]
    written = [stamp.strftime(form) for stamp in stamps]
    return [pd.Timestamp(datetime.strptime(text, form)) for text in written], written


def _clock(random: Any, n: int, **_: Any) -> Any:
    minutes = random.integers(0, 1440, n).tolist()
    return [pd.Timedelta(minutes=m) for m in minutes], [
        f"{m // 60:02d}:{m % 60:02d}" for m in minutes
    ]


def _typed_file(random: np.random.Generator, n_rows: int, path: Path, kind: str) -> MadeFile:
    frame = pd.DataFrame({
        "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 900, n_rows), "h"),
        "size": random.normal(size=n_rows).round(4),
        "count": random.integers(0, 9, n_rows),
        "word": [str(_pick(random, WORDS)) for _ in range(n_rows)],
        "flag": random.random(n_rows) < 0.5,
    })  # fmt: skip
    frame = frame[[name for name in frame if random.random() < 0.8] or ["size"]]
    if "size" in frame:
        frame.loc[random.choice(n_rows, 4, replace=False), "size"] = np.nan
    if kind == "parquet":
        path = path.with_suffix(".parquet")
        frame.to_parquet(path, index=False)
    else:
        path = path.with_suffix(_pick(random, [".xlsx", ".xlsx", ".ods"]))
        frame.to_excel(
            path,
            index=False,
            startrow=int(random.integers(0, 3)),
            startcol=int(random.integers(0, 2)),
            engine="odf" if path.suffix == ".ods" else "openpyxl",
        )
    truth = {
        name: [None if pd.isna(value) else float(value) if isinstance(value, int | float)
               and not isinstance(value, bool) else value for value in column.tolist()]
        for name, column in frame.items()
    }  # fmt: skip
    return MadeFile(path, truth, [], {}, ["word"] if "word" in frame else [])
