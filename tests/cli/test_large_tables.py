"""The command line on Parquet tables of more rows than it holds in memory."""

import csv
import datetime
import decimal
import json
import re

import numpy as np
import pandas as pd
import pytest

from oddrank.cli import main
from oddrank.datasets import read_table
from oddrank.errors import OddrankWarning

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


def test_all_rows_of_a_large_file_are_ranked_on_and_listed(folder, tmp_path, capsys):
    out = tmp_path / "odd.csv"
    model = tmp_path / "best.skops"
    told = rank(folder, "plain.parquet", "--scores", str(out), "--save", str(model), capsys=capsys)
    assert "a sample of 1,000 of 9,000 rows · 2 features" in told.err
    assert "of 9,000 rows stand out" in told.out
    with out.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {rows[0]["row"], rows[1]["row"]} == {"17", "8500"}
    assert float(rows[0]["amount"]) == 5_000.0
    assert "amount 5000 is" in rows[0]["reasons"]
    command = ["evaluate", str(model), str(folder / "plain.parquet"), "--sample", "1000", "--json"]
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out)["excess_mass"]["value"] > 0.0


def test_columns_of_any_type_and_labels_work(folder, tmp_path, capsys):
    page = tmp_path / "page.html"
    options = ["--label", "fraud", "--json", "--html", str(page), "--no-importance"]
    told = rank(folder, "mixed.parquet", *options, capsys=capsys)
    found = json.loads(told.out)
    assert found["n_rows"] == N_ROWS
    assert found["features"] == ["amount", "weight", "country"]
    assert {each["row"] for each in found["odd_rows"][:2]} == {"row 17", "row 8500"}
    assert "row 17" in page.read_text(encoding="utf-8")


def test_where_numbers_are_texts_the_sample_alone_is_used(folder, capsys):
    with pytest.warns(OddrankWarning, match=r"of 9,000 rows is used, because 'amount' is stored"):
        table = read_table(folder / "text.parquet", sample=1_000, encode="auto", random_state=0)
    assert table.n_rows == 1_000
    assert table.beyond is None
    told = rank(folder, "text.parquet", capsys=capsys)
    assert "1,000 rows" in told.err
    assert "Only a sample of 1,000 of 9,000 rows is used" in told.err.replace("\n", " ")


def test_rows_of_a_sample_keep_their_numbers(folder, tmp_path, capsys):
    whole = pd.read_parquet(folder / "text.parquet")
    with pytest.warns(OddrankWarning, match="Only a sample"):
        table = read_table(folder / "text.parquet", sample=1_000, encode="auto", random_state=0)
    frame = table.frame()
    assert frame.index.max() > 1_000
    np.testing.assert_array_equal(frame.weight, whole.weight[frame.index])
    out = tmp_path / "odd.csv"
    found = json.loads(
        rank(folder, "text.parquet", "--json", "--scores", str(out), capsys=capsys).out
    )
    rows = pd.read_csv(out, index_col="row")
    assert len(rows) == 1_000
    np.testing.assert_allclose(rows.weight, whole.weight[rows.index])
    oddest = [int(each["row"].removeprefix("row ")) for each in found["odd_rows"]]
    assert set(oddest) <= set(rows.index)


def test_decimals_are_numbers_and_days_are_dates(tmp_path, capsys):
    random = np.random.default_rng(0)
    cents = [decimal.Decimal(int(cent)) / 100 for cent in random.integers(0, 10_000, 3_000)]
    days = [datetime.date(2024, 1, 1 + int(day)) for day in random.integers(0, 28, 3_000)]
    frame = pd.DataFrame({"price": cents, "day": days, "size": random.normal(size=3_000)})
    frame.to_parquet(tmp_path / "decimals.parquet")
    command = ["rank", str(tmp_path / "decimals.parquet"), "--sample", "500", "--json"]
    assert main([*command, "--detectors", "gaussian", "--jobs", "1"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["n_rows"] == 3_000
    assert "stored as text" not in told.err
    table = read_table(tmp_path / "decimals.parquet", sample=500, encode="auto", random_state=0)
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
    assert table.beyond is None


def test_a_folder_with_notes_of_who_wrote_it_is_sampled_too(folder, tmp_path):
    (tmp_path / "part-0.parquet").write_bytes((folder / "plain.parquet").read_bytes())
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".part-0.parquet.crc").write_text("")
    table = read_table(tmp_path, sample=500, random_state=0)
    assert table.n_rows == 500
    assert table.beyond.table.n_rows == N_ROWS


def test_a_small_and_a_large_table_go_together(folder, tmp_path, capsys):
    small = pd.read_parquet(folder / "plain.parquet").iloc[:400]
    small.to_parquet(tmp_path / "small.parquet")
    told = rank(tmp_path, "small.parquet", "--test", str(folder / "plain.parquet"), capsys=capsys)
    assert "of 9,000 rows stand" in told.out
    told = rank(folder, "plain.parquet", "--test", str(tmp_path / "small.parquet"), capsys=capsys)
    assert "9,000" not in told.out


def test_how_many_rows_a_model_knows_is_estimated_from_another_sample(folder, tmp_path, capsys):
    model = tmp_path / "best.skops"
    rank(folder, "plain.parquet", "--save", str(model), capsys=capsys)
    assert main(["evaluate", str(model), str(folder / "plain.parquet"), "--sample", "1000"]) == 0
    known = re.search(r"fitted on (\d+) % of these rows", capsys.readouterr().out)
    assert 8 <= int(known.group(1)) <= 14  # 1,000 of 9,000 rows, with a spread of 1 %
