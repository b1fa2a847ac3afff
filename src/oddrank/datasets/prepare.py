"""What the paper's authors did between loading a dataset and fitting a detector.

Each step takes a `Dataset`, or a pair `(X, y)`, and returns the same. Each step is optional, and
those that draw random numbers take a `random_state`. Steps given the same `random_state` draw from
different streams. `paper_split` composes them all.

=================  ===========================================================================
`cap_anomalies`    keep at most 10 % as many anomalies as there are normal rows
`scale`            every feature to mean 0 and variance 1, over all rows that are left
`shuffle`          rows in random order
`halves`           first half, second half
`paper_split`      all of these, then the "novelty" or the "unsupervised" setting
=================  ===========================================================================

Guide: :doc:`/datasets`.

>>> from oddrank import datasets
>>> wine = datasets.load_embedded("wine")
>>> datasets.prepare.cap_anomalies(wine, random_state=0).n_anomalies
13
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.preprocessing import StandardScaler

from oddrank._random import root_of, stream
from oddrank._typing import FloatArray
from oddrank._validation import check_non_negative, check_option
from oddrank.datasets.dataset import Dataset, LabelArray
from oddrank.errors import InvalidDataError
from oddrank.rows import as_table

__all__ = ["Split", "cap_anomalies", "halves", "paper_split", "scale", "shuffle"]

Pair = tuple[FloatArray, LabelArray]
Data = TypeVar("Data", Dataset, Pair)


@dataclass(frozen=True, kw_only=True, eq=False)
class Split:
    """A dataset made ready for one setting of the paper.

    Attributes
    ----------
    setting : "novelty" or "unsupervised"
    X_train : array
        What detectors are fitted on: in the novelty setting the first half without its anomalies.
    X_criteria : array
        The rows on which excess mass and mass volume are estimated: in the novelty setting the
        normal rows of the second half, otherwise the whole second half.
    X_test, y_test : arrays
        The whole second half and its labels, for ROC and precision-recall.
    lower, upper : arrays of shape (n_features,)
        The range of the whole prepared dataset, anomalies included: the paper's box when all
        features are used at once.
    feature_names : tuple of str

    Notes
    -----
    Guide: :doc:`/datasets`.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank.datasets import prepare
    >>> X, y = np.arange(44.0).reshape(22, 2), np.repeat([0, 1], [20, 2])
    >>> split = prepare.paper_split((X, y), "novelty", random_state=0)
    >>> split.X_train.shape, split.X_test.shape, int(split.y_test.sum())
    ((10, 2), (11, 2), 1)
    """

    setting: str
    X_train: FloatArray
    X_criteria: FloatArray
    X_test: FloatArray
    y_test: LabelArray
    lower: FloatArray
    upper: FloatArray
    feature_names: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"{self.setting} setting: {len(self.X_train):,} training rows, "
            f"{len(self.X_criteria):,} rows for excess mass and mass volume, "
            f"{len(self.X_test):,} test rows with {int(self.y_test.sum()):,} anomalies"
        )


def cap_anomalies(data: Data, *, share: float = 0.1, random_state: Any = None) -> Data:
    """Keep a random `int(share * n_normal)` anomalies if there are more; rows keep their order.

    Notes
    -----
    Guide: :doc:`/datasets`.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank.datasets import prepare
    >>> X, y = np.arange(60.0).reshape(30, 2), np.repeat([0, 1], [20, 10])
    >>> X_capped, y_capped = prepare.cap_anomalies((X, y), random_state=0)
    >>> X_capped.shape, int(y_capped.sum())
    ((22, 2), 2)
    """
    share = check_non_negative(share, "share", "cap_anomalies")
    _, y = _parts(data)
    anomalies = np.flatnonzero(y == 1)
    allowed = int(share * (len(y) - len(anomalies)))
    root = root_of(random_state, "cap_anomalies")
    if len(anomalies) <= allowed:
        return data
    kept = stream(root, "prepare", 0).choice(anomalies, size=allowed, replace=False)
    return _rows(data, np.sort(np.concatenate([np.flatnonzero(y == 0), kept])))


def scale(data: Data) -> Data:
    """Bring every feature to mean 0 and variance 1 over these rows; a constant one becomes 0.

    Notes
    -----
    Guide: :doc:`/datasets`.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank.datasets import prepare
    >>> X, _ = prepare.scale((np.array([[1.0], [3.0]]), np.array([0, 1])))
    >>> X.ravel()
    array([-1.,  1.])
    """
    X, y = _parts(data)
    scaled = np.asarray(StandardScaler().fit_transform(X), dtype=np.float64)
    return _with(data, scaled, y)


def shuffle(data: Data, *, random_state: Any = None) -> Data:
    """Put the rows in random order.

    Notes
    -----
    Guide: :doc:`/datasets`.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank.datasets import prepare
    >>> pair = np.arange(4.0).reshape(4, 1), np.array([0, 0, 0, 1])
    >>> X, y = prepare.shuffle(pair, random_state=0)
    >>> sorted(X.ravel().tolist()), float(X[y == 1].item())
    ([0.0, 1.0, 2.0, 3.0], 3.0)
    """
    _, y = _parts(data)
    generator = stream(root_of(random_state, "shuffle"), "prepare", 1)
    return _rows(data, generator.permutation(len(y)))


def halves(data: Data) -> tuple[Data, Data]:
    """Return the first and the second half; of an odd number of rows the second has one more.

    Notes
    -----
    Guide: :doc:`/datasets`.

    Examples
    --------
    >>> import numpy as np
    >>> from oddrank.datasets import prepare
    >>> pair = np.arange(5.0).reshape(5, 1), np.array([0, 0, 0, 0, 1])
    >>> first, second = prepare.halves(pair)
    >>> first[0].ravel(), second[0].ravel()
    (array([0., 1.]), array([2., 3., 4.]))
    """
    _, y = _parts(data)
    middle = len(y) // 2
    if middle == 0:
        raise InvalidDataError(
            f"A table needs at least 2 rows to have two halves. Got {len(y)}. Give more rows."
        )
    index = np.arange(len(y))
    return _rows(data, index[:middle]), _rows(data, index[middle:])


def paper_split(
    data: Dataset | Pair, setting: str = "novelty", *, random_state: Any = None
) -> Split:
    """Cap, scale, shuffle and halve, then take the rows that a setting of the paper uses.

    Parameters
    ----------
    data : Dataset or (X, y)
    setting : "novelty" or "unsupervised"
        In the novelty setting training rows hold no anomaly, and the criteria see none either. In
        the unsupervised setting anomalies stay where they are.
    random_state : None, int, Generator, RandomState or SeedSequence

    Notes
    -----
    Guide: :doc:`/datasets`.

    Examples
    --------
    >>> from oddrank.datasets import load_embedded, prepare
    >>> cancer = load_embedded("breast_cancer")
    >>> print(prepare.paper_split(cancer, "novelty", random_state=0))
    novelty setting: 172 training rows, 185 rows for excess mass and mass volume,
    196 test rows with 11 anomalies
    """
    check_option(setting, "setting", "paper_split", ("novelty", "unsupervised"))
    root = root_of(random_state, "paper_split")
    X, y = scale(cap_anomalies(_parts(data), random_state=root))
    (X_first, y_first), (X_test, y_test) = halves(shuffle((X, y), random_state=root))
    novelty = setting == "novelty"
    names = data.feature_names if isinstance(data, Dataset) else as_table(data[0]).feature_names
    return Split(
        setting=setting,
        X_train=X_first[y_first == 0] if novelty else X_first,
        X_criteria=X_test[y_test == 0] if novelty else X_test,
        X_test=X_test,
        y_test=y_test,
        lower=X.min(axis=0),
        upper=X.max(axis=0),
        feature_names=names,
    )


def _parts(data: Dataset | Pair) -> Pair:
    if isinstance(data, Dataset):
        return data.X, data.y
    if not isinstance(data, tuple) or len(data) != 2:
        raise InvalidDataError(
            "The steps of prepare take a Dataset or a pair (X, y). "
            f"Got {type(data).__name__} instead."
        )
    X, y = as_table(data[0]).values, np.asarray(data[1])
    if y.shape != (len(X),) or not np.isin(y, (0, 1)).all():
        raise InvalidDataError(
            "y must hold one label per row of X, 1 for an anomaly and 0 for a normal row. "
            f"Got y of shape {y.shape} for {len(X)} rows."
        )
    return X, y.astype(np.int64)


def _with(data: Data, X: FloatArray, y: LabelArray) -> Data:
    if isinstance(data, Dataset):
        return dataclasses.replace(data, X=X, y=y)
    return X, y


def _rows(data: Data, index: npt.NDArray[np.intp]) -> Data:
    X, y = _parts(data)
    return _with(data, X[index], y[index])
