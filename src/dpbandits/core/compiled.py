"""Compiled code: numba's decorators, and a disk cache that never serves stale machine code.

numba compares only the file of a cached function with its cache, not the files of the functions
that it calls: after an edit of `noise.py` every engine would keep the old noise. So the cache
folder is named by a digest of all sources: after an edit everything is compiled anew.
"""

import os
import shutil
import time
import traceback
from contextlib import suppress
from functools import cache
from pathlib import Path

from dpbandits.core.errors import InputError
from dpbandits.core.packages import digest_of, files_in, packages

PREFIX = "dpbandits-"  # of a cache folder's name
FOLDERS = 5  # how many are kept, the ones used last
RECENT = 3600  # seconds; folders that a process began to use within the last hour are kept too


def digest_of_sources() -> str:
    """A digest of all Python files of the library and of the packages that bring papers.

    What judges and draws (reproduction, cli) compiles nothing, and is left out.
    """
    ours = packages()["dpbandits"]
    others = [ours / "reproduction", ours / "cli"]
    files = (path for folder in packages().values() for path in files_in(folder))
    return digest_of(
        path
        for path in files
        if path.suffix == ".py" and not any(path.is_relative_to(other) for other in others)
    )


def cache_locations() -> list[Path]:
    """Possible folders of a cache, in order of preference: NUMBA_CACHE_DIR if it is set, a folder
    in the package, one in the user's home."""
    in_package = packages()["dpbandits"] / "__pycache__/numba"
    locations = [in_package, Path("~/.cache/dpbandits/numba").expanduser()]
    if variable := os.environ.get("NUMBA_CACHE_DIR"):
        path = Path(variable).absolute()
        # a process of ours that started this one has set it to a folder inside the location
        locations.insert(0, path.parent if path.name.startswith(PREFIX) else path)
    return locations


@cache
def cache_folder() -> Path | None:
    """The cache folder of the sources as they are now; None if no location can be written to."""
    for location in cache_locations():
        folder = location / f"{PREFIX}{digest_of_sources()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            os.utime(folder)
        except OSError:
            continue
        _remove_old_folders(location)
        return folder
    return None


def _remove_old_folders(location: Path) -> None:
    """Remove all cache folders but the last used and the recent ones: several environments, with
    other packages, may use one checkout in turn. Another process may remove folders as well."""
    last_used = {}
    for folder in location.glob(f"{PREFIX}*"):
        with suppress(FileNotFoundError):
            last_used[folder] = folder.stat().st_mtime
    for folder in sorted(last_used, key=last_used.get)[:-FOLDERS]:
        if last_used[folder] < time.time() - RECENT:
            shutil.rmtree(folder, ignore_errors=True)


@cache
def _numba():
    """numba, imported only when a function is compiled: `dpbandits list` does not need it."""
    folder = cache_folder()
    if folder:
        os.environ["NUMBA_CACHE_DIR"] = str(folder)
    import numba

    return numba


def compiling(function, *arguments):
    """Call a function that runs compiled code. If the disk cache turns out to be damaged, it is
    removed, and the function called once more."""
    try:
        return function(*arguments)
    except Exception as error:  # unpickling a damaged file may raise anything
        calls = traceback.extract_tb(error.__traceback__)
        if not any(Path(c.filename).match("numba/core/caching.py") for c in calls):
            raise
        folder = cache_folder()
        if isinstance(error, OSError):
            line = f"{folder}: compiled code cannot be kept there: {error.strerror}"
            raise InputError(f"{line}; allowed: another NUMBA_CACHE_DIR") from None
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        return function(*arguments)


def jit(function):
    """Compile with IEEE arithmetic (no fastmath), cached on disk, without Python fallback.

    Functions of scripts and notebooks are not cached, as their files are in no digest; nothing is
    cached if numba was imported before NUMBA_CACHE_DIR was set here.
    """
    numba = _numba()
    in_digest = function.__module__.partition(".")[0] in packages()
    cached = in_digest and str(cache_folder()) == numba.config.CACHE_DIR
    return numba.njit(cache=cached, error_model="numpy")(function)


def inlined(function):
    """Compile a short function into each of its compiled callers."""
    return _numba().njit(forceinline=True, error_model="numpy")(function)
