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

Guide: :doc:`/reliability`.

>>> from oddrank import errors
>>> issubclass(errors.InvalidDataError, errors.OddrankError)
True
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


def install_command(extra: str) -> str:
    """Return the command that installs an extra; it works in the folder of the checkout.

    Examples
    --------
    >>> install_command("plot")
    "pip install '.[plot]'"
    """
    return f"pip install '.[{extra}]'"


def missing_extra(what: str, extra: str) -> MissingExtraError:
    """Return the error for a missing library: a fact, and the command that installs it.

    Parameters
    ----------
    what : str
        What needs which library, as a clause without a full stop.
    extra : str
        The extra of oddrank that brings the library.

    Examples
    --------
    >>> print(missing_extra("plot() needs matplotlib", "plot"))
    plot() needs matplotlib, which is not installed. In the folder of oddrank's checkout, run:
    pip install '.[plot]'
    """
    return MissingExtraError(
        f"{what}, which is not installed. "
        f"In the folder of oddrank's checkout, run: {install_command(extra)}"
    )


class OddrankWarning(UserWarning):
    """The base of every warning of oddrank."""


class UnresolvedWarning(OddrankWarning):
    """A criterion has no value at this resolution: draw more reference points."""


class ResolutionWarning(OddrankWarning):
    """A criterion has a value, but too few rows or reference points stand behind it."""
