"""What `oddrank rank` shows on the terminal, and the files that it writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from oddrank.cli.common_options import Common, repeating_call
from oddrank.cli.output_files import OutputFiles
from oddrank.cli.row_file import write_oddest, write_rows
from oddrank.cli.table_options import in_flags
from oddrank.cli.terminal import print_screen, say, stage, terminal_width
from oddrank.cli.user_rows import row_names, row_notes, rows_of
from oddrank.errors import InvalidDataError, OddrankError
from oddrank.ranking import details_text, screen

if TYPE_CHECKING:
    from oddrank.datasets import UserTable
    from oddrank.inspection import FeatureImportance, LabelCheck, OddRows
    from oddrank.ranking import Ranking

__all__ = ["Outputs", "Results", "print_results", "results_dict", "write_outputs"]

# Draws of features behind the importances of a page, and fewer where these would take long.
IMPORTANCE_DRAWS, FEW_DRAWS = 40, 14
# A draw is one fit where a ranking has two, and needs some time of its own (docs/measurements.md).
SHARE_OF_FITS, SECONDS_OF_A_DRAW = 0.45, 0.03
SHORT_SECONDS, LONGEST_SECONDS = 3.0, 120.0
SHOWN_ROWS = 3
EXPLAINED_ROWS = 20


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """What to show, and files to write, each if it was asked for."""

    details: bool
    html: str | None
    scores: str | None
    save: str | None
    save_committee: str | None
    importance: bool

    @property
    def files(self) -> dict[str, str | None]:
        """Paths by the flags that name them."""
        names = ("html", "scores", "save", "save_committee")
        return {f"--{name.replace('_', '-')}": getattr(self, name) for name in names}

    @property
    def n_explained(self) -> int:
        """How many of the oddest rows need reasons."""
        return EXPLAINED_ROWS if self.html or self.scores else SHOWN_ROWS


@dataclass(frozen=True, kw_only=True, eq=False)
class Results:
    """A ranking and what belongs to it.

    Attributes
    ----------
    ranking : Ranking
    train, scored : UserTable
        The table that was ranked on, and the one whose rows were scored.
    labels : LabelCheck or None
    odd : OddRows or None
        None where no fit has scored the rows unseen.
    """

    ranking: Ranking
    train: UserTable
    scored: UserTable
    labels: LabelCheck | None
    odd: OddRows | None

    @property
    def row_names(self) -> list[str]:
        """What the rows are called."""
        if self.ranking.beyond is not None and self.odd is not None:
            return [f"row {number}" for number in self.odd.rows.tolist()]
        return row_names(self.scored)


def print_results(results: Results, wanted: Outputs) -> None:
    """Write the screen, and details if they are asked for."""
    ranking, width = results.ranking, terminal_width()
    text = screen(
        ranking,
        place="command",
        remarks=[] if results.labels is None else [results.labels.sentence],
        oddest=list(_oddest(results)),
        next_steps=_next_steps(ranking, wanted),
        width=width,
    )
    print_screen(text)
    if wanted.details:
        print_screen("\n" + details_text(ranking, "command", width))


def _oddest(results: Results) -> Iterator[str]:
    odd, names = results.odd, results.row_names
    for place in odd.order[:SHOWN_ROWS].tolist() if odd is not None else ():
        assert odd is not None
        why = odd.why(place) or "no single value is to blame"
        yield f"{names[place]}  {why}"


def _next_steps(ranking: Ranking, wanted: Outputs) -> str:
    steps = [
        "" if wanted.scores or not ranking.has_held_out else "--scores odd.csv",
        "" if wanted.html else "--html report.html",
        "--polluted" if ranking.judgement.polluted is None else "",
        "" if wanted.details else "--details (leads, volumes, checks)",
    ]
    return " | ".join(filter(None, steps)) or "oddrank score MODEL new.csv"


def results_dict(results: Results, wanted: Outputs) -> dict[str, Any]:
    """Return the flat mapping that --json prints; docs/ranking_schema.json describes it."""
    labels, odd, names = results.labels, results.odd, results.row_names
    found: dict[str, Any] = {
        **results.ranking.to_dict(),
        "remarks": list(results.ranking.conclusion.remarks("command")),
        "source": results.train.source,
        "columns_skipped": {each.column: each.reason for each in results.train.left_out},
        "odd_rows": [
            {
                "row": names[place],
                "oddness": float(odd.oddness[place]),
                "flagged": bool(odd.flagged[place]),
                "reasons": odd.why(place),
            }
            for place in odd.order[: wanted.n_explained].tolist()
        ]
        if odd is not None
        else [],
        "labels": None
        if labels is None
        else {
            "outcome": labels.outcome,
            "sentence": labels.sentence,
            "roc": dict(labels.roc_areas),
            "pr": dict(labels.precision_recall_areas),
        },
    }
    return found


def write_outputs(results: Results, wanted: Outputs, files: OutputFiles, common: Common) -> None:
    """Write the files that were asked for."""
    ranking, train = results.ranking, results.train
    files.write_text(wanted.html, lambda: _page(results, wanted, common))
    if not ranking.order:
        return
    files.write(wanted.scores, lambda path: _write_rows(path, results))
    files.write(wanted.save, lambda path: _save(ranking.best_detector, train, path))
    files.write(wanted.save_committee, lambda path: _save(ranking.committee, train, path))


def _page(results: Results, wanted: Outputs, common: Common) -> str:
    from oddrank.report import html_page

    importance = _importance(results.ranking, common) if wanted.importance else None
    stage("Writing the report", common)
    return html_page(
        results.ranking,
        title=f"Which detector to trust on {results.train.source}",
        notes=row_notes(results.train),
        odd=results.odd,
        row_names=results.row_names,
        importance=importance,
        labels=results.labels,
        call=repeating_call(common),
        place="command",
    )


def _importance(ranking: Ranking, common: Common) -> FeatureImportance | None:
    from oddrank.inspection import feature_importance, importance_from_draws
    from oddrank.rows import FeatureSubsampling

    n_features = ranking.refit.rows.n_features
    if not ranking.order or n_features < 2:
        return None
    from_draws = importance_from_draws(ranking)
    if from_draws is not None:
        return from_draws
    n_drawn = min(n_features // 2, 5)
    n_draws, expected = _draws_in_time(n_features, n_drawn, ranking.seconds[ranking.best])
    if expected > LONGEST_SECONDS:
        say(f"Feature importances are left out: they would take about {expected / 60:.0f} minutes. "
            "See: oddrank importance --help", common)  # fmt: skip
        return None
    stage("Measuring feature importances", common)
    winner = ranking.refit.candidates[ranking.best]
    try:
        importance = feature_importance(
            winner.detector,
            ranking.refit.rows,
            # where measures judged, all features were used at once; importances need volumes
            criterion="mass_volume" if ranking.judgement.measures else ranking.criterion,
            preprocess=winner.preprocess,
            subsampling=FeatureSubsampling(n_drawn, n_draws, "geometric"),
            mass_range=ranking.masses,
            orientation=winner.orientation,
            n_jobs=common.jobs,
            random_state=common.seed,
        )
    except OddrankError as error:
        # a pipeline of the user's own may need all columns, and draws have a few
        say(f"Feature importances are left out: {in_flags(str(error))}", common)
        return None
    # The name that the detector has in this ranking, not that of its class.
    return replace(importance, detector=ranking.best)


def _write_rows(path: str, results: Results) -> None:
    if results.odd is None:
        raise InvalidDataError(
            "features were drawn, so no fit has scored whole rows. Leave --judge and --draws out."
        )
    if results.ranking.beyond is None:
        write_rows(path, results.scored, results.odd)
    else:
        write_oddest(path, results.ranking.beyond.table, results.odd)


def _draws_in_time(n_features: int, n_drawn: int, seconds: float) -> tuple[int, float]:
    """Return a number of draws, and about how many seconds they take."""
    of_one = SHARE_OF_FITS * seconds + SECONDS_OF_A_DRAW
    # every feature is to be drawn, and left out, in two draws of each of two folds at least
    fewest = 2 * -(-2 * n_features // n_drawn)
    n_draws = IMPORTANCE_DRAWS
    if n_draws * of_one > SHORT_SECONDS:
        n_draws = min(n_draws, max(FEW_DRAWS, fewest))
    return n_draws, n_draws * of_one


def _save(model: Any, train: UserTable, path: str) -> None:
    from oddrank.cli.models.model_file import save_model

    save_model(model, rows_of(train), path)
