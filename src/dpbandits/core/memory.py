"""Memory that was used once stays in the process: its pages need not be made anew.

NumPy's temporaries of some megabytes come from mmap and go back at once, and each page that comes
again costs a fault and zeros: more than the arithmetic on it, on virtual machines several times.
Nor is it gone through at the end: Python would look for cycles among all that was ever imported.
"""

import atexit
import ctypes
import gc

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # glibc's names for mallopt, malloc.h
MOST = 2**31 - 1  # mallopt takes an int


def keep() -> None:
    """Let malloc, if it is that of glibc, take what it can from memory that it has."""
    atexit.register(gc.freeze)
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    mallopt(MMAP_THRESHOLD, MOST)
    mallopt(TRIM_THRESHOLD, MOST)
