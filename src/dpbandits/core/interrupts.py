"""Ctrl-C: one line and exit code 130, with nothing half written.

Compiled code calls back into Python, where a KeyboardInterrupt would crash the process. So once
numba is loaded the process ends at once instead of raising it.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from dpbandits.core import files

INTERRUPTED = 130  # exit code, as shells have it for SIGINT
LINE = "dpbandits: interrupted"


def _end(number, frame) -> None:
    if "numba" not in sys.modules:
        raise KeyboardInterrupt
    files.remove_partial()
    os.write(2, f"{LINE}\n".encode())
    os._exit(INTERRUPTED)


@contextmanager
def interruptible() -> Iterator[None]:
    """In this block Ctrl-C ends the process so, unless the process ignores or handles it."""
    try:
        before = signal.getsignal(signal.SIGINT)
        ours = before is signal.default_int_handler
        if ours:
            signal.signal(signal.SIGINT, _end)
    except ValueError:  # not the main thread: it never gets a signal
        ours = False
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGINT, before)
