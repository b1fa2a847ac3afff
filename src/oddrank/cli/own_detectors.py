"""The detectors that a command is to use: by name, or from a module of the user's."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from oddrank.detectors import pool_of
from oddrank.errors import InvalidParameterError

__all__ = ["detectors_from", "named_detector", "named_detectors"]


def named_detectors(text: str) -> dict[str, Any]:
    """Return detectors from a list of names and presets, such as "fast,lof"."""
    names = [part.strip() for part in text.split(",") if part.strip()]
    if not names:
        raise InvalidParameterError(
            "--detectors names no detector. Without it oddrank uses a good set."
        )
    return pool_of(names)


def named_detector(text: str, who: str) -> tuple[str, Any]:
    """Return the one detector that a text names, and its name."""
    chosen = named_detectors(text)
    if len(chosen) != 1:
        raise InvalidParameterError(f"{who} takes one detector. Got {text!r}.")
    return next(iter(chosen.items()))


def detectors_from(place: str) -> Any:
    """Return the detectors that `module:name` holds, or that calling it returns.

    Modules in the current folder are found, as `python -m` finds them.
    """
    module_name, colon, attribute = place.partition(":")
    if not (module_name.strip(".") and colon and attribute):
        raise InvalidParameterError(
            f"--detectors-from needs module:name, such as my_module:detectors. Got {place!r}."
        )
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise InvalidParameterError(
            f"The module {module_name!r} of --detectors-from cannot be imported: "
            f"{_in_words(error)}. Mend it, or name another one."
        ) from error
    try:
        found = getattr(module, attribute)
    except AttributeError:
        raise InvalidParameterError(
            f"The module {module_name!r} has no {attribute!r}. Name a mapping of names to "
            "detectors in it, or a function that returns one."
        ) from None
    try:
        detectors = found() if callable(found) else found
    except (Exception, SystemExit) as error:
        raise InvalidParameterError(
            f"The function {place!r} of --detectors-from failed: {_in_words(error)}. "
            "It is called without arguments, and returns a mapping of names to detectors."
        ) from error
    if not isinstance(detectors, Mapping | Sequence) or isinstance(detectors, str):
        raise InvalidParameterError(
            f"--detectors-from {place} must be a mapping of names to detectors, or a list of "
            f"detectors. Got {type(detectors).__name__} instead."
        )
    return detectors


def _in_words(error: BaseException) -> str:
    text = str(error).strip().rstrip(".")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
