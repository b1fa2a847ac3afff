"""Every example of the gallery runs, and what its text says of a failure is what it shows."""

import runpy
import warnings
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot

import oddrank

EXAMPLES = Path(__file__).parents[1] / "examples"
FILES = sorted(EXAMPLES.rglob("plot_*.py"))


def forest_leads(values):
    """In which samples the forest has the higher excess mass."""
    return [forest > mixture for forest, mixture in zip(*values.values(), strict=True)]


# What the pages about failures say was seen, by the names that their code leaves behind.
SEEN = {
    "plot_clustered_anomalies": lambda names: (
        names["check"].roc_areas[names["ranking"].best] < 0.5
        and names["check"].best == names["ranking"].order[-1]
    ),
    "plot_discrete_features": lambda names: (
        names["excess"][-1] > 100 * names["excess"][2]
        and abs(names["areas"][-1] - names["areas"][2]) < 0.01
    ),
    "plot_feature_draws": lambda names: (
        len(set(names["in_draws"].letters.values())) == 1
        and names["in_all"].best == names["check"].best
        and names["in_all"].compare("gaussian", "forest").separated
    ),
    "plot_heavy_tails": lambda names: (
        max(names["excess"]["as they are"]["forest"])
        > 3 * min(names["excess"]["as they are"]["forest"])
        and names["in_raw_rows"].diagnostics["box"].ok
        and sum(forest_leads(names["excess"]["as they are"])) >= 3
        and sum(forest_leads(names["excess"]["logarithms"])) == 0
    ),
    "plot_polluted_rows": lambda names: (
        names["picks"][-1] < 0.6
        and min(names["best"][-1], names["picks"][1]) > 0.9
        and names["committees"][-1] > names["picks"][-1] + 0.2
    ),
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_example_runs_and_draws(path, capsys):
    with warnings.catch_warnings():
        # matplotlib and Dask warn of things that depend on the machine
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.filterwarnings("ignore", "Creating scratch directories is taking", UserWarning)
        names = runpy.run_path(str(path))
    drawn = len(pyplot.get_fignums())
    pyplot.close("all")
    assert drawn, "no picture"
    assert capsys.readouterr().out, "no output"
    assert SEEN.get(path.stem, lambda names: True)(names)


def test_what_the_pages_about_failures_claim_is_tested():
    assert set(SEEN) == {path.stem for path in (EXAMPLES / "f_trust").glob("plot_*.py")}


def test_every_public_function_and_display_has_an_example():
    text = "\n".join(path.read_text(encoding="utf-8") for path in FILES)
    unused = [
        name
        for name in oddrank.__all__
        if (callable(getattr(oddrank, name)) and name[0].islower()) or name.endswith("Display")
        if name not in text
    ]
    assert unused == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_examples_begin_with_a_title_and_a_text(path):
    docstring = path.read_text(encoding="utf-8").split('"""')[1].strip().splitlines()
    assert set(docstring[1]) == {"="}
    assert len(docstring[1]) >= len(docstring[0])
    assert any(line.strip() for line in docstring[2:])
