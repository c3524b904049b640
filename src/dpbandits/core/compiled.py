"""Compiled code: numba's decorators, and a disk cache that never serves stale machine code.

numba compares only the file of a cached function with its cache, not the files of the functions
that it calls: after an edit of `variates.py` every engine would keep the old draws. So the cache
folder is named by a digest of all sources: after an edit everything is compiled anew.
"""

import os
import shutil
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType

from dpbandits.core.files import digest_of, files_in
from dpbandits.core.registry import packages

FOLDERS = 5  # how many are kept, the ones used last


def digest_of_sources() -> str:
    """A digest of all Python files of the library and of the packages that bring algorithms.

    What judges and draws (reproduction, cli) compiles nothing, but for its algorithms, and is left
    out.
    """
    ours = packages()["dpbandits"]
    files = (path for folder in packages().values() for path in files_in(folder))
    parts = (ours / "reproduction", ours / "cli")
    return digest_of(
        path
        for path in files
        if path.suffix == ".py" and (not {*parts} & {*path.parents} or "algorithms" in path.parts)
    )


@cache
def cache_folder() -> Path:
    """The cache folder of the sources as they are now, in NUMBA_CACHE_DIR if that is set, else in
    the package, or in the user's home where that cannot be written to."""
    package = packages()["dpbandits"]
    home = Path("~/.cache/dpbandits").expanduser()
    base = Path(
        os.environ.get("NUMBA_CACHE_DIR") or (package if os.access(package, os.W_OK) else home)
    )
    folder = base / "__pycache__/numba" / digest_of_sources()
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    for old in sorted(folder.parent.iterdir(), key=lambda path: -path.stat().st_mtime)[FOLDERS:]:
        shutil.rmtree(old, ignore_errors=True)
    return folder


def jit(function):
    """Compile with IEEE arithmetic (no fastmath), cached on disk, without Python fallback.

    Functions of scripts and notebooks are not cached, as their files are in no digest. numba asks
    for the folder when it takes the function; what it does elsewhere in the process stays as it is.
    """
    import numba  # here: `dpbandits list` does not need it

    cached = function.__module__.partition(".")[0] in packages()
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder())
    try:
        return numba.njit(cache=cached, error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = before


@cache
def jit_all(function):
    """`jit` of a plain function, and of the plain functions of its package, or of ours, that it
    calls."""
    known = {*packages(), function.__module__.partition(".")[0]}
    names, codes = {}, [function.__code__]
    for code in codes:
        codes += [part for part in code.co_consts if isinstance(part, CodeType)]
        for name in code.co_names:
            called = function.__globals__.get(name)
            if isinstance(called, FunctionType) and called.__module__.partition(".")[0] in known:
                names[name] = jit_all(called)
    own = FunctionType(function.__code__, function.__globals__ | names, function.__name__)
    own.__qualname__ = function.__qualname__
    return jit(own)


def inlined(function):
    """Compile a short function into each of its compiled callers."""
    import numba

    return numba.njit(forceinline=True, error_model="numpy")(function)
