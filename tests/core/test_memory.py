"""core.memory: what was freed is used again, without new pages from the system."""

import ctypes
import resource
import subprocess
import sys
from types import SimpleNamespace

import pytest

from dpbandits.core import memory

FAULTS = """
import dpbandits, numpy as np, resource
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    np.ones(8_000_000)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
print(faults(), *(faults() for _ in range(5)))
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="no glibc here")
def test_an_array_that_takes_the_place_of_another_costs_no_page():
    said = subprocess.run(
        [sys.executable, "-c", FAULTS], capture_output=True, check=True, text=True
    )
    first, *later = map(int, said.stdout.split())
    pages = 64_000_000 // resource.getpagesize()
    assert first > 10, "this measures nothing"  # huge pages are few
    assert max(later) < max(pages // 100, 1), later


def test_malloc_is_told_twice_or_nothing_happens(monkeypatch):
    """M_MMAP_THRESHOLD is -3 and M_TRIM_THRESHOLD -1 in malloc.h; both to the largest int."""
    told = []
    libc = SimpleNamespace(mallopt=lambda *option: told.append(option))
    monkeypatch.setattr(ctypes, "CDLL", {None: libc}.get)
    memory.keep()
    assert told == [(-3, 2147483647), (-1, 2147483647)]
    monkeypatch.setattr(ctypes, "CDLL", {None: SimpleNamespace()}.get)
    memory.keep()
    assert len(told) == 2
