"""Fitted detectors in files: skops, and pickle only for those who insist."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from oddrank._files import write_whole
from oddrank.errors import InvalidDataError, MissingExtraError, missing_extra
from oddrank.io.model_parts import check_parts

# What the winners of `oddrank rank` and `oddrank tune` hold beside what skops trusts by itself, and
# nothing else (a test saves them all). None of these types runs code when it is loaded; what
# compiled code would follow blindly is checked by `model_parts`.
TRUSTED = frozenset(
    {
        "numpy.dtype",
        "oddrank.detectors.preprocessing.PlainNumbers",
        "oddrank.detectors.single_values.LargestResidual",
        "oddrank.detectors.single_values.LargestValue",
        "oddrank.ranking.calibrated.CalibratedDetector",
        "oddrank.ranking.committee.Committee",
        "oddrank.ranking.taught.TaughtCommittee",
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
_PICKLES = (".pkl", ".pickle", ".joblib")


def save_model(model: Any, path: str) -> None:
    """Write a fitted model, and what it was made with."""
    # for whoever reads the file later
    model.versions_ = {name: version(name) for name in ("oddrank", "scikit-learn", "numpy")}
    try:
        content = _skops().dumps(model, compression=zipfile.ZIP_DEFLATED, compresslevel=1)
    except MissingExtraError:
        raise
    except Exception as error:
        raise InvalidDataError(
            f"The model cannot be saved as a skops file: {error}. Leave --save out."
        ) from error
    write_whole(path, lambda file: file.write(content))


def load_model(path: str, *, trusted: Sequence[str], allow_pickle: bool) -> Any:
    """Read a fitted detector; types that nobody vouches for are refused."""
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
