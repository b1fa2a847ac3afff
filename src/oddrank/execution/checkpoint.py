"""Finished tasks on disk, so that a run that was stopped continues where it was."""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import secrets
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy
import sklearn

from oddrank import __version__
from oddrank._files import remove_leftovers, write_once, write_whole
from oddrank._typing import FloatArray
from oddrank.errors import InvalidParameterError, OddrankWarning
from oddrank.execution.code_identity import code_of

__all__ = ["Checkpoint", "NamedArrays", "check_folder", "open_checkpoint", "remembered_root"]

NamedArrays = Mapping[str, npt.NDArray[Any]]

_RUN, _SEED = "checkpoint.json", "seed.json"
# Raised whenever tasks bring back other arrays: folders of other versions are refused.
_FORMAT = 7
# Results may differ with these, in their last digits at least.
_VERSIONS = (platform.python_version(), np.__version__, scipy.__version__, sklearn.__version__)
_DIGEST_BYTES = hashlib.sha256().digest_size


def check_folder(path: Any) -> None:
    """Refuse what cannot be the path of a folder."""
    if path is not None and (not isinstance(path, str | os.PathLike) or not str(path)):
        raise InvalidParameterError(
            f"The 'checkpoint' parameter must be the path of a folder. Got {path!r} instead."
        )


def remembered_root(path: str | os.PathLike[str] | None) -> np.random.SeedSequence | None:
    """Return the seed of the run that this folder belongs to, for runs without one of their own.

    A folder that belongs to no run yet is given one: two processes that start there together, both
    without a seed, are one run.
    """
    check_folder(path)
    if path is None:
        return None
    stored = _claim(Path(path) / _SEED, [secrets.randbits(128), []])
    try:
        entropy, spawn_key = stored
        return np.random.SeedSequence(entropy, spawn_key=tuple(int(part) for part in spawn_key))
    except (TypeError, ValueError, OverflowError):
        return None  # damaged: the folder is refused when it is opened


def open_checkpoint(
    path: str | os.PathLike[str] | None,
    identity: Any,
    root: np.random.SeedSequence,
    rows: tuple[FloatArray, ...],
) -> Checkpoint | None:
    """Open the folder of a run; one that belongs to other data, options or seeds is refused."""
    if path is None:
        return None
    # numpy's own integers are others than Python's to a hash, and to JSON
    entropy: Any = root.entropy
    numbers = int(entropy) if np.ndim(entropy) == 0 else [int(part) for part in entropy]
    seed = [numbers, [int(part) for part in root.spawn_key]]
    run = code_of((_FORMAT, __version__, identity, seed, rows))
    if run is None:
        raise InvalidParameterError(
            "The options of this run cannot be read, so nobody can tell which run a checkpoint "
            "belongs to. Run without one."
        )
    _claim(Path(path) / _SEED, seed)
    return Checkpoint(Path(path), run)


def _claim(path: Path, content: Any) -> Any:
    """Write a small file unless another process was first, and return what is in it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            write_once(path, json.dumps(content))
    except OSError as error:
        raise InvalidParameterError(
            f"The checkpoint folder '{path.parent}' cannot be made: {error.strerror}. "
            "Name a folder that can be written."
        ) from error
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None  # damaged


class Checkpoint:
    """A folder with one small file per finished task.

    A file holds the arrays of a task (npz) and, as its last bytes, a checksum of its name and of
    all the others: a file that was damaged or moved is not read.
    """

    def __init__(self, folder: Path, run: str) -> None:
        if _claim(folder / _RUN, run) != run:
            raise InvalidParameterError(
                f"The checkpoint folder '{folder}' belongs to a run with other data, options, "
                "another seed or another version of oddrank. Name another folder, or delete it."
            )
        remove_leftovers(folder)
        self.folder = folder
        # found out once per task: a fit may change what its code looks up
        self._paths: dict[int, tuple[Any, Path | None]] = {}
        self._warned: set[str] = set()

    def load(self, task: Any) -> NamedArrays | None:
        """Return the arrays of a task that was finished before, None otherwise."""
        path = self._path(task)
        if path is None:
            return None
        try:
            content = path.read_bytes()
        except OSError:
            return None  # not there
        arrays, digest = content[:-_DIGEST_BYTES], content[-_DIGEST_BYTES:]
        if digest != _digest(path, arrays):
            return None  # damaged: done again
        with np.load(io.BytesIO(arrays), allow_pickle=False) as read:
            return dict(read)

    def store(self, task: Any, result: Any) -> None:
        """Keep the result of a finished task; a file is there whole or not at all.

        Failures are not kept: what failed may be mended, or pass another time. A folder that
        cannot be written any more, such as one on a full disk, is no reason to lose the run.
        """
        path = None if result.failure else self._path(task)
        if path is None:
            return
        buffer = io.BytesIO()
        arrays: dict[str, Any] = {name: np.asarray(a) for name, a in result.to_arrays().items()}
        np.savez(buffer, **arrays)
        content = buffer.getvalue()
        content += _digest(path, content)
        try:
            write_whole(path, lambda file: file.write(content), lasting=False)
        except OSError as error:
            self._warn(
                f"The checkpoint folder '{self.folder}' cannot be written: {error.strerror}. "
                "The run goes on, but what it finishes from now on is not kept."
            )

    def _path(self, task: Any) -> Path | None:
        """Return the file of a task, or None where nobody can tell whether it is the same."""
        if id(task) not in self._paths:
            key = code_of((_VERSIONS, task.identity))
            self._paths[id(task)] = task, None if key is None else self.folder / f"{key}.npz"
            if key is None:
                self._warn(
                    f"{task.name} or its code cannot be read, so nobody can tell whether it "
                    "changed since the last run. It is fitted again, and not kept in the "
                    "checkpoint."
                )
        return self._paths[id(task)][1]

    def _warn(self, sentence: str) -> None:
        if sentence not in self._warned:
            self._warned.add(sentence)
            warnings.warn(sentence, OddrankWarning, stacklevel=2)


def _digest(path: Path, arrays: bytes) -> bytes:
    return hashlib.sha256(path.name.encode() + arrays).digest()
