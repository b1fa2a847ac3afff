"""Pages made from rows, and the committed ones, which are those of the committed rows."""

from pathlib import Path

import pytest

from oddrank.benchmark import read_rows, write_pages
from oddrank.benchmark.complete_rows import complete_seeds
from oddrank.benchmark.pages import BEGIN, END, page_texts
from oddrank.benchmark.times import cpu_times
from oddrank.benchmark.times_text import times_markdown, times_sentence
from tests.benchmark.made_rows import finished_rows, made_row

COMMITTED = Path(__file__).parents[2] / "benchmarks" / "goix2016"


def test_everything_is_written_in_one_go(tmp_path):
    (tmp_path / "README.md").write_text(f"# Mine\n\n{BEGIN}\nold\n{END}\n\nThe end.\n")
    partial = made_row("adult", "iforest", 7, preset="paper", roc=0.1, pr=0.1, em=1.0, mv=1.0)
    left_out = write_pages([*finished_rows(), partial], tmp_path)
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
    assert "| adult | iforest | 2 | **0.900 ± 0.000** | **0.661** | 1.36 |" in table
    for name in (tmp_path / "figures.md").read_text().split("](")[1:]:
        assert (tmp_path / name.split(")")[0]).exists()


def test_own_benchmarks_have_pages_without_the_paper(tmp_path):
    write_pages(finished_rows(("mine",)), tmp_path, figures=False)
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


@pytest.fixture(scope="module")
def committed_rows():
    rows = read_rows(COMMITTED / "results" / "rows.jsonl.gz")
    if not rows:
        pytest.skip("no rows are committed")
    return rows


def test_committed_pages_are_those_of_the_committed_rows(committed_rows):
    for name, text in page_texts(complete_seeds(committed_rows)[0], COMMITTED).items():
        assert (COMMITTED / name).read_text(encoding="utf-8") == text, name


def test_committed_figures_are_there(committed_rows):
    complete = complete_seeds(committed_rows)[0]
    drawn = {(row["dataset"], row["setting"]) for row in complete if "curves" in row}
    for dataset, setting in drawn:
        for kind in ("png", "svg"):
            assert (COMMITTED / "figures" / f"{dataset}_{setting}.{kind}").exists()
