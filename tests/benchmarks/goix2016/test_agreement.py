"""Counting agreement: hand-made tables, and the recount of what the paper prints."""

import pytest

from benchmarks.goix2016.agreement import (
    count_pairs,
    exact_orders,
    regret,
    with_constant_order,
)
from benchmarks.goix2016.paper import CLAIMED_COUNTS, CLAIMED_EXACT_ORDERS, printed_table

# From the printed tables; figures are rounded, so that ties give ranges.
RECOUNT = {
    ("novelty", "em"): ("26-27/36", "29-30/36", "26-27/33"),
    ("novelty", "mv"): ("26/36", "27/36", "25/33"),
    ("unsupervised", "em"): ("22-25/36", "24-26/36", "20-23/31"),
    ("unsupervised", "mv"): ("25-26/36", "25/36", "22-23/31"),
}

TABLE = {
    ("a", "x"): {"roc": 0.9, "pr": 0.5, "em": 3.0, "mv": 1.0},
    ("a", "y"): {"roc": 0.8, "pr": 0.6, "em": 2.0, "mv": 1.0},
    ("b", "x"): {"roc": 0.6, "pr": 0.4, "em": 1.0, "mv": 5.0},
    ("b", "y"): {"roc": 0.7, "pr": 0.9, "em": 4.0, "mv": 6.0},
}


def text(counts):
    right = "-".join(dict.fromkeys([str(counts.surely), str(counts.possibly)]))
    return f"{right}/{counts.total}"


@pytest.mark.parametrize(("setting", "criterion"), RECOUNT)
def test_recount_of_the_printed_tables(setting, criterion):
    table = printed_table(setting)
    assert len(table) == 36
    counts = tuple(
        text(count_pairs(table, criterion, against=against))
        for against in (("roc",), ("pr",), ("roc", "pr"))
    )
    assert counts == RECOUNT[setting, criterion]
    assert (setting, criterion) in CLAIMED_COUNTS


def test_pairs_of_a_hand_made_table():
    assert text(count_pairs(TABLE, "em", against=("roc",))) == "2/2"
    assert text(count_pairs(TABLE, "mv", against=("roc",))) == "0-1/2"
    # on dataset a ROC and PR contradict each other
    assert text(count_pairs(TABLE, "em", against=("roc", "pr"))) == "1/1"


def test_exact_orders():
    assert text(exact_orders(TABLE, "em", against=("roc",))) == "2/2"
    assert text(exact_orders(TABLE, "mv", against=("roc",))) == "0-1/2"
    # nothing contradicts the verdict where ROC and PR contradict each other
    assert text(exact_orders(TABLE, "em", against=("roc", "pr"))) == "1-2/2"


def test_recount_of_exact_orders():
    # the text says 10: all but wilt and shuttle
    assert text(exact_orders(printed_table("novelty"), "em", against=("roc", "pr"))) == "9-10/12"
    assert CLAIMED_EXACT_ORDERS == {("novelty", "em"): "10/12"}


def test_constant_orders_are_a_strong_baseline():
    constant = with_constant_order(printed_table("unsupervised"), ("iforest", "ocsvm", "lof"))
    assert text(count_pairs(constant, "constant", against=("roc",))) == "25-26/36"


def test_a_pick_among_tied_detectors_is_one_at_random():
    tied = {key: {**values, "em": 1.0} for key, values in TABLE.items()}
    unknown = {key: {**values, "em": float("nan")} for key, values in TABLE.items()}
    assert regret(tied, "em") == regret(unknown, "em") == regret(TABLE, "random")


def test_regret():
    assert regret(TABLE, "em") == {"a": 0.0, "b": 0.0}
    assert regret(TABLE, "always:y") == pytest.approx({"a": 0.1, "b": 0.0})
    assert regret(TABLE, "random") == pytest.approx({"a": 0.05, "b": 0.05})
    assert regret(TABLE, "em", "pr") == pytest.approx({"a": 0.1, "b": 0.0})


def test_following_the_criteria_costs_more_than_the_forest_in_the_unsupervised_setting():
    lost = {
        pick: sum(regret(printed_table("unsupervised"), pick).values()) / 12
        for pick in ("em", "mv", "always:iforest")
    }
    assert lost["always:iforest"] < lost["em"] < lost["mv"]
