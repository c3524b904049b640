"""Papers, and registries of what they bring: algorithms, mechanisms, and what others register.

A paper is a package that defines `PAPER = Paper(...)`: a folder of dpbandits, or an installed
package that names it as an entry point of the group `dpbandits.papers`. Registries import the
modules in its folders, so that a new file needs no edit anywhere else:

    algorithms              in the package itself, one file each, named like the algorithm
    mechanisms, calibrators in mechanisms/ (those of dpbandits.audit: in audit/ itself)

What judges and draws a paper (studies/, figures/, claims.toml and claims/) may be in the same
package, or in a second one, which `reproduction` names.
"""

import importlib
import inspect
import pkgutil
import re
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Generic, TypeVar

from pydantic import BaseModel

import dpbandits
from dpbandits.core.errors import InputError, entry_of, outside, report
from dpbandits.core.packages import package_folder, packages, paper_entry_points

KEY = re.compile("[a-z][a-z0-9]*")
AUDIT = "dpbandits.audit"  # brings mechanisms, but is no paper


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

    def __post_init__(self) -> None:
        texts = (self.key, self.title, self.package, self.reproduction)
        if not (all(isinstance(x, str) for x in texts) and KEY.fullmatch(self.key)):
            raise InputError(f"Paper(key={self.key!r}, ...): allowed: small letters and digits")
        if type(self.order) is not int:
            raise InputError(f"Paper '{self.key}': order = {self.order!r}: allowed: a whole number")
        for name, kind in (("looks", int), ("not_private", str)):
            values = getattr(self, name)
            if not isinstance(values, dict) or not all(
                isinstance(k, str) and type(v) is kind for k, v in values.items()
            ):
                raise InputError(f"Paper '{self.key}': {name}: allowed: names -> {kind.__name__}")

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
    others = [entry.module for entry in paper_entry_points()]
    by_key: dict[str, Paper] = {}
    for name in dict.fromkeys([*ours, *others]):
        paper = _paper_of(name)
        if paper and paper.key in by_key:
            both = f"{by_key[paper.key].package} and {paper.package}"
            report(f"paper '{paper.key}' comes from {both}: the second one is left out")
        elif paper:
            by_key[paper.key] = paper
    return dict(sorted(by_key.items(), key=lambda item: (item[1].order, item[0])))


def _paper_of(name: str) -> Paper | None:
    """PAPER of a module; what is none is reported, and left out."""
    module = imported(name)
    try:
        paper = getattr(module, "PAPER", None)
    except outside():  # of a module's `__getattr__`
        paper = None
    if paper is None or isinstance(paper, Paper):
        top, path = name.partition(".")[0], getattr(module, "__file__", "")
        halves = (paper.package, paper.judged_in) if paper else ()
        missing = [half for half in halves if package_folder(half) is None]
        if not missing and (not paper or paper.package.partition(".")[0] == top):
            return paper
        what = f"no package {missing[0]!r}" if missing else f"package = {paper.package!r}"
        report(f"{name} is left out: {path}: {what}; allowed: {name!r}")
        return None
    what, path = type(paper).__name__, getattr(module, "__file__", "")
    report(f"{name} is left out: {path}: PAPER is a {what}; allowed: Paper(...)")
    return None


def imported(name: str) -> ModuleType | None:
    """Import a module; one of an outside package that fails is reported and left out (None)."""
    try:
        return importlib.import_module(name)
    except outside() as error:
        if name.startswith("dpbandits."):
            raise
        folder = package_folder(name.partition(".")[0])
        report(f"{name} is left out: {in_words(error, folder)}")
        return None


def in_words(error: BaseException, folder: Path | None = None) -> str:
    """`FILE:LINE: TYPE: MESSAGE` of an error that code of others raised."""
    return (raised_at(error, folder) or raised_at(error)) + said(error)


def said(error: BaseException) -> str:
    """`TYPE: MESSAGE` of an error that code of others raised."""
    try:
        return " ".join(f"{type(error).__name__}: {error}".split())
    except outside():  # of its `__str__`
        return type(error).__name__


def raised_outside(error: BaseException) -> str | None:
    """An error in words, if code of an outside package raised it; else None."""
    for name, folder in packages().items():
        if name != "dpbandits" and raised_at(error, folder):
            return in_words(error, folder)
    return None


