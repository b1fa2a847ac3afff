"""The command line: `oddrank rank data.csv`. One file per command.

Nothing heavy is imported before it is needed: `oddrank --help` answers at once.
"""

from __future__ import annotations

import sys

from oddrank.cli.stopping import INTERRUPTED

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code; docs/command_line.md lists them."""
    try:
        return _run(arguments)
    except KeyboardInterrupt:  # before or after a command: nothing was done, or all of it
        sys.stderr.write("oddrank: Stopped.\n")
        return INTERRUPTED


def _run(arguments: list[str] | None) -> int:
    try:
        from oddrank.cli.application import run
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("oddrank"):
            raise
        from oddrank.errors import missing_extra

        sys.stderr.write(f"{missing_extra(f'The command oddrank needs {error.name}', 'cli')}\n")
        return 2
    return run(arguments)
