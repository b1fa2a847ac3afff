"""Finished tasks on disk, so that a run that was stopped continues where it was."""

from __future__ import annotations

import hashlib
import io
import json
import os
import secrets
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import joblib
import numpy as np
import numpy.typing as npt

from oddrank import __version__
from oddrank._typing import FloatArray
from oddrank.errors import InvalidParameterError, OddrankWarning

__all__ = [
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
_FORMAT = 5
_DIGEST = hashlib.sha256
_DIGEST_BYTES = 32


class StoredTask(Protocol):
    """A task that can be told from others."""

    @property
    def name(self) -> str:
        """What it is called in messages."""

    @property
    def identity(self) -> Any:
        """What its result is known by, within one run; it must be possible to pickle it."""


class StoredResult(Protocol):
    """A result that is made of arrays."""

    @property
    def failure(self) -> str:
        """Why there is no result; empty where there is one."""

    def to_arrays(self) -> NamedArrays:
        """Return all of it as arrays."""


def remembered_root(path: str | os.PathLike[str] | None) -> np.random.SeedSequence | None:
    """Return the seed of the run that this folder belongs to, for runs without one of their own.

    A folder that belongs to no run yet is given one: two processes that start there together, both
    without a seed, are one run.
    """
    check_folder(path)
    if path is None:
        return None
    folder = Path(path)
    if not (folder / _MANIFEST).exists():
        _claim(folder / _SEED, {"root": json.dumps([secrets.randbits(128), []])})
        return _root_in(_read_manifest(folder / _SEED))
    return _root_in(_read_manifest(folder / _MANIFEST))


def _root_in(manifest: Mapping[str, str]) -> np.random.SeedSequence | None:
    try:
        entropy, spawn_key = json.loads(manifest["root"])
        return np.random.SeedSequence(entropy, spawn_key=tuple(int(part) for part in spawn_key))
    except (KeyError, TypeError, ValueError, OverflowError):
        return None  # damaged: the folder is refused when it is opened


def check_folder(path: Any) -> None:
    """Refuse what cannot be the path of a folder."""
    if path is not None and (not isinstance(path, str | os.PathLike) or not str(path)):
        raise InvalidParameterError(
            f"The 'checkpoint' parameter must be the path of a folder. Got {path!r} instead."
        )


def code_of(thing: Any) -> tuple[tuple[str, ...], ...] | None:
    """Return what the code behind an object is known by, or None where it cannot be read."""
    from oddrank.execution.code_identity import CodeIdentity, UnknownCodeError

    try:
        return CodeIdentity().of(thing)
    except UnknownCodeError:
        return None


def _read_manifest(path: Path) -> dict[str, str]:
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return manifest if isinstance(manifest, dict) else {}


def _claim(path: Path, manifest: Mapping[str, str]) -> None:
    """Write a manifest into a folder that is made for it, unless another process was first."""
    from oddrank._files import write_once

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            write_once(path, json.dumps(manifest))
    except OSError as error:
        raise InvalidParameterError(
            f"The checkpoint folder '{path.parent}' cannot be made: {error.strerror}. "
            "Name a folder that can be written."
        ) from error


class NoCheckpoint:
    """Keeps nothing."""

    def load(self, task: StoredTask) -> NamedArrays | None:  # noqa: ARG002
        """Find nothing."""
        return None

    def store(self, task: StoredTask, result: StoredResult) -> None:
        """Keep nothing."""


class FolderCheckpoint:
    """A folder with one small file per finished task.

    A file holds the arrays of a task (npz) and, as its last bytes, a checksum of its name and of
    all the others: one that was damaged, or moved, is not there.
    """

    def __init__(self, folder: Path, manifest: dict[str, str]) -> None:
        from oddrank._files import remove_leftovers
        from oddrank.execution.code_identity import CodeIdentity

        self.folder = folder
        path = folder / _MANIFEST
        _claim(path, manifest)
        if _read_manifest(path) != manifest:
            raise InvalidParameterError(
                f"The checkpoint folder '{folder}' belongs to a run with other data, options, "
                "another seed or another version of oddrank. Name another folder, or delete it."
            )
        remove_leftovers(folder)
        self._code = CodeIdentity()
        self._warned: set[str] = set()

    def load(self, task: StoredTask) -> NamedArrays | None:
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

    def store(self, task: StoredTask, result: StoredResult) -> None:
        """Keep the result of a finished task; a file is there whole or not at all.

        Failures are not kept: what failed may be mended, or pass another time. A folder that
        cannot be written any more, such as one on a full disk, is no reason to lose the run.
        """
        from oddrank._files import write_whole

        path = None if result.failure else self._path(task)
        if path is None:
            return
        buffer = io.BytesIO()
        arrays: dict[str, Any] = {name: np.asarray(a) for name, a in result.to_arrays().items()}
        np.savez(buffer, **arrays)
        content = buffer.getvalue()
        try:
            digest = _digest(path, content)
            write_whole(path, lambda file: file.write(content + digest), lasting=False)
        except OSError as error:
            self._warn(
                f"The checkpoint folder '{self.folder}' cannot be written: {error.strerror}. "
                "The run goes on, but what it finishes from now on is not kept."
            )

    def _path(self, task: StoredTask) -> Path | None:
        """Return the file of a task, or None where nobody can tell which code it runs."""
        from oddrank.execution.code_identity import UnknownCodeError

        try:
            identity = task.identity
            key = joblib.hash((identity, self._code.of(identity)))
        except UnknownCodeError:
            self._warn(
                f"The code of {task.name} cannot be read, so that nobody can tell whether it has "
                "changed since the last run: it is fitted again, and not kept in the checkpoint. "
                "Define it in a module."
            )
            return None
        except Exception as error:
            raise InvalidParameterError(
                f"{task.name} cannot be pickled, so its results cannot be kept in a checkpoint. "
                "Define it in a module, or rank without a checkpoint."
            ) from error
        return self.folder / f"{key}.npz"

    def _warn(self, sentence: str) -> None:
        if sentence not in self._warned:
            self._warned.add(sentence)
            warnings.warn(sentence, OddrankWarning, stacklevel=2)


def _digest(path: Path, arrays: bytes) -> bytes:
    return _DIGEST(path.name.encode() + arrays).digest()


def open_checkpoint(
    path: str | os.PathLike[str] | None,
    identity: Any,
    root: np.random.SeedSequence,
    rows: tuple[FloatArray, ...],
) -> NoCheckpoint | FolderCheckpoint:
    """Open the folder of a run; one that belongs to other data, options or seeds is refused."""
    if path is None:
        return NoCheckpoint()
    # numpy's own integers are others than Python's to a hash, and to JSON
    entropy: Any = root.entropy
    seed = (int(entropy) if np.ndim(entropy) == 0 else entropy, root.spawn_key)
    fingerprint = str(joblib.hash((_FORMAT, __version__, identity, seed, rows)))
    manifest = {"fingerprint": fingerprint, "root": json.dumps(_plain(*seed))}
    return FolderCheckpoint(Path(path), manifest)


def _plain(entropy: Any, spawn_key: Any) -> list[Any]:
    listed = entropy if isinstance(entropy, int) else [int(part) for part in entropy]
    return [listed, [int(part) for part in spawn_key]]
