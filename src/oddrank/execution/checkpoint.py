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
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy
import sklearn

from oddrank import __version__
from oddrank._files import remove_leftovers, write_once, write_whole
from oddrank._typing import FloatArray
from oddrank.errors import InvalidParameterError, OddrankWarning
from oddrank.execution.code_identity import CodeIdentity, UnknownCodeError

__all__ = [
    "Checkpoint",
    "NamedArrays",
    "StoredResult",
    "StoredTask",
    "code_of",
    "open_checkpoint",
    "remembered_root",
]

NamedArrays = Mapping[str, npt.NDArray[Any]]

_MANIFEST, _SEED = "checkpoint.json", "seed.json"
# Raised whenever tasks bring back other arrays: folders of other versions are refused.
_FORMAT = 6
# Results may differ with these, in their last digits at least.
_VERSIONS = (platform.python_version(), np.__version__, scipy.__version__, sklearn.__version__)
_DIGEST_BYTES = hashlib.sha256().digest_size


class StoredTask(Protocol):
    """A task that can be told from others."""

    @property
    def name(self) -> str:
        """What it is called in messages."""

    @property
    def identity(self) -> Any:
        """What its result is known by, within one run."""


class StoredResult(Protocol):
    """A result that is made of arrays."""

    @property
    def failure(self) -> str:
        """Why there is no result; empty where there is one."""

    def to_arrays(self) -> NamedArrays:
        """Return all of it as arrays."""


def code_of(thing: Any) -> str | None:
    """Return what an object and its code are known by, or None where they cannot be read."""
    try:
        return CodeIdentity().of(thing)
    except UnknownCodeError:
        return None


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
    manifest = Path(path) / _MANIFEST
    if not manifest.exists():
        manifest = Path(path) / _SEED
        _claim(manifest, {"root": json.dumps([secrets.randbits(128), []])})
    try:
        entropy, spawn_key = json.loads(_read_manifest(manifest)["root"])
        return np.random.SeedSequence(entropy, spawn_key=tuple(int(part) for part in spawn_key))
    except (KeyError, TypeError, ValueError, OverflowError):
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
    try:
        fingerprint = CodeIdentity().of((_FORMAT, __version__, identity, seed, rows))
    except UnknownCodeError as error:
        raise InvalidParameterError(
            "The options of this run cannot be read, so nobody can tell which run a checkpoint "
            "belongs to. Run without one."
        ) from error
    return Checkpoint(Path(path), {"fingerprint": fingerprint, "root": json.dumps(seed)})


def _read_manifest(path: Path) -> dict[str, str]:
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return manifest if isinstance(manifest, dict) else {}


def _claim(path: Path, manifest: Mapping[str, str]) -> None:
    """Write a manifest into a folder that is made for it, unless another process was first."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            write_once(path, json.dumps(manifest))
    except OSError as error:
        raise InvalidParameterError(
            f"The checkpoint folder '{path.parent}' cannot be made: {error.strerror}. "
            "Name a folder that can be written."
        ) from error


class Checkpoint:
    """A folder with one small file per finished task.

    A file holds the arrays of a task (npz) and, as its last bytes, a checksum of its name and of
    all the others: a file that was damaged or moved is not read.
    """

    def __init__(self, folder: Path, manifest: dict[str, str]) -> None:
        _claim(folder / _MANIFEST, manifest)
        if _read_manifest(folder / _MANIFEST) != manifest:
            raise InvalidParameterError(
                f"The checkpoint folder '{folder}' belongs to a run with other data, options, "
                "another seed or another version of oddrank. Name another folder, or delete it."
            )
        remove_leftovers(folder)
        self.folder = folder
        self._code = CodeIdentity()
        self._warned: set[str] = set()

    def load(self, task: StoredTask) -> NamedArrays | None:
        """Return the arrays of a task that was finished before, None otherwise."""
        path = self._path(task)
        try:
            content = b"" if path is None else path.read_bytes()
        except OSError:
            return None  # not there
        arrays, digest = content[:-_DIGEST_BYTES], content[-_DIGEST_BYTES:]
        if path is None or digest != _digest(path, arrays):
            return None  # unknown or damaged: done again
        with np.load(io.BytesIO(arrays), allow_pickle=False) as read:
            return dict(read)

    def store(self, task: StoredTask, result: StoredResult) -> None:
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

    def _path(self, task: StoredTask) -> Path | None:
        """Return the file of a task, or None where nobody can tell whether it is the same."""
        try:
            return self.folder / f"{self._code.of((_VERSIONS, task.identity))}.npz"
        except UnknownCodeError:
            self._warn(
                f"{task.name} or its code cannot be read, so nobody can tell whether it changed "
                "since the last run. It is fitted again, and not kept in the checkpoint."
            )
            return None

    def _warn(self, sentence: str) -> None:
        if sentence not in self._warned:
            self._warned.add(sentence)
            warnings.warn(sentence, OddrankWarning, stacklevel=2)


def _digest(path: Path, arrays: bytes) -> bytes:
    return hashlib.sha256(path.name.encode() + arrays).digest()
