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
    from oddrank.inspection import LabelCheck
    from oddrank.ranking import Ranking

__all__ = ["demo"]


@click.command(epilog=example("oddrank demo --html demo.html"))
@click.option("--html", type=click.Path(dir_okay=False), help="Write the report, one page.")
@common_options
def demo(*, html: str | None, common: Common) -> int:
    """Show a ranking of six detectors, on data that scikit-learn ships."""
    from oddrank.cli.output_files import OutputFiles, check_outputs, show_and_write
    from oddrank.demo import demo_data, demo_ranking, heading
    from oddrank.execution import Workers
    from oddrank.inspection import check_against_labels
    from oddrank.ranking import screen

    check_outputs({"--html": html})
    rows, labels = demo_data()
    say(f"{heading(rows, labels)}\n", common)
    with notes_from_warnings(common):
        workers = Workers(n_jobs=common.jobs, progress=not common.quiet)
        ranking = demo_ranking(rows, workers=workers, random_state=common.seed)
        stage("Checking labels", common)
        check = check_against_labels(ranking, rows, labels)
    clear_stage(common)
    files = OutputFiles(common)

    def show() -> None:
        if common.as_json:
            print_json(ranking.to_dict())
            return
        next_steps = "oddrank demo --html demo.html | oddrank rank YOUR.csv"
        print_screen(screen(ranking, place="demo", remarks=[check.sentence],
                            next_steps=next_steps, width=terminal_width()))  # fmt: skip

    show_and_write(show, lambda: files.write_text(html, lambda: _page(ranking, check)))
    return files.code(0)


def _page(ranking: Ranking, check: LabelCheck) -> str:
    from oddrank.report import html_page

    title = "Which detector to trust on hand-written digits"
    return html_page(ranking, title=title, labels=check, place="demo")
