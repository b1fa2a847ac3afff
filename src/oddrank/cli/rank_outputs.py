"""What `oddrank rank` shows on the terminal, and the files that it writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oddrank.cli.common_options import Common, repeating_call
from oddrank.cli.row_file import write_rows
from oddrank.cli.terminal import print_sentences, print_table, say
from oddrank.cli.user_rows import plain_account
from oddrank.report import ReportSummary, html_page, importance_from_draws, markdown, summarise

if TYPE_CHECKING:
    from oddrank.datasets import UserTable
    from oddrank.inspection import FeatureImportance, LabelCheck
    from oddrank.ranking import Ranking

__all__ = ["print_ranking", "write_outputs"]

IMPORTANCE_DRAWS = 40
# A draw is one fit where a ranking has two, and scores about as many points as one of these.
SHARE_OF_POINTS = 0.6
LONGEST_SECONDS = 120.0
SHOWN_ROWS = 3
EXPLAINED_ROWS = 20


def write_outputs(
    ranking: Ranking,
    train: UserTable,
    scored: UserTable,
    *,
    labels: LabelCheck | None,
    html: str | None,
    markdown: str | None,
    scores: str | None,
    save: str | None,
    save_committee: str | None,
    importance: bool,
    common: Common,
) -> ReportSummary:
    """Write what was asked for, and return the summary that all of it comes from."""
    wants_report = bool(html or markdown or common.as_json)
    summary = summarise(
        ranking,
        title=f"Which detector to trust on {train.source}",
        row_numbers=scored.row_numbers,
        n_oddest=20 if wants_report else 3,
        importance=_importance(ranking, common) if wants_report and importance else None,
        labels=labels,
        data=plain_account(train),
        call=repeating_call(common),
    )
    if html:
        _write(html, html_page(summary), common)
    if markdown:
        _write(markdown, _as_markdown(summary), common)
    if ranking.order:
        if scores:
            _write_scores(ranking, scored, scores, common)
        if save:
            _save(ranking.best_detector, train, save, common)
        if save_committee:
            _save(ranking.committee, train, save_committee, common)
    return summary


def _importance(ranking: Ranking, common: Common) -> FeatureImportance | None:
    from oddrank.inspection import feature_importance
    from oddrank.rows import FeatureSubsampling

    n_features = ranking.refit.rows.n_features
    if not ranking.order or n_features < 2:
        return None
    from_draws = importance_from_draws(ranking)
    if from_draws is not None:
        return from_draws
    expected = IMPORTANCE_DRAWS * SHARE_OF_POINTS * ranking.seconds[ranking.best]
    if expected > LONGEST_SECONDS:
        say(f"Feature importances are left out: they would take about {expected / 60:.0f} minutes. "
            "See: oddrank importance --help", common)  # fmt: skip
        return None
    winner = ranking.refit.candidates[ranking.best]
    importance = feature_importance(
        winner.detector,
        ranking.refit.rows,
        # where measures judged, all features were used at once; importances need volumes
        criterion="mass_volume" if ranking.judgement.measures else ranking.criterion,
        preprocess=winner.preprocess,
        subsampling=FeatureSubsampling(min(n_features // 2, 5), IMPORTANCE_DRAWS, "geometric"),
        mass_range=ranking.masses,
        orientation=winner.orientation,
        n_jobs=common.jobs,
        random_state=common.seed,
    )
    # The name that the detector has in this ranking, not that of its class.
    return replace(importance, detector=ranking.best)


def _as_markdown(summary: ReportSummary) -> str:
    return markdown(summary)


def _write(path: str, text: str, common: Common) -> None:
    Path(path).write_text(text, encoding="utf-8")
    say(f"Wrote {path}", common)


def _write_scores(ranking: Ranking, scored: UserTable, path: str, common: Common) -> None:
    if not ranking.has_held_out:
        say("Rows are not written: where features are drawn no fit has scored them.", common)
        return
    odd = ranking.odd_rows(n_explained=EXPLAINED_ROWS)
    write_rows(path, scored, odd)
    say(f"Wrote {path}", common)


def _save(model: Any, train: UserTable, path: str, common: Common) -> None:
    from oddrank.cli.model_file import save_model

    save_model(model, train.feature_names, path)
    say(f"Wrote {path}", common)


def print_ranking(summary: ReportSummary) -> None:
    """Write the table, the verdict, and what to distrust."""
    table = summary.table
    left = [place for place, column in enumerate(table.columns) if column.is_text]
    print_table(table.head, table.cells, left=left)
    print_sentences([*_sentences(summary), *table.notes])
    if summary.odd_rows:
        print_sentences([f"The oddest rows: {summary.rows_verdict}"])
        print_table(
            ["row", "oddness", "out", "why"],
            [
                [str(row.row), f"{row.oddness:.1f}", "yes" if row.flagged else "no",
                 "; ".join(row.reasons)]
                for row in summary.odd_rows[:SHOWN_ROWS]
            ],
            left=(3,),
        )  # fmt: skip


def _sentences(summary: ReportSummary) -> Iterator[str]:
    yield f"Verdict: {summary.verdict}"
    for label in summary.labels:
        yield label.sentence
    for remark in summary.remarks:
        if not remark.startswith("Caution"):
            yield remark
    yield from _cautions(summary)


def _cautions(summary: ReportSummary) -> Iterator[str]:
    # One line for each thing that was looked at, with what was found for the first detector.
    of_check: dict[str, list[str]] = {}
    messages: dict[str, list[str]] = {}
    for check in summary.diagnostics:
        if not check.ok:
            messages.setdefault(check.name, []).append(check.message)
            of_check.setdefault(check.name, []).extend(check.detectors)
    n_evaluated = sum(not detector.failure for detector in summary.detectors)
    for name, detectors in of_check.items():
        whom = "all detectors" if len(set(detectors)) == n_evaluated else ", ".join(detectors)
        several = len(detectors) > 1 and len(set(messages[name])) > 1
        shown = f", for instance {detectors[0]}" if several else ""
        yield f"Caution ({whom}){shown}: {messages[name][0]}"
