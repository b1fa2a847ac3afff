"""`oddrank benchmark verdict`: whose verdict holds, from stored rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from oddrank.cli.common_options import Common, common_options
from oddrank.cli.help_text import example
from oddrank.cli.terminal import print_json, print_table, say

__all__ = ["verdict_command"]

_SHOWN = ("default", "references", "volume", "consensus: peers", "always iforest", "random",
          "combination", "best constant")  # fmt: skip


@click.command("verdict", epilog=example("oddrank benchmark verdict --rows rows.jsonl"))
@click.option(
    "--rows", type=click.Path(dir_okay=False), default="rows.jsonl", show_default=True,
    help="Rows of: oddrank benchmark run --spec verdict",
)  # fmt: skip
@click.option(
    "--write", "folder", type=click.Path(file_okay=False),
    help="Write all tables, figures and the calibration into this folder.",
)  # fmt: skip
@common_options
def verdict_command(*, rows: str, folder: str | None, common: Common) -> int:
    """Print how often every judge is right, and what following it costs."""
    from oddrank.benchmark import read_rows
    from oddrank.benchmark.verdict import verdict_table

    stored = [row for row in read_rows(rows) if row.get("preset") == "verdict"]
    if not stored:
        say(f"There are no such rows in {rows}. Run: oddrank benchmark run --spec verdict", common)
        return 1
    tables = {
        setting: verdict_table(stored, setting)
        for setting in dict.fromkeys(row["setting"] for row in stored)
    }
    if common.as_json:
        print_json({setting: {name: each.mean.tolist() for name, each in table.items()}
                    for setting, table in tables.items()})  # fmt: skip
    else:
        for setting, table in tables.items():
            lines = [[name, *(f"{value:.3f}" for value in each.mean)]
                     for name, each in table.items() if name.startswith(_SHOWN)]  # fmt: skip
            head = [f"judge, {setting}", "pairs right", "ROC lost", "PR lost", "correlation"]
            print_table(head, lines, left=(0,))
    if folder:
        _write(stored, Path(folder), common)
    return 0


def _write(rows: list[dict[str, Any]], folder: Path, common: Common) -> None:
    import json

    from oddrank.benchmark.verdict import calibrate, calibration_page, draw_figures, table_page

    folder.mkdir(parents=True, exist_ok=True)
    pages = {
        "table.md": table_page(rows),
        "calibration.md": calibration_page(rows),
        "calibration.json": json.dumps(calibrate(rows), indent=2) + "\n",
    }
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
        say(f"Wrote {folder / name}", common)
    for path in draw_figures(rows, folder / "figures"):
        say(f"Wrote {path}", common)
