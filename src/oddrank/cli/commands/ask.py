"""`oddrank ask`: one row at a time, is it odd? The committee learns from the answers."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oddrank._text import WIDTH, listed, printable, wrapped
from oddrank.cli.common_options import Common, common_options, example
from oddrank.cli.table_options import TableOptions, table_options
from oddrank.cli.terminal import clear_stage, notes_from_warnings, say

if TYPE_CHECKING:
    from oddrank.inspection import Questions
    from oddrank.io import UserTable
    from oddrank.ranking import Ranking

__all__ = ["ask"]

KEYS = {"y": True, "n": False, " ": None}
BACK, ENOUGH = "b", ("q", "\x03", "\x04", "\x1b")
# Values further from the median of their column, in spreads, are marked.
FAR = 3.5


@click.command(epilog=example("oddrank ask payments.csv"))
@click.argument("tables", nargs=-1, required=True, metavar="TABLE...", type=click.Path())
@click.option(
    "--detectors", default="default", show_default=True, metavar="NAMES",
    help="Names and presets, as in oddrank rank.",
)  # fmt: skip
@click.option(
    "--label", metavar="COLUMN",
    help="A column that no detector sees: its labels teach, and rows without one are asked about.",
)  # fmt: skip
@click.option("--anomaly", metavar="VALUE", help="The label's value that marks an odd row.")
@click.option(
    "--answers", type=click.Path(dir_okay=False), metavar="FILE",
    help="Where answers are kept; by default TABLE.answers.csv beside the table.",
)  # fmt: skip
@click.option(
    "--write", type=click.Path(dir_okay=False), metavar="FILE",
    help="Write ten questions as CSV, with a column to fill in, and ask nothing.",
)  # fmt: skip
@click.option(
    "--number", type=click.IntRange(min=1), default=10, show_default=True, metavar="N",
    help="How many rows to ask about.",
)  # fmt: skip
@table_options
@common_options
def ask(
    tables: tuple[str, ...],
    *,
    detectors: str,
    label: str | None,
    anomaly: str | None,
    answers: str | None,
    write: str | None,
    number: int,
    reading: TableOptions,
    common: Common,
) -> int:
    """Show rows of TABLE one at a time, and ask whether each is odd, in your sense.

    Keys: y yes, n no, space cannot say, b back, q enough. Answers are written to a file after every
    key, and taken up again by the next run. `oddrank rank TABLE --answers FILE` uses them. Labels
    that are known already teach too: --label.
    """
    from oddrank import rank_detectors
    from oddrank.cli.answers_file import (
        KeptAnswers,
        answers_cells,
        answers_path,
        check_keeps_answers_alone,
        write_answers,
    )
    from oddrank.cli.output_files import check_outputs
    from oddrank.cli.own_detectors import named_detectors
    from oddrank.cli.user_rows import (
        answers_of,
        encoder_of,
        known_labels,
        label_flags,
        read_rows,
        row_names,
        rows_of,
    )

    if anomaly is not None and label is None:
        raise click.UsageError("--anomaly goes with --label COLUMN.")
    kept = answers or answers_path(tables)
    check_outputs({"--write": write, "--answers": kept}, inputs=list(tables))
    if Path(kept).exists() and write is None:
        check_keeps_answers_alone(kept)
    chosen = named_detectors(detectors)
    with notes_from_warnings(common):
        table = read_rows(tables, common, reading, label=label)
        known = None if label is None else known_labels(table, anomaly, common)
        before = answers_of(table, kept, common) if Path(kept).exists() else KeptAnswers()
        rows = rows_of(table)
        ranking = rank_detectors(
            chosen, rows, preprocess=encoder_of(rows), n_jobs=common.jobs, random_state=common.seed
        )
        if known is not None:
            ranking = ranking.tell(known, asked=False)
        if before.answers:
            ranking = ranking.tell(before.answers, by="row")
        clear_stage(common)
        if write is not None:
            _write_questions(write, ranking, table, number)
            say(f"Wrote {write}. Fill in the column answer (yes or no), then: oddrank rank "
                f"{shlex.join(tables)} --answers {shlex.quote(write)}"
                f"{label_flags(label, anomaly)}", common)  # fmt: skip
            return 0
    names, cells = row_names(table), answers_cells(table)
    ranking = _session(
        ranking,
        names,
        number,
        lambda told: write_answers(kept, cells, told.asked_answers, before),
    )
    if ranking.asked_answers:
        for sentence in _learnt(ranking):
            click.echo(wrapped(sentence, width=WIDTH, indent=""))
        click.echo(f"Answers are in {kept}. Next: oddrank rank {shlex.join(tables)} --answers "
                   f"{shlex.quote(kept)}"
                   f"{label_flags(label, anomaly)}")  # fmt: skip
    return 0


def _learnt(ranking: Ranking) -> Iterator[str]:
    """Say what the answers tell: which detector agrees, how many rows are odd."""
    yield ranking.conclusion.beyond
    yield ranking.odd_rows().verdict


def _session(
    ranking: Ranking, names: list[str], number: int, keep: Callable[[Ranking], None]
) -> Ranking:
    """Ask until the number of questions is reached, or somebody has had enough."""
    before: list[Ranking] = []
    while len(before) < number:
        questions = ranking.ask(1).called(names)
        if not len(questions):
            click.echo("Every row was asked.")
            break
        (question,) = questions
        click.echo(_shown(questions, names, len(before) + 1, number))
        click.echo("  odd? y yes · n no · space cannot say · b back · q enough: ", nl=False)
        key = _key()
        click.echo({"y": "yes", "n": "no", " ": "cannot say"}.get(key, ""))
        if key in ENOUGH:
            break
        if key == BACK:
            if before:
                ranking = before.pop()
                keep(ranking)
            continue
        if key not in KEYS:
            continue
        taught = ranking.tell({question: KEYS[key]}, by="row")
        keep(taught)
        click.echo(f"  {_change(ranking, taught)}\n")
        before.append(ranking)
        ranking = taught
    return ranking


def _key() -> str:
    try:
        key = click.getchar()
    except (KeyboardInterrupt, EOFError):
        return ENOUGH[0]
    except OSError:
        raise click.UsageError(
            "Keys cannot be read here: this is no terminal. Give --write questions.csv."
        ) from None
    return key.lower() or ENOUGH[0]


def _shown(questions: Questions, names: list[str], at: int, number: int) -> str:
    """Return a row with its values, reasons, and who finds it odd."""
    from oddrank.inspection import ColumnSpreads

    (place,), (finders,), odd = questions, questions.finders, questions.odd
    steps = ColumnSpreads(odd.table).steps(odd.table.values[place])
    values = [
        f"{'*' if abs(step) > FAR else ''}{name} {value}"
        for (name, value), step in zip(odd.values_at(place).items(), steps, strict=True)
    ]
    lines = [f"{at} of {number}  {names[place]}", f"  {', '.join(values)}"]
    if odd.why(place):
        lines.append(f"  why: {odd.why(place)}")
    if finders:
        lines.append(f"  odd to {listed(finders)}")
    return "\n".join(wrapped(printable(line), width=WIDTH, indent="    ") for line in lines)


def _change(before: Ranking, after: Ranking) -> str:
    """Say what an answer changed."""
    n_first = before.odd_rows().looked_at
    first, second = (set(each.odd_rows().order[:n_first].tolist()) for each in (before, after))
    new = len(second - first)
    if not new:
        return f"The first {n_first} rows stay the same."
    return f"{new} of the first {n_first} rows {'is' if new == 1 else 'are'} new."


def _write_questions(path: str, ranking: Ranking, table: UserTable, number: int) -> None:
    from oddrank.cli.answers_file import HEAD, answers_cells
    from oddrank.cli.row_file import write_cells
    from oddrank.cli.user_rows import row_names
    from oddrank.inspection import OWN_COLUMNS, beside

    questions, cells = ranking.ask(number).called(row_names(table)), answers_cells(table)
    odd, own = questions.odd, (*HEAD, *OWN_COLUMNS[1:])

    def lines() -> Any:
        yield [*own, *beside(own, odd.table.feature_names)]
        for place, finders in zip(questions, questions.finders, strict=True):
            line, mark = cells[place]
            yield [line, "", mark, ", ".join(finders), odd.why(place),
                   *odd.values_at(place).values()]  # fmt: skip

    write_cells(path, lines())
