"""The verdict of a ranking in words, and a ranking as text and in a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from oddrank._plain_text import counted, listed, shortened, wrapped
from oddrank.criteria import EXCESS_MASS, MASS_VOLUME, SCORE
from oddrank.judging import Judgement, lost_by_labels
from oddrank.ranking.table import concerns_of

if TYPE_CHECKING:
    from oddrank.ranking.result import Ranking

__all__ = ["ranking_html", "ranking_line", "ranking_text", "verdict_sentences"]


def ranking_text(ranking: Ranking) -> str:
    """Return table, verdict and reasons, at most 79 columns wide."""
    table = ranking.table
    parts = [ranking.setting, "", table.to_text(), *table.notes, ""]
    parts += [wrapped(sentence) for sentence in verdict_sentences(ranking)]
    return "\n".join(parts)


def ranking_html(ranking: Ranking) -> str:
    """Return a table and the verdict; everything that comes from the user is escaped."""
    verdict, *remarks = map(escape, verdict_sentences(ranking))
    more = "".join(f"<li>{remark}</li>" for remark in [*map(escape, ranking.table.notes), *remarks])
    return (
        f"<div><p><strong>{verdict}</strong></p>{ranking.table.to_html()}"
        + (f"<ul>{more}</ul>" if more else "")
        + f"<p><small>{escape(' '.join(ranking.setting.split()))}</small></p></div>"
    )


def ranking_line(ranking: Ranking) -> str:
    """Return the ranking in one line of fewer than 300 characters."""
    found = "nothing could be ranked"
    if ranking.order:
        best, by = shortened(ranking.order[0], 60), ranking.judgement.criterion.label
        found = f"best is {best!r} by {by}"
    failed = f", {len(ranking.failures)} failed" if ranking.failures else ""
    return f"<Ranking of {counted(len(ranking.evaluations), 'detector')}{failed}: {found}>"


def verdict_sentences(ranking: Ranking) -> Iterator[str]:
    """Say who is best, who cannot be separated, where the criteria disagree, what to distrust."""
    if not ranking.order:
        yield "Verdict: nothing could be ranked."
    else:
        yield _who_is_best(ranking)
        yield from _rows(ranking)
        yield from _how_sure(ranking)
        yield from _committee(ranking)
        if ranking.judgement.measures:
            yield from _what_measures_say(ranking.judgement)
        else:
            yield from _other_criterion(ranking)
    for name, reason in ranking.failures.items():
        yield f"Failed: {name}. {reason}"
    yield from _concerns(ranking)


def _who_is_best(ranking: Ranking) -> str:
    order, by = ranking.order, ranking.judgement.criterion.label
    start = "Verdict:"
    if ranking.is_a_guess:
        start = f"Verdict: a guess, since {ranking.n_test_rows} test rows per fit say little."
    if ranking.judgement.n_fits == 1:
        by += " of these fitted models"
    if len(order) == 1:
        return f"{start} {order[0]} alone was ranked, so there is nothing to compare it with."
    together = [name for name in order[1:] if not ranking.compare(order[0], name).separated]
    if not together:
        holds = ranking.compare(order[0], order[1]).holds
        probability = "above 0.99" if holds > 0.99 else f"{holds:.2f}"
        return (
            f"{start} {order[0]} is best by {by}, separated from all others (the order against "
            f"{order[1]} would hold with probability {probability})."
        )
    if len(together) == len(order) - 1:
        return f"{start} {order[0]} leads by {by}, but cannot be separated from any other."
    return f"{start} {order[0]} leads by {by}, but cannot be separated from {listed(together)}."


def _how_sure(ranking: Ranking) -> Iterator[str]:
    order = ranking.order
    if len(order) > 1:
        sureness = ranking.how_sure(order[0], order[1])
        yield f"How sure that labels would agree, {order[0]} over {order[1]}: {sureness.sentence}"


def _rows(ranking: Ranking) -> Iterator[str]:
    if ranking.has_held_out:
        yield ranking.odd_rows(n_explained=0).verdict


def _committee(ranking: Ranking) -> Iterator[str]:
    names = ranking.committee_names
    if len(names) > 2 and ranking.judgement.criterion == SCORE:
        lost = lost_by_labels(ranking.judgement.polluted)
        committee, pick = (f"{roc:.3f} ROC and {pr:.3f} PR" for roc, pr in lost)
        yield (
            f"Safer: the committee of {listed(names)} (ranking.committee). On public datasets with "
            f"labels committees lost {committee} against the best detector, single picks {pick}."
        )


def _what_measures_say(judgement: Judgement) -> Iterator[str]:
    if len(judgement.order) < 2:
        return
    if judgement.judge == "consensus":
        yield (
            "The score is how well a detector sees what the others find odd: it depends on who the "
            "others are."
        )
        return
    yield (
        "The score is the share of reference points that a row is told from, averaged over "
        f"{len(judgement.measures)} kinds of them and {counted(judgement.n_fits, 'fit')}."
    )
    best = judgement.order[0]
    others: dict[str, list[str]] = {}
    for measure, favourite in judgement.favourites.items():
        if favourite != best:
            others.setdefault(favourite, []).append(measure)
    for favourite, measures in others.items():
        yield f"Against {listed(measures)}, {favourite} would be first."


def _other_criterion(ranking: Ranking) -> Iterator[str]:
    decides = ranking.judgement.criterion
    other = MASS_VOLUME if decides == EXCESS_MASS else EXCESS_MASS
    order, other_order = ranking.order, ranking.order_by(other.name)
    if decides == MASS_VOLUME and len(other_order) < len(ranking.evaluations):
        yield (
            "The excess mass of some detectors is unresolved, so the mass volume decides the order."
        )
    if len(order) < 2 or not other_order:
        return
    if not ranking.agreement:
        yield (
            f"The two criteria disagree: by {other.label} the order is {' > '.join(other_order)}. "
            "Do not act on this order without looking at the detectors yourself."
        )
    elif other_order[0] != order[0]:
        yield f"By {other.label} {other_order[0]} would be first, within the errors."


def _concerns(ranking: Ranking) -> Iterator[str]:
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
