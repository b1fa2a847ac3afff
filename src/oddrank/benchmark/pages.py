"""Every page of a benchmark's results, made again from its rows."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from oddrank.benchmark.agreement_summary import AgreementSummary, summarise_agreement
from oddrank.benchmark.agreement_text import EXPLANATION, agreement_markdown
from oddrank.benchmark.complete_rows import complete_seeds, coverage_sentence
from oddrank.benchmark.figures import write_figures
from oddrank.benchmark.preset_ratios import preset_sentence
from oddrank.benchmark.printed_tables import SETTINGS
from oddrank.benchmark.reproduction import reproduce
from oddrank.benchmark.reproduction_text import (
    closeness_sentences,
    outliers_markdown,
    read_reasons,
)
from oddrank.benchmark.seed_results import draws_sentence
from oddrank.benchmark.tables import markdown_table, results_table
from oddrank.benchmark.times import cpu_times
from oddrank.benchmark.times_text import times_markdown, times_sentence

__all__ = ["write_pages"]

BEGIN, END = "<!-- begin: made from the rows -->", "<!-- end: made from the rows -->"
_MADE = "Made from the stored rows by `oddrank benchmark pages`; do not edit.\n\n"
_PRESETS = {
    "paper": "Preset `paper`: the authors' procedure, with its grids and 100,000 uniform points",
    "oddrank": "Preset `oddrank`: the same fitted models, exact areas, Sobol or importance points",
}
_TABLE = """\
Means over seeds ± their standard deviation, beside what the paper prints; the ratio is ours
over the paper's. Best in bold, worst underlined. EM and ROC and PR: larger is better; MV:
smaller. "Unresolved" is a criterion that has no value at this resolution.\n\n"""
_OUTLIERS = """\
Cells of EM and MV in preset `paper` that are off by more than a factor of 2. "One run gives":
the range over seeds or, where features are drawn, the 95 % interval of means of 50 draws,
drawn again from those of all seeds: a printed figure inside it is no contradiction. "Largest
draw": its share in the sum over the 50 draws. "Beyond the grid": share of draws, or seeds,
whose EM curve is still above 0.9 where the authors' grid of levels ends.\n\n"""


def write_pages(
    rows: Sequence[Mapping[str, Any]], folder: str | os.PathLike[str], *, figures: bool = True
) -> list[str]:
    """Write tables, agreement, reproduction, times and figures, and return what was left out.

    Seeds that are not complete yet are left out. A README.md in the folder that has the two marks
    for it gets a summary between them; `reasons.toml` says why cells differ from the printed ones.

    Parameters
    ----------
    rows : rows of a benchmark
    folder : path
    figures : bool
        Whether figures, which need `oddrank[plot]`, are drawn as well.
    """
    complete, left_out = complete_seeds(rows)
    for name, text in page_texts(complete, folder).items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if figures:
        written = write_figures(complete, Path(folder) / "figures")
        pictures = [path.name for path in written if path.suffix == ".png"]
        text = "\n\n".join(f"![{name.removesuffix('.png')}](figures/{name})" for name in pictures)
        path = Path(folder) / "figures.md"
        path.write_text(f"# Curves\n\n{_MADE}{text}\n", encoding="utf-8")
    return left_out


def page_texts(rows: Sequence[Mapping[str, Any]], folder: str | os.PathLike[str]) -> dict[str, str]:
    """Return the text of every page by its name in the folder; nothing is written."""
    summaries = {setting: summarise_agreement(rows, setting) for setting in SETTINGS}
    texts = {f"tables/{setting}.md": _table_page(rows, setting) for setting in SETTINGS}
    texts["agreement.md"] = _agreement_page(summaries)
    summary = [coverage_sentence(rows)]
    reproduction = reproduce(rows)
    if reproduction.cells:
        sentences = closeness_sentences(reproduction)
        reasons = read_reasons(Path(folder) / "reasons.toml")
        texts["reproduction.md"] = (
            f"# Reproduction\n\n{_MADE}" + "\n".join(f"- {each}" for each in sentences)
            + f"\n\n{_OUTLIERS}{outliers_markdown(reproduction, reasons)}\n"
        )  # fmt: skip
        summary += sentences
    summary += [sentence for sentence in [preset_sentence(rows)] if sentence]
    summary += [_regret_sentence(each) for each in summaries.values() if each.losses]
    times = cpu_times(rows, "oddrank", min((row["seed"] for row in rows), default=0))
    if times:
        texts["times.md"] = (
            f"# Times\n\n{_MADE}CPU seconds of preset `oddrank`, one seed, both settings. "
            f"{times_sentence(times)}\n\n{times_markdown(times)}\n"
        )
        summary.append(f"Time: {times_sentence(times)}")
    readme = Path(folder) / "README.md"
    if readme.exists():
        texts["README.md"] = _with_summary(readme.read_text(encoding="utf-8"), summary)
    return texts


def _table_page(rows: Sequence[Mapping[str, Any]], setting: str) -> str:
    text = f"# {setting.capitalize()} setting\n\n{_MADE}{_TABLE}"
    for preset, title in _PRESETS.items():
        results = results_table(rows, setting, preset)
        if results:
            text += f"## {title}\n\n{markdown_table(results, setting)}\n\n"
            text += draws_sentence(rows, setting, preset)
    return text.rstrip() + "\n"


def _agreement_page(summaries: Mapping[str, AgreementSummary]) -> str:
    text = f"# Agreement with labels, and regret\n\n{_MADE}{EXPLANATION}\n"
    for setting, summary in summaries.items():
        if summary.counts:
            text += f"\n## {setting.capitalize()} setting\n\n{agreement_markdown(summary)}\n"
    return text


def _regret_sentence(summary: AgreementSummary) -> str:
    ours = [line for line in summary.losses if line.source.startswith("ours")]
    parts = []
    for line in ours:
        preset = f" ({line.source.removeprefix('ours, ')})" if "," in line.source else ""
        parts.append(f"{line.verdict}{preset} {line.roc.value:.3f}")
    return f"ROC lost by following, {summary.setting} setting: {', '.join(parts)}."


def _with_summary(text: str, summary: Sequence[str]) -> str:
    lines = "\n".join(f"- {sentence}" for sentence in summary)
    block = f"{BEGIN}\n{lines}\n{END}"
    marked = f"{re.escape(BEGIN)}.*?{re.escape(END)}"
    return re.sub(marked, lambda _: block, text, flags=re.DOTALL)
