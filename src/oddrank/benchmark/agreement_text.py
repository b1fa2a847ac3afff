"""An agreement summary as Markdown, and as plain values."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddrank.benchmark.agreement_summary import AgreementSummary
from oddrank.benchmark.count_lines import ShareRight
from oddrank.criteria import Estimate

__all__ = ["EXPLANATION", "agreement_markdown", "agreement_values"]

_COUNT_HEAD = ("verdict", "counted in", "as ROC", "as PR", "as both, where they agree",
              "exact rankings")  # fmt: skip
_LOSS_HEAD = ("following", "in", "ROC lost", "PR lost", "ROC lost beyond always iforest")

EXPLANATION = """\
Pairs of detectors on one dataset that a verdict orders as ROC does, as PR does, and as both do
where these two agree; rankings are exact if no such pair of a dataset is wrong. A range means
that rounded or unresolved figures leave pairs tied. Ours are counted in the table of means over
seeds; intervals (95 %) come from drawing each dataset's seeds again with replacement, so that a
dataset with one seed adds nothing to them. Intervals in the last column are over datasets, drawn
again with replacement."""


def agreement_markdown(summary: AgreementSummary) -> str:
    """Return both tables of one setting, with the number of seeds of every dataset."""
    seeds = [
        f"Seeds of preset {preset}: {', '.join(f'{name} {n}' for name, n in numbers.items())}."
        for preset, numbers in summary.n_seeds.items()
    ]
    return "\n\n".join([
        "\n".join(seeds),
        _table(_COUNT_HEAD, _count_cells(summary)),
        _table(_LOSS_HEAD, _loss_cells(summary)),
    ])  # fmt: skip


def _count_cells(summary: AgreementSummary) -> list[list[str]]:
    return [
        [line.verdict, line.source, *map(_share, line.shares)] for line in summary.counts
    ]  # fmt: skip


def _loss_cells(summary: AgreementSummary) -> list[list[str]]:
    return [
        [
            line.verdict,
            line.source,
            _estimate(line.roc),
            _estimate(line.pr),
            "" if line.beyond_forest is None else _estimate(line.beyond_forest, sign="+"),
        ]
        for line in summary.losses
    ]


def agreement_values(summary: AgreementSummary) -> dict[str, Any]:
    """Return plain values, for JSON."""
    return {
        "setting": summary.setting,
        "n_seeds": {preset: dict(numbers) for preset, numbers in summary.n_seeds.items()},
        "pairs": [
            {
                "verdict": line.verdict,
                "source": line.source,
                **{
                    name: None if share is None else vars(share)
                    for name, share in zip(_COLUMN_NAMES, line.shares, strict=True)
                },
            }
            for line in summary.counts
        ],
        "lost": [
            {
                "verdict": line.verdict,
                "source": line.source,
                "roc": _values(line.roc),
                "pr": _values(line.pr),
                "beyond_forest": None
                if line.beyond_forest is None
                else _values(line.beyond_forest),
            }
            for line in summary.losses
        ],
    }


_COLUMN_NAMES = ("as_roc", "as_pr", "as_both", "exact_rankings")


def _table(head: tuple[str, ...], lines: list[list[str]]) -> str:
    rows = [list(head), ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _share(share: ShareRight | None) -> str:
    if share is None:
        return "–"
    if not share.total:
        return "0/0"
    right = _range(share.surely, share.possibly, "{:.3g}")
    percent = _range(100 * share.surely / share.total, 100 * share.possibly / share.total, "{:.0f}")
    text = f"{right}/{share.total:.3g} = {percent} %"
    if share.interval is None:
        return text
    return f"{text} [{100 * share.interval[0]:.0f}, {100 * share.interval[1]:.0f}]"


def _range(low: float, high: float, form: str) -> str:
    texts = dict.fromkeys([form.format(low), form.format(high)])
    return "-".join(texts)


def _estimate(estimate: Estimate, sign: str = "") -> str:
    text = f"{estimate.value:{sign}.3f}"
    if np.isnan(estimate.standard_error):
        return text
    low, high = estimate.interval
    return f"{text} [{low:{sign}.3f}, {high:{sign}.3f}]"


def _values(estimate: Estimate | None) -> dict[str, Any] | None:
    if estimate is None:
        return None
    if np.isnan(estimate.standard_error):  # the printed table has no seeds
        return {"value": estimate.value, "standard_error": None, "interval": None}
    return estimate.to_dict()
