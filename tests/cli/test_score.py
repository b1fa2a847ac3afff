"""`oddrank score`: which rows of a new table are odd."""

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn
import skops.io
from sklearn.covariance import EllipticEnvelope

FAST = ("--detectors", "gaussian", "--jobs", "1", "--quiet")


def payments(n_rows=600, seed=0):
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "payment_id": np.arange(10_000, 10_000 + n_rows),
            "amount": random.normal(100.0, 10.0, n_rows).round(2),
            "shop": random.choice(["web", "store"], n_rows),
            "hours": random.normal(8.0, 1.0, n_rows).round(3),
            "note": [f"payment number {i} of {seed}" for i in range(n_rows)],
        }
    )


@pytest.fixture
def model(run):
    payments().to_csv("old.csv", index=False)
    assert run("rank", "old.csv", *FAST, "--save", "best.skops").code == 0
    return "best.skops"


def scored(run, model, table, *words):
    outcome = run("score", model, table, "--out", "rows.csv", *words)
    assert outcome.code == 0, outcome.err
    return outcome, list(csv.DictReader(Path("rows.csv").read_text(encoding="utf-8").splitlines()))


def test_every_row_is_written_as_it_stands_with_what_was_found(run, model):
    new = payments(20, seed=1)
    new.loc[7, "amount"] = 4939.0
    text = new.to_csv(index=False)
    Path("new.csv").write_text(text, encoding="utf-8")
    outcome, rows = scored(run, model, "new.csv")
    assert [row["line"] for row in rows] == [str(line) for line in range(2, 22)]
    originals = list(csv.DictReader(text.splitlines()))
    assert [{name: row[name] for name in originals[0]} for row in rows] == originals
    assert rows[7]["flagged"] == "yes"
    assert rows[7]["reasons"].startswith("amount 4939: ")
    assert float(rows[7]["p_value"]) == pytest.approx(1 / 601, rel=1e-3)
    assert "1 of 20 rows stands out" in outcome.out
    assert "4939" in outcome.out
    assert "was fitted on" not in outcome.err


