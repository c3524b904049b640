"""Compiled code: one decorator, and a disk cache that never serves stale machine code.

numba looks only at the file of a cached function, not at the files of the functions that it calls:
after an edit of `noise.py` every engine would go on with the old noise. We therefore keep one cache
folder per content of all sources that hold compiled code.
"""

import hashlib
import os
import tempfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]


def fingerprint_of_compiled_sources() -> str:
    """Hash of every module of the package that mentions numba or the decorator below."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_bytes()
        if b"numba" in source or b"@jit" in source:
            digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + source)
    return digest.hexdigest()


def use_cache_of_these_sources() -> None:
    """Set NUMBA_CACHE_DIR (unless the user did) before numba is first imported."""
    if "NUMBA_CACHE_DIR" in os.environ:
        return
    home = PACKAGE / "__pycache__"
    if not os.access(PACKAGE, os.W_OK):  # installed read-only
        home = Path(os.environ.get("XDG_CACHE_HOME", tempfile.gettempdir())) / "dpbandits"
    os.environ["NUMBA_CACHE_DIR"] = str(home / f"numba-{fingerprint_of_compiled_sources()}")


def jit(function):
    """Compile with numba, cached on disk, IEEE arithmetic (no fastmath), no Python fallback."""
    import numba  # here, not above: commands that simulate nothing must not pay for this import

    return numba.njit(cache=True, error_model="numpy")(function)
