"""Pages that live outside `docs` become pages of the site, and links between all of them hold.

Every text has one place. `ARCHITECTURE.md`, `CHANGELOG.md`, the pages in `benchmarks/` and the
like stay where people look for them in a checkout. Before a build they are copied to
`docs/project`, which git ignores. Links are written for the checkout, and are turned here.
"""

import os
import re
import shutil
from pathlib import Path, PurePosixPath

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
COPIES = DOCS / "project"
TOP = ("ARCHITECTURE", "CHANGELOG", "CODE_OF_CONDUCT", "CONTRIBUTING", "SECURITY")
FOLDERS = tuple(f"benchmarks/{name}" for name in ("goix2016", "verdict", "odd_tables", "answers"))
KINDS = {".md", ".png", ".xz", ".json"}
_LINK = re.compile(r"(?P<before>\]\()(?P<target>[^)\s#]+)(?P<anchor>#[^)\s]*)?\)")


def copied_files():
    """Every file outside `docs` that is part of the site, relative to the checkout."""
    yield from (PurePosixPath(f"{name}.md") for name in TOP if (ROOT / f"{name}.md").exists())
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in KINDS:
                yield PurePosixPath(path.relative_to(ROOT).as_posix())


def copy_pages(_app):
    """Copy the files; those that have not changed keep their time, so nothing is built twice."""
    for name in copied_files():
        source, target = ROOT / name, COPIES / name
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


def origin_of(docname):
    """Where a page is in the checkout, as a path relative to it."""
    if docname.startswith("project/"):
        return PurePosixPath(docname.removeprefix("project/") + ".md")
    return PurePosixPath("docs") / f"{docname}.md"


def site_target(target, origin, copies):
    """What a link of the checkout is on the site; None if it stays as it is."""
    if re.match(r"[a-z]+:", target) or target.startswith("/"):
        return None
    place = PurePosixPath(os.path.normpath(str(origin.parent / target)))
    if place.parts[0] == "examples" and not place.suffix:
        return f"/gallery/{(place / 'index.rst').relative_to('examples')}"
    if place.parts[0] == "examples":
        return f"/gallery/{place.relative_to('examples').with_suffix('.rst')}"
    if place in copies:
        return f"/project/{place}"
    if place.parts[0] == "docs" and origin.parts[0] != "docs":
        return f"/{place.relative_to('docs')}"
    return None


def turn_links(_app, docname, source):
    """Turn links that cross the border of `docs`."""
    origin, copies = origin_of(docname), set(copied_files())

    def turned(match):
        target = site_target(match["target"], origin, copies)
        return f"{match['before']}{target or match['target']}{match['anchor'] or ''})"

    if (DOCS / f"{docname}.md").exists():
        source[0] = _LINK.sub(turned, source[0])


def setup(app):
    app.connect("builder-inited", copy_pages)
    app.connect("source-read", turn_links)
