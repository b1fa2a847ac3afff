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


def test_an_answer_that_is_set_aside_stays_in_the_file(run, table, keys):
    keys("yyq")
    run("ask", table, *FAST)
    before = answers()
    frame = payments()
    frame.loc[7, "b"] += 1.0
    frame.to_csv("table.csv", index=False)
    keys("nq")
    run("ask", table, *FAST)
    assert set(before) < set(answers())
    payments().to_csv("table.csv", index=False)  # the row is as it was again
    assert told(run, "--answers", "table.answers.csv")["n_called_odd"] == 2


def test_answers_tell_how_many_rows_are_odd(run, table, keys):
    keys("yynnnnq")
    screen = " ".join(run("ask", table, *FAST).out.split())
    found = told(run, "--answers", "table.answers.csv")
    count, change = found["odd_row_count"], found["expected_change"]
    assert 2 <= count["low"] <= count["estimate"] <= count["high"] <= len(payments())
    assert f"between {count['low']} and {count['high']}" in screen
    assert (change["n_answers"], change["n_first"]) == (5, 20)
    assert "ive more answers would" in screen
    assert found["n_likely_odd"] >= 2
    assert [row["chance"] for row in found["odd_rows"][:2]] == [1.0, 1.0]
    before = told(run)
    assert before["odd_row_count"] is None
    assert "chance" not in before["odd_rows"][0]


def test_columns_called_as_ours_are_no_answers(run, table):
    random = np.random.default_rng(1)
    frame = payments().assign(answer=random.integers(0, 2, 300), line=random.normal(size=300))
    frame.to_csv(table, index=False)
    assert run("ask", table, *FAST, "--write", "q.csv").code == 0
    questions = pd.read_csv("q.csv", dtype=str)
    assert {"answer_", "line_"} < set(questions)
    questions.loc[0, "answer"] = "yes"
    questions.to_csv("q.csv", index=False)
    found = told(run, "--answers", "q.csv")
    assert (found["n_answers"], found["n_called_odd"]) == (1, 1)  # blanks are not answered


def test_several_files_keep_their_lines_apart(run, tmp_path, monkeypatch, keys):
    monkeypatch.chdir(tmp_path)
    payments()[:150].to_csv("may.csv", index=False)
    payments()[150:].to_csv("june.csv", index=False)
    keys("yyq")
    first = run("ask", "may.csv", "june.csv", *FAST)
    assert "Next: oddrank rank may.csv june.csv --answers may.answers.csv" in first.out
    assert {line for line, _ in answers("may.answers.csv")} == {"may.csv 9", "may.csv 11"}
    keys("yq")
    assert run("ask", "may.csv", "june.csv", *FAST).code == 0
    outcome = run("rank", "may.csv", "june.csv", *FAST, "--json", "--answers", "may.answers.csv")
    assert json.loads(outcome.out)["n_called_odd"] == 3


def test_questions_name_lines(run, table, keys):
    keys("yynnq")
    assert "like row" not in run("ask", table, *FAST).out
    assert run("ask", table, *FAST, "--write", "q.csv").code == 0
    assert "like row" not in Path("q.csv").read_text(encoding="utf-8")


def test_files_that_hold_more_than_answers_are_not_written_over(run, table, keys):
    keys("yq")
    run("ask", table, *FAST)
    kept = Path("table.answers.csv").read_text(encoding="utf-8")
    assert run("ask", table, *FAST, "--write", "table.answers.csv").code == 2
    assert Path("table.answers.csv").read_text(encoding="utf-8") == kept
    assert run("ask", table, *FAST, "--write", "q.csv").code == 0
    refused = run("ask", table, *FAST, "--answers", "q.csv")
    assert refused.code == 2
    assert "found_odd_by" in refused.err
    Path("note.csv").write_text("call Ann\n", encoding="utf-8")
    assert run("ask", table, *FAST, "--answers", "note.csv").code == 2
    assert run("ask", table, *FAST, "--answers", "nodir/mine.csv").code == 2


@pytest.mark.parametrize(
    "text",
    ["line;answer\n9;yes\n", "Line,Answer\n9,yes\n,\n", "line\tanswer\n9.0\t1.0\n",
     "line,answer\n9,no\n9,yes\n"],
    ids=["semicolons", "capitals and a blank line", "tabs and decimals", "answered again"],
)  # fmt: skip
def test_files_as_spreadsheets_write_them(run, table, text):
    Path("mine.csv").write_text(text, encoding="utf-8")
    assert told(run, "--answers", "mine.csv")["n_called_odd"] == 1


def test_a_bad_file_of_answers_is_refused_before_work_starts(run, table, monkeypatch):
    def ranked(*_, **__):
        pytest.fail("detectors were fitted")

    monkeypatch.setattr("oddrank.rank_detectors", ranked)
    Path("mine.csv").write_text("line,answer\n3,perhaps\n", encoding="utf-8")
    for command in ("rank", "ask"):
        assert run(command, table, *FAST, "--answers", "mine.csv").code == 2


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


