"""Libraries of the `datasets` extra, imported where they are used and nowhere else."""

from __future__ import annotations

import importlib
from typing import Any

from oddrank.errors import missing_extra


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
    installed. In the folder of oddrank's checkout, run: pip install '.[datasets]'
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        library = module.split(".", maxsplit=1)[0]
        raise missing_extra(f"{purpose} needs {library}", "datasets") from error
