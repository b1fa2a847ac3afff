"""Row i out is row i in: what is written beside scores is what was read, in the file's order."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.io.made_files import make_file

FAST = ("--detectors", "gaussian", "--jobs", "1", "--quiet")


def written(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def flags_of(told: dict[str, object]) -> list[str]:
    """Return what a user would say on the command line."""
    words = []
    for name, value in told.items():
        if name == "header":
            words.append("--header" if value else "--no-header")
        else:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return words


@pytest.mark.parametrize("seed", range(12))
def test_made_files_come_back_row_by_row(run, tmp_path, seed):
    made = make_file(seed, tmp_path, "text")
    names = list(made.truth)
    line = ",".join(f'"{name}"' for name in names)
    words = [*flags_of(made.told), "--columns", line]
    if made.categories:
        words += ["--categories", ",".join(f'"{name}"' for name in made.categories)]
    outcome = run("rank", made.path, *FAST, *words, "--scores", "rows.csv", "--save", "m.skops")
    assert outcome.code == 0, outcome.err
    rows = written("rows.csv")
    assert [[row[name] for name in names] for row in rows] == made.cells
    assert all(row["oddness"] for row in rows)
    outcome = run("score", "m.skops", made.path, "--out", "again.csv", "--quiet")
    assert outcome.code == 0, outcome.err
    again = written("again.csv")
    assert [[row[name] for name in names] for row in again] == made.cells
    assert [row["line"] for row in again] == [row["line"] for row in rows]


def messy_text(n_rows: int = 300) -> str:
    random = np.random.default_rng(0)
    lines = ["size,note,weight"]
    for i in range(n_rows):
        note = {3: '"two\nlines"', 7: '5" pipe', 11: '"say ""so"""'}.get(i % 20, "plain")
        size = 99.0 if i == 217 else random.normal()
        lines.append(f"{size:.3f},{note},{random.normal():.3f}")
        lines += [""] * (i % 50 == 0)
    return "\n".join(lines) + "\n"


def test_stray_quotes_long_cells_and_blank_lines_move_no_row(run):
    text = messy_text()
    Path("t.csv").write_text(text, encoding="utf-8")
    assert run("rank", "t.csv", *FAST, "--scores", "rows.csv").code == 0
    rows = written("rows.csv")
    assert len(rows) == 300
    oddest = max(rows, key=lambda row: float(row["oddness"]))
    assert oddest["size"] == "99.000"
    assert text.split("\n")[int(oddest["line"]) - 1].startswith("99.000,")


def test_blank_lines_of_one_column_are_scored(run):
    Path("t.csv").write_text("size\n" + "1.5\n\n2.5\n" * 180, encoding="utf-8")
    assert run("rank", "t.csv", *FAST, "--scores", "rows.csv").code == 0
    rows = written("rows.csv")
    assert len(rows) == 540
    assert all(row["oddness"] for row in rows)
    assert [row["size"] for row in rows[:3]] == ["1.5", "", "2.5"]


@pytest.mark.parametrize("ending", ["csv", "xlsx", "parquet"])
def test_a_file_that_is_replaced_during_the_run_changes_nothing(run, monkeypatch, ending):
    import oddrank

    frame = pd.DataFrame(
        np.random.default_rng(0).normal(size=(200, 2)).round(4), columns=["a", "b"]
    )
    write = {"csv": frame.to_csv, "xlsx": frame.to_excel, "parquet": frame.to_parquet}[ending]
    path = Path(f"t.{ending}")
    write(path, index=False)
    rank = oddrank.rank_detectors

    def replacing(*arguments, **options):
        path.write_bytes(b"other\n1\n2\n")
        return rank(*arguments, **options)

    monkeypatch.setattr("oddrank.rank_detectors", replacing)
    assert run("rank", path, *FAST, "--scores", "rows.csv").code == 0
    np.testing.assert_array_equal(pd.read_csv("rows.csv")[["a", "b"]], frame)