def test_lines_are_those_of_the_file_and_every_row_is_scored(run, model):
    new = payments(50, seed=1)
    new.to_csv("new.csv", index=False)
    lines = Path("new.csv").read_text(encoding="utf-8").splitlines()
    lines.insert(5, "")  # a blank line
    lines.append("TOTAL,5000,,,")
    Path("new.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    _, rows = scored(run, model, "new.csv")
    assert [row["line"] for row in rows[3:6]] == ["5", "7", "8"]
    assert rows[-1]["payment_id"] == "TOTAL"
    assert rows[-1]["reasons"].startswith("amount 5000")
    assert len(rows) == 51


def test_other_formats_have_row_numbers(run, model):
    payments(30, seed=2).to_parquet("new.parquet")
    _, rows = scored(run, model, "new.parquet")
    assert [row["row"] for row in rows] == [str(row) for row in range(30)]


def test_a_model_file_says_what_it_was_made_with(run, model):
    types = skops.io.get_untrusted_types(file=model)
    versions = skops.io.load(model, trusted=types).versions_
    assert versions["scikit-learn"] == sklearn.__version__
    assert set(versions) == {"oddrank", "scikit-learn", "numpy"}


def test_json(run, model):
    payments(30, seed=2).to_csv("new.csv", index=False)
    outcome = run("score", model, "new.csv", "--json", "--quiet", "--fdr", "0.2")
    result = json.loads(outcome.out)
    assert result["fdr"] == 0.2
    assert result["n_rows"] == 30
    assert result["oddest"][0]["oddness"] >= result["oddest"][1]["oddness"]


def test_missing_columns_and_other_types_get_a_sentence(run, model):
    payments().drop(columns="shop").to_csv("new.csv", index=False)
    outcome = run("score", model, "new.csv")
    assert outcome.code == 2
    assert "has no column 'shop'" in outcome.err
    payments().assign(amount="much").to_csv("new.csv", index=False)
    outcome = run("score", model, "new.csv")
    assert outcome.code == 2
    told = (
        "'much' in column 'amount' of new.csv (line 2) does not fit: the table before held numbers"
    )
    assert told in outcome.err


def test_reasons_compare_with_the_rows_that_the_model_knows(run, model):
    new = payments(20, seed=1)
    new.assign(amount=np.arange(99_999.0, 100_019.0)).to_csv("new.csv", index=False)
    _, rows = scored(run, model, "new.csv")
    assert all(row["flagged"] == "yes" for row in rows)
    assert all("ordinary rows reach" in row["reasons"] for row in rows)
    assert all(row["reasons"].startswith("amount") for row in rows)
    new.assign(shop="market").to_csv("new.csv", index=False)
    _, rows = scored(run, model, "new.csv")
    assert all("shop market: none of 600 rows" in row["reasons"] for row in rows)


def test_a_model_file_of_a_former_version_compares_new_rows_with_one_another(run, model):
    former = skops.io.load(model, trusted=skops.io.get_untrusted_types(file=model))
    assert former.ordinary_rows_["values"].shape == (600, 3)
    del former.ordinary_rows_
    skops.io.dump(former, "former.skops")
    new = payments(20, seed=1)
    new.loc[7, "amount"] = 4939.0
    new.to_csv("new.csv", index=False)
    _, rows = scored(run, "former.skops", "new.csv")
    assert rows[7]["reasons"].startswith("amount 4939: ")


@pytest.mark.parametrize("spoilt", [{"values": np.zeros((3, 2))}, {"levels": [[], [], []]}, {}])
def test_rows_of_a_model_that_are_damaged_are_refused(run, model, spoilt):
    damaged = skops.io.load(model, trusted=skops.io.get_untrusted_types(file=model))
    damaged.ordinary_rows_ = {**damaged.ordinary_rows_, **spoilt} if spoilt else "nothing"
    skops.io.dump(damaged, "damaged.skops")
    payments(20, seed=1).to_csv("new.csv", index=False)
    outcome = run("score", "damaged.skops", "new.csv")
    assert outcome.code == 2
    assert "The model's own rows" in outcome.err


def test_one_row_is_scored_and_read_as_the_ranked_table_was(run):
    old = payments().assign(member=["yes", "no"] * 300, grade=["1", "A", "2"] * 200)
    old.to_csv("old.csv", index=False)
    assert run("rank", "old.csv", *FAST, "--save", "best.skops").code == 0
    new = old.drop(columns=["payment_id", "note"]).head(1).assign(amount=5000.0, grade="1")
    new.to_csv("new.csv", index=False)
    outcome, rows = scored(run, "best.skops", "new.csv")
    assert "0 of 1 row stands out" in outcome.out or "1 of 1 row stands out" in outcome.out
    assert rows[0]["reasons"].startswith("amount 5000: ")
    assert "member" not in rows[0]["reasons"]


def test_infinities_in_every_row_are_gaps(run, model):
    payments(30, seed=1).assign(amount=np.inf).to_csv("new.csv", index=False)
    outcome, rows = scored(run, model, "new.csv")
    assert "30 infinite values read as gaps" in outcome.err
    assert all(row["oddness"] for row in rows)


def test_models_of_others_have_no_p_values(run):
    rows = payments()[["amount", "hours"]]
    skops.io.dump(EllipticEnvelope(random_state=0).fit(rows), "other.skops")
    rows.to_csv("new.csv", index=False)
    outcome, written = scored(run, "other.skops", "new.csv")
    assert "No row is flagged" in outcome.out
    assert "so there are no p-values" in " ".join(outcome.out.split())
    assert {row["p_value"] for row in written} == {""}


def test_the_committee_scores_too(run):
    payments().to_csv("old.csv", index=False)
    words = ("--detectors", "gaussian,forest,lof", "--jobs", "1", "--quiet")
    run("rank", "old.csv", *words, "--save", "all.skops")
    new = payments(50, seed=1)
    new.loc[7, ["amount", "hours"]] = [9999.0, 90.0]
    new.to_csv("new.csv", index=False)
    _, rows = scored(run, "all.skops", "new.csv")
    assert max(rows, key=lambda row: float(row["oddness"]))["line"] == "9"


def test_too_few_rows_to_compare_with_are_told(run, model):
    # one clear anomaly among 1,200: 600 rows to compare with allow no p-value that small
    new = payments(1200, seed=1)
    new.loc[7, "amount"] = 4939.0
    new.to_csv("new.csv", index=False)
    outcome, rows = scored(run, model, "new.csv")
    assert {row["flagged"] for row in rows} == {"no"}
    words = " ".join(outcome.out.split())
    assert "No row is flagged: the model compares a row with 600 others" in words
    assert "20 of 1,200 rows must be that odd before one is flagged" in words
    found = json.loads(run("score", model, "new.csv", "--json", "--quiet").out)
    assert "600 others" in found["problem"]
    # twenty such rows are flagged, as the sentence says; nineteen are not
    new.loc[:19, "amount"] = 4939.0
    new.to_csv("new.csv", index=False)
    assert json.loads(run("score", model, "new.csv", "--json", "--quiet").out)["n_flagged"] >= 20
    new.loc[18:, "amount"] = 100.0
    new.loc[18:, "hours"] = 8.0
    new.to_csv("new.csv", index=False)
    assert json.loads(run("score", model, "new.csv", "--json", "--quiet").out)["n_flagged"] == 0


def test_rows_that_the_model_knows_are_told(run, model):
    outcome, _ = scored(run, model, "old.csv")
    assert "fitted on 100 % of these rows" in outcome.err
    assert "oddrank rank lists the rows of its own table" in outcome.err


def gappy(share):
    rows = payments(300, seed=3)[["amount", "hours"]]
    rows.loc[: int(share * len(rows)) - 1, "hours"] = np.nan
    rows.to_csv("gappy.csv", index=False)
    return rows["hours"].isna()


@pytest.mark.parametrize("share", [0.02, 0.3])
def test_a_model_of_plain_numbers_scores_rows_with_gaps(run, share):
    payments()[["amount", "hours"]].to_csv("old.csv", index=False)
    assert run("rank", "old.csv", *FAST, "--save", "best.skops").code == 0
    missing = gappy(share)
    outcome, rows = scored(run, "best.skops", "gappy.csv")
    assert f"The model has seen no gaps: {missing.sum()} gaps" in outcome.err
    assert all(row["oddness"] for row in rows)
    assert run("evaluate", "best.skops", "gappy.csv").code == 0
    # in any batch: a row alone has the score that it has among others
    payments(300, seed=3)[["amount", "hours"]].assign(hours=np.nan)[:1].to_csv("one.csv")
    _, alone = scored(run, "best.skops", "one.csv")
    assert alone[0]["oddness"] == rows[0]["oddness"]
    _, dropped = scored(run, "best.skops", "gappy.csv", "--drop-gaps")
    assert [row["reasons"].startswith("not scored") for row in dropped] == missing.tolist()


def test_models_of_others_that_cannot_take_gaps_get_a_sentence(run):
    rows = payments()[["amount", "hours"]]
    skops.io.dump(EllipticEnvelope(random_state=0).fit(rows), "other.skops")
    gappy(0.3)
    for command in ("score", "evaluate"):
        refused = run(command, "other.skops", "gappy.csv", "--quiet")
        assert refused.code == 2
        assert "cannot score rows with gaps. Add --drop-gaps" in refused.err
        assert refused.err.count("\n") == 1
        assert run(command, "other.skops", "gappy.csv", "--drop-gaps", "--quiet").code == 0


def test_a_label_that_is_suggested_can_be_hidden(run):
    rows = payments()[["amount", "hours"]]
    # a model without names of columns
    skops.io.dump(EllipticEnvelope(random_state=0).fit(rows.to_numpy()), "other.skops")
    rows.assign(fraud=[0] * 590 + [1] * 10).to_csv("new.csv", index=False)
    for command in ("score", "evaluate"):
        assert "--label fraud" in run(command, "other.skops", "new.csv").err
        outcome = run(command, "other.skops", "new.csv", "--label", "fraud")
        assert outcome.code == 0, outcome.err
