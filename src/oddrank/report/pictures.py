"""The displays' own pictures, as SVG that stands inside a page."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from oddrank.errors import InvalidDataError
from oddrank.inspection import FeatureImportance
from oddrank.plots import (
    ExcessMassDisplay,
    FeatureImportanceDisplay,
    MassVolumeDisplay,
    RankingDisplay,
)
from oddrank.ranking import Ranking

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["curve_pictures", "importance_picture", "ranking_picture"]

# Inches: text of ten points can be read where a telephone shrinks the picture to its width.
WIDTH = 5.0
# Stands for the colour of the page's text, which is another one in the dark.
INK = "#010203"
STYLE = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "oddrank",  # the same picture has the same ids
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": INK,
}


def ranking_picture(ranking: Ranking) -> Markup:
    """Draw the scores that decide, with their intervals."""
    return _picture(
        lambda ax: RankingDisplay.from_ranking(ranking, ax=ax),
        key="scores",
        title="Scores with their intervals",
        description="One line per detector, best first. The table has the same scores.",
        height=0.9 + 0.3 * len(ranking.order),
    )


def curve_pictures(ranking: Ranking) -> Iterator[Markup]:
    """Draw both curves where volumes decide; none where features were drawn."""
    if not ranking.judgement.criterion.unit:
        return
    evaluations, masses = ranking.evaluations, ranking.masses
    level, height = ranking.confidence_level, 3.2 + 0.12 * len(evaluations)
    with suppress(InvalidDataError):  # features were drawn
        yield _picture(
            lambda ax: MassVolumeDisplay.from_evaluations(
                evaluations, mass_range=masses, confidence_level=level, ax=ax
            ),
            key="mass-volume",
            title="Mass-volume curves: lower is better",
            description="How much space each detector needs to hold a share of the rows.",
            height=height,
        )
    with suppress(InvalidDataError):  # the same, or no curve is resolved
        yield _picture(
            lambda ax: ExcessMassDisplay.from_evaluations(
                evaluations, confidence_level=level, ax=ax
            ),
            key="excess-mass",
            title="Excess-mass curves: higher is better",
            description="How much more mass than t times volume the best level set holds.",
            height=height,
        )


def importance_picture(importance: FeatureImportance) -> Markup:
    """Draw the gains of the most important features."""
    display = FeatureImportanceDisplay(importance)
    return _picture(
        display.plot,
        key="gains",
        title="Feature importances with their intervals",
        description="One line per feature, most important first. The table has the same gains.",
        height=0.9 + 0.26 * min(len(importance.feature_names), display.max_features),
    )


def _picture(
    draw: Callable[[Any], object], *, key: str, title: str, description: str, height: float
) -> Markup:
    """Return a figure with a caption; `key` keeps its ids apart from those of other pictures."""
    import matplotlib
    from markupsafe import Markup
    from matplotlib.figure import Figure

    buffer = io.BytesIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        # the browser has more fonts than matplotlib, which measures the text
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        draw(figure.subplots())
        figure.savefig(buffer, format="svg", transparent=True)
    svg = ElementTree.fromstring(buffer.getvalue())
    svg.attrib = {"viewBox": svg.attrib["viewBox"], "role": "img"}
    svg.set("aria-label", f"{title}. {description}")
    _make_inline(svg, key)
    drawn = Markup(ElementTree.tostring(svg, encoding="unicode"))
    return Markup("<figure><figcaption>{}</figcaption>\n{}\n</figure>").format(title, drawn)


def _make_inline(svg: ElementTree.Element, key: str) -> None:
    """Leave out what only a file of its own needs, and make ids and colours those of the page."""
    for element in svg.iter():
        for child in list(element):
            if _local(child.tag) in ("metadata", "style"):
                element.remove(child)
        element.tag = _local(element.tag)
        element.attrib = {
            _local(name): _own(_local(name), value, key) for name, value in element.items()
        }


def _local(name: str) -> str:
    """Return a name without its namespace: in HTML, SVG needs none."""
    return name.rpartition("}")[2]


def _own(name: str, value: str, key: str) -> str:
    if name == "id":
        return f"{key}-{value}"
    if name == "href":
        return value.replace("#", f"#{key}-", 1)
    return value.replace("url(#", f"url(#{key}-").replace(INK, "currentColor")