@pytest.mark.parametrize(
    ("old", "new", "refused"),
    [
        # new rows up to the 12th fit both orders: they are read day first, as before
        (lambda i: f"{1 + i % 28:02d}/01/2024", lambda i: f"{1 + i % 12:02d}/01/2024", ""),
        (lambda i: f"{1 + i % 28:02d}/01/2024", lambda i: f"01/{13 + i % 9}/2024", "'01/13/2024'"),
        (lambda i: f"{i % 9},{i % 7}5", lambda i: f"{i % 9},{i % 7}25", ""),
        (lambda i: f"{i % 9}.{i % 7}5", lambda i: f"{1 + i % 8},{i % 7}25", "'1,025'"),
        (lambda i: f"{i % 97}%", lambda i: f"0,{i % 97:02d}", "'0,00'"),
    ],
)
def test_new_rows_are_read_as_the_ranked_table_was(run, old, new, refused):
    def lines(make, n_rows):
        return "value;size\n" + "".join(f"{make(i)};{i % 13}\n" for i in range(n_rows))

    Path("old.csv").write_text(lines(old, 400), encoding="utf-8")
    Path("new.csv").write_text(lines(new, 20), encoding="utf-8")
    assert run("rank", "old.csv", *FAST, "--save", "m.skops").code == 0
    outcome = run("score", "m.skops", "new.csv", "--json", "--quiet")
    assert outcome.code == (2 if refused else 0), outcome.err
    if refused:
        assert refused in outcome.err
        assert "the table before held" in outcome.err
        return
    found = json.loads(outcome.out)
    assert found["n_flagged"] <= 2  # read otherwise, most of them would be
    kept = skip_columns(found["reading"])
    ranked = json.loads(run("rank", "old.csv", *FAST, "--json").out)["reading"]
    assert kept == skip_columns(ranked)


def skip_columns(reading: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in reading.items() if name != "columns"}


def test_a_flag_says_that_a_new_file_is_written_otherwise(run):
    random = np.random.default_rng(0)
    values = random.normal(50, 10, 300).round(2)
    Path("old.csv").write_text("v;n\n" + "".join(f"{v};1{i % 7}\n" for i, v in enumerate(values)))
    new = "v;n\n" + "".join(f"{v};1\n".replace(".", ",") for v in values[:20])
    Path("new.csv").write_text(new, encoding="utf-8")
    assert run("rank", "old.csv", *FAST, "--save", "m.skops").code == 0
    assert run("score", "m.skops", "new.csv", "--quiet").code == 2
    assert run("score", "m.skops", "new.csv", "--decimal", ",", "--quiet").code == 0


def random_rows(n_rows: int, n_columns: int, seed: int = 0) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(seed).normal(size=(n_rows, n_columns))).add_prefix(
        "c"
    )


def mostly_equal() -> pd.DataFrame:
    rows = random_rows(500, 4)
    rows.iloc[50:] = rows.iloc[0].to_numpy()
    return rows


DEGENERATE = {
    "90 % equal rows": mostly_equal,
    "two values": lambda: (random_rows(300, 2) > 0).astype(int),
    "one column of two values": lambda: (random_rows(300, 1) > 0).astype(int),
    "one level but for a row": lambda: random_rows(200, 1).assign(c=["a"] * 199 + ["b"]),
    "more columns than rows": lambda: random_rows(20, 60),
    "a column of gaps but for one": lambda: random_rows(100, 2).assign(c0=[1.5] + [None] * 99),
    "five rows": lambda: random_rows(5, 2),
    "categories only": lambda: pd.DataFrame(
        {"colour": list("abca") * 50, "form": list("xxyz") * 50}
    ),
}


@pytest.mark.parametrize("kind", DEGENERATE)
def test_degenerate_tables_get_a_ranking(run, kind):
    DEGENERATE[kind]().to_csv("t.csv", index=False)
    outcome = run("rank", "t.csv", "--detectors", "fast", "--jobs", "1", "-q", "--scores", "s.csv")
    assert outcome.code == 0, outcome.err
    assert len(written("s.csv")) == len(DEGENERATE[kind]())


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [None] * 50, "b": [None] * 50}),
        pd.DataFrame({"a": [1] * 50}),
        random_rows(2, 2),
        pd.DataFrame({"t": [f"text {i}" for i in range(50)]}),
        random_rows(200, 2) * 1e300,
    ],
    ids=["gaps", "constant", "two rows", "texts", "huge numbers"],
)
def test_tables_that_hold_nothing_get_one_sentence(run, frame):
    frame.to_csv("t.csv", index=False)
    outcome = run("rank", "t.csv", *FAST)
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
    assert outcome.err.startswith("oddrank: ")
