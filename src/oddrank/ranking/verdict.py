"""The verdict: what to use, how clear that is on this data, how far it holds beyond it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oddrank._text import Audience, Wording, counted, listed, number_word, printable
from oddrank.criteria import EXCESS_MASS, MASS_VOLUME, SCORE, share_tied
from oddrank.evaluation import WORST_FIRST, Diagnostic, ScoredFits, check_ties
from oddrank.ranking.comparison import MARGIN

if TYPE_CHECKING:
    from oddrank.ranking.result import Ranking
    from oddrank.ranking.taught import Teaching

__all__ = ["Check", "Verdict", "checks_of", "verdict_of"]

# A fresh sample agrees more often than this "almost surely".
ALMOST_SURE = 0.99
# A detector with a smaller chance is not named as the one that agrees with answers.
CLEARLY_AGREES = 0.5
# Answers with a smaller probability of following the rows are called tosses of a coin: 1 in 200 of
# those that followed labels, and 17 in 20 of those that were tossed, after forty answers.
DOUBTFUL = 0.1
# More members of a committee, or detectors that cannot be told from the first, are not named.
MOST_MEMBERS, MOST_NAMED = 6, 3


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What to do, in sentences that are made from all facts at once.

    Attributes
    ----------
    use : Wording
        What to use: the committee, wherever there is one.
    order : str
        Who describes the rows best, and how clear that is.
    beyond : str
        What the order says about finding odd rows.
    kinds : tuple of str
        Kinds of anomaly that another detector clearly sees better.
    cautions : tuple of Wording
        What to distrust in the order itself, worst first.
    failures : tuple of str
        Detectors that failed, and why.
    is_clear : bool
        Whether the first beats every other detector, and rows are not too few to say so.
    """

    use: Wording
    order: str = ""
    beyond: str = ""
    kinds: tuple[str, ...] = ()
    cautions: tuple[Wording, ...] = ()
    failures: tuple[str, ...] = ()
    is_clear: bool = False

    def headline(self, place: Audience = "python") -> str:
        """Return what to use, what the order is, what it says: one paragraph."""
        return " ".join(filter(None, (self.use.at(place), self.order, self.beyond)))

    def remarks(self, place: Audience = "python") -> tuple[str, ...]:
        """Return everything beside the headline, in the words of this place."""
        cautions = tuple(f"Caution: {each.at(place)}" for each in self.cautions)
        return (*self.kinds, *self.failures, *cautions)

    def __str__(self) -> str:
        return " ".join((self.headline(), *self.remarks()))


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that was looked at, once for all detectors.

    Attributes
    ----------
    diagnostic : Diagnostic
        As the best of the detectors concerned has it.
    detectors : tuple of str
    of_all : bool
        Whether all detectors are concerned.
    differs : bool
        Whether the others have other figures than the best.
    """

    diagnostic: Diagnostic
    detectors: tuple[str, ...]
    of_all: bool
    differs: bool

    def says(self, place: Audience, *, with_names: bool = True) -> str:
        """Return what was found, and what to do."""
        whom = "" if self.of_all or not with_names else f"{listed(self.detectors)}: "
        told = [self.diagnostic.message]
        if self.differs:
            told.append(f"The figures are those of {printable(self.detectors[0])}.")
        if self.diagnostic.advice is not None:
            told.append(self.diagnostic.advice.at(place))
        return whom + " ".join(told)


def verdict_of(ranking: Ranking) -> Verdict:
    """Conclude."""
    failures = tuple(f"Failed: {name}. {reason}" for name, reason in ranking.failures.items())
    if not ranking.order:
        use = _everywhere("Nothing could be ranked.")
        return Verdict(use=use, failures=failures, cautions=_cautions(ranking))
    best, others = ranking.order[0], list(ranking.order[1:])
    tied = [name for name in others if not ranking.compare(best, name).separated]
    is_clear = bool(others) and not tied and not ranking.is_a_guess
    return Verdict(
        use=_use(ranking),
        order=_order(ranking, best, others, tied),
        beyond=_beyond(ranking, best, others, tied),
        kinds=tuple(_kinds(ranking)),
        cautions=_cautions(ranking),
        failures=failures,
        is_clear=is_clear,
    )


def _use(ranking: Ranking) -> Wording:
    names = ranking.committee_names
    if len(names) == 1:
        return _everywhere(f"Use {names[0]}.")
    whom = listed(names) if len(names) <= MOST_MEMBERS else f"all {number_word(len(names))}"
    start = f"Use the committee of {whom}"
    if ranking.taught is not None and len(ranking.taught.model.answers):
        start += f", taught by {_answers(ranking.taught)}"
    return Wording(
        python=f"{start} (ranking.committee).",
        command=f"{start} (--save FILE).",
        demo=f"{start}.",
    )


def _answers(taught: Teaching) -> str:
    n_labels, n_cases = len(taught.known), len(taught.cases)
    told = [
        f"{counted(n_labels, 'known label')}, {_of_them(taught.n_known_odd)} odd",
        f"{counted(n_cases, 'known case')}, {_of_them(int(taught.cases.answers.sum()))} odd",
    ]
    told = [words for number, words in zip((n_labels, n_cases), told, strict=True) if number]
    n_answers = len(taught.asked_places)
    if n_answers:
        answers = f"{counted(n_answers, 'answer')}, {_of_them(taught.n_called_odd)} yes"
        told.insert(0, answers)
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])}, and {told[-1]}"


def _of_them(number: int) -> str:
    return f"{number:,} of them" if number else "none of them"


def _order(ranking: Ranking, best: str, others: list[str], tied: list[str]) -> str:
    """Say who comes first, and how clear that is."""
    if not others:
        return "It alone was ranked: there is nothing to compare it with."
    first = f"{best} describes these rows best"
    if ranking.judgement.judge == "consensus":
        first = f"{best} agrees best with the others"
    if not tied:
        told = f"{first}: {_clear(ranking, best, others)}"
    elif len(tied) == len(others):
        told = f"{best} comes first, but nothing tells it from the {_rest(others)}."
    else:
        whom = listed(tied) if len(tied) <= MOST_NAMED else f"{number_word(len(tied))} others"
        beaten = [name for name in others if name not in tied]
        told = f"{first}, but cannot be told apart from {whom}; it beats {_beaten(beaten)}."
    if ranking.is_a_guess:
        told += (
            f" This is a guess: there are only {ranking.n_test_rows} test rows per fit, and the "
            f"order is that of fits on {_part(ranking)} of the rows."
        )
    return told


def _part(ranking: Ranking) -> str:
    return "half" if ranking.judgement.n_fits == 2 else "a part"


def _beaten(names: list[str]) -> str:
    return listed(names) if len(names) <= MOST_NAMED else f"the other {number_word(len(names))}"


def _rest(others: list[str]) -> str:
    return "other" if len(others) == 1 else "rest"


def _clear(ranking: Ranking, best: str, others: list[str]) -> str:
    whom = _others(others)
    if ranking.judgement.n_fits == 1:
        return (
            f"it beats {whom}, as they are fitted; another training sample may order them "
            "differently."
        )
    if ranking.is_a_guess:
        return f"it beats {whom}."
    holds = min(ranking.compare(best, name).holds for name in others)
    fresh = "almost surely agree" if holds > ALMOST_SURE else f"agree in {_tenths(holds)}"
    return f"it beats {whom}, and a fresh sample would {fresh}."


def _tenths(probability: float) -> str:
    # rounded down: nothing below certainty reads as 10 of 10
    return f"{int(10 * probability)} of 10 cases"


def _others(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"the other {number_word(len(names))}"


def _beyond(ranking: Ranking, best: str, others: list[str], tied: list[str]) -> str:
    """Say what the order is worth for finding odd rows."""
    if ranking.taught is not None:
        return _agreed(ranking)
    if len(tied) == len(others):
        return ""
    if ranking.judgement.polluted is not False:
        return "Whether that finds odd rows better, no table without labels can tell."
    if tied or ranking.is_a_guess:
        return ""
    rival = min(others, key=lambda name: ranking.how_sure(best, name).probability)
    sureness = ranking.how_sure(best, rival)
    # of two detectors the rival has just been named
    over = f" over {rival}" if len(others) > 1 else ""
    if sureness.withheld or sureness.is_coin_toss:
        return (
            f"Such a lead{over} says little: on tables with labels and clean rows they agreed with "
            "it no better than a coin toss."
        )
    return (
        f"On tables with labels and clean rows they agreed with such a lead{over} in "
        f"{sureness.tenths} of 10 cases."
    )


def _agreed(ranking: Ranking) -> str:
    """Say which detector agrees with the answers, and what noes alone do not say."""
    taught = ranking.teaching
    n_asked, n_told = len(taught.asked_places), len(taught.model.answers)
    if not n_told:
        return ""
    if not taught.model.n_yes:
        told = f"{counted(n_asked, 'row')} that you answered" if n_asked else "known rows"
        return f"None of the {told} is odd. That does not make the rows clean."
    kinds = ["answers"] * bool(n_asked) + ["known labels"] * (n_asked < n_told)
    whom, best = " and ".join(kinds), ranking.best
    if taught.model.trust < DOUBTFUL:
        return (
            f"Your {whom} fit the rows no better than tosses of a coin, so they hardly change the "
            "list."
        )
    chance = ranking.chances[best]
    agrees = f"{best} agrees best with your {whom} (chance {100 * chance:.0f} %)."
    if chance < CLEARLY_AGREES:
        agrees = f"No detector alone clearly agrees best with your {whom}."
    return f"{agrees} {ranking.expected_change().sentence}" if n_asked else agrees


def _kinds(ranking: Ranking) -> Iterator[str]:
    expected: dict[str, list[str]] = {}
    for kind in ranking.judgement.kinds:
        if kind.is_clear:
            expected.setdefault(kind.favourite, []).append(kind.expected)
    for favourite, kinds in expected.items():
        yield f"If you expect {listed(kinds, 'or')}, {favourite} ranks first."


def checks_of(ranking: Ranking) -> tuple[Check, ...]:
    """Return everything that was looked at, worst first, each thing once for all detectors.

    Most of what is found is about the rows, and much the same for every detector.
    """
    found: dict[tuple[str, bool], list[tuple[str, Diagnostic]]] = {}
    for name, check in _diagnostics(ranking):
        found.setdefault((check.name, check.ok), []).append((name, check))
    checks = [
        Check(
            diagnostic=of[0][1],
            detectors=tuple(name for name, _ in of),
            of_all=len(of) == len(ranking.names),
            differs=any(each.message != of[0][1].message for _, each in of),
        )
        for of in found.values()
    ]
    return tuple(sorted(checks, key=lambda each: (
        each.diagnostic.ok, WORST_FIRST.index(each.diagnostic.name)
    )))  # fmt: skip


def _diagnostics(ranking: Ranking) -> Iterator[tuple[str, Diagnostic]]:
    """Yield what was looked at, detector by detector, if the order rests on it."""
    scored = ranking.scored
    for name in ranking.names:
        if ranking.judgement.criterion != SCORE:
            yield from ((name, check) for check in ranking.evaluations[name].diagnostics.checks)
        elif isinstance(scored, ScoredFits):
            yield name, check_ties(max(share_tied(fold.row_scores) for fold in scored.fits[name]))


def _cautions(ranking: Ranking) -> tuple[Wording, ...]:
    letters = ranking.letters
    first = set(letters[ranking.order[0]]) if ranking.order else set()
    # what makes a detector that lost hard to measure is a detail
    in_front = {name for name in ranking.names if first & set(letters.get(name, ""))}
    found = [each for each in ranking.checks if not each.diagnostic.ok]
    found = [each for each in found if each.of_all or in_front & set(each.detectors)]
    cautions = [Wording(python=c.says("python"), command=c.says("command")) for c in found]
    told = [_SAID_POLLUTED] if ranking.judgement.polluted else []
    told += list(_unsteady(ranking))
    return (*told, *map(_everywhere, _other_criterion(ranking)), *cautions)


def _unsteady(ranking: Ranking) -> Iterator[Wording]:
    """Say which detector cannot be ordered because its fits differ too much."""
    spreads = ranking.judgement.fit_spreads
    ties = [
        pair for pair in ranking.comparisons if not pair.separated and pair.lead.value >= MARGIN
    ]
    found = {
        name
        for pair in ties
        for name in (pair.better, pair.worse)
        if spreads.get(name, 0.0) >= pair.lead.value
    }
    if found:
        name = max(found, key=lambda each: spreads[each])
        start = (
            f"The fits of {name} differ too much to order it: another fit moves its score by about "
            f"{spreads[name]:.2f}."
        )
        yield Wording(python=f"{start} More folds (cv=5) may settle it.", command=start)


_SAID_POLLUTED = Wording(
    python="polluted=True changes nothing: no way to clean rows was found that helps everywhere.",
    command="--polluted changes nothing: no way to clean rows was found that helps everywhere.",
)


def _everywhere(sentence: str) -> Wording:
    return Wording(python=sentence, command=sentence)


def _other_criterion(ranking: Ranking) -> Iterator[str]:
    """Say where the two criteria of the paper disagree, if one of them decides."""
    decides = ranking.judgement.criterion
    if decides == SCORE or len(ranking.order) < 2:
        return
    other = MASS_VOLUME if decides == EXCESS_MASS else EXCESS_MASS
    other_order = ranking.order_by(other.name)
    if decides == MASS_VOLUME and len(other_order) < len(ranking.names):
        missing = len(ranking.names) - len(other_order)
        has = "has" if missing == 1 else "have"
        chosen = getattr(ranking.judge, "criterion", "auto") != "auto"
        so = "" if chosen else ", so the mass volume decides"
        yield f"{counted(missing, 'detector')} {has} no excess mass{so}."
    if not other_order:
        return
    if not volumes_agree(ranking):
        yield (
            f"Excess mass and mass volume contradict each other: by {other.label} the order is "
            f"{' > '.join(other_order)}. Look at the detectors before you act on either."
        )
    elif other_order[0] != ranking.order[0]:
        yield f"By {other.label} {other_order[0]} would be first, within the errors."


def volumes_agree(ranking: Ranking) -> bool:
    """Return whether no pair is separated one way by excess mass, the other by mass volume."""
    excess, volume = (
        {(c.better, c.worse) for c in ranking.comparisons_by(each.name) if c.separated}
        for each in (EXCESS_MASS, MASS_VOLUME)
    )
    return not excess & {(worse, better) for better, worse in volume}
