"""The command line on tables as people have them: categories, dates, gaps, several files."""

import io
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

FAST = ("--detectors", "forest,gaussian", "--jobs", "1", "--no-importance")


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
    assert "skipped 'order_no' (row numbers" in outcome.err
    assert "; --columns amount,country,when,paid,rating,order_no)" in outcome.err
    assert "free text" in outcome.err
    assert "--label fraud" in outcome.err
    assert "missing values are imputed in every fold" in outcome.err
    assert "--gaps drop" in outcome.err


def test_numbers_alone_if_asked(run, sales_csv):
    names, outcome = features(run, sales_csv, "--encode", "none")
    assert names == ["amount"]
    assert "skipped 'country'" in outcome.err
    assert "--encode auto" in outcome.err


@pytest.mark.parametrize("gaps", ["drop", "impute", "keep"])
def test_gaps_are_dealt_with_as_asked(run, sales_csv, gaps):
    _, outcome = features(run, sales_csv, "--gaps", gaps)
    word = {"drop": "Dropped", "impute": "imputed in every fold", "keep": "Kept"}[gaps]
    assert word in outcome.err


def test_a_saved_model_takes_raw_files(run, sales_csv, tmp_path):
    run("rank", sales_csv, *FAST, "--save", "best.skops", "--save-committee", "all.skops", "-q")
    new = tmp_path / "new.csv"
    sales(seed=1).assign(country="GB").to_csv(new, index=False)
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
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    _, piped = features(run, "-")
    assert "standard input: 240 rows" in piped.err


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
    assert "20 rows repeat an earlier row; --drop-duplicates drops them" in outcome.err
    _, outcome = features(run, path, "--drop-duplicates")
    assert "100 rows" in outcome.err


def test_volumes_are_refused_in_words_of_the_command_line(run, sales_csv):
    outcome = run("rank", sales_csv, *FAST, "--judge", "volume")
    assert outcome.code == 2
    assert "--encode none --gaps drop" in outcome.err


def test_few_rows_are_a_guess(run, tmp_path):
    path = tmp_path / "few.csv"
    sales(40).to_csv(path, index=False)
    outcome = run("rank", path, *FAST)
    assert "This is a guess: there are only 20 test" in outcome.out


def test_the_former_option_is_refused_with_the_new_one(run, sales_csv):
    outcome = run("rank", sales_csv, "--impute", "median")
    assert outcome.code == 2
    assert "--gaps impute" in outcome.err


def test_scores_are_written_with_the_users_values(run, sales_csv):
    run("rank", sales_csv, *FAST, "--scores", "rows.csv", "-q")
    written = pd.read_csv("rows.csv")
    assert set(written["country"]) == {"DE", "FR", "US"}
    assert written["rating"].isna().any()
    assert Path("rows.csv").read_text().count("\n") == 241


def test_importances_and_tuning_take_raw_tables(run, sales_csv):
    outcome = run("importance", sales_csv, "--draws", "12", "--jobs", "1", "--json")
    assert outcome.code == 0, outcome.err
    assert {each["feature"] for each in json.loads(outcome.out)["features"]} >= {"country", "when"}
    outcome = run("tune", "forest", sales_csv, "--grid", "max_samples=32,64", "--jobs", "1")
    assert outcome.code == 0, outcome.err
