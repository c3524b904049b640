"""Compiled code: one decorator, and a disk cache that never serves stale machine code.

numba looks only at the file of a cached function, not at the files of the functions that it calls:
after an edit of `noise.py` every engine would go on with the old noise. We therefore keep one cache
folder per content of all sources that hold compiled code: ours, and for the functions of another
package ours and its own.
"""

import hashlib
import os
from functools import cache
from pathlib import Path

from dpbandits.core.sources import OURS, cache_folder, files_in, home


@cache
def fingerprint_of_compiled_sources(*folders: Path) -> str:
    """Hash of every module in these folders that mentions numba or the decorator below."""
    digest = hashlib.blake2b(digest_size=8)
    for folder in folders or (OURS,):
        for path in (path for path in files_in(folder) if path.suffix == ".py"):
            source = path.read_bytes()
            if b"numba" in source or b"jit" in source:
                digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + source)
    return digest.hexdigest()


def use_cache_of_these_sources() -> None:
    """Set NUMBA_CACHE_DIR (unless the user did) before numba is first imported."""
    os.environ.setdefault("NUMBA_CACHE_DIR", _cache_of())


def _cache_of(*folders: Path) -> str:
    return str(cache_folder() / f"numba-{fingerprint_of_compiled_sources(*folders)}")


def jit(function):
    """Compile with numba, cached on disk, IEEE arithmetic (no fastmath), no Python fallback."""
    import numba  # here, not above: commands that simulate nothing must not pay for this import

    package = home(function.__module__.split(".")[0]) if "." in function.__module__ else None
    before = numba.config.CACHE_DIR
    if package not in (None, OURS) and before == _cache_of():  # else the user has chosen it
        numba.config.CACHE_DIR = _cache_of(OURS, package)
    try:
        return numba.njit(cache=True, error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = before
