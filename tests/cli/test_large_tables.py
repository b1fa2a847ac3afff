"""The command line on Parquet tables of more rows than it holds in memory."""

import datetime
import decimal
import json
import re

import numpy as np
import pandas as pd
import pytest

from oddrank.cli import main
from oddrank.io import read_table

N_ROWS = 9_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "id": np.arange(N_ROWS) + 10**6,
            "amount": random.normal(50.0, 10.0, N_ROWS),
            "weight": random.normal(20.0, 4.0, N_ROWS),
            "country": random.choice(["DE", "FR", "IT"], N_ROWS),
            "fraud": (random.random(N_ROWS) < 0.01).astype(int),
        }
    )
    frame.loc[[17, 8_500], "amount"] = 5_000.0
    frame[["amount", "weight"]].to_parquet(folder / "plain.parquet", row_group_size=2_000)
    frame.to_parquet(folder / "mixed.parquet", row_group_size=2_000, index=False)
    frame.assign(amount=frame.amount.astype(str)).to_parquet(folder / "text.parquet", index=False)
    return folder


def rank(folder, name, *options, capsys):
    command = ["rank", str(folder / name), "--sample", "1000", "--detectors", "gaussian,mixture"]
    assert main([*command, "--jobs", "1", *options]) == 0
    return capsys.readouterr()


