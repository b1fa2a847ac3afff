"""Which rows of a table are odd, and which anomaly detectors to trust, when there are no labels.

`__init__.pyi` lists every public name once. Names are imported when they are first used, so
`import oddrank` and `oddrank --help` are quick: scikit-learn alone takes longer than either.
"""

from __future__ import annotations

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
