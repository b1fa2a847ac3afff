"""What `oddrank rank` shows on the terminal, and the files that it writes."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oddrank.cli.common_options import Common, repeating_call
from oddrank.cli.output_files import OutputFiles
from oddrank.cli.row_file import OWN_HEAD, own_cells, write_rows
from oddrank.cli.terminal import print_screen, say, stage, terminal_width
from oddrank.cli.user_rows import row_names, row_notes, rows_of
from oddrank.ranking import details_text, screen

if TYPE_CHECKING:
    from oddrank.inspection import LabelCheck, OddRows
    from oddrank.io import UserTable
    from oddrank.ranking import Ranking

__all__ = ["Outputs", "Results", "print_results", "results_dict", "write_outputs"]

SHOWN_ROWS = 5
EXPLAINED_ROWS, WRITTEN_REASONS = 20, 100


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """What to show, and files to write, each if it was asked for."""

    details: bool
    html: str | None
    scores: str | None
    save: str | None
    of: str

    @property
    def files(self) -> dict[str, str | None]:
        """Paths by the flags that name them."""
        return {f"--{name}": getattr(self, name) for name in ("html", "scores", "save")}

    @property
    def n_explained(self) -> int:
        """How many of the oddest rows need reasons."""
        if self.scores:
            return WRITTEN_REASONS
        return EXPLAINED_ROWS if self.html else SHOWN_ROWS


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
        None where nothing could be ranked.
    of : str
        Who finds rows odd.
    """

    ranking: Ranking
    train: UserTable
    scored: UserTable
    labels: LabelCheck | None
    odd: OddRows | None
    of: str = "committee"

    @property
    def row_names(self) -> list[str]:
        """What the rows are called."""
        return row_names(self.scored)


def print_results(results: Results, wanted: Outputs) -> None:
    """Write the screen, and details if they are asked for."""
    ranking, width = results.ranking, terminal_width()
    text = screen(
        ranking,
        place="command",
        remarks=[] if results.labels is None else [results.labels.sentence],
        odd=results.odd,
        next_steps=_next_steps(ranking, wanted),
        width=width,
    )
    print_screen(text)
    if wanted.details:
        print_screen("\n" + details_text(ranking, "command", width))


def _next_steps(ranking: Ranking, wanted: Outputs) -> str:
    steps = [
        "" if wanted.scores or not ranking.order else "--scores rows.csv",
        "" if wanted.html else "--html report.html",
        "" if ranking.answers else "oddrank ask TABLE",
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
        "reading": results.train.reading.to_dict(),
        "columns_skipped": {each.column: each.reason for each in results.train.left_out},
        "odd_rows": [
            {
                "row": names[place],
                "oddness": float(odd.oddness[place]),
                **({} if odd.chances is None else {"chance": float(odd.chances[place])}),
                "steady": int(odd.steady[place]),
                "reasons": odd.why(place),
            }
            for place in odd.order[: wanted.n_explained].tolist()
        ]
        if odd is not None
        else [],
        "rows_apart": None if odd is None else odd.n_apart,
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
    files.write_text(wanted.html, lambda: _page(results, common))
    if not ranking.order:
        return
    files.write(wanted.scores, lambda path: _write_rows(path, results))
    if wanted.scores and results.scored.sample is not None:
        say(f"{results.scored.n_rows:,} rows have scores: those of the sample. oddrank score MODEL "
            "TABLE scores all rows.", common)  # fmt: skip
    files.write(wanted.save, lambda path: _save(ranking.model(results.of), train, path))


def _page(results: Results, common: Common) -> str:
    from oddrank.cli.answers_file import HEAD, answers_cells, answers_path
    from oddrank.report import AnswersFile, html_page

    stage("Writing the report", common)
    # standard input and several files have no one name that could be repeated
    named = results.train.is_one_file
    table = shlex.quote(results.train.source) if named else "TABLE..."
    kept = Path(answers_path((results.train.source,))).name if named else "answers.csv"
    return html_page(
        results.ranking,
        title=f"Which rows of {results.train.source} to look at",
        notes=row_notes(results.train),
        odd=results.odd,
        row_names=results.row_names,
        labels=results.labels,
        answers_file=AnswersFile(
            name=kept,
            columns=HEAD,
            rows=answers_cells(results.train),
            call=f"oddrank rank {table} --answers {shlex.quote(kept)}",
        ),
        call=repeating_call(common),
        place="command",
    )


def _write_rows(path: str, results: Results) -> None:
    assert results.odd is not None
    write_rows(path, results.scored, own_cells(results.odd), OWN_HEAD)


def _save(model: Any, train: UserTable, path: str) -> None:
    from oddrank.cli.model_rows import save_with_rows

    save_with_rows(model, rows_of(train), train.reading, path)
