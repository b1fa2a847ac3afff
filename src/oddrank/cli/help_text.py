"""Examples below a command's help."""

from __future__ import annotations

__all__ = ["example"]


def example(*lines: str) -> str:
    """Return the end of a help text: commands to copy, each on a line of its own."""
    shown = "".join(f"\n  {line}" for line in lines)
    # \b keeps click from joining the lines.
    return f"\b\nExample:{shown}"
