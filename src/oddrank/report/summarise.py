"""From a ranking to the summary that every form of the report is made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from oddrank._plain_text import Place
from oddrank._typing import FloatArray
from oddrank.criteria import CRITERIA, EXCESS_MASS, Criterion, DrawnCriteria
from oddrank.errors import InvalidDataError
from oddrank.evaluation import (
    CurveBand,
    Evaluation,
    excess_mass_band,
    levels_to_show,
    mass_volume_band,
)
from oddrank.inspection import FeatureImportance, LabelCheck, OddRows, odd_rows
from oddrank.ranking import Column, Ranking, RankingTable
from oddrank.report.odd_rows import summarise_rows
from oddrank.report.provenance import provenance
from oddrank.report.summary import (
    ComparisonSummary,
    CurveSummary,
    DataSummary,
    DetectorSummary,
    DiagnosticSummary,
    DrawSummary,
    ImportanceSummary,
    JudgementSummary,
    LabelSummary,
    ReportSummary,
)

__all__ = ["summarise"]

# Points of a curve: as many as a page needs.
N_POINTS = 160


def summarise(
    ranking: Ranking,
    *,
    title: str = "Which detector to trust",
    odd: OddRows | None = None,
    row_names: Sequence[str] | None = None,
    n_oddest: int = 20,
    importance: FeatureImportance | None = None,
    labels: LabelCheck | None = None,
    data: DataSummary | None = None,
    call: str | None = None,
    place: Place = "python",
) -> ReportSummary:
    """Gather all that a report says.

    Parameters
    ----------
    ranking : Ranking
    title : str
    odd : OddRows, optional
        The odd rows, if they are known already.
    row_names : sequence of str, optional
        What the rows of the ranking are called; "row 0" and so on by default.
    n_oddest : int
        How many of the oddest rows to show; 0 leaves them out, and fits nothing.
    importance : FeatureImportance, optional
    labels : LabelCheck, optional
    data : DataSummary, optional
        Where the rows came from, and what was left out.
    call : str, optional
        What reproduces the ranking, if not the Python call.
    place : "python", "command" or "demo"
        Whether advice speaks of parameters or of flags.

    Returns
    -------
    ReportSummary

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
    >>> summary = summarise(ranking, title="Two mixtures", n_oddest=2)
    >>> summary.title, summary.order, len(summary.odd_rows)
    ('Two mixtures', ('one', 'three'), 2)
    """
    table = ranking.tested_rows
    if odd is None and n_oddest and ranking.has_held_out:
        odd = odd_rows(ranking, n_explained=n_oddest)
    return ReportSummary(
        title=title,
        verdict=ranking.conclusion.headline,
        remarks=ranking.conclusion.remarks(place),
        setting=ranking.setting,
        criterion=ranking.criterion,
        confidence_level=ranking.confidence_level,
        table=_table(ranking, labels),
        detectors=_detectors(ranking),
        criteria=_criteria(ranking),
        groups=ranking.groups(),
        excess_mass_curves=_excess_mass_curves(ranking),
        mass_volume_curves=_mass_volume_curves(ranking),
        draws=_draws(ranking),
        comparisons=_comparisons(ranking),
        diagnostics=_diagnostics(ranking, place),
        importances=_importances(importance),
        importance_of=importance.detector if importance else "",
        importance_draws=importance.n_draws if importance else 0,
        odd_rows=summarise_rows(ranking, odd, n_oddest, row_names) if odd else (),
        rows_verdict=odd.verdict if odd else "",
        labels=_labels(labels),
        judgements=_judgements(ranking),
        data=data
        or DataSummary(source="", feature_names=table.feature_names, left_out={}, notes=()),
        provenance=provenance(ranking, call),
    )


def _table(ranking: Ranking, labels: LabelCheck | None) -> RankingTable:
    table = ranking.table
    if labels is not None:
        columns = [
            Column(name="roc", label="ROC", digits=".3f"),
            Column(name="pr", label="PR", digits=".3f"),
        ]
        table = table.with_columns(columns, [labels.roc_areas, labels.precision_recall_areas])
    return table


def _detectors(ranking: Ranking) -> tuple[DetectorSummary, ...]:
    return tuple(
        DetectorSummary(
            name=name,
            failure=ranking.failures.get(name, ""),
            settings=" ".join(repr(ranking.refit.candidates[name].detector).split()),
        )
        for name in [*ranking.evaluations, *ranking.failures]
    )


def _criteria(ranking: Ranking) -> tuple[Criterion, ...]:
    in_volume = any(each.in_volume for each in ranking.evaluations.values())
    decides = ranking.judgement.criterion
    return tuple(dict.fromkeys((decides, *CRITERIA))) if in_volume else (decides,)


def _draws(ranking: Ranking) -> tuple[DrawSummary, ...]:
    decides, names = ranking.judgement.criterion, ranking.refit.rows.feature_names
    criterion = decides if decides in CRITERIA else EXCESS_MASS
    found = []
    for fold in zip(*(each.criteria.folds for each in ranking.evaluations.values()), strict=True):
        drawn = [each for each in fold if isinstance(each, DrawnCriteria)]
        for index, draw in enumerate(drawn[0].draws if drawn else ()):
            values = [float(each[criterion].values[index]) for each in drawn]
            found.append(
                DrawSummary(
                    features=tuple(names[j] for j in draw),
                    values=dict(zip(ranking.evaluations, values, strict=True)),
                )
            )
    return tuple(found)


def _comparisons(ranking: Ranking) -> tuple[ComparisonSummary, ...]:
    return tuple(
        ComparisonSummary(
            criterion=criterion.name,
            better=each.better,
            worse=each.worse,
            lead=float(np.expm1(each.lead.value)) if criterion.unit else each.lead.value,
            in_words=each.lead_in_words,
            p_value=each.adjusted_p_value,
            separated=each.separated,
        )
        for criterion in _criteria(ranking)
        for each in ranking.comparisons_by(criterion.name)
    )


def _diagnostics(ranking: Ranking, place: Place) -> tuple[DiagnosticSummary, ...]:
    return tuple(
        DiagnosticSummary(
            name=each.diagnostic.name,
            ok=each.diagnostic.ok,
            decides=each.decides,
            message=each.says(place, with_names=False),
            detectors=each.detectors,
        )
        for each in ranking.checks
    )


def _importances(importance: FeatureImportance | None) -> tuple[ImportanceSummary, ...]:
    if importance is None:
        return ()
    return tuple(
        ImportanceSummary(
            feature=name,
            gain=float(np.expm1(each.value)),
            lower=float(np.expm1(each.interval[0])),
            upper=float(np.expm1(each.interval[1])),
        )
        for name, each in zip(importance.feature_names, importance.importances, strict=True)
    )


def _labels(check: LabelCheck | None) -> tuple[LabelSummary, ...]:
    if check is None:
        return ()
    summary = LabelSummary(
        sentence=check.sentence,
        outcome=check.outcome,
        roc_areas=check.roc_areas,
        precision_recall_areas=check.precision_recall_areas,
    )
    return (summary,)


def _judgements(ranking: Ranking) -> tuple[JudgementSummary, ...]:
    judgement = ranking.judgement
    if not judgement.measures or not judgement.order:
        return ()
    order = judgement.order
    summary = JudgementSummary(
        judge=judgement.judge,
        beside_volumes=all(each.in_volume for each in ranking.evaluations.values()),
        measures=judgement.measures,
        expected=tuple(kind.expected for kind in judgement.kinds),
        favourites=tuple(kind.favourite for kind in judgement.kinds),
        detectors=order,
        areas=tuple(tuple(area.value for area in judgement.areas[name]) for name in order),
        peers=tuple(judgement.consensus[name] for name in order),
    )
    return (summary,)


def _mass_volume_curves(ranking: Ranking) -> tuple[CurveSummary, ...]:
    """Return the mass-volume curves over the mass range; none where features were drawn."""
    low, high = ranking.masses
    masses = np.linspace(max(low, 1e-6), high, N_POINTS)
    return _summaries(_with_curves(ranking), mass_volume_band, masses, ranking.confidence_level)


def _excess_mass_curves(ranking: Ranking) -> tuple[CurveSummary, ...]:
    """Return the excess-mass curves down to the floor; none where they do not exist."""
    evaluations = _with_curves(ranking)
    floor = ranking.parameters["judge"].in_volume.excess_mass_floor
    try:
        levels = levels_to_show(evaluations, floor, N_POINTS)
    except InvalidDataError:
        return ()
    band_of = partial(excess_mass_band, floor=floor)
    return _summaries(evaluations, band_of, levels, ranking.confidence_level)


def _with_curves(ranking: Ranking) -> dict[str, Evaluation]:
    return {
        name: evaluation
        for name, evaluation in ranking.evaluations.items()
        if not evaluation.criteria.drawn
    }


def _summaries(
    evaluations: Mapping[str, Evaluation],
    band_of: Callable[[Any, Any, float], CurveBand],
    x: FloatArray,
    confidence_level: float,
) -> tuple[CurveSummary, ...]:
    summaries = []
    for name, evaluation in evaluations.items():
        band = band_of(evaluation, x, confidence_level)
        summaries.append(
            CurveSummary(
                detector=name,
                x=tuple(band.x.tolist()),
                y=tuple(band.y.tolist()),
                lower=tuple(band.lower.tolist()),
                upper=tuple(band.upper.tolist()),
            )
        )
    return tuple(summaries)
