"""Numbers of whole calls, seeds fixed, are what they were: see `tests/kept_numbers.py`."""

import json

import pytest

from tests.kept_numbers import CALLS, STORED, numbers


def close(found, stored):
    """Equal up to the last digits, in which processors differ."""
    if isinstance(stored, dict):
        return list(found) == list(stored) and all(close(found[k], stored[k]) for k in stored)
    if isinstance(stored, list):
        return len(found) == len(stored) and all(map(close, found, stored))
    if isinstance(stored, float):
        return found == pytest.approx(stored, rel=1e-6, abs=1e-12, nan_ok=True)
    return found == stored


@pytest.mark.parametrize("name", CALLS)
def test_numbers_are_kept(name):
    assert close(numbers(name), json.loads(STORED.read_text(encoding="utf-8"))[name])
