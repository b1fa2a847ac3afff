"""`python -m benchmarks`, and the committed pages, which are those of the committed rows."""

import importlib
from pathlib import Path

import pytest

from benchmarks.__main__ import HOME, PACKED, STUDIES, main
from benchmarks.measurements import NAMES
from benchmarks.rows import append_row, read_rows
from tests.benchmarks.made_rows import finished_rows


def test_what_there_is(capsys):
    assert main([]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in ("wilt", "goix2016", "verdict", "areas_speed"))
    assert main(["datasets"]) == 0
    assert "85,849" in capsys.readouterr().out


def test_a_dataset_as_csv(tmp_path, paper_data, capsys):
    assert main(["datasets", "wilt", "--csv", str(tmp_path / "wilt.csv")]) == 0
    assert "4,839 rows" in capsys.readouterr().out
    assert len((tmp_path / "wilt.csv").read_text(encoding="utf-8").splitlines()) == 4840


def test_run_then_pages(tmp_path, paper_data, capsys):
    rows = str(tmp_path / "rows.jsonl")
    words = ["run", "goix2016", "--rows", rows, "--dataset", "pima", "--max-rows", "200"]
    assert main([*words, "--setting", "novelty", "--seed", "0"]) == 0
    assert "3 rows in" in capsys.readouterr().out
    assert main(["pages", "goix2016", "--rows", rows, "--out", str(tmp_path / "new")]) == 0
    assert (tmp_path / "new" / "figures" / "pima_novelty.png").exists()
    assert len(read_rows(tmp_path / "new" / PACKED)) == 3


def test_pages_from_packed_rows_are_the_same(tmp_path, capsys):
    for row in finished_rows()[:-1]:
        append_row(tmp_path / "rows.jsonl", row)
    one, two = tmp_path / "one", tmp_path / "two"
    for rows, out in ((tmp_path / "rows.jsonl", one), (one / PACKED, two)):
        words = ["pages", "goix2016", "--rows", str(rows), "--out", str(out), "--no-figures"]
        assert main(words) == 0
    assert "pima, novelty, seed 1 is left out" in capsys.readouterr().out
    for name in ("agreement.md", "reproduction.md", "times.md", "tables/novelty.md"):
        assert (one / name).read_text() == (two / name).read_text()


def test_what_is_wrong_is_one_line(tmp_path, capsys):
    assert main(["pages", "goix2016", "--rows", str(tmp_path / "none")]) == 2
    assert "There are no rows in" in capsys.readouterr().err
    spoiled = tmp_path / "rows.jsonl.xz"
    spoiled.write_bytes(b"no rows")
    assert main(["pages", "verdict", "--rows", str(spoiled)]) == 2
    assert "cannot be unpacked" in capsys.readouterr().err
    assert main(["datasets", "mnist"]) == 2
    assert "'adult'" in capsys.readouterr().err


@pytest.mark.parametrize("study", STUDIES)
def test_committed_pages_are_those_of_the_committed_rows(study):
    pages, folder = importlib.import_module(f"benchmarks.{study}.pages"), HOME / study
    rows, left_out = pages.complete_rows(read_rows(folder / PACKED))
    assert not left_out
    for name, text in pages.page_texts(rows, folder).items():
        assert (folder / name).read_text(encoding="utf-8") == text, name


def test_committed_pictures_are_there():
    for page in ("goix2016/figures.md", "verdict/README.md"):
        for part in (HOME / page).read_text(encoding="utf-8").split("![")[1:]:
            assert ((HOME / page).parent / part.split("](")[1].split(")")[0]).exists()


def test_the_package_ships_the_calibration_of_the_committed_rows():
    shipped = Path(__file__).parents[2] / "src" / "oddrank" / "ranking" / "verdict_calibration.json"
    assert shipped.read_text() == (HOME / "odd_tables" / "calibration.json").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_measurements_can_be_imported_and_report(name):
    assert callable(importlib.import_module(f"benchmarks.measurements.{name}").report)


def test_the_package_does_not_know_its_benchmarks():
    source = Path(__file__).parents[2] / "src"
    for path in source.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "import benchmarks" not in text, path
        assert "from benchmarks" not in text, path
