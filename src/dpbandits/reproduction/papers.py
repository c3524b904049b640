"""The papers: which packages judge and draw one, and where its algorithms are.

A paper is a module that defines `PAPER = Paper(...)`: a folder here, or of an installed package
that names it as an entry point of the group `dpbandits.papers`.
"""

import importlib
import pkgutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from dpbandits import reproduction
from dpbandits.core.registry import Registry, package_folder

OWN = "ours"  # the key of what we say of ourselves: judged as a paper, counted apart


@dataclass(frozen=True)
class Paper:
    """A paper: what judges and draws it, and its algorithms."""

    key: str  # hu, fl, us, kl: in config, file names, figure names and claim ids
    title: str
    package: str  # with claims.toml, claims/, studies/ and figures/
    elsewhere: tuple[str, ...] = ()  # packages and modules of the library that are about it
    order: int = 100  # among the papers; ties by key
    looks: dict[str, int] = field(default_factory=dict)  # algorithm -> colour and line in plots
    not_private: dict[str, str] = field(default_factory=dict)  # series -> the ε it has

    @property
    def ours(self) -> bool:
        return self.package.startswith(f"{reproduction.__name__}.")

    def holds(self, module: str) -> bool:
        own = (self.package, *self.elsewhere)
        return f"{module}.".startswith(tuple(f"{package}." for package in own))

    def file(self, *parts: str) -> Path:
        """A file of the paper: in the current folder if it exists there, else in the package.

        The folders `config` and `notebooks` of our own papers are at the top of the checkout;
        another package brings config/KEY.yaml and notebooks/KEY/*.ipynb as package data.
        """
        path = Path(*parts)
        return path if path.exists() else package_folder(self.package).joinpath(*parts)


@cache
def papers() -> dict[str, Paper]:
    """Every paper by key, in order: our own, then those of other installed packages."""
    folders = pkgutil.iter_modules(reproduction.__path__, f"{reproduction.__name__}.")
    others = [entry.module for entry in entry_points(group="dpbandits.papers")]
    names = dict.fromkeys([*(info.name for info in folders if info.ispkg), *others])
    found = [m.PAPER for m in map(importlib.import_module, names) if hasattr(m, "PAPER")]
    return {p.key: p for p in sorted(found, key=lambda paper: (paper.order, paper.key))}


def key_of(module: str) -> str:
    """The key of the paper that a module is about; "" if there is none, as for a notebook."""
    return next((paper.key for paper in papers().values() if paper.holds(module)), "")


def registry_of(kind: str, names: str) -> Registry:
    """The registry of what is in the folder `names` of each paper, such as its studies."""

    def packages(name: str) -> Iterable[str]:
        key = name.partition("/")[0]  # of PAPER/NAME: looked through first
        ordered = sorted(papers().values(), key=lambda paper: paper.key != key)
        return [f"{paper.package}.{names}" for paper in ordered]

    return Registry(kind, packages, names)
