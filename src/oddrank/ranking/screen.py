"""A ranking as people read it first: one screen, the same in Python, a terminal and a notebook."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from oddrank._text import WIDTH, Audience, counted, listed, printable, shortened, wrapped
from oddrank.criteria import SCORE
from oddrank.ranking.sureness import lost_by_labels
from oddrank.ranking.table import ranking_table

if TYPE_CHECKING:
    from oddrank.inspection import OddRows
    from oddrank.ranking.result import Ranking

__all__ = ["details_text", "ranking_html", "ranking_line", "screen"]

SHOWN_ROWS = 5


def next_steps_of(ranking: Ranking) -> str:
    """Return what can be called next."""
    steps = ["ranking.to_html('report.html')", "print(ranking.details)"]
    return " | ".join(["ranking.odd_rows()", "ranking.ask()", *steps] if ranking.order else steps)


def screen(
    ranking: Ranking,
    *,
    place: Audience = "python",
    remarks: Sequence[str] = (),
    odd: OddRows | None = None,
    next_steps: str = "",
    width: int = WIDTH,
) -> str:
    """Return the rows to look at first, the verdict, the table, and what to do next.

    Parameters
    ----------
    ranking : Ranking
    place : "python", "command" or "demo"
        Where it is shown: advice speaks of parameters or of flags.
    remarks : sequence of str
        What else bears on the verdict, such as labels.
    odd : OddRows, optional
        The rows; those of the committee by default.
    next_steps : str
        By default what can be called in Python.
    width : int
        Of the longest line.
    """
    verdict, table = ranking.conclusion, ranking.table.short
    parts = [rows_text(ranking, odd, width)] if ranking.order else []
    lines = [verdict.headline(place), *remarks, *verdict.remarks(place)]
    parts.append("\n".join(wrapped(line, width=width) for line in lines))
    if table.rows:
        parts.append("\n".join((table.to_text(width), *table.notes)))
    parts.append(wrapped(f"Next: {next_steps or next_steps_of(ranking)}", width=width))
    return "\n\n".join(parts)


def rows_text(ranking: Ranking, odd: OddRows | None = None, width: int = WIDTH) -> str:
    """Return the rows to look at first, a line each, with reasons."""
    odd = odd or ranking.odd_rows()
    found = odd.lines(SHOWN_ROWS)
    by = "" if odd.of == "committee" else f", by {shortened(odd.of, 40)}"
    lines = [f"Look at these rows first{by}:"]
    column = max(len(odd.beside), *(len(row[2]) for row in found)) if odd.beside else 0
    beside = f"  {odd.beside:<{column}}" if column else ""
    called = "row" if odd.names is None else ""
    reach = max(len(called), *(len(row[0]) for row in found))
    lines.append(f"  {called:<{reach}}  oddness{beside}  why")
    for name, oddness, cell, why in found:
        start = f"  {printable(name):<{reach}}  {oddness:>7}  "
        start += f"{cell:>{column}}  " if column else ""
        lines.append(
            textwrap.fill(
                printable(why), width, initial_indent=start, subsequent_indent=" " * len(start),
                break_on_hyphens=False,
            )
        )  # fmt: skip
    told = " ".join(filter(None, (odd.verdict, odd.note)))
    return "\n".join((*lines, wrapped(told, width=width, indent="")))


def ranking_html(ranking: Ranking) -> str:
    """Return the same screen for a notebook; everything that comes from the user is escaped."""
    verdict, table = ranking.conclusion, ranking.table.short
    more = "".join(f"<li>{escape(remark)}</li>" for remark in verdict.remarks())
    notes = [*table.notes, f"Next: {next_steps_of(ranking)}"]
    rows = ""
    if ranking.order:
        rows = f"<p>Look at these rows first:</p>{ranking.odd_rows()._repr_html_()}"
    return (
        f"<div>{rows}"
        f"<p><strong>{escape(verdict.headline())}</strong></p>"
        + (f"<ul>{more}</ul>" if more else "")
        + table.to_html()
        + "".join(f"<p>{escape(note)}</p>" for note in notes if note)
        + f"<p><small>{escape(ranking.setting)}.</small></p></div>"
    )


def ranking_line(ranking: Ranking) -> str:
    """Return the ranking in one line of fewer than 300 characters."""
    found = "nothing could be ranked"
    if ranking.order:
        best, by = shortened(ranking.order[0], 60), ranking.judgement.criterion.label
        found = f"best is {best!r} by {by}"
    failed = f", {len(ranking.failures)} failed" if ranking.failures else ""
    return f"<Ranking of {counted(len(ranking.names), 'detector')}{failed}: {found}>"


def details_text(ranking: Ranking, place: Audience = "python", width: int = WIDTH) -> str:
    """Return what the verdict is made of: leads, volumes, kinds of anomaly, checks."""
    parts = [wrapped(f"{ranking.setting}.", width=width, indent="")]
    if ranking.order:
        parts.append(ranking_table(ranking, with_volumes=True).details.to_text(width))
        parts.append("\n".join(wrapped(line, width=width) for line in _explained(ranking)))
    checks = "\n".join(wrapped(line, width=width) for line in _checks(ranking, place))
    return "\n\n".join((*parts, checks)).rstrip()


def _explained(ranking: Ranking) -> Iterator[str]:
    """Say what the columns are, and what each kind of anomaly says."""
    judgement = ranking.judgement
    if judgement.criterion == SCORE and judgement.judge == "consensus":
        yield (
            "The score is how well a detector sees what the others find odd. It depends on who the "
            "others are."
        )
    elif judgement.criterion == SCORE:
        yield (
            "The score is the chance that a row scores better than a made-up anomaly, averaged "
            f"over {len(judgement.measures)} kinds of them and {counted(judgement.n_fits, 'fit')}: "
            "1 is perfect, 0.5 is a coin toss."
        )
    else:
        yield f"The score is the {judgement.criterion.label}: {judgement.criterion.direction}."
    yield f"'Behind' is {behind_in_words(ranking)} on the same rows, with its own error."
    if judgement.criterion == SCORE and ranking.evaluations:
        yield "Excess mass and mass volume are shown beside it. The ranking does not rest on them."
    if len(judgement.order) > 1:
        yield from _favourites(ranking)
        yield from _committee(ranking)


def behind_in_words(ranking: Ranking) -> str:
    """Return what the column "behind" holds."""
    if ranking.judgement.criterion.unit:
        return "the logarithm of the ratio of two scores"
    return "the difference of two scores"


def _favourites(ranking: Ranking) -> Iterator[str]:
    kinds = ranking.judgement.kinds
    best = ranking.order[0]
    if kinds and all(kind.favourite != best for kind in kinds):
        average = "" if ranking.judgement.judge == "consensus" else "best on average, and "
        yield f"{best} is {average}first for no single kind of anomaly:"
    for kind in kinds:
        unsure = "" if kind.is_clear or kind.favourite == best else f", too close to {best} to tell"
        yield f"- {kind.expected}: {kind.favourite} is first{unsure}"


def _committee(ranking: Ranking) -> Iterator[str]:
    if len(ranking.committee_names) < 2 or ranking.judgement.criterion != SCORE:
        return
    lost = lost_by_labels(ranking.judgement.polluted)
    committee, pick = (f"{roc:.3f} ROC and {pr:.3f} average precision" for roc, pr in lost)
    yield (
        f"On tables with labels the committee of thirteen lost {committee} against the best "
        f"detector chosen by labels; the first of the order lost {pick}."
    )


def _checks(ranking: Ranking, place: Audience) -> Iterator[str]:
    checks = ranking.checks
    wrong = [each for each in checks if not each.diagnostic.ok]
    concerns = {each.diagnostic.name for each in wrong}
    for each in wrong:
        yield f"! {each.says(place)}"
    fine = {each.diagnostic.name: None for each in checks if each.diagnostic.name not in concerns}
    if fine:
        yield f"Checked and fine: {listed(list(fine))}."
