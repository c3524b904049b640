"""What a result was made of: the code behind it, by meaning, and the rest of its job's parameters.

Imports are read from the sources (nothing is executed), transitively, inside this package and
those of the papers. What code calls by name, the algorithms that a study or a claim runs, must be
declared (core.algorithms.declared refuses the rest). A module counts by what it means: comments,
docstrings, layout and time stamps change nothing. Data files beside a module count by their bytes.

A `Recipe` is all of that for one job. The workflow keeps each under its digest in RESULTS/.recipes,
so that a job is run again if its digest changes, and a person is told which file changed.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dpbandits.core.files import write_text
from dpbandits.core.sources import imports_in, modules_behind, read, source_of

ROOT = Path(__file__).resolve().parents[3]  # the checkout, or where the package is installed
NO_DATA = (".py", ".pyc", ".pyi")


@cache
def files_of(*modules: str) -> tuple[Path, ...]:
    """All files behind some modules: their sources, and the data that lie in their packages."""
    sources = {source_of(module) for module in modules_behind(*modules)}
    faces = [path for path in sources if path.name == "__init__.py"]
    data = {p for face in faces for p in face.parent.iterdir() if p.suffix not in NO_DATA}
    return tuple(sorted(sources | {path for path in data if path.is_file()}))


def shown(path: Path) -> str:
    """A file as people know it: below the folder of the run or of the library, else its end."""
    return _shown(path, os.getcwd())


@cache  # 285 recipes name each file some 30 times
def _shown(path: Path, here: str) -> str:
    path = path.resolve()
    for base in (Path(here), ROOT):
        if path.is_relative_to(base):
            return path.relative_to(base).as_posix()
    return "/".join(path.parts[-3:])


def raw(path: Path) -> str:
    return hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest()


@cache
def meaning(path: Path) -> str:
    """A hash of what a file means: of Python its syntax tree without docstrings, else its bytes."""
    return read(path).meaning if path.suffix == ".py" else raw(path)


@dataclass(frozen=True)
class Recipe:
    """What one job is made of: hashes of files by name, and parameters as text."""

    code: dict[str, str]
    said: dict[str, str]
    paths: tuple[Path, ...] = ()

    @property
    def digest(self) -> str:
        return hashlib.blake2b(self.text.encode(), digest_size=8).hexdigest()

    @property
    def text(self) -> str:
        return json.dumps({"code": self.code, "said": self.said}, sort_keys=True)

    def keep(self, folder: Path, raw: Callable[[Path], str] = raw) -> str:
        """Write it down below its digest, with the exact bytes of its files; return the digest."""
        path = folder / f"{self.digest}.json"
        kept = {"code": self.code, "said": self.said, "raw": {str(p): raw(p) for p in self.paths}}
        text = json.dumps(kept, sort_keys=True)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            write_text(text, path)
        return self.digest


def recipe(
    modules: Iterable[str], files: Iterable[str | Path] = (), exact: Iterable[str] = (), **said
) -> Recipe:
    """The recipe of a job from its modules, other files of the checkout, and its parameters.

    What scripts among the files import counts too. `exact` names modules whose very text is part of
    the result: those count by their bytes.
    """
    files = [Path(file).resolve() for file in files]
    scripts = [imports_in(file) for file in files if file.suffix == ".py"]
    paths = {*files_of(*modules, *(m for script in scripts for m in script)), *files}
    code = {shown(path): meaning(path) for path in paths}
    shown_texts = {source_of(module) for module in exact}
    code |= {f"{shown(path)} (text)": raw(path) for path in shown_texts}
    texts = {key: json.dumps(value, sort_keys=True, default=str) for key, value in said.items()}
    return Recipe(code, texts, tuple(sorted(paths | shown_texts)))


def differences(old: dict, new: Recipe) -> list[str]:
    """What changed from a kept recipe to a new one, in words: names of files and parameters."""
    found = []
    for before, after in ((old["code"], new.code), (old["said"], new.said)):
        found += [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]
    return found