@pytest.fixture
def labelled(table):
    """The table with a column of labels: yes in line 9, no in lines 22 to 41, gaps elsewhere."""
    frame = payments().assign(odd=None)
    frame.loc[7, "odd"] = "yes"
    frame.loc[20:39, "odd"] = "no"
    frame.to_csv("table.csv", index=False)
    return frame


LABELLED = ("--detectors", "gaussian,mixture", "--jobs", "1", "--label", "odd")


def test_known_labels_teach_and_the_other_rows_are_asked_about(run, labelled, keys):
    keys("nn q")
    outcome = run("ask", "table.csv", *LABELLED)
    assert outcome.code == 0
    assert "21 known labels, 1 of them odd, teach the committee." in outcome.err
    asked = [line for line, _ in answers()]
    assert len(asked) == 3
    known = {str(place + 2) for place in labelled.index[labelled["odd"].notna()]}
    assert not known & set(asked)
    assert "--answers table.answers.csv --label odd --teach" in outcome.out
    assert "odd no" not in outcome.out  # no detector sees the label


def test_labels_teach_a_ranking_instead_of_testing_it(run, labelled):
    outcome = run("rank", "table.csv", *LABELLED, "--teach", "--json")
    found = json.loads(outcome.out)
    assert "21 known labels, 1 of them odd, teach the committee." in outcome.err
    assert (found["n_known_labels"], found["n_known_labels_odd"], found["n_answers"]) == (21, 1, 0)
    assert found["labels"] is None
    assert "taught by 21 known labels, 1 of them odd" in found["verdict"]
    assert found["features"] == ["a", "b"]


def test_an_answer_wins_over_a_label(run, labelled):
    Path("mine.csv").write_text("line,answer\n9,no\n11,yes\n22,cannot say\n", encoding="utf-8")
    outcome = run("rank", "table.csv", *LABELLED, "--teach", "--json", "--answers", "mine.csv")
    found = json.loads(outcome.out)
    assert (found["n_known_labels"], found["n_known_labels_odd"]) == (19, 0)
    assert (found["n_answers"], found["n_called_odd"]) == (3, 1)
    called = {row["row"]: row["reasons"] for row in found["odd_rows"]}
    assert "you called it ordinary" in called["line 9"]
    assert "you called it odd" in called["line 11"]


def test_a_column_of_cases_alone_can_teach(run, labelled):
    labelled["odd"] = labelled["odd"].where(labelled["odd"] == "yes").replace("yes", "fraud")
    labelled.to_csv("table.csv", index=False)
    words = ("rank", "table.csv", *LABELLED, "--teach", "--json")
    refused = run(*words)
    assert refused.code == 2
    assert "The labels are 'fraud'. Name the value that marks an odd row: --anomaly" in refused.err
    outcome = run(*words, "--anomaly", "fraud")
    assert "1 known label, 1 of them odd, teaches" in outcome.err
    assert json.loads(outcome.out)["n_known_labels_odd"] == 1


def test_the_rarer_label_is_not_taken_for_odd(run, labelled):
    labelled["odd"] = labelled["odd"].replace({"yes": "ok", "no": "fraud"})
    labelled.to_csv("table.csv", index=False)
    refused = run("ask", "table.csv", *LABELLED)
    assert refused.code == 2
    assert "--anomaly VALUE" in refused.err
    labelled["odd"] = ""
    labelled.to_csv("table.csv", index=False)
    refused = run("ask", "table.csv", *LABELLED)
    assert refused.code == 2
    assert "No row has a label" in refused.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("rank", "--teach"), "--teach goes with --label"),
        (("rank", "--teach", "--label", "odd", "--test", "table.csv"), "Leave --test out"),
        (("ask", "--anomaly", "yes"), "--anomaly goes with --label"),
    ],
)
def test_flags_that_need_others_are_told(run, labelled, words, sentence):
    command, *flags = words
    refused = run(command, "table.csv", *FAST, *flags)
    assert refused.code == 2
    assert sentence in refused.err


def test_answered_rows_do_not_test_the_committee(run, table):
    payments().assign(odd=np.isin(np.arange(300), [7, 9, 11])).to_csv("table.csv", index=False)
    Path("mine.csv").write_text("line,answer\n9,yes\n", encoding="utf-8")
    outcome = run("rank", "table.csv", *LABELLED, "--answers", "mine.csv", "--json")
    assert "1 of 300 rows with a label are left out" in " ".join(outcome.err.split())
    assert json.loads(outcome.out)["labels"] is not None
    Path("mine.csv").write_text("line,answer\n9,yes\n11,yes\n13,yes\n", encoding="utf-8")
    outcome = run("rank", "table.csv", *LABELLED, "--answers", "mine.csv", "--json")
    assert outcome.code == 0
    assert "cannot test a committee" in outcome.err
    assert json.loads(outcome.out)["labels"] is None
