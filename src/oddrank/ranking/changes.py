"""What has changed since an earlier ranking, from the flat mappings of both."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from oddrank.errors import InvalidDataError
from oddrank.ranking.flat import SCHEMA_VERSION

__all__ = ["changes_since", "read_ranking"]

# A score has changed if the difference is more than this many standard errors.
CLEAR_CHANGE = 2.0

Flat = Mapping[str, Any]


def read_ranking(path: str) -> Flat:
    """Read what `Ranking.to_json` wrote or `--json` printed, or say why it cannot be compared."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InvalidDataError(
            f"{path} is not JSON. Give a file that oddrank rank --json printed."
        ) from error
    found = content.get("schema_version") if isinstance(content, dict) else None
    if found != SCHEMA_VERSION or not {"best", "order", "detectors", "leads"} <= set(content):
        raise InvalidDataError(
            f"{path} has the schema version {found}, and this oddrank writes {SCHEMA_VERSION}. "
            "Make it again with oddrank rank --json."
        )
    return dict(content)


def changes_since(previous: Flat, now: Flat) -> list[str]:
    """Return what changed between two rankings, in sentences."""
    return [
        _best(previous, now),
        *_detectors(previous, now),
        *_rows(previous, now),
        *_scores(previous, now),
        *_pairs(previous, now),
    ]


def _best(previous: Flat, now: Flat) -> str:
    before, after = previous["best"], now["best"]
    if after is None or before is None:
        return f"The best was {before or 'not found'}, and is {after or 'not found'} now."
    if before == after:
        return f"The best is still {after}."
    tie = ""
    if before in now["together_with_best"]:
        tie = " The two cannot be told apart."
    return f"The best is {after} now; it was {before}.{tie}"


def _detectors(previous: Flat, now: Flat) -> Iterator[str]:
    before, after = set(previous["order"]), set(now["order"])
    if after - before:
        yield f"New: {', '.join(sorted(after - before))}."
    if before - after:
        yield f"No longer ranked: {', '.join(sorted(before - after))}."


def _rows(previous: Flat, now: Flat) -> Iterator[str]:
    for name, word in (("n_rows", "rows"), ("n_features", "features")):
        if previous.get(name) != now[name]:
            yield f"There were {previous.get(name):,} {word}, and there are {now[name]:,} now."


def _scores(previous: Flat, now: Flat) -> Iterator[str]:
    if previous.get("criterion") != now["criterion"]:
        yield "Scores are of another kind than before."
        return
    old = {each["name"]: each for each in previous["detectors"] if each["score"] is not None}
    changed = False
    for each in now["detectors"]:
        before = old.get(each["name"])
        if before is None or each["score"] is None:
            continue
        difference = each["score"] - before["score"]
        error = math.hypot(each["score_error"], before["score_error"])
        if abs(difference) > CLEAR_CHANGE * error and difference != 0.0:
            changed = True
            went = "rose" if difference > 0.0 else "fell"
            scores = f"from {before['score']:.3g} to {each['score']:.3g}"
            yield f"{each['name']}: the score {went} {scores}."
    if not changed:
        yield "No score changed by more than its error."


def _pairs(previous: Flat, now: Flat) -> Iterator[str]:
    before, after = (_beaten(flat) for flat in (previous, now))
    both = set(previous["order"]) & set(now["order"])
    for better, worse in sorted(after - before):
        if {better, worse} <= both:
            yield f"{better} now beats {worse}."
    for better, worse in sorted(before - after):
        if {better, worse} <= both and (worse, better) not in after:
            yield f"{better} no longer beats {worse}."


def _beaten(flat: Flat) -> set[tuple[str, str]]:
    return {(each["better"], each["worse"]) for each in flat["leads"] if each["separated"]}
