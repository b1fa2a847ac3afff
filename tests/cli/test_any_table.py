"""The command line on tables as people have them: categories, dates, gaps, several files."""

import gc
import io
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

FAST = ("--detectors", "gaussian,mixture", "--jobs", "1")


def sales(n_rows=240, seed=0):
    random = np.random.default_rng(seed)
    country = random.choice(["DE", "FR", "US"], n_rows, p=[0.6, 0.3, 0.1])
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 10**7, n_rows), "s")
    frame = pd.DataFrame(
        {
            "order_no": np.arange(5000, 5000 + n_rows),
            "amount": [f"${value:,.2f}" for value in np.exp(random.normal(6.0, 1.0, n_rows))],
            "country": country,
            "when": when.strftime("%Y-%m-%d %H:%M"),
            "paid": random.choice(["yes", "no"], n_rows),
            "rating": random.integers(1, 6, n_rows).astype(float),
            "comment": [f"text {random.integers(10**9)}" for _ in range(n_rows)],
            "fraud": (random.random(n_rows) < 0.05).astype(int),
        }
    )
    frame.loc[random.random(n_rows) < 0.2, "rating"] = None
    return frame


@pytest.fixture
def sales_csv(tmp_path):
    path = tmp_path / "sales.csv"
    sales().to_csv(path, index=False)
    return path


def features(run, *words):
    outcome = run("rank", *words, *FAST, "--json", "--verbose")
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)["features"], outcome


def test_every_column_that_carries_information_is_used(run, sales_csv):
    names, outcome = features(run, sales_csv)
    assert names == ["amount", "country", "when", "paid", "rating"]
    told = " ".join(outcome.err.split())
    assert "'order_no' (row numbers)" in told
    assert "'comment' (one text per row" in told
    assert "--use order_no,comment or --label fraud" in told
    assert "gaps filled with the median" in told
    names, outcome = features(run, sales_csv, "--use", "comment,order_no")
    assert {"comment", "order_no"} < set(names)


def test_rows_with_gaps_are_left_out_if_asked(run, sales_csv):
    _, outcome = features(run, sales_csv)
    assert "240 rows" in outcome.err
    n_gaps = int(sales()["rating"].isna().sum())
    _, outcome = features(run, sales_csv, "--drop-gaps")
    assert f"! {n_gaps} rows with gaps left out." in outcome.err


def test_a_saved_model_takes_raw_files(run, sales_csv, tmp_path):
    run("rank", sales_csv, *FAST, "--save", "all.skops", "-q")
    new = tmp_path / "new.csv"
    sales(seed=1).assign(country="GB").to_csv(new, index=False)
    run("rank", sales_csv, *FAST, "--save", "best.skops", "--detector", "gaussian", "-q")
    for model in ("best.skops", "all.skops"):
        outcome = run("evaluate", model, new, "--json")
        assert outcome.code == 0, outcome.err
        assert json.loads(outcome.out)["measure"] == "mixture of 6 measures"
        assert "that the model was fitted on" not in outcome.err
        outcome = run("score", model, new, "--json")
        assert json.loads(outcome.out)["n_rows"] == 240
    known = run("evaluate", "best.skops", sales_csv)
    assert "The model was fitted on 100 % of these rows" in known.out
    sales().drop(columns="country").to_csv(new, index=False)
    outcome = run("score", "best.skops", new)
    assert outcome.code == 2
    assert "has no column 'country'" in outcome.err


def test_several_files_a_folder_and_standard_input(run, tmp_path, monkeypatch):
    folder = tmp_path / "months"
    folder.mkdir()
    for month in range(3):
        sales(80, seed=month).to_csv(folder / f"{month}.csv", index=False)
    _, joined = features(run, folder)
    _, listed = features(run, *sorted(folder.glob("*.csv")))
    assert "240 rows" in joined.err
    assert "240 rows" in listed.err
    content = sales().to_csv(index=False).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))
    _, piped = features(run, "-")
    assert "standard input  240 rows" in piped.err
    assert "3 files are read as one table" in joined.err
    (folder / "notes.docx").write_bytes(b"PK")
    assert "Not read: notes.docx." in features(run, folder)[1].err


