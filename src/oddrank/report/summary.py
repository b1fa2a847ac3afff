"""Everything a report says, as plain typed values: the page and Markdown are made from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from oddrank.criteria import Criterion
from oddrank.ranking import RankingTable

__all__ = [
    "ComparisonSummary",
    "CurveSummary",
    "DataSummary",
    "DetectorSummary",
    "DiagnosticSummary",
    "DrawSummary",
    "ImportanceSummary",
    "JudgementSummary",
    "LabelSummary",
    "ProvenanceSummary",
    "ReportSummary",
]


@dataclass(frozen=True, kw_only=True)
class DetectorSummary:
    """What is known of one detector beside its row of the table."""

    name: str
    failure: str
    settings: str


@dataclass(frozen=True, kw_only=True)
class CurveSummary:
    """A curve with its band."""

    detector: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class DrawSummary:
    """The deciding criterion of every detector in one draw of features; NaN where unresolved."""

    features: tuple[str, ...]
    values: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class ComparisonSummary:
    """Two detectors by one criterion; a `lead` in volumes of 0.1 means 10 % better."""

    criterion: str
    better: str
    worse: str
    lead: float
    in_words: str
    p_value: float
    separated: bool


@dataclass(frozen=True, kw_only=True)
class DiagnosticSummary:
    """One thing that was looked at, for which detectors, and whether the order rests on it."""

    name: str
    ok: bool
    decides: bool
    message: str
    detectors: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ImportanceSummary:
    """One feature; a gain of 0.1 means that the criterion is 10 % better with it."""

    feature: str
    gain: float
    lower: float
    upper: float


@dataclass(frozen=True, kw_only=True)
class LabelSummary:
    """What labels say that no detector saw; `outcome` is "agree", "disagree" or "cannot tell"."""

    sentence: str
    outcome: str
    roc_areas: Mapping[str, float]
    precision_recall_areas: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class JudgementSummary:
    """What the reference measures and the detectors' peers say; lists follow `detectors`."""

    judge: str
    beside_volumes: bool
    measures: tuple[str, ...]
    expected: tuple[str, ...]
    favourites: tuple[str, ...]
    detectors: tuple[str, ...]
    areas: tuple[tuple[float, ...], ...]
    peers: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class DataSummary:
    """Where the rows came from and what was done to them.

    Notes
    -----
    Guide: :doc:`/report`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.mixture import GaussianMixture
    >>> from oddrank import rank_detectors
    >>> from oddrank.report import DataSummary, summarise
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> detectors = {"one": GaussianMixture(1), "three": GaussianMixture(3)}
    >>> ranking = rank_detectors(detectors, X, random_state=0)
    >>> data = DataSummary(
    ...     source="payments.csv",
    ...     feature_names=("amount", "hour"),
    ...     left_out={"id": "it has another value in every row"},
    ...     notes=("3 rows with gaps were dropped",),
    ... )
    >>> summarise(ranking, n_oddest=0, data=data).data.source
    'payments.csv'
    """

    source: str
    feature_names: tuple[str, ...]
    left_out: Mapping[str, str]
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ProvenanceSummary:
    """How it was computed, and the call that computes it again."""

    created: str
    seed: str
    versions: Mapping[str, str]
    parameters: Mapping[str, str]
    seconds: float
    call: str


@dataclass(frozen=True, kw_only=True)
class OddRowSummary:
    """A row, how odd it is, and why.

    `row` is what the reader looks for: "line 203" of a file, or "row 202", counted from 0. `values`
    are as the user has them, None for a gap. `deviations` are distances from the feature's median
    in units of its spread, NaN for what is no number.
    """

    row: str
    oddness: float
    p_value: float
    flagged: bool
    reasons: tuple[str, ...]
    values: tuple[float | str | None, ...]
    deviations: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class ReportSummary:
    """A whole report.

    Attributes
    ----------
    title, verdict : str
        What to use, how clear that is, how far it holds; `remarks` are the other sentences.
    remarks : tuple of str
    setting, criterion : str
    confidence_level : float
    table : RankingTable
        The table that all forms of the report render.
    detectors : tuple of DetectorSummary
        Best first, failures last.
    criteria : tuple of Criterion
        What comparisons are by, the deciding one first.
    groups : tuple of tuples of str
        Runs of the order that cannot be separated.
    excess_mass_curves, mass_volume_curves : tuple of CurveSummary
        Empty where features were sub-sampled; then there are `draws`.
    draws : tuple of DrawSummary
    comparisons : tuple of ComparisonSummary
    diagnostics : tuple of DiagnosticSummary
    importances : tuple of ImportanceSummary
        Empty unless they were computed; `importance_of` says for which detector.
    importance_of : str
    importance_draws : int
        Draws of features that they rest on.
    odd_rows : tuple of OddRowSummary
        Oddest first.
    rows_verdict : str
        How many rows stand out; empty if it was not asked.
    labels : tuple of LabelSummary
        One, or none where there are no labels.
    judgements : tuple of JudgementSummary
        One, or none where volumes decide alone.
    data : DataSummary
    provenance : ProvenanceSummary

    Notes
    -----
    Guide: :doc:`/report`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.mixture import GaussianMixture
    >>> from oddrank import rank_detectors
    >>> from oddrank.report import summarise
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> detectors = {"one": GaussianMixture(1), "three": GaussianMixture(3)}
    >>> ranking = rank_detectors(detectors, X, random_state=0)
    >>> summary = summarise(ranking, n_oddest=0)
    >>> summary.verdict
    'Use one or three. The two cannot be told apart here.'
    >>> [each.settings for each in summary.detectors]
    ['GaussianMixture()', 'GaussianMixture(n_components=3)']
    """

    title: str
    verdict: str
    remarks: tuple[str, ...]
    setting: str
    criterion: str
    confidence_level: float
    table: RankingTable
    detectors: tuple[DetectorSummary, ...]
    criteria: tuple[Criterion, ...]
    groups: tuple[tuple[str, ...], ...]
    excess_mass_curves: tuple[CurveSummary, ...]
    mass_volume_curves: tuple[CurveSummary, ...]
    draws: tuple[DrawSummary, ...]
    comparisons: tuple[ComparisonSummary, ...]
    diagnostics: tuple[DiagnosticSummary, ...]
    importances: tuple[ImportanceSummary, ...]
    importance_of: str
    importance_draws: int
    odd_rows: tuple[OddRowSummary, ...]
    rows_verdict: str
    labels: tuple[LabelSummary, ...]
    judgements: tuple[JudgementSummary, ...]
    data: DataSummary
    provenance: ProvenanceSummary

    @property
    def order(self) -> tuple[str, ...]:
        """Names of the detectors that have a rank, best first."""
        return tuple(row["detector"] for row in self.table.rows if row["rank"] is not None)
