"""Every exception and warning that oddrank raises on purpose.

::

    OddrankError                        anything oddrank refuses
    ├── InvalidParameterError           an option has a value it cannot have   (also a ValueError)
    ├── InvalidDataError                the table cannot be evaluated          (also a ValueError)
    ├── DetectorError                   the detector cannot be used            (also a TypeError)
    │   └── DetectorFailedError         it was used, and failed
    └── MissingExtraError               an optional library is not installed   (also an ImportError)

    OddrankWarning                      the result exists, but read this       (a UserWarning)
    ├── UnresolvedWarning               a criterion has no value at this resolution
    └── ResolutionWarning               a criterion has a value that rests on too little
"""

from __future__ import annotations

__all__ = [
    "DetectorError",
    "DetectorFailedError",
    "InvalidDataError",
    "InvalidParameterError",
    "MissingExtraError",
    "OddrankError",
    "OddrankWarning",
    "ResolutionWarning",
    "UnresolvedWarning",
]


class OddrankError(Exception):
    """The base of everything that oddrank refuses, with one sentence that says why."""


class InvalidParameterError(OddrankError, ValueError):
    """An option has a value it cannot have."""


class InvalidDataError(OddrankError, ValueError):
    """The table cannot be evaluated as it is."""


class DetectorError(OddrankError, TypeError):
    """The detector cannot be used: its scores have no known direction, or it is not fitted."""


class DetectorFailedError(DetectorError):
    """The detector was called and raised, or returned something that is not a score per row."""


class MissingExtraError(OddrankError, ImportError):
    """An optional library is needed; the message says what to install."""


class OddrankWarning(UserWarning):
    """The base of every warning of oddrank."""


class UnresolvedWarning(OddrankWarning):
    """A criterion has no value at this resolution: draw more reference points."""


class ResolutionWarning(OddrankWarning):
    """A criterion has a value, but too few rows or reference points stand behind it."""
