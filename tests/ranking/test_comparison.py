"""Two detectors compared: p-values, who is separated, and groups that cannot be told apart."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from oddrank import Comparison
from oddrank.criteria import EXCESS_MASS, MASS_VOLUME, SCORE, Estimate, PairedRatio, holm
from oddrank.ranking import MARGIN, Sureness, compare_volumes, inseparable_groups, letters
from tests.planted import planted_ranking

NAMES = "abcdefg"


def comparison(better, worse, separated, criterion=EXCESS_MASS, lead=None):
    p_value = 0.01 if separated else 0.9
    ratio = PairedRatio(value=0.1, standard_error=0.1, interval=(0.0, 0.2), degrees_of_freedom=9.0)
    return Comparison(
        criterion=criterion,
        better=better,
        worse=worse,
        lead=lead or ratio,
        p_value=p_value,
        adjusted_p_value=p_value,
        separated=separated,
        sureness=Sureness(probability=0.7, withheld=False, n_datasets=12),
    )


def all_pairs(names, separated):
    return [
        comparison(better, worse, frozenset((better, worse)) in separated)
        for better, worse in combinations(names, 2)
    ]


def cliques(names, separated):
    """Every largest set without a separated pair, by trying all sets."""
    sets = [
        set(chosen)
        for size in range(1, len(names) + 1)
        for chosen in combinations(names, size)
        if not any(frozenset(pair) in separated for pair in combinations(chosen, 2))
    ]
    return {frozenset(each) for each in sets if not any(each < other for other in sets)}


def test_a_noisy_third_is_not_lost_behind_a_separated_second():
    comparisons = [
        comparison("a", "b", True),
        comparison("a", "c", False),
        comparison("b", "c", False),
    ]
    assert inseparable_groups("abc", comparisons) == (("a", "c"), ("b", "c"))


@given(st.data())
def test_groups_are_all_largest_sets_without_a_separated_pair(data):
    names = NAMES[: data.draw(st.integers(0, 6))]
    pairs = [frozenset(pair) for pair in combinations(names, 2)]
    separated = {pair for pair in pairs if data.draw(st.booleans())}
    found = inseparable_groups(names, all_pairs(names, separated))
    expected = cliques(names, separated)
    assert len(found) == len(expected)
    assert {frozenset(group) for group in found} == expected
    for group in found:
        assert list(group) == sorted(group, key=names.index)
    assert list(found) == sorted(found, key=lambda group: [names.index(name) for name in group])
    # two share a letter exactly if they are not separated
    of_name = letters(found)
    assert set(of_name) == set(names)
    for first, second in combinations(names, 2):
        shared = set(of_name[first]) & set(of_name[second])
        assert bool(shared) == (frozenset((first, second)) not in separated)


def test_who_was_not_compared_is_in_no_comparison():
    pairs = [comparison("a", "b", True), comparison("a", "lost", True)]
    assert inseparable_groups("ab", pairs) == (("a",), ("b",))
    assert inseparable_groups("", pairs) == ()


def test_letters_go_on_after_the_alphabet():
    groups = [(f"d{position}",) for position in range(28)]
    found = letters(groups)
    assert len(set(found.values())) == 28
    assert (found["d0"], found["d25"], found["d26"]) == ("a", "z", "aa")


@pytest.fixture(scope="module")
def ranking():
    return planted_ranking(0)


@pytest.mark.parametrize("criterion", [EXCESS_MASS, MASS_VOLUME])
def test_corrected_p_values_are_those_of_holm_and_decide(ranking, criterion):
    pairs = ranking.comparisons_by(criterion.name)
    plain = np.array([each.p_value for each in pairs])
    corrected = [each.adjusted_p_value for each in pairs]
    np.testing.assert_allclose(corrected, holm(plain))
    # a lead below the margin matters to nobody, however sure it is
    clear = [each.adjusted_p_value < 0.05 and each.lead.value >= MARGIN for each in pairs]
    assert [each.separated for each in pairs] == clear
    assert all(each.adjusted_p_value >= each.p_value for each in pairs)
    alone = {name: ranking.evaluations[name].criteria for name in ("true", "wrong")}
    (pair,) = compare_volumes(alone, criterion, 0.95)
    same = ranking.compare("true", "wrong", criterion.name)
    assert pair.lead == same.lead
    assert pair.p_value == pair.adjusted_p_value == same.p_value


@pytest.mark.parametrize("criterion", [EXCESS_MASS, MASS_VOLUME])
def test_leads_are_never_negative_and_point_to_the_better(ranking, criterion):
    for each in ranking.comparisons_by(criterion.name):
        assert each.criterion == criterion
        assert each.lead.value >= 0.0
        assert each.lead.interval[0] <= each.lead.value <= each.lead.interval[1]
        better, worse = (
            ranking.evaluations[name][criterion].value for name in (each.better, each.worse)
        )
        expected = criterion.sign * np.log(better / worse)
        assert each.lead.value == pytest.approx(expected, abs=1e-12)
        assert each.sureness.probability >= 0.5
        assert each.sureness.withheld  # leads of volumes are worth nothing where nothing is told


def test_an_order_holds_by_the_p_value():
    # seen z standard errors ahead, another sample is ahead with probability Φ(z / √2)
    for z in (0.0, 1.0, 2.5):
        p_value = float(2 * norm.sf(z))
        lead = Estimate.normal(0.1 * z, 0.1, 0.95)
        pair = Comparison(
            criterion=SCORE,
            better="a",
            worse="b",
            lead=lead,
            p_value=p_value,
            adjusted_p_value=min(1.0, 3 * p_value),
            separated=False,
            sureness=Sureness(probability=0.5, withheld=True, n_datasets=12),
        )
        assert pair.holds == pytest.approx(norm.cdf(z / np.sqrt(2.0)))


def test_words_and_plain_numbers():
    ratio, share = comparison("a", "b", True), Estimate.normal(0.25, 0.05, 0.95)
    assert str(ratio).startswith(
        "a leads b by 10.5 % in excess mass: told apart (p = 0.01). On 12 "
    )
    judged = comparison("a", "b", False, SCORE, share)
    assert str(judged).startswith("a leads b by 0.250 ± 0.050 in mean area: cannot be told apart")
    plain = judged.to_dict()
    assert plain["criterion"] == "mean_area"
    assert plain["lead"] == share.to_dict()
    assert (plain["p_value"], plain["adjusted_p_value"]) == (0.9, 0.9)
    assert plain["probability_right"] == 0.7
    assert plain["holds"] == judged.holds
