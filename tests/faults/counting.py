"""How many faults were tried; the counts are printed when the suite ends."""

from collections import Counter

COUNTS: Counter[tuple[str, str]] = Counter()


def count(kind: str, what: str, number: int = 1) -> None:
    """Note inputs that were tried and survived: whatever fails ends its test."""
    COUNTS[kind, what] += number