def test_a_workbook(run, tmp_path):
    path = tmp_path / "sales.xlsx"
    sales().to_excel(path, index=False)
    names, _ = features(run, path)
    assert "country" in names


def test_repeated_rows_are_told_and_dropped_if_asked(run, tmp_path):
    path = tmp_path / "twice.csv"
    pd.concat([sales(100), sales(100)[:20]]).drop(columns=["order_no", "comment"]).to_csv(
        path, index=False
    )
    _, outcome = features(run, path)
    assert "20 repeated rows (--drop-duplicates leaves them out)" in outcome.err
    _, outcome = features(run, path, "--drop-duplicates")
    assert "100 rows" in outcome.err
    assert "20 repeated rows left out" in outcome.err


def test_a_name_with_a_comma_is_quoted(run, sales_csv):
    sales().rename(columns={"amount": "amount, USD"}).to_csv(sales_csv, index=False)
    names, outcome = features(run, sales_csv, "--columns", 'country, "amount, USD"')
    assert names == ["country", "amount, USD"]
    sales().rename(columns={"order_no": "order, number"}).to_csv(sales_csv, index=False)
    _, outcome = features(run, sales_csv)
    assert """--use '"order, number",comment'""" in " ".join(outcome.err.split())


def test_one_row_is_one_row(run, sales_csv):
    frame = sales().drop(columns="rating")
    frame.loc[3, "country"] = None
    frame.to_csv(sales_csv, index=False)
    assert "! 1 row with gaps left out" in run("rank", sales_csv, *FAST, "--drop-gaps").err


def test_a_first_line_of_data_is_told_and_a_flag_decides(run, tmp_path):
    rows = np.random.default_rng(0).normal(size=(120, 3)).round(4)
    pd.DataFrame(rows).to_csv(tmp_path / "rows.csv", index=False, header=False)
    outcome = run("rank", tmp_path / "rows.csv", *FAST)
    assert "120 rows" in outcome.err
    assert "no line of names" in outcome.err
    told = run("rank", tmp_path / "rows.csv", *FAST, "--header")
    assert "119 rows" in told.err
    assert "first line holds names" in told.err


def test_volumes_are_refused_in_words_of_the_command_line(run, sales_csv):
    outcome = run("rank", sales_csv, *FAST, "--judge", "volume")
    assert outcome.code == 2
    assert "with --columns and --drop-gaps" in outcome.err


def test_one_feature_is_no_features(run, tmp_path):
    path = tmp_path / "one.csv"
    pd.DataFrame({"x": np.random.default_rng(0).normal(size=200)}).to_csv(path, index=False)
    assert "200 rows · 1 feature\n" in run("rank", path, *FAST).err


def test_few_rows_are_a_guess(run, tmp_path):
    path = tmp_path / "few.csv"
    sales(40).to_csv(path, index=False)
    outcome = run("rank", path, *FAST)
    assert "This is a guess: there are only 20 test" in outcome.out


def test_scores_are_written_with_the_users_values(run, sales_csv):
    run("rank", sales_csv, *FAST, "--scores", "rows.csv", "-q")
    written = pd.read_csv("rows.csv")
    assert set(written["country"]) == {"DE", "FR", "US"}
    assert written["rating"].isna().any()
    assert Path("rows.csv").read_text(encoding="utf-8").count("\n") == 241


WRITERS = {
    "sales.parquet": lambda frame, path: frame.to_parquet(path),
    "sales.feather": lambda frame, path: frame.to_feather(path),
    "sales.xlsx": lambda frame, path: frame.to_excel(path, index=False, startrow=2),
}