def raised_at(error: BaseException, folder: Path | None = None) -> str:
    """`FILE:LINE: ` where an error was raised, or the innermost call in a folder; "" if none."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}: "
    calls = traceback.extract_tb(error.__traceback__)
    calls = [c for c in calls if folder is None or Path(c.filename).is_relative_to(folder)]
    return f"{calls[-1].filename}:{calls[-1].lineno}: " if calls else ""


def key_of(module: str) -> str:
    """The key of the paper whose package holds a module; "" if none does, as for a notebook."""
    return next((paper.key for paper in papers().values() if paper.holds(module)), "")


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
            _, line = inspect.getsourcelines(function)
            return cls(Path(inspect.getfile(function)), line)
        code = function.__code__
        return cls(Path(code.co_filename), code.co_firstlineno)

    def __str__(self) -> str:
        folder = Path.cwd()
        inside = self.path.is_relative_to(folder)
        return f"{self.path.relative_to(folder) if inside else self.path}:{self.line}"


Entry = TypeVar("Entry")
NAME = re.compile(r"[\w./-]+")


def _is_ours(module: str) -> bool:
    return module.startswith(f"{dpbandits.__name__}.")


def check_model(model: type[BaseModel], what: str) -> None:
    """Refuse anything that is no pydantic model, as the type of parameters or settings."""
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        raise InputError(f"{what} = {model!r:.60}: allowed: a pydantic model")


class Registry(Generic[Entry]):
    """All entries of one kind, by name. Modules are imported when an entry of theirs is needed."""

    def __init__(
        self, kind: str, folder: str = "", papers: Callable[[], dict[str, Paper]] = papers
    ) -> None:
        self.kind = kind
        self.folder = folder  # of a paper's package; "" is the package itself
        self.papers = papers  # which papers are looked through
        self._entries: dict[str, Entry] = {}
        self._places: dict[str, Place] = {}

    def register(self, name: str, entry_of: Callable[[Callable], Entry]) -> Callable:
        """A decorator that adds the entry `entry_of(function)` under a name.

        Another one of the same name is refused, but a notebook may define its own again.
        """

        if not (isinstance(name, str) and NAME.fullmatch(name)):
            raise InputError(f"{self.kind} {name!r:.60}: allowed: a name without spaces")

        def decorator(function: Callable) -> Callable:
            place, old = Place.of(function), self._places.get(name)
            again = old and self._module(name) == function.__module__ == "__main__"
            if _is_ours(function.__module__) and old and not _is_ours(self._module(name)):
                report(f"{self.kind} '{name}': {old} is left out, {place} has the name")
            elif old not in (None, place) and not again:
                raise InputError(f"{self.kind} '{name}' is registered twice: {old} and {place}")
            self._entries[name] = entry_of(function)
            self._places[name] = place
            return function

        return decorator

    def all(self, paper: str = "") -> dict[str, Entry]:
        """Every entry, by name, in the order of the papers and of their files. With a paper's key
        only that paper's modules are imported."""
        modules = [m for m in self._modules() if not paper or self.paper_of(m) in ("", paper)]
        for module in modules:
            imported(module)
        rank = {module: i for i, module in enumerate(modules)}
        names = sorted(self._entries, key=lambda n: rank.get(self._module(n), len(rank)))
        return {name: self._entries[name] for name in names}

    def get(self, name: str, where: str = "") -> Entry:
        """The entry of a name, in any case; no more modules are imported than it takes to find
        it. An unknown name raises InputError, which begins with `where`."""
        for modules in self._where_to_look(name) if isinstance(name, str) else ():
            for module in modules:
                imported(module)
            if name.lower() in map(str.lower, self._entries):
                break
        hint = f"see dpbandits list {self.folder or 'algorithms'}"
        unknown = f"{where or self.kind}: unknown {self.kind}"
        return entry_of(name, self._entries, unknown, hint)

    def place(self, name: str) -> Place:
        return self._places[name]

    def paper_of(self, module: str) -> str:
        """The key of the paper that holds a module; "" if none does."""
        return next((paper.key for paper in self.papers().values() if paper.holds(module)), "")

    def _module(self, name: str) -> str:
        return getattr(self._entries[name], "module", "")

    def _modules(self) -> list[str]:
        """The modules that may register entries of this kind."""
        packages = [paper.folder(self.folder) for paper in self.papers().values()]
        if self.folder == "mechanisms":
            packages.append(AUDIT)
        return [module for package in packages for module in modules_in(package)]

    def _where_to_look(self, name: str) -> tuple[list[str], ...]:
        """Modules that may register a name, a few at first: what is imported already, the files of
        that name (those of its paper first), all files of its paper, all."""
        modules = self._modules()
        file = name.rpartition("/")[2].replace("-", "_").lower()
        key = re.split("[/-]", name)[0].lower()
        of_paper = [module for module in modules if self.paper_of(module) == key]
        named = [module for module in modules if module.rpartition(".")[2] == file]
        return [], [m for m in named if m in of_paper], named, of_paper, modules
