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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.machinery import EXTENSION_SUFFIXES
from itertools import accumulate, chain
from pathlib import Path
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any

from joblib.hashing import NumpyHasher

__all__ = ["CodeIdentity", "UnknownCodeError"]

# What Python itself puts into a class: it says nothing of the code, or differs in every process.
_BY_PYTHON = {
    "__dict__", "__weakref__", "__module__", "__doc__", "__firstlineno__", "__annotate__",
    "__annotate_func__", "__annotations__", "__annotations_cache__", "__static_attributes__",
    "__dataclass_fields__", "_abc_impl",
}  # fmt: skip


class UnknownCodeError(Exception):
    """An object or its code cannot be read, so nobody can tell whether it has changed."""


class CodeIdentity:
    """Digests of objects with the code behind them; every class and function is read once."""

    def __init__(self) -> None:
        # with the code itself: its number is its own only as long as it is there
        self._digests: dict[int, tuple[Any, str]] = {}

    def of(self, thing: Any) -> str:
        """Return a digest that changes with the values of an object, and with its code."""
        try:
            return str(_Hasher(self._digest).hash(thing))
        except Exception as error:
            raise UnknownCodeError(repr(thing)) from error

    def _digest(self, code: Any) -> str:
        """Return a digest of a class or function, and of all code that it leads to."""
        if id(code) not in self._digests:
            found, numbers = [code], {id(code): 0}

            def number(used: Any) -> int:
                if id(used) not in numbers:
                    numbers[id(used)] = len(found)
                    found.append(used)
                return numbers[id(used)]

            hasher = _Hasher(number)
            for each in found:  # which grows meanwhile
                hasher.dump(_parts(each))
            self._digests[id(code)] = (code, str(hasher.hash(None)))
        return self._digests[id(code)][1]


class _Hasher(NumpyHasher):  # type: ignore[misc]
    """joblib's hash; classes and functions of the user's own get their names from `name_code`."""

    def __init__(self, name_code: Callable[[Any], Any]) -> None:
        super().__init__()
        self._name_code = name_code

    def save(self, thing: Any) -> None:
        super().save(self._readable(thing))

    def _readable(self, thing: Any) -> Any:
        """Return something that can be pickled, and is the same in every process."""
        if isinstance(thing, FunctionType | type):
            module = thing.__module__ or "builtins"
            return module, thing.__qualname__, _version(module) or self._name_code(thing)
        if isinstance(thing, CodeType):
            return thing.co_code, thing.co_names, thing.co_varnames, thing.co_consts
        if isinstance(thing, frozenset):
            return "frozenset", set(thing)
        if isinstance(thing, classmethod | staticmethod | property | functools.cached_property):
            parts = ("__func__", "fget", "fset", "fdel", "func")
            return type(thing), [getattr(thing, name, None) for name in parts]
        wrapped = getattr(thing, "__dict__", {}).get("__wrapped__")  # such as lru_cache
        return thing if wrapped is None else (type(thing), wrapped)


def _version(module: str) -> str | None:
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
    return importlib.metadata.version(names[0]) if names else None


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
    inner = list(_with_inner(code.__code__))
    names = {name for each in inner for name in each.co_names}
    used = _looked_up(code.__globals__, names, set())
    for module in _imported(inner, code.__globals__.get("__package__") or ""):
        used[module.__name__] = _looked_up({"": module}, {*names, ""}, set())
    cells = [cell.cell_contents for cell in code.__closure__ or ()]
    return code.__code__, code.__defaults__, code.__kwdefaults__, cells, used


def _with_inner(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _with_inner(each)


def _imported(codes: Sequence[CodeType], package: str) -> Iterator[ModuleType]:
    """Yield modules that a function imports when it is called: its globals do not have them."""
    parents = ["", *accumulate(package.split("."), "{}.{}".format)]
    for step in chain.from_iterable(map(dis.get_instructions, codes)):
        if step.opname == "IMPORT_NAME":
            for name in {f"{parent}.{step.argval}".strip(".") for parent in parents} - {""}:
                with suppress(ImportError):
                    yield importlib.import_module(name)


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
