"""Pages made from rows."""

from benchmarks.goix2016.pages import (
    BEGIN,
    END,
    coverage_sentence,
    cpu_times,
    draws_sentence,
    page_texts,
    times_sentence,
)
from benchmarks.goix2016.seed_tables import complete_rows
from tests.benchmarks.made_rows import finished_rows, made_preset, made_row


def test_every_page_has_what_it_is_for(tmp_path):
    (tmp_path / "README.md").write_text(f"# Mine\n\n{BEGIN}\nold\n{END}\n\nThe end.\n")
    texts = page_texts(finished_rows(), tmp_path)
    assert set(texts) == {
        "README.md", "agreement.md", "figures.md", "reproduction.md", "times.md",
        "tables/novelty.md", "tables/unsupervised.md",
    }  # fmt: skip
    assert "old" not in texts["README.md"]
    assert "median absolute difference" in texts["README.md"]
    assert texts["README.md"].endswith("The end.\n")
    table = texts["tables/novelty.md"]
    assert "Preset `paper`" in table
    assert "Preset `oddrank`" in table
    adult = "| adult | iforest | 2 | **0.900 ± 0.000** | **0.661** | 1.36 |"
    assert adult in table.replace("\N{NO-BREAK SPACE}", " ")  # no figure is cut in two lines
    assert "(figures/adult_novelty.png)" in texts["figures.md"]


def test_times_of_one_seed_of_one_preset():
    times = cpu_times(finished_rows(seeds=(0, 1)))
    assert sum(times.values()) == 2 * 3 * 7.0  # datasets, detectors, seconds
    assert times["adult", "lof", "points_cpu"] == 4.0
    assert "0.7 minutes of CPU time" in times_sentence(times)


def test_seeds_that_are_not_complete_are_left_out():
    rows = finished_rows(("adult",))
    assert complete_rows(rows) == (rows, [])
    partial = made_row("adult", "lof", 2, oddrank=made_preset(1.0, 1.0))
    assert complete_rows([*rows, partial]) == (rows, ["adult, novelty, seed 2"])


def test_coverage_tells_seeds_and_what_is_missing():
    both = ("novelty", "unsupervised")
    rows = finished_rows(("pima", "adult"), settings=both) + finished_rows(("wilt",), seeds=(0,))
    sentence = coverage_sentence(rows)
    assert "adult 2, pima 2, wilt 1 and 0." in sentence
    assert "Not run yet: http, smtp, annthyroid" in sentence


def test_draws_in_which_a_detector_has_no_value_are_counted():
    rows = [
        made_row("shuttle", name, n_draws=2, oddrank=made_preset([1.0, 1.0], [1.0, 1.0]))
        for name in ("iforest", "lof")
    ]
    assert draws_sentence(rows, "novelty", "oddrank") == ""
    rows[1]["oddrank"]["em"][1] = None
    assert "EM of shuttle 1 of 2." in draws_sentence(rows, "novelty", "oddrank")
