"""`oddrank demo`: see what a ranking looks like, on data that is there already."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from oddrank.cli.common_options import Common, common_options, example
from oddrank.cli.terminal import (
    clear_stage,
    notes_from_warnings,
    print_json,
    print_screen,
    say,
    stage,
    terminal_width,
)

if TYPE_CHECKING:
    from oddrank.ranking import Ranking

__all__ = ["demo"]


@click.command(epilog=example("oddrank demo --html demo.html"))
@click.option("--html", type=click.Path(dir_okay=False), help="Write the report, one page.")
@common_options
def demo(*, html: str | None, common: Common) -> int:
    """Find typing errors in a table that scikit-learn ships, and rank six detectors on it."""
    from oddrank.cli.output_files import OutputFiles, check_outputs, show_and_write
    from oddrank.demo import demo_data, demo_ranking, found_errors, heading
    from oddrank.execution import Workers
    from oddrank.ranking import screen

    check_outputs({"--html": html})
    rows, wrong = demo_data()
    say(f"{heading(rows, wrong)}\n", common)
    with notes_from_warnings(common):
        workers = Workers(n_jobs=common.jobs, progress=not common.quiet)
        ranking = demo_ranking(rows, workers=workers, random_state=common.seed)
        stage("Finding the oddest rows", common)
        check = found_errors(ranking.odd_rows(), wrong)
    clear_stage(common)
    files = OutputFiles(common)

    def show() -> None:
        if common.as_json:
            print_json(ranking.to_dict())
            return
        next_steps = "oddrank demo --html demo.html | oddrank rank YOUR.csv"
        print_screen(screen(ranking, place="demo", remarks=[check],
                            next_steps=next_steps, width=terminal_width()))  # fmt: skip

    show_and_write(show, lambda: files.write_text(html, lambda: _page(ranking)))
    return files.code(0)


def _page(ranking: Ranking) -> str:
    from oddrank.report import html_page

    return html_page(ranking, title="Which rows of a table of tumours to look at", place="demo")
