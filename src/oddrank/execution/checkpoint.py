"""Finished tasks on disk, so that a run that was stopped continues where it was."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import joblib
import numpy as np
import numpy.typing as npt

from oddrank._typing import FloatArray
from oddrank.errors import InvalidParameterError

__all__ = ["NamedArrays", "StoredResult", "StoredTask", "open_checkpoint", "remembered_root"]

NamedArrays = Mapping[str, npt.NDArray[Any]]

_MANIFEST = "checkpoint.json"
# Raised whenever tasks bring back other arrays: folders of other versions are refused.
_FORMAT = 3


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
    """Return the seed of the run that this folder belongs to, for runs without one of their own."""
    check_folder(path)
    if path is None:
        return None
    manifest = _read_manifest(Path(path) / _MANIFEST)
    if "root" not in manifest:
        return None
    entropy, spawn_key = json.loads(manifest["root"])
    return np.random.SeedSequence(entropy, spawn_key=tuple(spawn_key))


def check_folder(path: Any) -> None:
    """Refuse what cannot be the path of a folder."""
    if path is not None and (not isinstance(path, str | os.PathLike) or not str(path)):
        raise InvalidParameterError(
            f"The 'checkpoint' parameter must be the path of a folder. Got {path!r} instead."
        )


def _read_manifest(path: Path) -> dict[str, str]:
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return manifest if isinstance(manifest, dict) else {}


class NoCheckpoint:
    """Keeps nothing."""

    def load(self, task: StoredTask) -> NamedArrays | None:  # noqa: ARG002
        """Find nothing."""
        return None

    def store(self, task: StoredTask, result: StoredResult) -> None:
        """Keep nothing."""


class FolderCheckpoint:
    """A folder with one small file per finished task."""

    def __init__(self, folder: Path, manifest: dict[str, str]) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidParameterError(
                f"The checkpoint folder '{folder}' cannot be made: {error.strerror}. "
                "Name a folder that can be written."
            ) from error
        path = folder / _MANIFEST
        if not path.exists():
            part = path.with_suffix(".part")
            part.write_text(json.dumps(manifest), encoding="utf-8")
            part.replace(path)
        elif _read_manifest(path) != manifest:
            raise InvalidParameterError(
                f"The checkpoint folder '{folder}' belongs to a run with other data, options, "
                "another seed or another version of oddrank. Name another folder, or delete it."
            )

    def load(self, task: StoredTask) -> NamedArrays | None:
        """Return the arrays of a task that was finished before, None otherwise."""
        try:
            with self._path(task).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                return dict(arrays)
        except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
            return None  # not there, or damaged: done again

    def store(self, task: StoredTask, result: StoredResult) -> None:
        """Keep the result of a finished task; a file is there whole or not at all.

        Failures are not kept: what failed may be mended, or pass another time.
        """
        if result.failure:
            return
        arrays: dict[str, Any] = {name: np.asarray(a) for name, a in result.to_arrays().items()}
        with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".part", delete=False) as part:
            np.savez(part, **arrays)
        Path(part.name).replace(self._path(task))

    def _path(self, task: StoredTask) -> Path:
        try:
            return self.folder / f"{joblib.hash(task.identity)}.npz"
        except Exception as error:
            raise InvalidParameterError(
                f"{task.name} cannot be pickled, so its results cannot be kept in a checkpoint. "
                "Define it in a module, or rank without a checkpoint."
            ) from error


def open_checkpoint(
    path: str | os.PathLike[str] | None,
    identity: Any,
    root: np.random.SeedSequence,
    rows: tuple[FloatArray, ...],
) -> NoCheckpoint | FolderCheckpoint:
    """Open the folder of a run; one that belongs to other data, options or seeds is refused."""
    if path is None:
        return NoCheckpoint()
    seed = (root.entropy, root.spawn_key)
    fingerprint = str(joblib.hash((_FORMAT, identity, seed, rows)))
    manifest = {"fingerprint": fingerprint, "root": json.dumps(_plain(*seed))}
    return FolderCheckpoint(Path(path), manifest)


def _plain(entropy: Any, spawn_key: Any) -> list[Any]:
    listed = entropy if isinstance(entropy, int) else [int(part) for part in entropy]
    return [listed, [int(part) for part in spawn_key]]
