"""The folders that `load` uses, and the environment variables that set them."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from oddrank.errors import InvalidDataError

DATA_VARIABLE = "ODDRANK_DATA"
CACHE_VARIABLE = "ODDRANK_CACHE"


def data_folder(data_home: str | os.PathLike[str] | None) -> Path | None:
    """Return the user's folder of raw files (argument, then `ODDRANK_DATA`), or None.

    Notes
    -----
    Guide: :doc:`/datasets`.

    Examples
    --------
    >>> from oddrank import datasets
    >>> datasets.data_folder(".").is_dir()
    True
    """
    chosen = data_home or os.environ.get(DATA_VARIABLE)
    if not chosen:
        return None
    folder = Path(chosen).expanduser()
    if not folder.is_dir():
        where = "data_home" if data_home else f"the environment variable {DATA_VARIABLE}"
        raise InvalidDataError(
            f"The data folder {folder}, named by {where}, does not exist. "
            "Create it or name another one."
        )
    return folder


def cache_folder(cache_home: str | os.PathLike[str] | None) -> Path:
    """Return the folder for downloads and parsed tables: argument, `ODDRANK_CACHE`, or the user's.

    It is not created here.

    Notes
    -----
    Guide: :doc:`/datasets`.

    Examples
    --------
    >>> from oddrank import datasets
    >>> datasets.cache_folder("somewhere").name
    'somewhere'
    """
    chosen = cache_home or os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    if importlib.util.find_spec("platformdirs") is not None:  # comes with pooch
        import platformdirs

        return Path(platformdirs.user_cache_dir("oddrank"))
    return Path.home() / ".cache" / "oddrank"
