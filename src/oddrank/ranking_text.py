"""A ranking as text: a table worth pasting into a mail, and the verdict below it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from oddrank.comparison import Comparison
from oddrank.diagnostics import Diagnostic
from oddrank.evaluation import Evaluation
from oddrank.judged_comparison import JudgedComparison
from oddrank.judgement import Judgement
from oddrank.judgement_text import criterion_figure, judgement_sentences, judgement_table
from oddrank.plain_text import LONGEST_NAME, listed, shortened, wrapped
from oddrank.reference.points import LEBESGUE
from oddrank.sureness import Sureness

__all__ = ["concerns_of", "ranking_text", "verdict_sentences"]

_WORDS = {"excess_mass": "excess mass", "mass_volume": "mass volume", "judgement": "judgement"}


class Ranked(Protocol):
    """What the text is made from: see `oddrank.ranking_result.Ranking`."""

    @property
    def criterion(self) -> str:
        """The criterion that decides the order."""

    @property
    def setting(self) -> str:
        """Rows, features, draws and points."""

    @property
    def evaluations(self) -> Mapping[str, Evaluation]:
        """Best first."""

    @property
    def failures(self) -> Mapping[str, str]:
        """Reasons."""

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Every two detectors."""

    @property
    def agreement(self) -> bool:
        """Whether the criteria contradict each other nowhere."""

    def order(self, criterion: str) -> tuple[str, ...]:
        """Return the names, best first, by one criterion."""

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Return runs that cannot be separated."""

    @property
    def judgement(self) -> Judgement | None:
        """What the reference measures say, unless volumes decide."""

    def compare(self, first: str, second: str) -> Comparison | JudgedComparison:
        """Return the comparison of two detectors."""

    def comparisons_by(self, criterion: str) -> tuple[Comparison | JudgedComparison, ...]:
        """Return every two detectors, compared."""

    def how_sure(self, first: str, second: str) -> Sureness:
        """Return how often such a lead was right."""


def ranking_text(ranking: Ranked) -> str:
    """Return table, verdict and reasons, at most 79 columns wide."""
    table = _table(ranking)
    if ranking.judgement:
        table = judgement_table(ranking.judgement, ranking.evaluations, ranking.failures)
    parts = [ranking.setting, "", table, ""]
    parts += [wrapped(sentence) for sentence in verdict_sentences(ranking)]
    return "\n".join(parts)


def verdict_sentences(ranking: Ranked) -> Iterator[str]:
    """Say who is best, who cannot be separated, where the criteria disagree, what to distrust."""
    if not ranking.order(ranking.criterion):
        yield "Verdict: nothing could be ranked."
    else:
        yield _who_is_best(ranking)
        yield from _how_sure(ranking)
        if ranking.judgement is None:
            yield from _other_criterion(ranking)
        else:
            yield from judgement_sentences(ranking.judgement)
    yield from _failures(ranking)
    yield from _concerns(ranking)


def _who_is_best(ranking: Ranked) -> str:
    order = ranking.order(ranking.criterion)
    by = _WORDS[ranking.criterion]
    if len(order) == 1:
        return f"Verdict: {order[0]} alone was ranked, so there is nothing to compare it with."
    together = [name for name in order[1:] if not ranking.compare(order[0], name).separated]
    if not together:
        runner_up = ranking.compare(order[0], order[1])
        return (
            f"Verdict: {order[0]} is best by {by}, separated from all others (the order against "
            f"{order[1]} would hold with probability {_probability(runner_up.holds)})."
        )
    if len(together) == len(order) - 1:
        return f"Verdict: no detector can be separated from {order[0]}, the first by {by}."
    return f"Verdict: {order[0]} leads by {by}, but cannot be separated from {listed(together)}."


def _how_sure(ranking: Ranked) -> Iterator[str]:
    order = ranking.order(ranking.criterion)
    if len(order) > 1:
        sureness = ranking.how_sure(order[0], order[1])
        yield f"How sure that labels would agree, {order[0]} over {order[1]}: {sureness.sentence}"


def _other_criterion(ranking: Ranked) -> Iterator[str]:
    other = "mass_volume" if ranking.criterion == "excess_mass" else "excess_mass"
    order, other_order = ranking.order(ranking.criterion), ranking.order(other)
    if ranking.criterion == "mass_volume" and len(other_order) < len(ranking.evaluations):
        yield (
            "The excess mass of some detectors is unresolved, so the mass volume decides the order."
        )
    if len(order) < 2 or not other_order:
        return
    if not ranking.agreement:
        yield (
            f"The two criteria disagree: by {_WORDS[other]} the order is "
            f"{' > '.join(other_order)}. "
            "Do not act on this order without looking at the detectors yourself."
        )
    elif other_order[0] != order[0]:
        yield f"By {_WORDS[other]} {other_order[0]} would be first, within the errors."


def _failures(ranking: Ranked) -> Iterator[str]:
    for name, reason in ranking.failures.items():
        yield f"Failed: {name}. {reason}"


def _concerns(ranking: Ranked) -> Iterator[str]:
    # Most concerns are about the rows, and much the same for every detector: each is said once, as
    # the first detector has it.
    of_name: dict[str, list[tuple[str, str]]] = {}
    for name, evaluation in ranking.evaluations.items():
        for check in concerns_of(evaluation):
            of_name.setdefault(check.name, []).append((name, check.message))
    for found in of_name.values():
        names, message = [name for name, _ in found], found[0][1]
        whom = "" if len(names) == len(ranking.evaluations) else f" ({listed(names)})"
        yield f"Caution{whom}: {message}"


def concerns_of(evaluation: Evaluation) -> tuple[Diagnostic, ...]:
    """Return what to distrust; areas that were not measured as volumes decide nothing."""
    concerns = evaluation.diagnostics.concerns
    in_volume = evaluation.measure == LEBESGUE
    return tuple(each for each in concerns if in_volume or each.name == "tied scores")


def _table(ranking: Ranked) -> str:
    order = ranking.order(ranking.criterion)
    names = [*ranking.evaluations, *ranking.failures]
    width = min(max(map(len, [*names, "detector"])), LONGEST_NAME)
    groups, compared = ranking.groups(), ranking.comparisons_by(ranking.criterion)
    head = f"{'':>3} {'detector':<{width}}  {'excess mass':>18}  {'mass volume':>18}  beats"
    lines = [head, "-" * len(head)]
    for name, evaluation in ranking.evaluations.items():
        place = f"{order.index(name) + 1}." if name in order else "-"
        beaten = sum(c.separated and c.better == name for c in compared)
        areas = map(criterion_figure, (evaluation.excess_mass, evaluation.mass_volume))
        figures = "  ".join(f"{area:>18}" for area in areas)
        lines.append(
            f"{place:>3} {shortened(name, width):<{width}}  {figures}  {beaten or '-'!s:>5}"
        )
    lines += [f"{'-':>3} {shortened(name, width):<{width}}  failed" for name in ranking.failures]
    tied = [group for group in groups if len(group) > 1]
    lines += [wrapped("cannot be separated: " + listed(group)) for group in tied]
    return "\n".join(lines)


def _probability(value: float) -> str:
    return "above 0.99" if value > 0.99 else f"{value:.2f}"