@pytest.mark.parametrize("name", WRITERS)
def test_scores_keep_every_column_of_every_format(run, tmp_path, name):
    frame = sales()
    WRITERS[name](frame, tmp_path / name)
    words = ("--drop-gaps", "--scores", "rows.csv", "-q")
    assert run("rank", tmp_path / name, *FAST, *words).code == 0
    written = pd.read_csv("rows.csv", dtype={"rating": float})
    pd.testing.assert_frame_equal(written[list(frame.columns)], frame, check_dtype=False)
    assert "order_no" in written  # which no detector saw
    first = 4 if name.endswith("xlsx") else 0
    called = "line" if name.endswith("xlsx") else "row"
    assert written[called].tolist() == list(range(first, first + len(frame)))
    dropped = written["reasons"].fillna("").str.startswith("not scored")
    assert dropped.tolist() == frame["rating"].isna().tolist()
    assert written["oddness"].isna().tolist() == dropped.tolist()


def test_scores_of_standard_input(run, monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", None)
    content = sales().to_csv(index=False).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))
    outcome = run("rank", "-", *FAST, "--scores", "rows.csv", "-q")
    assert outcome.code == 0, outcome.err
    written = pd.read_csv("rows.csv")
    assert written["comment"].tolist() == sales()["comment"].tolist()
    gc.collect()
    assert not list((tmp_path / "temporary").glob("oddrank*"))  # the copy is gone


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_rows_of_several_files_are_called_by_their_file(run, tmp_path, ending):
    for month in range(2):
        frame = sales(120, seed=month)
        frame["amount"] = np.exp(np.random.default_rng(month).normal(6.0, 1.0, 120))
        frame.loc[7 + month, "amount"] = 1e6
        path = tmp_path / f"{month}.{ending}"
        frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    paths = [tmp_path / f"{month}.{ending}" for month in range(2)]
    words = ("--scores", "rows.csv", "--save", "best.skops", "-q")
    outcome = run("rank", *paths, *FAST, *words)
    called = [f"0.{ending} line 9 ", f"1.{ending} line 10 "]
    if ending == "parquet":
        called = [f"0.{ending} row 7 ", f"1.{ending} row 8 "]
    assert all(each in outcome.out for each in called), outcome.out
    written = pd.read_csv("rows.csv")
    assert written["file"].tolist() == [f"0.{ending}"] * 120 + [f"1.{ending}"] * 120
    assert "comment" in written  # all columns, also those that are not used
    found = json.loads(run("score", "best.skops", *paths, "--json", "-q").out)
    number = "line" if ending == "csv" else "row"
    oddest = [f"{each['file']} {number} {each[number]} " for each in found["oddest"]]
    # the model was fitted on these rows, and a fold that has seen one of the two finds it ordinary
    assert oddest[0] in called or oddest[1] in called
    assert {each["file"] for each in found["oddest"]} <= {path.name for path in paths}
    assert f"0.{ending} " in run("score", "best.skops", *paths, "-q").out


def test_importances_and_tuning_take_raw_tables(run, sales_csv):
    words = ("importance", sales_csv, "--detector", "gaussian", "--draws", "12", "--jobs", "1")
    outcome = run(*words, "--json")
    assert outcome.code == 0, outcome.err
    assert {each["feature"] for each in json.loads(outcome.out)["features"]} >= {"country", "when"}
    outcome = run("tune", "lof", sales_csv, "--grid", "n_neighbors=5,20", "--jobs", "1")
    assert outcome.code == 0, outcome.err


@pytest.mark.parametrize("asked", [(), ("--details",), ("--json",)], ids=" ".join)
def test_a_pipe_whose_encoding_lacks_our_signs_gets_other_letters(
    run, monkeypatch, tmp_path, asked
):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(200, 2)), columns=["Größe", "重さ 😀"])
    frame.iloc[7, 1] = 40.0
    frame.to_csv(tmp_path / "a.csv", index=False)
    pipe = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")  # as a pipe on Windows
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", pipe)
        code = run("rank", "a.csv", *FAST, "--quiet", *asked).code
        pipe.flush()
    written = pipe.buffer.getvalue().decode("cp1252")
    assert code == 0
    if asked == ("--json",):
        assert "重さ 😀" in json.dumps(json.loads(written), ensure_ascii=False)
    else:
        assert "Use " in written
        assert "#####" in written
        assert r"\u91cd\u3055" in written
