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
    """The base of everything that oddrank refuses, with one sentence that says why.

    Examples
    --------
    >>> from oddrank import FeatureSubsampling, errors
    >>> try:
    ...     FeatureSubsampling(n_features=0)
    ... except errors.OddrankError as error:
    ...     print(error)
    The 'n_features' parameter of FeatureSubsampling must be an int in the range [1, inf). Got 0
    instead.
    """


class InvalidParameterError(OddrankError, ValueError):
    """An option has a value it cannot have.

    Examples
    --------
    >>> from oddrank import errors, rank_detectors
    >>> try:
    ...     rank_detectors({}, [[0.0], [1.0]])
    ... except errors.InvalidParameterError as error:  # or ValueError
    ...     print(error)
    There are no detectors to rank. Pass at least one.
    """


class InvalidDataError(OddrankError, ValueError):
    """The table cannot be evaluated as it is.

    Examples
    --------
    >>> from oddrank import errors, evaluate_scores
    >>> try:
    ...     evaluate_scores(lambda rows: rows[:, 0], [["a"], ["b"]])
    ... except errors.InvalidDataError as error:  # or ValueError
    ...     print(error)
    X holds values that are not numbers. Pass a numeric array, or a pandas or polars frame.
    """


class DetectorError(OddrankError, TypeError):
    """The detector cannot be used: its scores have no known direction, or it is not fitted.

    Examples
    --------
    >>> from oddrank import errors, normality_function
    >>> try:
    ...     normality_function("a name")
    ... except errors.DetectorError as error:  # or TypeError
    ...     print(error)
    str cannot score rows: it has no score_samples or decision_function method and is not a
    function. Pass an outlier detector or a density estimator; evaluate_scores also takes a
    function of rows.
    """


class DetectorFailedError(DetectorError):
    """The detector was called and raised, or returned something that is not a score per row.

    Examples
    --------
    >>> from oddrank import errors, evaluate_scores
    >>> def one_score(rows):
    ...     return [1.0]
    >>> try:
    ...     evaluate_scores(one_score, [[0.0], [1.0], [2.0]], mass_range=(0.1, 0.5))
    ... except errors.DetectorFailedError as error:
    ...     print(error)
    one_score returned scores of shape (1,) for 3 rows. It must return one number per row.
    """


class MissingExtraError(OddrankError, ImportError):
    """An optional library is needed; the message says what to install.

    Examples
    --------
    >>> from oddrank import errors
    >>> try:
    ...     raise errors.missing_extra("plot() needs matplotlib", "plot")
    ... except errors.MissingExtraError as error:  # or ImportError
    ...     print(error)
    plot() needs matplotlib, which is not installed. In the folder of oddrank's checkout, run:
    pip install '.[plot]'
    """


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
    """The base of every warning of oddrank.

    Examples
    --------
    >>> import warnings
    >>> from oddrank import errors, excess_mass_curve, level_sets
    >>> curve = excess_mass_curve(level_sets([1.0, 2.0], [0.0, 0.5]))
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", errors.OddrankWarning)
    ...     curve.area()
    nan
    """


class UnresolvedWarning(OddrankWarning):
    """A criterion has no value at this resolution: draw more reference points.

    Examples
    --------
    >>> import warnings
    >>> from oddrank import errors, excess_mass_curve, level_sets
    >>> curve = excess_mass_curve(level_sets([1.0, 2.0], [0.0, 0.5]))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", errors.UnresolvedWarning)
    ...     area = curve.area()
    >>> area, caught[0].category.__name__
    (nan, 'UnresolvedWarning')
    """


class ResolutionWarning(OddrankWarning):
    """A criterion has a value, but too few rows or reference points stand behind it.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from oddrank import errors, evaluate_scores
    >>> rows = np.random.default_rng(0).normal(size=(60, 1))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", errors.ResolutionWarning)
    ...     evaluation = evaluate_scores(
    ...         lambda rows: -abs(rows[:, 0]), rows, mass_range=(0.9, 0.999), random_state=0
    ...     )
    >>> print(caught[0].message)
    60 rows are too few for volumes at a mass of 0.999. 1,000 are needed: a single row decides
    where the mass-volume curve ends. ...
    """
