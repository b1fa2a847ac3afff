"""A ranking as text: a table worth pasting into a mail, and the verdict below it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from oddrank.comparison import Comparison
from oddrank.evaluation import Evaluation
from oddrank.uncertainty import Estimate

__all__ = ["ranking_text", "verdict_sentences"]

WIDTH = 79
LONGEST_NAME = 28
_WORDS = {"excess_mass": "excess mass", "mass_volume": "mass volume"}


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

    def compare(self, first: str, second: str) -> Comparison:
        """Return the comparison of two detectors."""


def ranking_text(ranking: Ranked) -> str:
    """Return table, verdict and reasons, at most 79 columns wide."""
    parts = [ranking.setting, "", _table(ranking), ""]
    parts += [_wrapped(sentence) for sentence in verdict_sentences(ranking)]
    return "\n".join(parts)


def verdict_sentences(ranking: Ranked) -> Iterator[str]:
    """Say who is best, who cannot be separated, where the criteria disagree, what to distrust."""
    if not ranking.order(ranking.criterion):
        yield "Verdict: nothing could be ranked."
    else:
        yield _who_is_best(ranking)
        yield from _other_criterion(ranking)
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
    return f"Verdict: {order[0]} leads by {by}, but cannot be separated from {_listed(together)}."


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
        for check in evaluation.diagnostics.concerns:
            of_name.setdefault(check.name, []).append((name, check.message))
    for found in of_name.values():
        names, message = [name for name, _ in found], found[0][1]
        whom = "" if len(names) == len(ranking.evaluations) else f" ({_listed(names)})"
        yield f"Caution{whom}: {message}"


def _table(ranking: Ranked) -> str:
    order = ranking.order(ranking.criterion)
    names = [*ranking.evaluations, *ranking.failures]
    width = min(max(map(len, [*names, "detector"])), LONGEST_NAME)
    groups = ranking.groups()
    head = f"{'':>3} {'detector':<{width}}  {'excess mass':>18}  {'mass volume':>18}  beats"
    lines = [head, "-" * len(head)]
    for name, evaluation in ranking.evaluations.items():
        place = f"{order.index(name) + 1}." if name in order else "-"
        beaten = sum(c.separated and c.better == name for c in _of_criterion(ranking))
        lines.append(
            f"{place:>3} {_short(name, width):<{width}}  {_figure(evaluation.excess_mass):>18}  "
            f"{_figure(evaluation.mass_volume):>18}  {beaten or '-'!s:>5}"
        )
    lines += [f"{'-':>3} {_short(name, width):<{width}}  failed" for name in ranking.failures]
    tied = [group for group in groups if len(group) > 1]
    lines += [_wrapped("cannot be separated: " + _listed(group)) for group in tied]
    return "\n".join(lines)


def _of_criterion(ranking: Ranked) -> list[Comparison]:
    return [c for c in ranking.comparisons if c.criterion == ranking.criterion]


def _figure(estimate: Estimate) -> str:
    if not estimate.resolved:
        return "unresolved"
    return f"{estimate.value:.3g} ± {100 * estimate.relative_error:.0f} %"


def _probability(value: float) -> str:
    return "above 0.99" if value > 0.99 else f"{value:.2f}"


def _short(name: str, width: int) -> str:
    name = " ".join(name.split())
    return name if len(name) <= width else name[: width - 1] + "…"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _wrapped(sentence: str) -> str:
    return textwrap.fill(sentence, WIDTH, subsequent_indent="  ")
