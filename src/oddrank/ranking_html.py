"""A ranking in a notebook: a short table and the verdict. The whole report is `to_html`."""

from __future__ import annotations

from html import escape

from oddrank.ranking_text import Ranked, verdict_sentences
from oddrank.uncertainty import Estimate

__all__ = ["ranking_html"]


def ranking_html(ranking: Ranked) -> str:
    """Return a table and the verdict; everything that comes from the user is escaped."""
    order = ranking.order(ranking.criterion)
    rows = []
    for name, evaluation in ranking.evaluations.items():
        place = f"{order.index(name) + 1}" if name in order else "–"
        cells = [place, name, _figure(evaluation.excess_mass), _figure(evaluation.mass_volume)]
        cells.append("yes" if evaluation.diagnostics.trustworthy else "with care")
        rows.append(_row("td", cells))
    rows += [_row("td", ["–", name, "failed", "failed", "no"]) for name in ranking.failures]
    head = _row("th", ["", "detector", "excess mass ↑", "mass volume ↓", "trust"])
    verdict, *remarks = map(escape, verdict_sentences(ranking))
    more = "".join(f"<li>{remark}</li>" for remark in remarks)
    return (
        f"<div><p><strong>{verdict}</strong></p>"
        f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"
        + (f"<ul>{more}</ul>" if more else "")
        + f"<p><small>{escape(' '.join(ranking.setting.split()))}</small></p></div>"
    )


def _row(tag: str, cells: list[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _figure(estimate: Estimate) -> str:
    if not estimate.resolved:
        return "unresolved"
    return f"{estimate.value:.3g} ± {100 * estimate.relative_error:.0f} %"
