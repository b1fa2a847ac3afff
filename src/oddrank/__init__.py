"""Which of my anomaly detectors is best, when I have no labels? oddrank answers that.

`__init__.pyi` lists every public name once. Names are imported when they are first used, so
`import oddrank` and `oddrank --help` are quick: scikit-learn alone takes longer than either.
"""

from __future__ import annotations

from typing import Any

import lazy_loader

__version__ = "0.1.0"

_named, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

_RENAMED = {"JudgedComparison": "Comparison"}


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        raise AttributeError(f"oddrank.{name} is called oddrank.{_RENAMED[name]} now")
    return _named(name)
