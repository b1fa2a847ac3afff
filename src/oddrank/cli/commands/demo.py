"""`oddrank demo`: see what a ranking looks like, on data that is there already."""

from __future__ import annotations

import click

from oddrank.cli.common_options import Common, common_options, example
from oddrank.cli.terminal import notes_from_warnings, print_json, say

__all__ = ["demo"]


@click.command(epilog=example("oddrank demo --html demo.html"))
@click.option("--html", type=click.Path(dir_okay=False), help="Write the report, one page.")
@common_options
def demo(*, html: str | None, common: Common) -> int:
    """Show a ranking of six detectors, on data that scikit-learn ships."""
    from oddrank.cli.output_files import OutputFiles, check_outputs, show_and_write
    from oddrank.cli.rank_outputs import print_ranking
    from oddrank.demo import demo_data, demo_ranking
    from oddrank.inspection import check_against_labels
    from oddrank.report import html_page, summarise

    check_outputs({"--html": html})
    rows, labels = demo_data()
    say("Breast-cancer data: benign and a few malignant tumours, three features.", common)
    with notes_from_warnings(common):
        ranking = demo_ranking(
            rows, n_jobs=common.jobs, progress=not common.quiet, random_state=common.seed
        )
        check = check_against_labels(ranking, rows, labels)
        summary = summarise(
            ranking, title="Which detector to trust on breast-cancer data", labels=check
        )
    files = OutputFiles(common)
    show_and_write(
        lambda: print_json(summary.to_dict()) if common.as_json else print_ranking(summary),
        lambda: files.write_text(html, lambda: html_page(summary)),
    )
    return files.code(0)
