"""A ranking as one flat mapping: what `to_json` writes and `oddrank rank --json` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oddrank.ranking.result import Ranking

__all__ = ["SCHEMA_VERSION", "ranking_dict"]

SCHEMA_VERSION = 4


def ranking_dict(ranking: Ranking) -> dict[str, object]:
    """Return the verdict and its figures; docs/ranking_schema.json describes every name."""
    verdict, letters = ranking.conclusion, ranking.letters
    best = ranking.order[0] if ranking.order else None
    of_best = set(letters[best]) if best is not None else set()
    taught = ranking.taught
    return {
        "schema_version": SCHEMA_VERSION,
        "best": best,
        "clear": verdict.is_clear,
        "together_with_best": [name for name in ranking.order if of_best & set(letters[name])],
        "committee": list(ranking.committee_names),
        "order": list(ranking.order),
        "detectors": ranking.table.detectors(),
        "leads": [each.to_dict() for each in ranking.comparisons],
        "failures": dict(ranking.failures),
        "verdict": verdict.headline(),
        "remarks": list(verdict.remarks()),
        "checks": [
            {
                "name": each.diagnostic.name,
                "ok": each.diagnostic.ok,
                "message": each.diagnostic.message,
                "detectors": list(each.detectors),
            }
            for each in ranking.checks
        ],
        "n_answers": len(taught.asked) if taught else 0,
        "n_called_odd": taught.n_called_odd if taught else 0,
        "n_known_labels": len(taught.known) if taught else 0,
        "n_known_labels_odd": taught.n_known_odd if taught else 0,
        "n_known_cases": len(taught.cases) if taught else 0,
        "n_known_cases_odd": int(taught.cases.answers.sum()) if taught else 0,
        "chances": dict(ranking.chances),
        **_estimates(ranking),
        "judge": ranking.judgement.judge,
        "criterion": ranking.criterion,
        "polluted": ranking.judgement.polluted,
        "n_rows": ranking.n_rows,
        "n_features": ranking.tested_rows.n_features,
        "features": list(ranking.tested_rows.feature_names),
        "confidence_level": ranking.confidence_level,
    }


def _estimates(ranking: Ranking) -> dict[str, object]:
    """Return what is estimated from answers; nothing where no row was asked."""
    if ranking.taught is None or not len(ranking.taught.asked_places):
        return {"odd_row_count": None, "n_likely_odd": None, "expected_change": None}
    count, change = ranking.odd_row_count, ranking.expected_change()
    return {
        "odd_row_count": {"estimate": count.estimate, "low": count.low, "high": count.high},
        "n_likely_odd": int((ranking.row_chances > 0.5).sum()),
        "expected_change": {
            "n_answers": change.n_answers,
            "n_first": change.n_first,
            "n_replaced": change.n_replaced,
        },
    }