def test_a_large_table_is_ranked_on_a_sample_and_scored_in_chunks(folder, tmp_path, capsys):
    out, model = tmp_path / "odd.csv", tmp_path / "best.skops"
    told = rank(folder, "plain.parquet", "--scores", str(out), "--save", str(model), capsys=capsys)
    assert "a sample of 1,000 of 9,000 rows (--sample) · 2 features" in told.err
    written = pd.read_csv(out)
    assert len(written) == 9_000
    assert written["oddness"].notna().sum() == 1_000
    whole = pd.read_parquet(folder / "plain.parquet")
    np.testing.assert_allclose(written["amount"], whole["amount"])
    table = str(folder / "plain.parquet")
    assert main(["score", str(model), table, "--sample", "1000", "--out", str(out)]) == 0
    told = capsys.readouterr()
    assert re.search(r"of 9,000 rows stands? out", told.out)
    rows, whole = pd.read_csv(out), pd.read_parquet(table)
    assert rows["row"].tolist() == list(range(N_ROWS))
    np.testing.assert_allclose(rows["amount"], whole["amount"])
    assert set(rows.nlargest(2, "oddness")["row"]) == {17, 8_500}
    assert main(["score", str(model), table, "--sample", "1000", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {each["row"] for each in found["oddest"][:2]} == {17, 8_500}
    assert found["n_flagged"] == (rows["flagged"] == "yes").sum()
    assert main(["evaluate", str(model), table, "--sample", "1000", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["excess_mass"]["value"] > 0.0


def test_chunks_are_scored_as_all_rows_at_once_are(folder, tmp_path, capsys):
    model, at_once, chunks = (tmp_path / name for name in ("m.skops", "a.csv", "b.csv"))
    rank(folder, "plain.parquet", "--save", str(model), capsys=capsys)
    command = ["score", str(model), str(folder / "plain.parquet"), "--out"]
    assert main([*command, str(at_once)]) == 0
    assert main([*command, str(chunks), "--sample", "1000"]) == 0
    first, second = (pd.read_csv(path) for path in (at_once, chunks))
    for name in ("row", "oddness", "p_value", "adjusted_p_value", "flagged", "weight"):
        pd.testing.assert_series_equal(first[name], second[name])


def test_columns_of_any_type_and_labels_work(folder, tmp_path, capsys):
    page, model = tmp_path / "page.html", tmp_path / "best.skops"
    options = ["--label", "fraud", "--json", "--html", str(page), "--save", str(model)]
    found = json.loads(rank(folder, "mixed.parquet", *options, capsys=capsys).out)
    assert found["n_rows"] == 1_000
    assert found["features"] == ["amount", "weight", "country"]
    command = ["score", str(model), str(folder / "mixed.parquet"), "--sample", "1000", "--json"]
    assert main(command) == 0
    found = json.loads(capsys.readouterr().out)
    assert {each["row"] for each in found["oddest"][:2]} == {17, 8_500}


def test_text_files_are_sampled_too(folder, tmp_path, capsys):
    whole = pd.read_parquet(folder / "plain.parquet")
    whole.to_csv(tmp_path / "plain.csv", index=False)
    out = tmp_path / "odd.csv"
    told = rank(tmp_path, "plain.csv", "--scores", str(out), capsys=capsys)
    assert "a sample of 1,000 of 9,000 rows" in told.err
    assert "1,000 rows have scores: those of the sample" in told.err
    rows = pd.read_csv(out)
    assert len(rows) == 9_000
    assert rows["oddness"].notna().sum() == 1_000
    # the first line holds the names
    np.testing.assert_allclose(rows["amount"], whole["amount"][rows["line"] - 2])


def test_rows_of_a_sample_keep_their_numbers(folder):
    whole = pd.read_parquet(folder / "text.parquet")
    table = read_table(folder / "text.parquet", sample=1_000, random_state=0)
    frame = table.X.set_axis(table.row_numbers)
    assert table.n_rows == 1_000
    assert frame.index.max() > 1_000
    np.testing.assert_array_equal(frame.weight, whole.weight[frame.index])


def test_decimals_are_numbers_and_days_are_dates(tmp_path, capsys):
    random = np.random.default_rng(0)
    cents = [decimal.Decimal(int(cent)) / 100 for cent in random.integers(0, 10_000, 3_000)]
    days = [datetime.date(2024, 1, 1 + int(day)) for day in random.integers(0, 28, 3_000)]
    frame = pd.DataFrame({"price": cents, "day": days, "size": random.normal(size=3_000)})
    frame.to_parquet(tmp_path / "decimals.parquet")
    command = ["rank", str(tmp_path / "decimals.parquet"), "--sample", "500", "--json"]
    assert main([*command, "--detectors", "gaussian", "--jobs", "1"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["n_rows"] == 500
    table = read_table(tmp_path / "decimals.parquet", sample=500, random_state=0)
    assert table.kinds == ("number", "date", "number")


def test_a_sample_belongs_to_its_seed(folder):
    first, again, other = (
        read_table(folder / "plain.parquet", sample=500, random_state=seed).X for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_table_that_fits_is_read_whole(folder):
    table = read_table(folder / "plain.parquet", sample=N_ROWS)
    assert table.n_rows == N_ROWS
    assert table.sample is None


def test_a_folder_with_notes_of_who_wrote_it_is_sampled_too(folder, tmp_path):
    (tmp_path / "part-0.parquet").write_bytes((folder / "plain.parquet").read_bytes())
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".part-0.parquet.crc").write_text("")
    table = read_table(tmp_path, sample=500, random_state=0)
    assert table.n_rows == 500
    assert table.sample.n_rows == N_ROWS


def test_how_many_rows_a_model_knows_is_estimated_from_another_sample(folder, tmp_path, capsys):
    model = tmp_path / "best.skops"
    rank(folder, "plain.parquet", "--save", str(model), capsys=capsys)
    assert main(["evaluate", str(model), str(folder / "plain.parquet"), "--sample", "1000"]) == 0
    known = re.search(r"fitted on (\d+) % of these rows", capsys.readouterr().out)
    assert 8 <= int(known.group(1)) <= 14  # 1,000 of 9,000 rows, with a spread of 1 %


def test_samples_are_drawn_from_the_rows_that_are_left(tmp_path):
    frame = pd.DataFrame({"a": np.random.default_rng(0).normal(size=5_000), "b": 1.0})
    frame["b"] = frame["a"] * 2.0
    frame.loc[300:, "b"] = np.nan
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    table = read_table(tmp_path / "gaps.csv", drop_gaps=True, sample=100, random_state=0)
    assert table.n_rows == 100
    assert table.row_numbers.max() < 300


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda frame: frame.drop(columns="weight"), "has no column 'weight'"),
        (lambda frame: frame.assign(weight="heavy"), "held numbers there"),
    ],
)
def test_chunks_that_contradict_the_model_are_refused(folder, tmp_path, capsys, change, sentence):
    model = tmp_path / "best.skops"
    rank(folder, "plain.parquet", "--save", str(model), capsys=capsys)
    change(pd.read_parquet(folder / "plain.parquet")).to_parquet(tmp_path / "new.parquet")
    assert main(["score", str(model), str(tmp_path / "new.parquet"), "--sample", "1000"]) == 2
    assert sentence in capsys.readouterr().err


def test_chunks_are_read_as_the_ranked_table_was(tmp_path, capsys):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "amount": random.normal(size=3_000),
            "paid": random.choice(["yes", "no"], 3_000),
            "count": pd.array(random.integers(0, 100, 3_000), dtype="Int64"),
        }
    )
    frame.loc[5, "count"] = pd.NA
    frame.to_parquet(tmp_path / "mixed.parquet")
    model, out = tmp_path / "best.skops", tmp_path / "out.csv"
    rank(tmp_path, "mixed.parquet", "--save", str(model), capsys=capsys)
    words = ["score", str(model), str(tmp_path / "mixed.parquet"), "--out", str(out)]
    assert main([*words, "--sample", "500"]) == 0, capsys.readouterr().err
    assert pd.read_csv(out)["row"].tolist() == list(range(3_000))


def test_a_column_that_numbers_the_rows_is_skipped_in_a_sample_too(tmp_path):
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"payment": np.arange(4_000) + 10_001, "a": random.normal(size=4_000)})
    frame.assign(b=random.normal(size=4_000)).to_parquet(tmp_path / "counted.parquet")
    table = read_table(tmp_path / "counted.parquet", sample=500, random_state=0)
    assert table.feature_names == ("a", "b")
    assert [each.column for each in table.left_out] == ["payment"]
