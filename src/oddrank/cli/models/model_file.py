"""Fitted detectors in files: skops, and pickle only for those who insist."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oddrank._files import write_whole
from oddrank.errors import InvalidDataError, MissingExtraError, missing_extra

__all__ = [
    "KNOWN_SHARE",
    "as_fitted",
    "fitted_columns",
    "gaps_told",
    "known_share",
    "load_model",
    "model_options",
    "reading_for",
    "save_model",
]

# What the winners of `oddrank rank` and `oddrank tune` hold beside what skops trusts by itself, and
# nothing else (a test saves them all). None of these types runs code when it is loaded; what
# compiled code would follow blindly is checked by `model_parts`.
TRUSTED = frozenset(
    {
        "numpy.dtype",
        "oddrank.detectors.preprocessing.PlainNumbers",
        "oddrank.ranking.calibrated.CalibratedDetector",
        "oddrank.ranking.committee.Committee",
        "oddrank.rows.encoding.TableEncoder",
        "sklearn.metrics._dist_metrics.EuclideanDistance64",
        "sklearn.neighbors._kd_tree.KDTree",
        "sklearn.tree._tree.Tree",
        "pyod.models.hbos.HBOS",
        "pyod.models.knn.KNN",
        "pyod.models.loda.LODA",
        "pyod.models.pca.PCA",
    }
)

# Packages whose types a user may be told to vouch for; of others nobody here knows anything.
_KNOWN_PACKAGES = ("numpy", "oddrank", "pyod", "scipy", "sklearn")

if TYPE_CHECKING:
    from oddrank.cli.table_options import TableOptions
    from oddrank.io import UserTable
    from oddrank.rows import Table

# Figures on rows are too good if the model was fitted on more than this share of them.
KNOWN_SHARE = 0.1
_PICKLES = (".pkl", ".pickle", ".joblib")


def model_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add what commands that read a model need."""
    trust = click.option(
        "--trust",
        multiple=True,
        metavar="TYPE",
        help="A type in the model file that you vouch for; may be given several times.",
    )
    allow_pickle = click.option(
        "--allow-pickle",
        is_flag=True,
        help="Read pickle and joblib files. They run code: only for files you made.",
    )
    return trust(allow_pickle(function))


def fitted_columns(detector: Any) -> list[str] | None:
    """Return the names of the columns that a model was fitted on, if it has them."""
    names = getattr(detector, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def as_fitted(read: UserTable) -> Table:
    """Return a frame of the columns that a model was fitted on, as they were then."""
    import numpy as np

    from oddrank.rows import Table, as_table

    values = read.X
    if isinstance(values, np.ndarray) and np.isfinite(values).all():
        # no copy: there may be millions of rows
        names = read.feature_names
        return Table(values=values, feature_names=names, container="pandas", labels=names)
    return as_table(read.frame().reset_index(drop=True), minimum_rows=1)


def save_model(model: Any, rows: Table, path: str) -> None:
    """Write a fitted model, with the names of its columns and a sample of its rows."""
    import numpy as np

    from oddrank.cli.models.model_rows import keep_rows

    model = copy.copy(model)
    model.feature_names_in_ = np.array(list(rows.feature_names), dtype=object)
    keep_rows(model, rows)
    if isinstance(getattr(model, "random_state", None), np.random.SeedSequence):
        model.random_state = None  # a fitted model needs no seed, and skops knows no such thing
    # what it was made with, for whoever reads the file later
    model.versions_ = {name: version(name) for name in ("oddrank", "scikit-learn", "numpy")}
    try:
        content = _skops().dumps(model)
    except MissingExtraError:
        raise
    except Exception as error:
        raise InvalidDataError(
            f"The winner cannot be saved as a skops file: {error}. Leave --save out."
        ) from error
    write_whole(path, lambda file: file.write(content))


def load_model(path: str, *, trusted: Sequence[str], allow_pickle: bool) -> Any:
    """Read a fitted detector; types that nobody vouches for are refused."""
    from oddrank.cli.models.model_parts import check_parts

    if not Path(path).is_file():
        raise InvalidDataError(f"There is no file {path}. Check the path.")
    if _is_pickle(path):
        return _load_pickle(path, allow_pickle=allow_pickle)
    skops = _skops()
    try:
        unknown = [name for name in skops.get_untrusted_types(file=path) if name not in TRUSTED]
        refused = [name for name in unknown if name not in trusted]
        model = None if refused else skops.load(path, trusted=[*TRUSTED, *trusted])
    except Exception as error:
        raise InvalidDataError(
            f"{path} cannot be read as a skops file: {type(error).__name__}: {error}"
        ) from error
    if refused:
        raise InvalidDataError(
            f"{path} holds types that are not known to be safe: {', '.join(refused)}. "
            + _advice(refused)
        )
    check_parts(model, path)
    return model


def reading_for(model: Any, reading: TableOptions) -> TableOptions:
    """Return how to read rows for a model: without gaps, if it knows only rows without."""
    from oddrank.ranking import FoldCalibrated

    if not isinstance(model, FoldCalibrated) or model.takes_gaps:
        return reading
    if reading.gaps in ("impute", "keep"):
        raise InvalidDataError(
            "The model was fitted on numbers without gaps, so it cannot score rows that have gaps. "
            f"Leave --gaps {reading.gaps} out: such rows are then listed as not scored."
        )
    return replace(reading, gaps="drop")


@contextmanager
def gaps_told(rows: Table) -> Iterator[None]:
    """Say it in a sentence if a model fails because of gaps."""
    import numpy as np

    try:
        yield
    except Exception as error:
        if not np.isnan(rows.values).any():
            raise
        raise InvalidDataError(
            "The model cannot score rows with gaps. Add --gaps drop: such rows are then listed as "
            "not scored."
        ) from error


def known_share(model: Any, rows: Table) -> float:
    """Return the share of rows that a model was fitted on, as far as it knows."""
    from oddrank.ranking import FoldCalibrated

    return model.share_known(rows) if isinstance(model, FoldCalibrated) else 0.0


def _advice(refused: Sequence[str]) -> str:
    if all(name.partition(".")[0] in _KNOWN_PACKAGES for name in refused):
        flags = " ".join(f"--trust {name}" for name in refused)
        return f"If you know who made the file, add: {flags}"
    return "Do not use the file, unless you made it yourself: such types may run any code."


def _is_pickle(path: str) -> bool:
    # By content first: a pickle does not become safe by another name. skops files are zip files.
    with Path(path).open("rb") as file:
        start = file.read(1)
    return Path(path).suffix.lower() in _PICKLES or start == b"\x80"


def _load_pickle(path: str, *, allow_pickle: bool) -> Any:
    if not allow_pickle:
        raise InvalidDataError(
            f"{path} is a pickle or joblib file, and reading one runs whatever code is in it. Save "
            "the model with skops, or add --allow-pickle if you made the file yourself."
        )
    import joblib

    try:
        return joblib.load(path)
    except Exception as error:
        raise InvalidDataError(f"{path} cannot be read: {type(error).__name__}: {error}") from error


def _skops() -> Any:
    try:
        import skops.io
    except ImportError:
        raise missing_extra("Model files need skops", "cli") from None
    return skops.io
