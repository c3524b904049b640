"""The extension points: what papers bring registers itself, by name, in one kind of registry.

A paper is a package that says `PAPER = Paper(...)`: a folder of dpbandits, or any installed package
that names it as an entry point of the group `dpbandits.papers`. What it brings is found by looking
into its folders, so that a new file needs no edit anywhere else:

    algorithms              in the package itself, one file each, named like the algorithm
    studies                 in studies/, one file each, named like the study
    figures, claims         in figures/ and claims/
    mechanisms, calibrators in mechanisms/ (those of dpbandits.audit: in audit/ itself)
"""

import importlib
import inspect
import pkgutil
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Generic, TypeVar

import dpbandits
from dpbandits.core.errors import InputError, nearest

ENTRY_POINTS = "dpbandits.papers"  # the group of packages that bring papers
AUDIT = "dpbandits.audit"  # brings mechanisms, studies and figures, but is no paper


@dataclass(frozen=True)
class Paper:
    """One reproduced paper."""

    key: str  # hu, fl, us, kl: in config, file names, figure names and claim ids
    title: str
    package: str  # its import name
    order: int = 100  # among the papers; ties by key
    looks: dict[str, int] = field(default_factory=dict)  # algorithm -> slot of plots.style
    not_private: dict[str, str] = field(default_factory=dict)  # series -> what its eps really is

    def file(self, *parts: str) -> Path:
        """A file that comes with the paper: in the checkout of the run, else in its package.

        `config` and `notebooks` of our own papers stand at the top of the checkout; another package
        brings config/KEY.yaml and notebooks/KEY/*.ipynb as package data.
        """
        here = Path(*parts)
        return here if here.exists() else package_folder(self.package).joinpath(*parts)


def package_folder(package: str) -> Path:
    return Path(importlib.import_module(package).__file__).parent


@cache
def papers() -> dict[str, Paper]:
    """Every paper by key, in order: our own folders, then those of other installed packages."""
    names = [f"dpbandits.{info.name}" for info in pkgutil.iter_modules(dpbandits.__path__)]
    names += [entry.value.split(":")[0] for entry in entry_points(group=ENTRY_POINTS)]
    found: dict[str, Paper] = {}
    for paper in (getattr(imported(name), "PAPER", None) for name in dict.fromkeys(names)):
        if paper and paper.key in found:
            both = f"{found[paper.key].package} and {paper.package}"
            report(f"paper '{paper.key}' comes from {both}: the second one is left out")
        elif paper:
            found[paper.key] = paper
    return dict(sorted(found.items(), key=lambda item: (item[1].order, item[0])))


def imported(name: str) -> ModuleType | None:
    """A module; of an outside package one that fails to import costs a line, and is left out."""
    try:
        return importlib.import_module(name)
    except Exception as error:  # whatever somebody else's module raises
        if name.startswith("dpbandits."):
            raise
        report(f"{name} is left out: {raised_at(error)}{type(error).__name__}: {error}")
        return None


def raised_at(error: Exception, folder: Path | None = None) -> str:
    """The file and line of an error, if it has one: the last one (of a folder) it went through."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}: "
    places = traceback.extract_tb(error.__traceback__)
    places = [p for p in places if folder is None or Path(p.filename).is_relative_to(folder)]
    return f"{places[-1].filename}:{places[-1].lineno}: " if places else ""


@cache
def report(line: str) -> None:
    """Say it on stderr, once."""
    print(f"dpbandits: {' '.join(line.split())}", file=sys.stderr)


def key_of(module: str) -> str:
    """The key of the paper whose package holds a module; of a notebook's own things, ""."""
    inside = (p.key for p in papers().values() if f"{module}.".startswith(f"{p.package}."))
    return next(inside, "")


@cache
def modules_in(package: str) -> tuple[str, ...]:
    """The modules of a package that are no packages; none if it does not exist."""
    try:
        found = importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        return ()
    names = [info.name for info in pkgutil.iter_modules(found.__path__) if not info.ispkg]
    return tuple(f"{package}.{name}" for name in names)


@dataclass(frozen=True)
class Place:
    """Where an entry stands in the sources."""

    path: Path
    line: int

    @classmethod
    def of(cls, function: Callable) -> "Place":
        code = inspect.unwrap(getattr(function, "func", function)).__code__  # also of a partial
        return cls(Path(code.co_filename), code.co_firstlineno)

    def __str__(self) -> str:
        here = Path.cwd()
        path = self.path.relative_to(here) if self.path.is_relative_to(here) else self.path
        return f"{path}:{self.line}"


Entry = TypeVar("Entry")


class Registry(Generic[Entry]):
    """Everything of one kind, by name; imports no more than what is asked for needs."""

    def __init__(self, kind: str, folder: str = "") -> None:
        self.kind = kind
        self.folder = folder  # of a paper's package; "" is the package itself
        self._entries: dict[str, Entry] = {}
        self._places: dict[str, Place] = {}

    def add(self, name: str, entry: Entry, function: Callable) -> None:
        """Add an entry; a second one of the same name is refused, unless a notebook redefines its
        own."""
        place = Place.of(function)
        again = name in self._entries and self._module(name) == function.__module__ == "__main__"
        if self._places.get(name, place) != place and not again:
            raise InputError(
                f"{self.kind} '{name}' is registered twice: {self._places[name]} and {place}"
            )
        self._entries[name] = entry
        self._places[name] = place

    def all(self, paper: str = "") -> dict[str, Entry]:
        """Every entry, by name, in the order of the papers and of their files; with a paper's key
        those of the other papers only if they are loaded already."""
        packages = [p for p in self._packages() if not paper or key_of(p) in ("", paper)]
        names = [name for package in packages for name in modules_in(package)]
        for name in names:
            imported(name)
        rank = {name: i for i, name in enumerate(names)}
        last = len(names)
        order = sorted(self._entries, key=lambda n: rank.get(self._module(n), last))
        return {name: self._entries[name] for name in order}

    def get(self, name: str, where: str = "") -> Entry:
        """The entry of that name (in any case), importing only its own file or paper if it can."""
        for modules in self._guesses(name):
            for module in modules:
                imported(module)
            same = [known for known in self._entries if known.lower() == name.lower()]
            if same:
                return self._entries[same[0]]
        instead = f"see dpbandits list {self.folder or 'algorithms'}"
        known = nearest(name, sorted(self.all()), instead)
        raise InputError(f"{where or self.kind}: unknown {self.kind} '{name}'; {known}")

    def place(self, name: str) -> Place:
        return self._places[name]

    def _module(self, name: str) -> str:
        return getattr(self._entries[name], "module", "")

    def _packages(self) -> list[str]:
        """Where entries of this kind are looked for."""
        tail = f".{self.folder}" if self.folder else ""
        found = [f"{paper.package}{tail}" for paper in papers().values()]
        own = AUDIT if self.folder == "mechanisms" else f"{AUDIT}{tail}" if tail else None
        return [*found, own] if own else found

    def _guesses(self, name: str) -> Iterator[tuple[str, ...]]:
        """Modules that may hold an entry: what is there, its file, its paper's files, all."""
        yield ()
        packages = self._packages()
        file = name.rsplit("/", 1)[-1].replace("-", "_").lower()
        paper = papers().get(re.split("[/-]", name)[0].lower())
        near = [p for p in packages if paper and f"{p}.".startswith(f"{paper.package}.")]
        for package in [*near, *packages]:
            yield tuple(m for m in modules_in(package) if m.rsplit(".", 1)[1] == file)
        for package in [*near, *packages]:
            yield modules_in(package)
