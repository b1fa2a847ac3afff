"""A judgement as text: who beats how many of the others, and what single measures say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from oddrank.comparison import inseparable_groups
from oddrank.evaluation import Evaluation
from oddrank.judgement import Judgement
from oddrank.plain_text import LONGEST_NAME, listed, shortened, wrapped
from oddrank.reference.points import LEBESGUE
from oddrank.uncertainty import Estimate

__all__ = ["criterion_figure", "judgement_sentences", "judgement_table"]

_WIDTHS = {"score": 11, "ROC area": 8, "peers": 5, "excess mass": 15, "mass volume": 15}


def judgement_table(
    judgement: Judgement, evaluations: Mapping[str, Evaluation], failures: Mapping[str, str]
) -> str:
    """Return one line per detector, best first, and who cannot be separated."""
    names = [*judgement.order, *failures]
    width = min(max(map(len, [*names, "detector"])), LONGEST_NAME)
    lines: list[str] = []
    for place, name in enumerate(judgement.order, start=1):
        score = judgement.scores[name]
        beaten = sum(c.separated and c.better == name for c in judgement.comparisons)
        cells = {"score": f"{score.value:.2f} ± {score.standard_error:.2f}"}
        if evaluations[name].measure == LEBESGUE:
            cells |= {
                "excess mass": criterion_figure(evaluations[name].excess_mass),
                "mass volume": criterion_figure(evaluations[name].mass_volume),
            }
        else:
            cells |= {
                "ROC area": f"{judgement.mean_area(name):.3f}",
                "peers": _figure(judgement.consensus[name]),
            }
        if not lines:
            head = f"{'':>3} {'detector':<{width}}"
            head += "".join(f"  {title:>{_WIDTHS[title]}}" for title in cells) + "  beats"
            lines += [head, "-" * len(head)]
        line = f"{place:>2}. {shortened(name, width):<{width}}"
        line += "".join(f"  {text:>{_WIDTHS[title]}}" for title, text in cells.items())
        lines.append(f"{line}  {beaten or '-'!s:>5}")
    lines += [f"{'-':>3} {shortened(name, width):<{width}}  failed" for name in failures]
    groups = inseparable_groups(judgement.order, judgement.comparisons)
    tied = [group for group in groups if len(group) > 1]
    lines += [wrapped("cannot be separated: " + listed(group)) for group in tied]
    return "\n".join(lines)


def criterion_figure(estimate: Estimate) -> str:
    """Return a criterion with its relative error."""
    if not estimate.resolved:
        return "unresolved"
    return f"{estimate.value:.3g} ± {100 * estimate.relative_error:.0f} %"


def judgement_sentences(judgement: Judgement) -> Iterator[str]:
    """Say what the score is, and which measures see it otherwise."""
    if len(judgement.order) < 2:
        return
    if judgement.judge == "consensus":
        yield "The score is the share of the others that agree less with their peers."
        return
    share = judgement.weighing.consensus_share
    peers = f" ({1 - share:.0%}) and over what the other detectors find odd ({share:.0%})"
    yield (
        "The score is the share of the others that a detector beats, averaged over "
        f"{len(judgement.measures)} reference measures{peers if share else ''}."
    )
    best = judgement.order[0]
    others: dict[str, list[str]] = {}
    for measure, favourite in judgement.favourites.items():
        if favourite != best:
            others.setdefault(favourite, []).append(measure)
    for favourite, measures in others.items():
        yield f"Against {listed(measures)}, {favourite} would be first."
    against = [measure for measure, agreement in judgement.agreement.items() if agreement < 0.0]
    if against:
        yield (
            f"The order contradicts that of {listed(against)}: look at what kind of anomaly "
            "you expect."
        )


def _figure(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.2f}"
