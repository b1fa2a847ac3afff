"""Files that are no tables, or tables that do not line up: refused, in a sentence."""

from __future__ import annotations

import json

from tests.io.everyday.everyday_file import EverydayFile, N, delimited, pick, spread

ROWS = [{"price": price, "town": town}
        for price, town in zip(spread(N, 1, 90), pick(N, "Rome", "Oslo"), strict=True)]  # fmt: skip
GOOD = delimited({"price": spread(N, 1, 90), "town": pick(N, "Rome", "Oslo")})
PAGE = "<html><body><table>{}</table></body></html>".format(
    "".join(f"<tr><td>{row['price']}</td><td>{row['town']}</td></tr>" for row in ROWS)
)


def ragged() -> bytes:
    lines = GOOD.splitlines()
    lines[31] += ",extra"
    return ("\n".join(lines) + "\n").encode()


REFUSED_FILES = (
    EverydayFile(name="records.json", content=json.dumps(ROWS).encode(), refusal="JSON"),
    EverydayFile(
        name="records.jsonl", content="\n".join(map(json.dumps, ROWS)).encode(), refusal="JSON"
    ),
    EverydayFile(name="page_saved_as.xls", content=PAGE.encode(), refusal="markup|HTML"),
    EverydayFile(name="nothing.csv", content=b"", refusal=r"nothing\.csv is empty"),
    EverydayFile(name="blank_lines_only.csv", content=b"\n\n\n", refusal="is empty"),
    EverydayFile(
        name="names_only.csv", content=b"price,town\n", refusal="has column names and no rows"
    ),
    EverydayFile(
        name="form_without_values.csv", content=b"price,town\n" + b",\n" * 30,
        refusal=r"form_without_values\.csv has .*no (rows|values)",
    ),
    EverydayFile(
        name="ragged_in_the_middle.csv", content=ragged(),
        refusal="ragged_in_the_middle.csv.* has 3 values where 2 are expected",
    ),
    EverydayFile(
        name="scanned.csv", content=b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type >>\nendobj\n",
        refusal=r"scanned\.csv",
    ),
    EverydayFile(
        name="same_name_twice.csv", content=GOOD.replace("town", "price", 1).encode(),
        refusal="more than one column called 'price'",
    ),
)  # fmt: skip
