"""Ours against the printed tables, and what is told of the cells that are off."""

import re

import numpy as np
import pytest

from benchmarks.goix2016.paper import printed_table
from benchmarks.goix2016.reproduction import (
    NOT_FOUND,
    closeness_sentences,
    outliers_markdown,
    preset_sentence,
    read_reasons,
    reproduce,
)
from tests.benchmarks.made_rows import made_preset, made_row


def printed_rows(setting="novelty", factors=(1.0, 1.0)):
    """Rows of two seeds whose values are the printed ones times a factor per seed."""
    return [
        made_row(dataset, detector, seed, setting=setting, roc=each["roc"] + 0.01, pr=each["pr"],
                 paper=made_preset(each["em"] * factor, each["mv"] * factor))
        for (dataset, detector), each in printed_table(setting).items()
        for seed, factor in enumerate(factors)
    ]  # fmt: skip


def test_printed_figures_reproduce_themselves():
    rows = printed_rows() + printed_rows("unsupervised")
    reproduction = reproduce(rows)
    assert len(reproduction.cells) == 144
    assert reproduction.share_close() == (144, 144)
    assert np.median(reproduction.roc_differences) == pytest.approx(0.01)
    assert "144 of 144 cells (100 %)" in closeness_sentences(reproduction)[1]
    assert len(outliers_markdown(reproduction).splitlines()) == 2


def test_a_factor_of_two_is_the_limit():
    assert reproduce(printed_rows(factors=(1.0, 2.9))).share_close() == (72, 72)
    assert reproduce(printed_rows(factors=(1.0, 3.1))).share_close("em") == (0, 36)


def test_outliers_tell_where_a_single_run_falls():
    reproduction = reproduce(printed_rows(factors=(1.0, 4.0)))
    assert all(cell.one_run[0] == pytest.approx(cell.printed) for cell in reproduction.cells)
    assert "Of the 72 others, 72 printed figures lie" in closeness_sentences(reproduction)[1]


def drawn_rows(values, rate=0.01):
    presets = {"paper": made_preset(values, values), "oddrank": made_preset(values, values, rate)}
    return [made_row("spambase", "lof", roc=0.7, pr=0.2, n_draws=len(values), **presets)]


def test_a_draw_that_governs_the_mean_is_seen():
    em = {cell.measure: cell for cell in reproduce(drawn_rows([1.0] * 9 + [91.0])).cells}["em"]
    assert em.ours == pytest.approx(10.0)
    assert em.largest_draw == pytest.approx(0.91)
    # of ten draws with replacement none is the large one in 35 % of the runs
    assert em.one_run[0] == pytest.approx(1.0)
    assert em.one_run[1] > 20.0


def test_curves_that_the_grid_does_not_hold_are_seen():
    for rate, share in ((1.0, 0.0), (1e-6, 1.0)):
        em, mv = reproduce(drawn_rows([1.0, 1.0], rate)).cells
        assert em.beyond_grid == share
        assert np.isnan(mv.beyond_grid)


def test_reasons_are_those_that_people_wrote(tmp_path):
    path = tmp_path / "reasons.toml"
    path.write_text(
        '[[reasons]]\ndataset = "wilt"\nmeasure = "em"\ntext = "a reason"\n'
        '[[reasons]]\ndataset = "wilt"\ndetector = "lof"\ntext = "another"\n'
    )
    text = outliers_markdown(reproduce(printed_rows(factors=(9.0,))), read_reasons(path))
    lines = [line for line in text.splitlines() if "| wilt |" in line]
    reasons = dict(re.findall(r"^(\d+)\. (.*)\.$", text, re.M))
    given = [reasons[line.split("|")[-2].strip()].lower() for line in lines]
    assert sorted(given) == sorted(["a reason"] * 3 + ["another"] + [NOT_FOUND] * 2)


def test_reasons_that_are_not_there(tmp_path):
    assert read_reasons(tmp_path / "no.toml") == []


def test_ratios_of_the_presets_of_the_same_models():
    rows = [
        made_row("adult", detector, paper=made_preset(1.0 + place, 1.0), oddrank=made_preset(1, 1))
        for place, detector in enumerate(("iforest", "ocsvm", "lof"))
    ]
    sentence = preset_sentence(rows)
    assert "EM 2.00 in the median, from 1.00 (novelty, adult, iforest) to 3.00" in sentence
    assert preset_sentence([made_row("adult", "lof", paper=made_preset(1.0, 1.0))]) == ""
