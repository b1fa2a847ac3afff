"""Links lead somewhere: those of documents in the checkout, and those of the built site."""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.reference_page import listed_names

ROOT = Path(__file__).parents[1]
SITE = ROOT / "docs" / "_build" / "html"
MADE = ("docs/_build", "docs/api", "docs/gallery", "docs/project")
DOCUMENTS = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "benchmarks/**/*.md", ".github/**/*.md")
    for path in ROOT.glob(pattern)
    if not path.relative_to(ROOT).as_posix().startswith(MADE)
)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^( *)(```|~~~).*?^\1\2`*\s*$", re.M | re.S)
_PICTURE = re.compile(r"(?P<folder>\w+)/images/sphx_glr_(?P<stem>\w+)_\d{3}\.png$")


def name_of(path):
    return path.relative_to(ROOT).as_posix()


@cache
def anchors_of(path):
    """The anchors of the headings of a document, as the usual hosts and MyST make them."""
    found = set()
    for heading in re.findall(r"^#{1,6} (.+)$", _FENCE.sub("", path.read_text("utf-8")), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).strip().replace(" ", "-")
        number, unique = 0, slug
        while unique in found:
            number += 1
            unique = f"{slug}-{number}"
        found.add(unique)
    return frozenset(found)


def exists(target, path):
    """Whether a file of the checkout is there, or the example that draws a picture."""
    place = (path.parent / target).resolve()
    drawn = _PICTURE.search(place.as_posix())
    if drawn and "/docs/gallery/" in place.as_posix():
        place = ROOT / "examples" / drawn["folder"] / f"{drawn['stem']}.py"
    return place.exists()


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_links_of_documents_lead_somewhere(path):
    dead = []
    for link in _LINK.findall(_FENCE.sub("", path.read_text(encoding="utf-8"))):
        parts = urlsplit(link)
        if parts.scheme:
            # what is outside is checked for its form only: tests need no network
            if parts.scheme not in ("https", "mailto") or not (parts.netloc or parts.path):
                dead.append(link)
            continue
        target = path if not parts.path else (path.parent / parts.path).resolve()
        known = not parts.path or exists(parts.path, path)
        if known and parts.fragment and target.suffix == ".md":
            known = parts.fragment in anchors_of(target)
        if not known:
            dead.append(link)
    assert dead == []


class Page(HTMLParser):
    """The links, anchors and remote resources of one page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.resources = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[key] for key in ("id", "name") if values.get(key)}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag == "img" and values.get("src"):
            self.links.append(values["src"])
        if tag in ("script", "img", "iframe") and values.get("src"):
            self.resources.append(values["src"])
        if tag == "link" and values.get("rel") in ("stylesheet", "preload", "icon"):
            self.resources.append(values.get("href", ""))


@pytest.fixture(scope="module")
def pages():
    if not (SITE / "index.html").exists():
        pytest.skip("the site is not built: run `make docs`")
    return {path: Page(path.read_text(encoding="utf-8")) for path in SITE.rglob("*.html")}


def test_the_built_site_has_no_dead_link(pages):
    dead = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            place = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not place.exists():
                dead.append(f"{path.relative_to(SITE)}: {link}")
            elif parts.fragment and place.suffix == ".html":
                known = pages[place].anchors
                if unquote(parts.fragment) not in known:
                    dead.append(f"{path.relative_to(SITE)}: {link}")
    assert sorted(set(dead)) == []


def test_the_built_site_needs_no_network(pages):
    remote = {
        f"{path.relative_to(SITE)}: {each}"
        for path, page in pages.items()
        for each in page.resources
        if urlsplit(each).netloc
    }
    assert remote == set()


def test_the_built_site_has_a_page_for_every_public_name(pages):
    missing = [
        f"{module}.{name}"
        for module, name in listed_names()
        if SITE / "api" / f"{module}.{name}.html" not in pages
    ]
    assert missing == []
