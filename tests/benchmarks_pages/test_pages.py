"""Pages made from rows, and the committed ones, which are those of the committed rows."""

from pathlib import Path

import pytest
from benchmarks.pages.__main__ import main
from benchmarks.pages.goix2016 import BEGIN, END, coverage_sentence, draws_sentence
from benchmarks.pages.times import cpu_times, times_markdown, times_sentence
from benchmarks.pages.writing import BENCHMARKS, complete_seeds, write_pages

from oddrank.benchmark import read_rows, usable_rows
from oddrank.benchmark.store import append_rows
from tests.benchmark.made_rows import finished_rows, made_row

COMMITTED = Path(__file__).parents[2] / "benchmarks"


def test_everything_is_written_in_one_go(tmp_path):
    (tmp_path / "README.md").write_text(f"# Mine\n\n{BEGIN}\nold\n{END}\n\nThe end.\n")
    partial = made_row("adult", "iforest", 7, preset="paper", roc=0.1, pr=0.1, em=1.0, mv=1.0)
    left_out = write_pages("goix2016", [*finished_rows(), partial], tmp_path)
    assert left_out == ["adult, novelty, seed 7, preset paper"]
    names = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert names >= {
        "README.md", "agreement.md", "figures.md", "reproduction.md", "times.md",
        "tables/novelty.md", "tables/unsupervised.md",
        "figures/adult_novelty.png", "figures/adult_novelty.svg",
    }  # fmt: skip
    readme = (tmp_path / "README.md").read_text()
    assert "old" not in readme
    assert "median absolute difference" in readme
    assert readme.endswith("The end.\n")
    table = (tmp_path / "tables" / "novelty.md").read_text()
    assert "Preset `paper`" in table
    assert "Preset `oddrank`" in table
    adult = "| adult | iforest | 2 | **0.900 ± 0.000** | **0.661** | 1.36 |"
    assert adult in table.replace("\N{NO-BREAK SPACE}", " ")  # no figure is cut in two lines
    for name in (tmp_path / "figures.md").read_text().split("](")[1:]:
        assert (tmp_path / name.split(")")[0]).exists()


def test_own_benchmarks_have_pages_without_the_paper(tmp_path):
    write_pages("goix2016", finished_rows(("mine",)), tmp_path, figures=False)
    assert not (tmp_path / "reproduction.md").exists()
    assert not (tmp_path / "figures").exists()
    table = (tmp_path / "tables" / "novelty.md").read_text()
    assert "| dataset | detector | seeds | ROC | PR | EM | MV |" in table


def test_times_of_one_seed_of_one_preset():
    times = cpu_times(finished_rows(seeds=(0, 1)), "oddrank", 0)
    assert sum(times.values()) == 2 * 3 * 7.0  # datasets, detectors, seconds
    assert times["adult", "lof", "points_cpu"] == 4.0
    assert "0.7 minutes of CPU time" in times_sentence(times)
    last = times_markdown(times).splitlines()[-1]
    assert last.startswith("| all | 2.0 | 4.0 | 8.0 |")
    assert last.endswith("| 42.0 |")


def test_seeds_that_are_not_complete_are_left_out():
    rows = [made_row("a", name, seed, em=1.0) for seed in (0, 1) for name in ("x", "y")]
    kept, left_out = complete_seeds([*rows, made_row("a", "x", 2, em=9.0)])
    assert kept == rows
    assert left_out == ["a, novelty, seed 2, preset oddrank"]
    assert complete_seeds(rows) == (rows, [])


def test_a_dataset_whose_only_seed_is_under_way_is_left_out():
    full = [made_row("a", "x", draw=-1, roc=0.5), made_row("b", "x", draw=-1, em=1.0, roc=0.5)]
    draws = [made_row("a", "x", draw=draw, em=1.0) for draw in range(3)]
    begun = [made_row("c", "x", draw=-1, roc=0.5)]  # no criteria: its draws will come
    kept, left_out = complete_seeds([*full, *draws, *begun, made_row("d", "x", draw=0, em=1.0)])
    assert kept == [*full, *draws]
    assert left_out == [f"{name}, novelty, seed 0, preset oddrank" for name in "cd"]


def test_coverage_tells_seeds_and_what_is_missing():
    both = ("novelty", "unsupervised")
    rows = finished_rows(("pima", "adult"), settings=both) + finished_rows(("wilt",), seeds=(0,))
    sentence = coverage_sentence(rows)
    assert "adult 2, pima 2, wilt 1 and 0." in sentence
    assert "Not run yet: http, smtp, annthyroid" in sentence
    assert "Not run yet" not in coverage_sentence(finished_rows(("mine",)))


def test_draws_in_which_a_detector_has_no_value_are_counted():
    rows = [made_row("a", name, draw=draw, em=1.0, mv=1.0) for draw in (0, 1) for name in "xy"]
    assert draws_sentence(rows, "novelty", "oddrank") == ""
    rows[-1]["em"] = None
    assert "EM of a 1 of 2." in draws_sentence(rows, "novelty", "oddrank")


def test_pages_from_packed_rows_are_the_same(tmp_path, capsys):
    append_rows(tmp_path / "rows.jsonl", finished_rows()[:-1])
    one, two = tmp_path / "one", tmp_path / "two"
    first = ["goix2016", "--rows", str(tmp_path / "rows.jsonl"), "--out", str(one)]
    assert main([*first, "--no-figures", "--pack"]) == 0
    partial = "pima, novelty, seed 1, preset oddrank is left out, because it is not complete."
    assert partial in capsys.readouterr().out
    packed = str(one / "results" / "rows.jsonl.gz")
    assert main(["goix2016", "--rows", packed, "--out", str(two), "--no-figures"]) == 0
    for name in ("agreement.md", "reproduction.md", "times.md", "tables/novelty.md"):
        assert (one / name).read_text() == (two / name).read_text()


def test_rows_that_are_missing_or_spoiled_are_one_line(tmp_path, capsys):
    assert main(["goix2016", "--out", str(tmp_path)]) == 1
    assert "There are no rows in" in capsys.readouterr().err
    spoiled = tmp_path / "rows.jsonl.gz"
    spoiled.write_bytes(b"no rows")
    assert main(["verdict", "--rows", str(spoiled), "--out", str(tmp_path)]) == 2
    assert "cannot be unpacked" in capsys.readouterr().err


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_committed_pages_are_those_of_the_committed_rows(benchmark):
    folder = COMMITTED / benchmark
    rows = complete_seeds(read_rows(folder / "results" / "rows.jsonl.gz"))[0]
    if benchmark == "verdict" and not usable_rows(rows):
        pytest.skip("the committed rows were measured in another way")
    for name, text in BENCHMARKS[benchmark].page_texts(rows, folder).items():
        assert (folder / name).read_text(encoding="utf-8") == text, name


def test_committed_figures_are_there():
    for name in (COMMITTED / "goix2016" / "figures.md").read_text().split("](")[1:]:
        path = COMMITTED / "goix2016" / name.split(")")[0]
        assert path.exists()
        assert path.with_suffix(".svg").exists()
