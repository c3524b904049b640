"""Papers, and registries of what they bring: algorithms, mechanisms, and what others register.

A paper is a package that defines `PAPER = Paper(...)`: a folder of dpbandits, or an installed
package that names it as an entry point of the group `dpbandits.papers`. Registries import its
modules when an entry of theirs is needed.
"""

import hashlib
import importlib
import inspect
import os
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Generic, TypeVar

import dpbandits
from dpbandits.core.errors import InputError, entry_of

AUDIT = ["dpbandits.audit", "dpbandits.audit.computed"]  # bring mechanisms, but are no paper


@dataclass(frozen=True)
class Paper:
    """A paper: its algorithms, and what judges and draws them."""

    key: str  # hu, fl, us, kl: in config, file names, figure names and claim ids
    title: str
    package: str  # its import name
    order: int = 100  # among the papers; ties by key
    looks: dict[str, int] = field(default_factory=dict)  # algorithm -> colour and line in plots
    not_private: dict[str, str] = field(default_factory=dict)  # series -> its real epsilon
    reproduction: str = ""  # the package with studies/, figures/, claims/, if it is another one

    @property
    def ours(self) -> bool:
        return self.package.startswith(f"{dpbandits.__name__}.")

    @property
    def judged_in(self) -> str:
        """The package with its claims, studies and figures."""
        return self.reproduction or self.package

    def folder(self, name: str) -> str:
        """The package of its algorithms (""), or of its mechanisms, studies, figures or claims."""
        half = self.package if name in ("", "mechanisms") else self.judged_in
        return f"{half}.{name}" if name else half

    def holds(self, module: str) -> bool:
        halves = filter(None, (self.package, self.reproduction))
        return f"{module}.".startswith(tuple(f"{half}." for half in halves))

    def file(self, *parts: str) -> Path:
        """A file of the paper: in the current folder if it exists there, else in the package.

        The folders `config` and `notebooks` of our own papers are at the top of the checkout;
        another package brings config/KEY.yaml and notebooks/KEY/*.ipynb as package data.
        """
        path = Path(*parts)
        return path if path.exists() else package_folder(self.judged_in).joinpath(*parts)


@cache
def papers() -> dict[str, Paper]:
    """Every paper by key, in order: our own folders, then those of other installed packages."""
    return papers_in(dpbandits.__name__, dpbandits.__path__)


def papers_in(parent: str, path: Iterable[str]) -> dict[str, Paper]:
    """The papers in the folders of a package of ours, and those of other installed packages."""
    ours = [f"{parent}.{info.name}" for info in pkgutil.iter_modules(path) if info.ispkg]
    modules = map(importlib.import_module, dict.fromkeys([*ours, *_others()]))
    found = [module.PAPER for module in modules if hasattr(module, "PAPER")]
    return {p.key: p for p in sorted(found, key=lambda paper: (paper.order, paper.key))}


def _others() -> list[str]:
    return [entry.module for entry in entry_points(group="dpbandits.papers")]


def key_of(module: str) -> str:
    """The key of the paper whose package holds a module; "" if none does, as for a notebook."""
    return next((paper.key for paper in papers().values() if paper.holds(module)), "")


# Packages
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
    """The folder of each top-level package: dpbandits, then those that bring papers."""
    names = dict.fromkeys(["dpbandits", *(name.split(".")[0] for name in _others())])
    return {name: folder.resolve() for name in names if (folder := package_folder(name))}


@cache
def modules_in(package: str) -> tuple[str, ...]:
    """The modules of a package, without its subpackages; none if the package does not exist."""
    folder = package_folder(package)
    infos = pkgutil.iter_modules([str(folder)]) if folder else ()
    return tuple(f"{package}.{info.name}" for info in infos if not info.ispkg)


def files_in(folder: Path) -> Iterator[Path]:
    """Every file below a folder, in order, except hidden ones and what Python caches there."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(n for n in folders if n != "__pycache__" and not n.startswith("."))
        paths = (Path(place, name) for name in sorted(names) if not name.startswith("."))
        yield from filter(Path.is_file, paths)


def digest_of(files: Iterable[Path]) -> str:
    """A digest of the paths and contents of some files."""
    digest = hashlib.blake2b(digest_size=8)
    for path in files:
        content = path.read_bytes()
        digest.update(f"{path}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


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

    def __init__(
        self, kind: str, folder: str = "", among: Callable[[], dict[str, Paper]] = papers
    ) -> None:
        self.kind = kind
        self.folder = folder  # of a paper's package; "" is the package itself
        self.papers = among  # which papers are looked through
        self._entries: dict[str, Entry] = {}
        self._functions: dict[str, Callable] = {}

    def register(self, name: str, make: Callable[[Callable], Entry]) -> Callable:
        """A decorator that adds the entry `make(function)` under a name. Another one of the
        same name is refused, but a notebook may define its own again."""

        def decorator(function: Callable) -> Callable:
            old = self._functions.get(name, function)
            places = Place.of(old), Place.of(function)
            notebook = _module(old) == _module(function) == "__main__"
            if places[0] != places[1] and not notebook:
                both = f"{places[0]} and {places[1]}"
                raise InputError(f"{self.kind} '{name}' is registered twice: {both}")
            self._entries[name], self._functions[name] = make(function), function
            return function

        return decorator

    def all(self, paper: str = "") -> dict[str, Entry]:
        """Every entry, by name, in the order of the papers and of their files. With a paper's key
        only that paper's modules are imported."""
        modules = [m for m in self._modules() if not paper or self.paper_of(m) in ("", paper)]
        for module in modules:
            importlib.import_module(module)
        rank = {module: i for i, module in enumerate(modules)}
        names = sorted(
            self._entries, key=lambda n: rank.get(_module(self._functions[n]), len(rank))
        )
        return {name: self._entries[name] for name in names}

    def get(self, name: str, where: str = "") -> Entry:
        """The entry of a name, in any case, from the files of that name, of its paper, or all. An
        unknown name raises InputError, which begins with `where`."""
        modules, text = self._modules(), str(name).lower()
        file, key = text.rpartition("/")[2].replace("-", "_"), re.split("[/-]", text)[0]
        named = [module for module in modules if module.rpartition(".")[2] == file]
        of_paper = (module for module in modules if self.paper_of(module) == key)
        for some in (named, of_paper, modules):
            for module in some:
                importlib.import_module(module)
            if text in map(str.lower, self._entries):
                break
        unknown = f"{where or self.kind}: unknown {self.kind}"
        hint = f"see dpbandits list {self.folder or 'algorithms'}"
        return entry_of(name, self._entries, unknown, hint)

    def place(self, name: str) -> Place:
        return Place.of(self._functions[name])

    def paper_of(self, module: str) -> str:
        """The key of the paper that holds a module; "" if none does."""
        return next((paper.key for paper in self.papers().values() if paper.holds(module)), "")

    def _modules(self) -> list[str]:
        """The modules that may register entries of this kind."""
        places = [paper.folder(self.folder) for paper in self.papers().values()]
        places += AUDIT if self.folder == "mechanisms" else []
        return [module for package in places for module in modules_in(package)]


def _module(function: Callable) -> str:
    return getattr(function, "func", function).__module__
