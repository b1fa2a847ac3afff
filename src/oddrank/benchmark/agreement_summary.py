"""Agreement and regret with intervals over seeds, beside the paper's and constant verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from oddrank import _plain_text
from oddrank._random import root_of
from oddrank.benchmark.agreement import detectors_of
from oddrank.benchmark.agreement_lines import (
    CountLine,
    LossLine,
    claimed_line,
    constant_lines,
    counted_line,
    loss_lines,
)
from oddrank.benchmark.goix2016 import printed_table
from oddrank.benchmark.seed_tables import SeedTables, seed_results
from oddrank.criteria import Estimate

__all__ = ["AgreementSummary", "summarise_agreement"]

CRITERIA = ("em", "mv")
_SHARES = {
    "as_roc": "as ROC",
    "as_pr": "as PR",
    "as_both": "as both, where they agree",
    "exact_rankings": "exact rankings",
}
_LOSSES = {
    "roc": "ROC lost",
    "pr": "PR lost",
    "beyond_forest": "ROC lost beyond always iforest",
}


@dataclass(frozen=True, kw_only=True)
class AgreementSummary:
    """Agreement and regret of one setting.

    Attributes
    ----------
    setting : str
    n_seeds : mapping of preset to a mapping of dataset to number of seeds
    counts : tuple of CountLine
    losses : tuple of LossLine
    explanation : str
        What the columns of the two tables are.

    Notes
    -----
    Guide: :doc:`/benchmark`.

    Examples
    --------
    >>> from oddrank.benchmark import summarise_agreement
    >>> rows = [
    ...     {"dataset": "mine", "setting": "novelty", "preset": "oddrank", "status": "done",
    ...      "detector": detector, "seed": seed, "draw": -1, "roc": roc, "pr": roc / 2,
    ...      "em": em, "mv": 1.0 / em}
    ...     for seed in (0, 1)
    ...     for detector, roc, em in [("forest", 0.9, 0.2), ("knn", 0.8, 0.1 + seed / 20)]
    ... ]
    >>> summary = summarise_agreement(rows, "novelty", n_resamples=10)
    >>> print(summary.to_markdown().splitlines()[0])
    Seeds of preset oddrank: mine 2.
    >>> sorted(summary.to_dict())
    ['lost', 'n_seeds', 'pairs', 'setting']
    """

    explanation: ClassVar[str] = """\
