"""The packages with code: dpbandits, and installed packages that bring a paper."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

from dpbandits.core.errors import outside, report


@cache
def paper_entry_points() -> tuple[EntryPoint, ...]:
    """The entry points of installed packages that bring papers; others are reported."""
    points = entry_points(group="dpbandits.papers")
    named = {point: re.fullmatch(r"[A-Za-z_][\w.]*(:\w+)?", point.value) for point in points}
    for point in (point for point, match in named.items() if not match):
        package = point.dist.name if point.dist else "an installed package"
        report(f"{package}: entry point {point.name} = {point.value}: allowed: a package's name")
    return tuple(point for point, match in named.items() if match)


def package_folder(package: str) -> Path | None:
    """The folder of a package; None if there is no such package."""
    try:
        spec = find_spec(package)
    except outside():  # it is looked for in a package, whose code runs then
        return None
    folders = spec.submodule_search_locations if spec else None
    return Path(folders[0]) if folders else None


@cache
def packages() -> dict[str, Path]:
    """The folder of each top-level package: dpbandits, then those that bring papers."""
    names = dict.fromkeys(["dpbandits", *(e.module.split(".")[0] for e in paper_entry_points())])
    folders = {name: package_folder(name) for name in names}
    return {name: folder.resolve() for name, folder in folders.items() if folder}


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
