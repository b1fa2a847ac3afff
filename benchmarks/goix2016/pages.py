"""The pages of the paper's benchmark: tables, agreement, reproduction, curves, times, a summary."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.goix2016.curves import averaged_curves, draw_figures
from benchmarks.goix2016.paper import in_printed_order, printed_table
from benchmarks.goix2016.reproduction import (
    closeness_sentences,
    outliers_markdown,
    preset_sentence,
    read_reasons,
    reproduce,
)
from benchmarks.goix2016.seed_tables import complete_rows, groups_of, shared_draws
from benchmarks.goix2016.summary import EXPLANATION, AgreementSummary, summarise_agreement
from benchmarks.goix2016.tables import markdown_table, results_table
from benchmarks.markdown import table
from benchmarks.prepare import SETTINGS
from benchmarks.rows import Row, in_order

__all__ = ["complete_rows", "draw_figures", "page_texts"]

BEGIN, END = "<!-- begin: made from the rows -->", "<!-- end: made from the rows -->"
_MADE = "Made from the stored rows by `python -m benchmarks pages goix2016`; do not edit.\n\n"
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
_PARTS = {
    "fit_cpu": "fitting",
    "rows_cpu": "scoring rows",
    "points_cpu": "scoring reference points",
}
Times = Mapping[tuple[str, str, str], float]


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
    times = cpu_times(rows)
    if times:
        texts["times.md"] = (
            f"# Times\n\n{_MADE}CPU seconds of preset `oddrank`, one seed, both settings. "
            f"{times_sentence(times)}\n\n{_times_table(times)}\n"
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
    text = f"# Agreement with labels, and regret\n\n{_MADE}{EXPLANATION}\n"
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
    parts = []
    for dataset, by_seed in groups_of(rows, setting, preset).items():
        of_seeds = [each for each in by_seed.values() if each[0]["n_draws"]]
        total = sum(each[0]["n_draws"] for each in of_seeds)
        for measure in ("em", "mv"):
            used = sum(len(shared_draws(each, preset, measure)) for each in of_seeds)
            if used < total:
                parts.append(f"{measure.upper()} of {dataset} {used} of {total}")
    if not parts:
        return ""
    return f"Draws in which all detectors have a value, where not all do: {', '.join(parts)}.\n\n"


def cpu_times(rows: Sequence[Row]) -> dict[tuple[str, str, str], float]:
    """Return CPU seconds of preset `oddrank`, first seed, by (dataset, detector, part).

    Presets share a fitted model and its scores of the rows; both are counted in full here, as if
    this preset had been run alone.
    """
    first = min((row["seed"] for row in rows), default=0)
    seconds: dict[tuple[str, str, str], float] = {}
    for row in rows:
        if row["seed"] == first and "oddrank" in row:
            spent = {**row, **row["oddrank"]}
            for part in _PARTS:
                key = (row["dataset"], row["detector"], part)
                seconds[key] = seconds.get(key, 0.0) + spent[part]
    return seconds


def times_sentence(times: Times) -> str:
    """Return the total, and which part dominates it."""
    total = sum(times.values())
    (dataset, detector, part), largest = max(times.items(), key=lambda item: item[1])
    by_detector = {
        name: sum(seconds for key, seconds in times.items() if key[1] == name)
        for name in in_printed_order({key[1] for key in times}, 1)
    }
    slowest = max(by_detector, key=lambda name: by_detector[name])
    return (
        f"Both settings of one seed take {total / 60:.1f} minutes of CPU time, half of that on two "
        f"cores ({total / 120:.1f} minutes). {slowest} has "
        f"{100 * by_detector[slowest] / total:.0f} % of it; the largest single part is "
        f"{_PARTS[part]} with {detector} on {dataset}, "
        f"{largest / 60:.1f} minutes ({100 * largest / total:.0f} %)."
    )


def _times_table(times: Times) -> str:
    detectors = in_printed_order({key[1] for key in times}, 1)
    columns = [(detector, part) for detector in detectors for part in _PARTS]
    head = ["dataset", *(f"{detector}: {_PARTS[part]}" for detector, part in columns), "all"]
    lines = []
    datasets = in_printed_order({key[0] for key in times}, 0)
    for dataset in datasets:
        seconds = [times.get((dataset, *column), 0.0) for column in columns]
        lines.append([dataset, *(f"{each:.1f}" for each in (*seconds, sum(seconds)))])
    sums = [sum(times.get((name, *column), 0.0) for name in datasets) for column in columns]
    lines.append(["all", *(f"{each:.1f}" for each in (*sums, sum(sums)))])
    return table(head, lines)
