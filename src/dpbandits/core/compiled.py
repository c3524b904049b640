"""Compiled code: numba's decorators, and a disk cache that never serves stale machine code.

numba compares only the file of a cached function with its cache, not the files of the functions
that it calls: after an edit of `noise.py` every engine would keep the old noise. So the cache
folder is named by a digest of all sources, and an edit begins a new one.
"""

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.metadata import EntryPoints, entry_points
from importlib.util import find_spec
from pathlib import Path

OURS = Path(__file__).resolve().parents[1]
PREFIX = "dpbandits-"  # of a cache folder's name
FOLDERS = 5  # how many stay, the latest used


@cache
def brought() -> EntryPoints:
    """By installed packages: papers."""
    return entry_points(group="dpbandits.papers")


@cache
def packages() -> dict[str, Path]:
    """dpbandits and the installed packages that bring papers: name -> folder."""
    found = {"dpbandits": OURS}
    for entry in brought():
        name = entry.module.partition(".")[0]
        spec = find_spec(name)
        if spec and spec.submodule_search_locations:
            found.setdefault(name, Path(spec.submodule_search_locations[0]).resolve())
    return found


def files_in(folder: Path) -> Iterator[Path]:
    """Every file below a folder, in order, but for what Python caches there."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - {"__pycache__"})
        yield from filter(Path.is_file, (Path(place, name) for name in sorted(names)))


def digest() -> str:
    """Of the names and contents of all Python files of these packages."""
    found = hashlib.blake2b(digest_size=8)
    for package, folder in sorted(packages().items()):
        for path in files_in(folder):
            if path.suffix != ".py":
                continue
            source = path.read_bytes()
            name = f"{package}/{path.relative_to(folder).as_posix()}"
            found.update(f"{name}\0{len(source)}\0".encode() + source)
    return found.hexdigest()


def places() -> list[Path]:
    """Where to keep what was found, the first that can be written: NUMBA_CACHE_DIR if that is set,
    beside the sources, in the user's cache."""
    found = [OURS / "__pycache__/numba", Path("~/.cache/dpbandits/numba").expanduser()]
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):  # perhaps by a process that started this one
        path = Path(chosen).absolute()
        found.insert(0, path.parent if path.name.startswith(PREFIX) else path)
    return found


@cache
def cache_folder() -> Path | None:
    """The folder of this state of the sources; None if it can be written nowhere."""
    for place in places():
        folder = place / f"{PREFIX}{digest()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            os.utime(folder)
        except OSError:
            continue
        _remove_old_folders(place)
        return folder
    return None


def _remove_old_folders(place: Path) -> None:
    """Keep those that were used last; another process may remove the same ones."""
    used = {}
    for folder in place.glob(f"{PREFIX}*"):
        with suppress(FileNotFoundError):
            used[folder] = folder.stat().st_mtime
    for folder in sorted(used, key=used.get)[:-FOLDERS]:
        shutil.rmtree(folder, ignore_errors=True)


@cache
def _numba():
    """numba, imported when the first function is compiled: listing does not need it."""
    if folder := cache_folder():
        os.environ["NUMBA_CACHE_DIR"] = str(folder)
    import numba

    return numba


def jit(function):
    """Compile with IEEE arithmetic (no fastmath), cached on disk, without Python fallback.

    Not cached: functions of scripts and notebooks, whose files are in no digest, and all functions
    if somebody imported numba before it could be told the folder.
    """
    numba = _numba()
    ours = function.__module__.partition(".")[0] in packages()
    cached = ours and str(cache_folder()) == numba.config.CACHE_DIR
    return numba.njit(cache=cached, error_model="numpy")(function)


def inlined(function):
    """Compile a short function into each of its compiled callers."""
    return _numba().njit(forceinline=True, error_model="numpy")(function)
