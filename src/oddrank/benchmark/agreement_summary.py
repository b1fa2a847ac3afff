"""Agreement and regret with intervals over seeds, beside the paper's and constant verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oddrank._random import root_of
from oddrank.benchmark.agreement import detectors_of
from oddrank.benchmark.count_lines import CountLine, claimed_line, constant_lines, counted_line
from oddrank.benchmark.loss_lines import LossLine, loss_lines
from oddrank.benchmark.printed_tables import printed_table
from oddrank.benchmark.resampled_seeds import SeedTables
from oddrank.benchmark.seed_results import seed_results

__all__ = ["AgreementSummary", "summarise_agreement"]

CRITERIA = ("em", "mv")


@dataclass(frozen=True, kw_only=True)
class AgreementSummary:
    """Agreement and regret of one setting.

    Attributes
    ----------
    setting : str
    n_seeds : mapping of preset to a mapping of dataset to number of seeds
    counts : tuple of CountLine
    losses : tuple of LossLine
    """

    setting: str
    n_seeds: Mapping[str, Mapping[str, int]]
    counts: tuple[CountLine, ...]
    losses: tuple[LossLine, ...]


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
