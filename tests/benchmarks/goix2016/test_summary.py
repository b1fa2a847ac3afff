"""Agreement and regret with intervals, on tables where the answer is known."""

import math

import numpy as np
import pytest

from benchmarks.goix2016.seed_tables import SeedTables, complete_rows, seed_results
from benchmarks.goix2016.summary import summarise_agreement
from tests.benchmarks.made_rows import finished_rows, made_preset, made_row


def line_of(lines, verdict, source):
    (found,) = [line for line in lines if (line.verdict, line.source) == (verdict, source)]
    return found


def test_claimed_recounted_and_ours_stand_side_by_side():
    summary = summarise_agreement(finished_rows(), "novelty", n_resamples=50)
    claimed = line_of(summary.counts, "EM", "the paper's text")
    assert [(each.surely, each.total) for each in claimed.shares] == [
        (28, 36), (29, 36), (27, 33), (10, 12),
    ]  # fmt: skip
    assert line_of(summary.counts, "MV", "the paper's text").shares[3] is None
    recounted = line_of(summary.counts, "EM", "printed table").shares[0]
    assert (recounted.surely, recounted.possibly, recounted.interval) == (26, 27, None)
    for preset in ("paper", "oddrank"):
        ours = line_of(summary.counts, "EM", f"ours, preset {preset}")
        assert [(each.surely, each.total) for each in ours.shares] == [
            (6, 6),
            (6, 6),
            (6, 6),
            (2, 2),
        ]
        assert all(each.interval == (1.0, 1.0) for each in ours.shares)


def test_random_and_constant_orders_are_what_combinatorics_says():
    # on both datasets iforest > ocsvm > lof, by ROC and by PR
    summary = summarise_agreement(finished_rows(), "novelty", n_resamples=10)
    random = line_of(summary.counts, "random order", "ours")
    assert [each.surely for each in random.shares] == pytest.approx([3.0, 3.0, 3.0, 2 / 6])
    first = line_of(summary.counts, "iforest first, the others at random", "ours")
    assert [each.surely for each in first.shares] == pytest.approx([5.0, 5.0, 5.0, 1.0])
    best = line_of(summary.counts, "always iforest > ocsvm > lof (best in hindsight)", "ours")
    assert [each.surely for each in best.shares] == [6.0, 6.0, 6.0, 2.0]


def test_regret_of_every_pick():
    summary = summarise_agreement(finished_rows(), "novelty", n_resamples=20)
    assert line_of(summary.losses, "EM", "ours, preset oddrank").roc.value == 0.0
    lof = line_of(summary.losses, "always lof", "ours")
    assert lof.roc.value == pytest.approx(0.2)
    assert lof.beyond_forest.value == pytest.approx(0.2)
    assert lof.beyond_forest.interval == pytest.approx((0.2, 0.2))
    assert line_of(summary.losses, "random", "ours").pr.value == pytest.approx(0.1)
    assert line_of(summary.losses, "always iforest", "ours").beyond_forest is None


def test_intervals_show_seeds_that_disagree():
    rows = [
        made_row("adult", name, seed, roc=roc, pr=roc, oddrank=made_preset(em, 1.0 / em))
        for seed, better in enumerate((3.0, 3.0, 0.1, 0.1, 0.1))
        for name, roc, em in (("iforest", 0.9, better), ("ocsvm", 0.8, 1.0))
    ]
    summary = summarise_agreement(rows, "novelty", n_resamples=400)
    em = line_of(summary.counts, "EM", "ours, preset oddrank").shares[0]
    # the mean is 1.26 against 1; without the two good seeds it would be 0.1
    assert (em.surely, em.interval) == (1, (0.0, 1.0))
    lost = line_of(summary.losses, "EM", "ours, preset oddrank").roc
    assert lost.value == 0.0
    assert lost.interval == pytest.approx((0.0, 0.1))


def test_share_of_resamples_is_that_of_the_binomial_distribution():
    values = np.array([1.0, 0.0, 0.0, 0.0])
    rows = [
        made_row("adult", "iforest", seed, oddrank=made_preset(value, 1.0))
        for seed, value in enumerate(values)
    ]
    tables = SeedTables(seed_results(rows, "novelty", "oddrank"))
    means = [t["adult", "iforest"]["em"] for t in tables.resampled(4000, np.random.SeedSequence(0))]
    nothing = sum(mean == 0.0 for mean in means) / len(means)
    expected = 0.75**4
    assert abs(nothing - expected) < 4 * math.sqrt(expected * (1 - expected) / len(means))


def test_one_seed_has_no_interval():
    summary = summarise_agreement(finished_rows(seeds=(3,)), "novelty")
    ours = line_of(summary.counts, "EM", "ours, preset paper")
    assert all(share.interval is None for share in ours.shares)
    assert "| EM | ours, preset paper | 6/6 = 100 % | 6/6" in summary.to_markdown()


def test_unresolved_figures_leave_pairs_open():
    rows = finished_rows()
    for row in rows:
        if row["detector"] == "lof":
            row["oddrank"]["em"] = [None]
    summary = summarise_agreement(rows, "novelty", n_resamples=10)
    # a draw counts only if all detectors have a value: none of the three is known
    em = line_of(summary.counts, "EM", "ours, preset oddrank").shares[0]
    assert (em.surely, em.possibly, em.interval) == (0, 6, (0.0, 1.0))
    # following what says nothing is following chance
    assert line_of(summary.losses, "EM", "ours, preset oddrank").roc.value == pytest.approx(0.1)


def test_a_detector_that_failed_on_a_dataset_is_left_out_there():
    rows = [
        {**row, "status": "failed"} if (row["dataset"], row["detector"]) == ("pima", "lof") else row
        for row in finished_rows()
    ]
    kept, left_out = complete_rows(rows)
    assert not left_out
    summary = summarise_agreement(kept, "novelty", n_resamples=10)
    assert line_of(summary.counts, "EM", "ours, preset paper").shares[0].total == 3 + 1
    assert {line.verdict for line in summary.losses if line.source == "ours"} == {
        "always iforest", "always ocsvm", "random",
    }  # fmt: skip


def test_same_seed_same_summary_whatever_the_order_of_rows():
    rows = finished_rows(spread=3.0)
    one, other = (
        summarise_agreement(each, "novelty", n_resamples=30) for each in (rows, rows[::-1])
    )
    assert one == other


def test_text_names_seeds_and_shares():
    text = summarise_agreement(finished_rows(), "novelty", n_resamples=10).to_markdown()
    assert (
        "Seeds of preset paper: adult 2, pima 2.\nSeeds of preset oddrank: adult 2, pima 2." in text
    )
    assert "| EM | printed table | 26-27/36 = 72-75 % |" in text
    assert "| EM | ours, preset paper | 6/6 = 100 % [100, 100] |" in text
