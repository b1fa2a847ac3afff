"""Libraries of the `datasets` extra, imported where they are used and nowhere else."""

from __future__ import annotations

import importlib
from typing import Any

from oddrank.errors import MissingExtraError


def require(module: str, purpose: str) -> Any:
    """Import an optional module, or say which extra brings it.

    Parameters
    ----------
    module : str
        The full name, such as `"pyarrow.parquet"`.
    purpose : str
        What it is needed for, as the subject of the sentence: `"Reading Parquet files"`.

    Examples
    --------
    >>> require("not_a_library", "Reading clay tablets")
    Traceback (most recent call last):
    ...
    oddrank.errors.MissingExtraError: Reading clay tablets needs not_a_library, which is not
    installed. Install it with: pip install 'oddrank[datasets]'
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        library = module.split(".", maxsplit=1)[0]
        raise MissingExtraError(
            f"{purpose} needs {library}, which is not installed. "
            "Install it with: pip install 'oddrank[datasets]'"
        ) from error
