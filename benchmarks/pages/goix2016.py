"""The pages of the paper's benchmark, and of users' own: tables, agreement, times, a summary."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.pages.curves import averaged_curves, draw_figures
from benchmarks.pages.reproduction import (
    closeness_sentences,
    outliers_markdown,
    preset_sentence,
    read_reasons,
    reproduce,
)
from benchmarks.pages.times import cpu_times, times_markdown, times_sentence
from oddrank.benchmark import (
    SETTINGS,
    AgreementSummary,
    chosen_rows,
    in_order,
    in_printed_order,
    markdown_table,
    printed_table,
    results_table,
    shared_draws,
    summarise_agreement,
)

__all__ = ["coverage_sentence", "draw_figures", "draws_sentence", "page_texts"]

Row = Mapping[str, Any]
BEGIN, END = "<!-- begin: made from the rows -->", "<!-- end: made from the rows -->"
_MADE = "Made from the stored rows by `python -m benchmarks.pages goix2016`; do not edit.\n\n"
_PRESETS = {
    "paper": "Preset `paper`: the authors' procedure, with its grids and 100,000 uniform points",
    "oddrank": "Preset `oddrank`: the same fitted models, exact areas, Sobol or importance points",
}
_TABLE = """\
The figures are means over seeds ± their standard deviation, beside those of the paper. The ratio is
ours over the paper's. The best is bold, the worst underlined. Larger EM, ROC and PR are better, and
smaller MV. A criterion is "unresolved" if it has no value at this resolution.\n\n"""
_OUTLIERS = """\
The table has the cells of EM and MV in preset `paper` that are off by more than a factor of 2. "One
run gives" is the range over seeds or, where features are drawn, the 95 % interval of means of 50
draws, drawn again from those of all seeds. A printed figure inside it is no contradiction. "Largest
draw" is its share in the sum over the 50 draws. "Beyond the grid" is the share of draws, or seeds,
whose EM curve is still above 0.9 where the authors' grid of levels ends.\n\n"""


def page_texts(rows: Sequence[Row], folder: Path) -> dict[str, str]:
    """Return the text of every page by its name in the folder; nothing is written.

    A README.md in the folder that has the two marks for it gets a summary between them;
    `reasons.toml` says why cells differ from the printed ones.
    """
    rows = in_order(rows)
    summaries = {setting: summarise_agreement(rows, setting) for setting in SETTINGS}
    texts = {f"tables/{setting}.md": _table_page(rows, setting) for setting in SETTINGS}
    texts["agreement.md"] = _agreement_page(summaries)
    texts["figures.md"] = f"# Curves\n\n{_MADE}{_pictures(rows)}\n"
    summary = [coverage_sentence(rows)]
    reproduction = reproduce(rows)
    if reproduction.cells:
        sentences = closeness_sentences(reproduction)
        reasons = read_reasons(folder / "reasons.toml")
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
    readme = folder / "README.md"
    if readme.exists():
        texts["README.md"] = _with_summary(readme.read_text(encoding="utf-8"), summary)
    return texts


def _pictures(rows: Sequence[Row]) -> str:
    names = [
        f"{curves.dataset}_{setting}"
        for setting in SETTINGS
        for curves in averaged_curves(rows, setting)
    ]
    return "\n\n".join(f"![{name}](figures/{name}.png)" for name in names)


def _table_page(rows: Sequence[Row], setting: str) -> str:
    text = f"# {setting.capitalize()} setting\n\n{_MADE}{_TABLE}"
    for preset, title in _PRESETS.items():
        results = results_table(rows, setting, preset)
        if results:
            text += f"## {title}\n\n{markdown_table(results, setting)}\n\n"
            text += draws_sentence(rows, setting, preset)
    return text.rstrip() + "\n"


def _agreement_page(summaries: Mapping[str, AgreementSummary]) -> str:
    text = f"# Agreement with labels, and regret\n\n{_MADE}{AgreementSummary.explanation}\n"
    for setting, summary in summaries.items():
        if summary.counts:
            text += f"\n## {setting.capitalize()} setting\n\n{summary.to_markdown()}\n"
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


def coverage_sentence(rows: Sequence[Row]) -> str:
    """Return how many seeds every dataset has, and which of the paper's datasets have none."""
    seeds: dict[str, dict[str, set[int]]] = {}
    for row in rows:
        of_setting = seeds.setdefault(row["dataset"], {})
        of_setting.setdefault(row["setting"], set()).add(row["seed"])
    parts = []
    for dataset in in_printed_order(seeds, 0):
        numbers = [len(seeds[dataset].get(setting, ())) for setting in SETTINGS]
        text = str(numbers[0]) if len(set(numbers)) == 1 else f"{numbers[0]} and {numbers[1]}"
        parts.append(f"{dataset} {text}")
    sentence = f"Seeds, {' and '.join(SETTINGS)} setting: {', '.join(parts)}."
    printed = dict.fromkeys(dataset for dataset, _ in printed_table(SETTINGS[0]))
    missing = [dataset for dataset in printed if dataset not in seeds]
    if missing and len(missing) < len(printed):
        sentence += f" Not run yet: {', '.join(missing)}."
    return sentence


def draws_sentence(rows: Sequence[Row], setting: str, preset: str) -> str:
    """Return where EM or MV is the mean of fewer draws than there are; empty if nowhere."""
    groups: dict[tuple[str, int], list[Row]] = {}
    for row in chosen_rows(rows, setting, preset):
        if row["draw"] >= 0:
            groups.setdefault((row["dataset"], row["seed"]), []).append(row)
    parts = []
    for dataset in in_printed_order({name for name, _ in groups}, 0):
        of_seeds = [each for (name, _), each in groups.items() if name == dataset]
        total = sum(len({row["draw"] for row in each}) for each in of_seeds)
        for measure in ("em", "mv"):
            used = sum(len(shared_draws(each, measure)) for each in of_seeds)
            if used < total:
                parts.append(f"{measure.upper()} of {dataset} {used} of {total}")
    if not parts:
        return ""
    return f"Draws in which all detectors have a value, where not all do: {', '.join(parts)}.\n\n"
