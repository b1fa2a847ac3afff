"""`oddrank ask`: answers survive whatever happens to the file."""

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

FAST = ("--detectors", "gaussian,mixture", "--jobs", "1", "--quiet")


def payments(n_rows=300):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(100.0, 10.0, (n_rows, 2)).round(2), columns=["a", "b"])
    frame.loc[7, "a"] = 500.0
    frame.loc[9, "b"] = 400.0
    return frame


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    payments().to_csv("table.csv", index=False)
    return "table.csv"


@pytest.fixture
def keys(monkeypatch):
    """Give the keys that somebody presses."""

    def press(text):
        left = iter(text)
        monkeypatch.setattr("click.getchar", lambda: next(left))

    return press


def answers(path="table.answers.csv"):
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return [tuple(row.values())[:2] for row in csv.DictReader(lines)]


def told(run, *words):
    return json.loads(run("rank", "table.csv", *FAST, "--json", *words).out)


def test_answers_are_kept_at_once_and_taken_up_again(run, table, keys):
    keys("yn q")
    outcome = run("ask", table, *FAST)
    assert outcome.code == 0
    assert "1 of 10  line " in outcome.out
    first = answers()
    assert [answer for _, answer in first] == ["yes", "no", "cannot say"]
    assert {first[0][0], first[1][0]} == {"9", "11"}
    keys("y\x03")  # Ctrl-C loses nothing
    again = run("ask", table, *FAST)
    assert answers()[:3] == first
    assert len(answers()) == 4
    assert "is new" in again.out or "are new" in again.out or "stay the same" in again.out


def test_back_takes_an_answer_back(run, table, keys):
    keys("ybnq")
    run("ask", table, *FAST)
    assert [answer for _, answer in answers()] == ["no"]


def test_rank_follows_the_answers(run, table, keys):
    keys("yyq")
    run("ask", table, *FAST)
    found = told(run, "--answers", "table.answers.csv")
    assert (found["n_answers"], found["n_called_odd"]) == (2, 2)
    assert "taught by 2 answers, 2 of them yes" in found["verdict"]
    assert "you called it odd" in found["odd_rows"][0]["reasons"]
    assert told(run)["n_answers"] == 0


def test_a_spreadsheet_of_questions_can_be_filled_in(run, table):
    assert run("ask", table, *FAST, "--write", "questions.csv", "--number", "4").code == 0
    frame = pd.read_csv("questions.csv", dtype=str)
    assert len(frame) == 4
    assert list(frame.columns[:3]) == ["line", "answer", "row"]
    frame["answer"] = ["yes", "no", "", "No"]
    frame.to_csv("questions.csv", index=False)
    assert told(run, "--answers", "questions.csv")["n_called_odd"] == 1


def changed(how):
    frame = payments()
    if how == "appended":
        return pd.concat([frame, payments()[50:60] + 1.0])
    if how == "inserted":
        return pd.concat([frame[:3] + 2.0, frame])
    return pd.concat([frame[7:8], frame])  # repeated


@pytest.mark.parametrize("how", ["appended", "inserted", "repeated"])
def test_answers_survive_rows_that_are(run, table, keys, how):
    keys("yyq")
    run("ask", table, *FAST)
    changed(how).to_csv("table.csv", index=False)
    outcome = run("rank", table, "--detectors", "gaussian,mixture", "--jobs", "1", "--json",
                  "--answers", "table.answers.csv")  # fmt: skip
    found = json.loads(outcome.out)
    assert found["n_called_odd"] == 2
    assert "set aside" not in outcome.err
    called = [row["row"] for row in found["odd_rows"] if "you called it odd" in row["reasons"]]
    values = changed(how).to_numpy()
    assert {float(values[int(row.split()[-1]) - 2].max()) for row in called} == {500.0, 400.0}


def test_the_answer_about_a_changed_row_is_set_aside_with_a_word(run, table, keys):
    keys("yyq")
    run("ask", table, *FAST)
    frame = payments()
    frame.loc[7, "b"] += 1.0
    frame.to_csv("table.csv", index=False)
    outcome = run("rank", table, "--detectors", "gaussian,mixture", "--jobs", "1",
                  "--answers", "table.answers.csv", "--json")  # fmt: skip
    assert "The answer about line 9 is set aside" in outcome.err
    assert json.loads(outcome.out)["n_called_odd"] == 1


def test_bad_files_of_answers_get_a_sentence(run, table):
    for text, sentence in (
        ("line,answer\n3,perhaps\n", "Got 'perhaps'"),
        ("line,answer\nthird,yes\n", "no whole number"),
        ("zeile,antwort\n3,ja\n", "must have the columns 'line' and 'answer'"),
    ):
        Path("mine.csv").write_text(text, encoding="utf-8")
        refused = run("rank", table, *FAST, "--answers", "mine.csv")
        assert refused.code == 2
        assert sentence in refused.err
    assert run("rank", table, *FAST, "--answers", "none.csv").code == 2
    Path("mine.csv").write_text("line,answer\n9,yes\n", encoding="utf-8")
    assert told(run, "--answers", "mine.csv")["n_called_odd"] == 1


def test_without_a_terminal_one_sentence_says_what_to_do(run, table, monkeypatch):
    def no_terminal():
        raise OSError(25, "Inappropriate ioctl for device")

    monkeypatch.setattr("click.getchar", no_terminal)
    refused = run("ask", table, *FAST)
    assert refused.code == 2
    assert "--write questions.csv" in refused.err
