"""From a ranking to the summary that every form of the report is made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.criteria import CRITERIA, EXCESS_MASS, Criterion, DrawnCriteria, Estimate
from oddrank.errors import InvalidDataError
from oddrank.evaluation import (
    CurveBand,
    Evaluation,
    excess_mass_band,
    levels_to_show,
    mass_volume_band,
)
from oddrank.inspection import FeatureImportance, LabelCheck, odd_rows
from oddrank.ranking import Column, Ranking, RankingTable, concerns_of, verdict_sentences
from oddrank.report.odd_rows import summarise_rows
from oddrank.report.provenance import provenance
from oddrank.report.summary import (
    ComparisonSummary,
    CurveSummary,
    DataSummary,
    DetectorSummary,
    DiagnosticSummary,
    DrawSummary,
    EstimateSummary,
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
    row_numbers: npt.NDArray[np.intp] | None = None,
    n_oddest: int = 20,
    importance: FeatureImportance | None = None,
    labels: LabelCheck | None = None,
    data: DataSummary | None = None,
    call: str | None = None,
) -> ReportSummary:
    """Gather all that a report says.

    Parameters
    ----------
    ranking : Ranking
    title : str
    row_numbers : array of int, optional
        What the rows of the ranking are called; their position by default.
    n_oddest : int
        How many of the oddest rows to show; 0 leaves them out, and fits nothing.
    importance : FeatureImportance, optional
    labels : LabelCheck, optional
    data : DataSummary, optional
        Where the rows came from, and what was left out.
    call : str, optional
        What reproduces the ranking, if not the Python call.

    Returns
    -------
    ReportSummary
    """
    table = ranking.tested_rows
    odd = None
    if n_oddest and ranking.has_held_out:
        odd = odd_rows(ranking, n_explained=n_oddest, row_numbers=row_numbers)
    verdict, *remarks = verdict_sentences(ranking)
    return ReportSummary(
        title=title,
        verdict=verdict.removeprefix("Verdict: "),
        remarks=tuple(remarks),
        setting=" ".join(ranking.setting.split()),
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
        diagnostics=_diagnostics(ranking),
        importances=_importances(importance),
        importance_of=importance.detector if importance else "",
        odd_rows=summarise_rows(ranking, odd, n_oddest) if odd else (),
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
            Column(name="roc_area", label="ROC", digits=".3f"),
            Column(name="pr_area", label="PR", digits=".3f"),
        ]
        table = table.with_columns(columns, [labels.roc_areas, labels.precision_recall_areas])
    return table


def _detectors(ranking: Ranking) -> tuple[DetectorSummary, ...]:
    return tuple(
        DetectorSummary(
            name=name,
            seconds=ranking.seconds.get(name, 0.0),
            failure=ranking.failures.get(name, ""),
            settings=" ".join(repr(ranking.refit.candidates[name].detector).split()),
        )
        for name in [*ranking.evaluations, *ranking.failures]
    )


def _criteria(ranking: Ranking) -> tuple[Criterion, ...]:
    in_volume = any(each.in_volume for each in ranking.evaluations.values())
    decides = ranking.judgement.criterion
    return tuple(dict.fromkeys((decides, *CRITERIA))) if in_volume else (decides,)


def _estimate(estimate: Estimate) -> EstimateSummary:
    lower, upper = estimate.interval
    return EstimateSummary(
        value=estimate.value, standard_error=estimate.standard_error, lower=lower, upper=upper
    )


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
            holds=each.holds,
            p_value=each.adjusted_p_value,
            separated=each.separated,
        )
        for criterion in _criteria(ranking)
        for each in ranking.comparisons_by(criterion.name)
    )


def _diagnostics(ranking: Ranking) -> tuple[DiagnosticSummary, ...]:
    # Most of what is found is about the rows, and the same for every detector: it is said once.
    detectors: dict[tuple[str, bool, str], list[str]] = {}
    for name, evaluation in ranking.evaluations.items():
        concerns = concerns_of(evaluation)
        fine = [check for check in evaluation.diagnostics.checks if check.ok]
        for check in (*concerns, *fine):
            detectors.setdefault((check.name, check.ok, check.message), []).append(name)
    found = [
        DiagnosticSummary(name=name, ok=ok, message=message, detectors=tuple(of))
        for (name, ok, message), of in detectors.items()
    ]
    return tuple(sorted(found, key=lambda each: each.ok))


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
        agrees=check.agrees,
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
        favourites=tuple(judgement.favourites[measure] for measure in judgement.measures),
        detectors=order,
        scores=tuple(_estimate(judgement.scores[name]) for name in order),
        areas=tuple(tuple(area.value for area in judgement.areas[name]) for name in order),
        peers=tuple(judgement.consensus[name] for name in order),
        probabilities={
            each.worse: each.sureness.probability
            for each in judgement.comparisons
            if each.better == order[0] and not each.sureness.withheld
        },
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