The columns count pairs of detectors on one dataset that a verdict orders as ROC does, as PR does,
and as both do where these two agree. A ranking is exact if no such pair of a dataset is wrong. A
range means that rounded or unresolved figures leave pairs tied. Our counts are those in the table
of means over seeds. Intervals (95 %) come from drawing each dataset's seeds again with replacement,
so a dataset with one seed adds nothing to them. Intervals in the last column come from drawing
datasets again with replacement."""

    setting: str
    n_seeds: Mapping[str, Mapping[str, int]]
    counts: tuple[CountLine, ...]
    losses: tuple[LossLine, ...]

    def to_markdown(self) -> str:
        """Return both tables, with the number of seeds of every dataset."""
        seeds = [
            f"Seeds of preset {preset}: {', '.join(f'{name} {n}' for name, n in numbers.items())}."
            for preset, numbers in self.n_seeds.items()
        ]
        counts = [
            [
                line.verdict,
                line.source,
                *("–" if each is None else str(each) for each in line.shares),
            ]
            for line in self.counts
        ]
        losses = [
            [line.verdict, line.source, _figure(line.roc), _figure(line.pr),
             "" if line.beyond_forest is None else _figure(line.beyond_forest, sign="+")]
            for line in self.losses
        ]  # fmt: skip
        return "\n\n".join([
            "\n".join(seeds),
            _plain_text.markdown_table(["verdict", "counted in", *_SHARES.values()], counts),
            _plain_text.markdown_table(["following", "in", *_LOSSES.values()], losses),
        ])  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        counts = [
            {"verdict": line.verdict, "source": line.source}
            | {
                name: None if share is None else asdict(share)
                for name, share in zip(_SHARES, line.shares, strict=True)
            }
            for line in self.counts
        ]
        losses = [
            {"verdict": line.verdict, "source": line.source}
            | {name: _plain_values(getattr(line, name)) for name in _LOSSES}
            for line in self.losses
        ]
        return {
            "setting": self.setting,
            "n_seeds": {preset: dict(numbers) for preset, numbers in self.n_seeds.items()},
            "pairs": counts,
            "lost": losses,
        }


def _figure(estimate: Estimate, sign: str = "") -> str:
    text = f"{estimate.value:{sign}.3f}"
    if np.isnan(estimate.standard_error):
        return text
    low, high = estimate.interval
    return f"{text} [{low:{sign}.3f}, {high:{sign}.3f}]"


def _plain_values(estimate: Estimate | None) -> dict[str, Any] | None:
    if estimate is None:
        return None
    if np.isnan(estimate.standard_error):  # the printed table has no seeds
        return {"value": estimate.value, "standard_error": None, "interval": None}
    return estimate.to_dict()


def summarise_agreement(
    rows: Iterable[Mapping[str, Any]],
    setting: str,
    *,
    presets: Sequence[str] = ("paper", "oddrank"),
    n_resamples: int = 1000,
    random_state: Any = 0,
) -> AgreementSummary:
    """Count, for every preset that has rows, what EM, MV and constant verdicts get right.

    Counts are those of the table of means over seeds. Intervals (95 %) are those of the same counts
    when seeds are drawn again with replacement within each dataset.

    Parameters
    ----------
    rows : rows of a benchmark
    setting : "novelty" or "unsupervised"
    presets : sequence of str
    n_resamples : int
    random_state : None, int, Generator, RandomState or SeedSequence

    Notes
    -----
    Guide: :doc:`/benchmark`.

    Examples
    --------
    >>> from oddrank.benchmark import summarise_agreement
    >>> rows = [
    ...     {"dataset": "mine", "setting": "novelty", "preset": "oddrank", "status": "done",
    ...      "detector": detector, "seed": seed, "draw": -1, "roc": roc, "pr": roc / 2,
    ...      "em": em, "mv": 1.0 / em}
    ...     for seed in (0, 1)
    ...     for detector, roc, em in [("forest", 0.9, 0.2), ("knn", 0.8, 0.1 + seed / 20)]
    ... ]
    >>> summary = summarise_agreement(rows, "novelty", n_resamples=10)
    >>> for line in summary.counts[:2]:
    ...     print(line.verdict, line.source, line.shares[0])
    EM ours, preset oddrank 1/1 = 100 % [100, 100]
    MV ours, preset oddrank 1/1 = 100 % [100, 100]
    """
    stored = list(rows)
    found = {preset: SeedTables(seed_results(stored, setting, preset)) for preset in presets}
    tables = {preset: each for preset, each in found.items() if each.n_seeds}
    if not tables:
        return AgreementSummary(setting=setting, n_seeds={}, counts=(), losses=())
    root = root_of(random_state, "summarise_agreement")
    n_seeds = {preset: each.n_seeds for preset, each in tables.items()}
    most = max(n_seeds, key=lambda preset: (len(n_seeds[preset]), sum(n_seeds[preset].values())))
    printed = printed_table(setting)
    of_the_paper = {name for name, _ in printed} >= set(n_seeds[most])
    theirs = {"printed table": [printed]} if of_the_paper else {}
    ours = {
        f"ours, preset {preset}": [each.mean(), *each.resampled(n_resamples, root)]
        for preset, each in tables.items()
    }
    # models, and so ROC and PR, are the same in all presets: the fullest of them tells
    labelled = {**theirs, "ours": ours[f"ours, preset {most}"]}
    constants = [f"always:{name}" for name in detectors_of(labelled["ours"][0])]
    counts, losses = [], []
    for criterion in CRITERIA:
        counts += [claimed_line(setting, criterion)] if of_the_paper else []
        for source, of_seeds in {**theirs, **ours}.items():
            counts.append(counted_line(criterion, source, of_seeds))
            losses += loss_lines([criterion], source, of_seeds, root)
    for source, of_seeds in labelled.items():
        counts += constant_lines(source, of_seeds)
        losses += loss_lines([*constants, "random"], source, of_seeds, root)
    return AgreementSummary(
        setting=setting, n_seeds=n_seeds, counts=tuple(counts), losses=tuple(losses)
    )
