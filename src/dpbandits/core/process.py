"""How a command ends early: Ctrl-C, or more memory than there is, in one line."""

import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dpbandits.core import files
from dpbandits.core.errors import InputError, Interrupted

INTERRUPTED = 130  # exit code, as shells have it for SIGINT
LINE = "dpbandits: interrupted"
CGROUP = Path("/sys/fs/cgroup/memory.max")


def _end(number, frame) -> None:
    """Compiled code calls back into Python, where a KeyboardInterrupt would crash the process: so
    once numba is loaded the process ends at once instead of raising it."""
    if "numba" not in sys.modules:
        raise Interrupted
    files.remove_partial()
    os.write(2, f"{LINE}\n".encode())
    os._exit(INTERRUPTED)


def physical_memory() -> int:
    """Bytes of memory of this computer, or of the container that we are in."""
    amount = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with suppress(OSError, ValueError):  # `max`, or no such file: no limit
        amount = min(amount, int(CGROUP.read_text()))
    return amount


def refuse_size(need: float, where: str) -> None:
    """Refuse what needs more memory than there is, before anything is allocated."""
    if need > (memory := physical_memory()):
        amounts = f"needs some {need / 1e9:.3g} GB, this machine has {memory / 1e9:.3g}"
        raise InputError(f"{where}: {amounts}; allowed: smaller sizes")


@contextmanager
def memory_stated(where: str) -> Iterator[None]:
    """In this block an allocation that fails is wrong input; NumPy says how much it asked for."""
    try:
        yield
    except MemoryError as error:
        raise InputError(f"{where}: not enough memory: {error}; allowed: smaller sizes") from None


@contextmanager
def one_line_ends() -> Iterator[None]:
    """In this block Ctrl-C exits with one line and code 130, and an allocation that cannot fit into
    memory raises MemoryError, where Linux would kill the process."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    ours = False
    with suppress(ValueError, OSError):  # a lower limit is set already
        most = physical_memory()
        if before[0] == resource.RLIM_INFINITY or before[0] > most:
            resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
    with suppress(ValueError):  # not the main thread: it never gets a signal
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _end)
            ours = True
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
