"""Registries of what packages bring: algorithms, mechanisms, and what others register.

The library's own are in its folders of problems and audits. Another package names the package of
its algorithms as an entry point of the group `dpbandits.algorithms`, that of its mechanisms of
`dpbandits.mechanisms`; the reproduction does so, too. A module is imported when an entry of it is
needed, and no other package is while the library has the name that is asked for.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Generic, TypeVar

from dpbandits.core.errors import InputError, entry_of

PROBLEMS = tuple(f"dpbandits.{name}" for name in ("stochastic", "sparse", "kernel", "offline"))
OURS = {  # group of entry points -> packages of the library
    "dpbandits.algorithms": PROBLEMS,
    "dpbandits.mechanisms": (
        *(f"{name}.mechanisms" for name in PROBLEMS),
        "dpbandits.audit.computed",
    ),
}


def packages_of(group: str) -> tuple[str, ...]:
    """The packages of a group: the library's, then those that other packages name."""
    named = sorted(entry_points(group=group), key=lambda entry: entry.name)
    return (*OURS[group], *(entry.value for entry in named))


def package_folder(package: str) -> Path | None:
    """The folder of a package; None if there is no such package."""
    try:
        spec = find_spec(package)
    except ModuleNotFoundError:
        return None
    folders = spec.submodule_search_locations if spec else None
    return Path(folders[0]) if folders else None


@cache
def packages() -> dict[str, Path]:
    """The folder of each top-level package that brings algorithms or mechanisms."""
    names = dict.fromkeys(name.split(".")[0] for group in OURS for name in packages_of(group))
    return {name: folder.resolve() for name in names if (folder := package_folder(name))}


@cache
def modules_in(package: str) -> tuple[str, ...]:
    """The modules of a package, without its subpackages; none if the package does not exist."""
    folder = package_folder(package)
    infos = pkgutil.iter_modules([str(folder)]) if folder else ()
    return tuple(f"{package}.{info.name}" for info in infos if not info.ispkg)


@dataclass(frozen=True)
class Place:
    """The file and line where a function is defined."""

    path: Path
    line: int

    @classmethod
    def of(cls, function: Callable) -> "Place":
        function = inspect.unwrap(getattr(function, "func", function))  # also of a partial
        if isinstance(function, type):
            return cls(Path(inspect.getfile(function)), inspect.getsourcelines(function)[1])
        return cls(Path(function.__code__.co_filename), function.__code__.co_firstlineno)

    def __str__(self) -> str:
        folder = Path.cwd()
        inside = self.path.is_relative_to(folder)
        return f"{self.path.relative_to(folder) if inside else self.path}:{self.line}"


Entry = TypeVar("Entry")


class Registry(Generic[Entry]):
    """All entries of one kind, by name. Modules are imported when an entry of theirs is needed."""

    def __init__(self, kind: str, packages: Callable[[str], Iterable[str]], names: str) -> None:
        self.kind = kind
        self.packages = packages  # whose modules are looked through for a name ("": all)
        self.names = names  # dpbandits list NAMES lists them
        self._entries: dict[str, Entry] = {}
        self._functions: dict[str, Callable] = {}

    @classmethod
    def of_group(cls, kind: str, group: str) -> "Registry":
        return cls(kind, lambda name: packages_of(group), group.rpartition(".")[2])

    def register(self, name: str, make: Callable[[Callable], Entry]) -> Callable:
        """A decorator that adds the entry `make(function)` under a name. Another one of the
        same name is refused, but a notebook may define its own again."""

        def decorator(function: Callable) -> Callable:
            old = self._functions.get(name)
            if old and not _module(old) == _module(function) == "__main__":
                first, second = Place.of(old), Place.of(function)
                if first != second:
                    both = f"{first} and {second}"
                    raise InputError(f"{self.kind} '{name}' is registered twice: {both}")
            self._entries[name], self._functions[name] = make(function), function
            return function

        return decorator

    def all(self, only: Iterable[str] = ()) -> dict[str, Entry]:
        """Every entry, by name, in the order of the packages and of their files. What other
        packages bring is left out where something that it needs is not installed. only: of these
        packages, and what is there already."""
        packages = only or self.packages("")
        modules = [module for package in packages for module in modules_in(package)]
        for module in modules:
            try:
                importlib.import_module(module)
            except ModuleNotFoundError as error:
                if module.startswith(PROBLEMS) or (error.name or "").startswith("dpbandits"):
                    raise
        rank = {module: i for i, module in enumerate(modules)}
        names = sorted(
            self._entries, key=lambda n: rank.get(_module(self._functions[n]), len(rank))
        )
        return {name: self._entries[name] for name in names}

    def get(self, name: str, where: str = "") -> Entry:
        """The entry of a name, in any case, from a file of that name, else from all. An unknown
        name raises InputError, which begins with `where`."""
        text = str(name).lower()
        modules, file = self._modules_for(text), file_of(text)
        while text not in map(str.lower, self._entries) and (module := next(modules, "")):
            try:
                importlib.import_module(module)
            except ModuleNotFoundError as error:
                if module.endswith(f".{file}") or (error.name or "").startswith("dpbandits"):
                    raise
        unknown = f"{where or self.kind}: unknown {self.kind}"
        return entry_of(name, self._entries, unknown, f"see dpbandits list {self.names}")

    def place(self, name: str) -> Place:
        return Place.of(self._functions[name])

    def _modules_for(self, name: str) -> Iterator[str]:
        """The modules named like an entry, then all, package by package."""
        file = file_of(name)
        for every in (False, True):
            for package in self.packages(name):
                modules = modules_in(package)
                yield from (m for m in modules if every or m.rpartition(".")[2] == file)


def file_of(name: str) -> str:
    return name.rpartition("/")[2].replace("-", "_")


def _module(function: Callable) -> str:
    return getattr(function, "func", function).__module__
