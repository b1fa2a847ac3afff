"""What a stored result is known by: the values it was made from, and the code that made it.

A pickle names classes and functions, and not what is in them: after an edit it would answer for
other code. Here installed packages are known by their version, and code of the user's own by what
it was compiled to, with all that it looks up: other functions and classes, constants, modules.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import importlib
import importlib.metadata
import platform
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any

from joblib.hashing import NumpyHasher

__all__ = ["code_of"]

# What Python itself puts into a class: it says nothing of the code, or differs in every process.
_BY_PYTHON = {
    "__dict__", "__weakref__", "__module__", "__doc__", "__firstlineno__", "__annotate__",
    "__annotate_func__", "__annotations__", "__annotations_cache__", "__static_attributes__",
    "__dataclass_fields__", "_abc_impl",
}  # fmt: skip


def code_of(thing: Any) -> str | None:
    """Return a digest that changes with the values of an object, and with its code.

    It is None where something cannot be read, so that nobody can tell whether it has changed.
    """
    try:
        hasher = _Hasher()
        hasher.dump(thing)
        for code in hasher.own:  # which grows meanwhile
            hasher.dump(_parts(code))
        return str(hasher.hash(None))
    except Exception:
        return None


class _Hasher(NumpyHasher):  # type: ignore[misc]
    """joblib's hash; classes and functions of the user's own are numbered, and listed in `own`."""

    def __init__(self) -> None:
        super().__init__()
        self.own: list[Any] = []
        self._numbers: dict[int, int] = {}

    def save(self, thing: Any) -> None:
        super().save(self._readable(thing))

    def _readable(self, thing: Any) -> Any:
        """Return something that can be pickled, and is the same in every process."""
        if isinstance(thing, FunctionType | type):
            version = _version(thing.__module__ or "builtins")
            if version is None:
                version = self._numbers.setdefault(id(thing), len(self.own))
                if version == len(self.own):
                    self.own.append(thing)
            return thing.__module__, thing.__qualname__, version
        if isinstance(thing, CodeType):
            return thing.co_code, thing.co_names, thing.co_varnames, thing.co_consts
        if isinstance(thing, frozenset):
            return "frozenset", set(thing)
        if isinstance(thing, classmethod | staticmethod | property | functools.cached_property):
            parts = ("__func__", "fget", "fset", "fdel", "func")
            return type(thing), [getattr(thing, name, None) for name in parts]
        wrapped = getattr(thing, "__dict__", {}).get("__wrapped__")  # such as lru_cache
        return thing if wrapped is None else (type(thing), wrapped)


def _version(module: str) -> Any:
    """Return the version of the package that a module belongs to; None for the user's own code."""
    package = module.partition(".")[0]
    if package in sys.stdlib_module_names and package != "__main__":
        return platform.python_version()
    if package != "oddrank" and not _is_installed(package):
        file = getattr(sys.modules.get(module), "__file__", None) or ""
        compiled = file.endswith(tuple(EXTENSION_SUFFIXES))
        return hashlib.sha256(Path(file).read_bytes()).hexdigest() if compiled else None
    stated = getattr(sys.modules.get(package), "__version__", None)
    if isinstance(stated, str):
        return stated
    names = importlib.metadata.packages_distributions().get(package, [])
    return [importlib.metadata.version(name) for name in names]


@functools.cache
def _is_installed(package: str) -> bool:
    """Tell whether an installer put the package there: it leaves notes of what it has installed."""
    module = sys.modules.get(package)
    place = next(iter(getattr(module, "__path__", ())), None) or getattr(module, "__file__", None)
    return place is not None and any(Path(place).parent.glob("*.dist-info"))


def _parts(code: Any) -> Any:
    """Return what a class or a function of the user's own consists of."""
    if isinstance(code, type):
        by_python = (GetSetDescriptorType, MemberDescriptorType)
        return code.__bases__, {
            name: each
            for name, each in vars(code).items()
            if name not in _BY_PYTHON and not isinstance(each, by_python)
        }
    names = set(_names(code.__code__))
    used = _looked_up(code.__globals__, names, set())
    package = code.__globals__.get("__package__") or ""
    for name in _imports(code.__code__):  # when it is called: its globals do not have them
        for module in (name, f"{package}.{name}".strip(".")):
            with suppress(ImportError, ValueError):
                space = {module: importlib.import_module(module)}
                used |= _looked_up(space, {*names, module}, set())
    cells = [cell.cell_contents for cell in code.__closure__ or ()]
    return code.__code__, code.__defaults__, code.__kwdefaults__, cells, used


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names that a function, and those within it, look up."""
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names(each)


def _imports(code: CodeType) -> Iterator[str]:
    yield from (step.argval for step in dis.get_instructions(code) if step.opname == "IMPORT_NAME")
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _imports(each)


def _looked_up(space: Mapping[str, Any], names: set[str], seen: set[int]) -> dict[str, Any]:
    """Return what code finds under its names; of modules of the user's own, what it finds there."""
    found: dict[str, Any] = {}
    for name in sorted(names & space.keys()):
        each = space[name]
        if not isinstance(each, ModuleType):
            found[name] = each
        elif (version := _version(each.__name__)) is not None:
            found[name] = (each.__name__, version)
        elif id(each) not in seen:
            seen.add(id(each))
            found[name] = _looked_up(vars(each), names, seen)
    return found
