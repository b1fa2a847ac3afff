"""How often a lead was right: from a coin on, growing with what is certain of the lead."""

import pytest

from oddrank import Estimate
from oddrank.ranking import JUDGES, sureness_of

NAMES = [name for name in JUDGES if name != "auto"]


def lead(value, error=0.01):
    return Estimate.normal(value, error, 0.95)


@pytest.mark.parametrize("judge", NAMES)
@pytest.mark.parametrize("polluted", [None, True, False])
def test_sureness_grows_with_the_lead_from_a_coin_on(judge, polluted):
    found = [
        sureness_of(judge, polluted, lead(value), separated=True) for value in (0.0, 0.2, 0.5, 1.0)
    ]
    chances = [each.probability for each in found]
    assert chances[0] == 0.5
    assert chances == sorted(chances)
    assert chances[-1] < 1.0
    # where rows hold anomalies labels agree no better than a coin toss, with volumes everywhere
    nothing = polluted is True or (judge == "volume" and polluted is None)
    assert {each.withheld for each in found} == {nothing}
    assert (chances[-1] == 0.5) == nothing


@pytest.mark.parametrize("judge", NAMES)
def test_nothing_is_claimed_of_detectors_that_cannot_be_told_apart(judge):
    found = sureness_of(judge, None, lead(0.5), separated=False)
    assert found.withheld
    assert found.probability == 0.5
    assert "treat them as equal" in found.sentence


def test_a_lead_that_is_not_certain_is_worth_less():
    certain, vague = (
        sureness_of("references", None, lead(0.2, error), separated=True).probability
        for error in (0.01, 0.15)
    )
    assert 0.5 < vague < certain


def test_every_judge_is_calibrated():
    assert set(NAMES) == {"volume", "references", "consensus"}
