"""Which code stands behind an object: the text of its modules, or the version of its package.

A stored result is known by the object that made it. A pickle names classes, and not what is in
them: after an edit it would answer for other code.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import importlib.util
import inspect
import io
import pickle
import platform
import site
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

__all__ = ["CodeIdentity", "UnknownCodeError"]

Token = tuple[str, ...]

# Where packages are installed: their version says what is in them.
_FOLDERS = ("stdlib", "platstdlib", "purelib", "platlib")
_INSTALLED = tuple(
    Path(folder).resolve()
    for folder in (
        *(sysconfig.get_paths()[name] for name in _FOLDERS),
        *site.getsitepackages(),
        site.getusersitepackages(),
    )
)


class UnknownCodeError(Exception):
    """The code of an object cannot be read, so that nobody can tell whether it has changed."""


class _References(pickle.Pickler):
    """Notes every class and function that a pickle would name."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), protocol=4)
        self.found: dict[int, Any] = {}

    def persistent_id(self, each: Any) -> None:
        if isinstance(each, type | FunctionType):
            self.found[id(each)] = each


class CodeIdentity:
    """The code behind objects; every module is looked at once."""

    def __init__(self) -> None:
        self._of_module: dict[str, frozenset[Token]] = {}
        # with the class or function itself, whose number is its own only as long as it is there
        self._of_code: dict[int, tuple[Any, frozenset[Token]]] = {}

    def of(self, thing: Any) -> tuple[Token, ...]:
        """Return what the code of an object and of all it holds is known by.

        Of modules of the user's own it is the text of their files, and of those that they import;
        and, since a file may have changed after it was imported, the code that was compiled.
        """
        references = _References()
        references.dump(thing)
        tokens: set[Token] = set()
        for each in references.found.values():
            if id(each) not in self._of_code:
                self._of_code[id(each)] = (each, frozenset(self._tokens(each)))
            tokens |= self._of_code[id(each)][1]
        return tuple(sorted(tokens))

    def _tokens(self, code: Any) -> Iterator[Token]:
        for each in inspect.getmro(code) if isinstance(code, type) else (code,):
            module = getattr(each, "__module__", None) or "builtins"
            version = _version(module)
            if version is not None:
                yield (module.partition(".")[0], version)
                continue
            yield from self._texts(module, each)
            yield (f"{module}.{each.__qualname__}", _digest(repr(list(_compiled(each))).encode()))
            if isinstance(each, FunctionType) and _file(module) is None:
                yield from self._of_cells(each, module)

    def _of_cells(self, function: FunctionType, module: str) -> Iterator[Token]:
        """Yield what a function of a notebook uses of other cells: no file holds them together."""
        known = self._of_code
        known.setdefault(id(function), (function, frozenset()))  # it may use itself
        for name in sorted(_names(function.__code__) & function.__globals__.keys()):
            value = function.__globals__[name]
            if isinstance(value, ModuleType):
                continue
            if isinstance(value, type | FunctionType):
                if id(value) not in known:
                    known[id(value)] = (value, frozenset())
                    known[id(value)] = (value, frozenset(self._tokens(value)))
                yield from known[id(value)][1]
                continue
            try:
                content = pickle.dumps(value, protocol=4)
            except Exception as error:
                raise UnknownCodeError(f"{module}.{name}") from error
            yield (f"{module}.{name}", _digest(content))

    def _texts(self, module: str, code: Any) -> frozenset[Token]:
        if module not in self._of_module:
            path = _file(module)
            if path is None:  # a notebook, or a line typed into an interpreter
                try:
                    return frozenset({(module, _digest(inspect.getsource(code).encode()))})
                except (OSError, TypeError) as error:
                    raise UnknownCodeError(f"{module}.{code.__qualname__}") from error
            seen: dict[str, Token] = {}
            _follow(module, path, seen)
            self._of_module[module] = frozenset(seen.values())
        return self._of_module[module]


def _version(module: str) -> str | None:
    """Return the version of the package that a module is installed with; None for one's own."""
    package = module.partition(".")[0]
    if package in sys.stdlib_module_names and package != "__main__":
        return platform.python_version()
    if package != "oddrank":  # which answers for itself, wherever it lies
        path = _file(module) or _file(package)
        if path is None or not any(path.is_relative_to(folder) for folder in _INSTALLED):
            return None
    stated = getattr(sys.modules.get(package), "__version__", None)
    if isinstance(stated, str):
        return stated
    names = importlib.metadata.packages_distributions().get(package, [])
    return importlib.metadata.version(names[0]) if names else None


def _file(module: str) -> Path | None:
    stated = getattr(sys.modules.get(module), "__file__", None)
    if stated is None and module not in sys.modules:
        try:
            found = importlib.util.find_spec(module)
        except (ImportError, ValueError, AttributeError):
            return None
        stated = None if found is None or not found.has_location else found.origin
    path = None if stated is None else Path(stated).resolve()
    return path if path is not None and path.is_file() else None


def _follow(module: str, path: Path, seen: dict[str, Token]) -> None:
    """Note the text of a file, and of the user's own modules that it imports.

    Imports are read from the text: what happens to be imported already differs between two runs.
    """
    content = path.read_bytes()
    seen[module] = (module, _digest(content))
    for name in _imported(module, path, content):
        if name in seen or _version(name) is not None:
            continue
        file = _file(name)
        if file is not None:
            _follow(name, file, seen)


def _imported(module: str, path: Path, content: bytes) -> Iterator[str]:
    if path.suffix != ".py":
        return
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".") if node.level else []
            kept = parts[: len(parts) - node.level + 1] if node.level else []
            start = ".".join([*kept, *([node.module] if node.module else [])])
            if start:
                yield start
                # a name may be a module of its own
                yield from (f"{start}.{alias.name}" for alias in node.names if alias.name != "*")


def _compiled(code: Any) -> Iterator[Any]:
    """Yield what the functions of a class, or one function, were compiled to."""
    if isinstance(code, FunctionType):
        yield _plain(code.__code__)
        return
    for name, each in sorted(vars(code).items()):
        function = getattr(each, "__func__", None) or getattr(each, "fget", None) or each
        function = inspect.unwrap(function) if callable(function) else function
        if isinstance(function, FunctionType):
            yield (name, _plain(function.__code__))


def _names(code: CodeType) -> set[str]:
    """Return the names that a function, and those within it, look up."""
    within = (each for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*map(_names, within))


def _plain(constant: Any) -> Any:
    """Return a constant of compiled code whose text is the same in every process."""
    if isinstance(constant, CodeType):
        return (constant.co_code, constant.co_names, [_plain(each) for each in constant.co_consts])
    if isinstance(constant, frozenset):
        return sorted(map(repr, constant))
    if isinstance(constant, tuple):
        return [_plain(each) for each in constant]
    return repr(constant)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
