"""Files that a command writes: checked before work starts, written after the result is shown."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from oddrank._files import is_special, write_text
from oddrank.cli.common_options import Common
from oddrank.cli.streams import is_closed_pipe
from oddrank.cli.terminal import complain, say
from oddrank.errors import InvalidParameterError, OddrankError, missing_extra

__all__ = ["OutputFiles", "check_outputs", "show_and_write"]

NOT_WRITTEN = 2

_TEXT = (".csv", ".txt")
# A file whose name says something else than what is in it would be opened by the wrong program.
_ENDINGS: Mapping[str, tuple[str, ...]] = {
    "--html": (".html", ".htm"),
    "--scores": _TEXT,
    "--out": _TEXT,
    "--write": _TEXT,
    "--answers": _TEXT,
    "--save": (".skops",),
    "--plot": (".png", ".svg", ".pdf", ".eps", ".jpg", ".jpeg", ".webp", ".tif", ".tiff"),
}
_EXTRAS = {"--html": ("report", ("jinja2", "matplotlib")), "--plot": ("plot", ("matplotlib",))}
_NEEDED = ("--save", "--plot")


def check_outputs(paths: Mapping[str, str | None], inputs: Iterable[str] = ()) -> None:
    """Refuse, before any work starts, files that could not be written or would spoil others.

    Parameters
    ----------
    paths : mapping of flags to paths
        None where a flag was not given.
    inputs : paths
        What the command reads, and must not write over.
    """
    seen: dict[Path, str] = {}
    read = {Path(os.path.realpath(path)) for path in inputs if path != "-"}
    for flag, path in paths.items():
        if path is None:
            continue
        _check_ending(flag, path)
        if flag in _EXTRAS:
            _check_extra(flag)
        target = Path(os.path.realpath(path))
        if is_special(target):
            continue
        _check_place(flag, path, target)
        if target in read:
            raise InvalidParameterError(
                f"{flag} {path} would write over the table that is read. Name another file."
            )
        if target in seen:
            raise InvalidParameterError(
                f"{seen[target]} and {flag} name the same file {path}. Give each its own."
            )
        seen[target] = flag


def _check_extra(flag: str) -> None:
    """Refuse a page or picture that could not be drawn, before any work is done for it."""
    extra, libraries = _EXTRAS[flag]
    for library in libraries:
        if find_spec(library) is None:
            raise missing_extra(f"{flag} needs {library}", extra)


def _check_ending(flag: str, path: str) -> None:
    endings, ending = _ENDINGS[flag], Path(path).suffix.lower()
    if ending in endings or (not ending and flag not in _NEEDED):
        return
    if ".skops" in endings:
        raise InvalidParameterError(
            f"Models are saved as skops files, which run no code when they are read. Got {path!r}; "
            "give the file a name that ends in .skops."
        )
    if is_special(Path(path)):
        return
    listed = f"{', '.join(endings[:-1])} or {endings[-1]}"
    raise InvalidParameterError(
        f"{flag} {path}: the name of the file must end in {listed}, since that is what is written."
    )


def _check_place(flag: str, path: str, target: Path) -> None:
    folder = target.parent
    if not folder.is_dir():
        raise InvalidParameterError(
            f"{flag} {path}: there is no folder {Path(path).parent}. Make it, or name another file."
        )
    if target.is_dir():
        raise InvalidParameterError(f"{flag} {path} is a folder. Name a file.")
    if not os.access(folder, os.W_OK | os.X_OK) or (
        target.exists() and not os.access(target, os.W_OK)
    ):
        raise InvalidParameterError(
            f"{flag} {path} cannot be written: permission denied. Name another file."
        )


class OutputFiles:
    """Writes one file after the other; what cannot be written is told, and the rest is written.

    Parameters
    ----------
    common : Common
    """

    def __init__(self, common: Common) -> None:
        self._common = common
        self.failed = False

    def write(self, path: str | None, write: Callable[[str], Any]) -> None:
        """Let `write` make a file, if one was asked for."""
        if path is None:
            return
        try:
            write(path)
        except (OSError, OddrankError) as error:
            self.failed = True
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            complain(f"{path} was not written: {reason.rstrip('.')}.")
        else:
            say(f"Wrote {path}", self._common)

    def write_text(self, path: str | None, text: Callable[[], str]) -> None:
        """Write a text, which is made only if a file was asked for."""
        self.write(path, lambda target: write_text(target, text()))

    def code(self, code: int) -> int:
        """Return the exit code: 2 where a file is missing, the given one otherwise."""
        return NOT_WRITTEN if self.failed else code


def show_and_write(show: Callable[[], Any], write: Callable[[], Any]) -> None:
    """Show the result, then write files; these also where nobody reads what is shown."""
    try:
        show()
    except (OSError, SystemExit) as error:  # a closed pipe, or a full disk behind it
        write()
        if not is_closed_pipe(error):
            raise
    else:
        write()
