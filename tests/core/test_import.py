"""Importing the library changes nothing in the process; nor does what it compiles."""

import json
import os
import subprocess
import sys

import pytest

WATCHED = """
import json, os, sys, warnings
warnings.simplefilter("error")
import numpy, scipy.linalg, numba, threadpoolctl
def state():
    threads = {x["filepath"]: x["num_threads"] for x in threadpoolctl.threadpool_info()}
    config = {k: repr(v) for k, v in vars(numba.config).items() if k.isupper()}
    rest = {"numba threads": numba.get_num_threads(), "folder": os.getcwd(), "path": str(sys.path)}
    return {**os.environ, "variables": len(os.environ), **threads, **config, **rest}
before = state()
"""
PINNED = ("OMP", "OPENBLAS", "MKL", "NUMBA", "NPY", "VECLIB")


def in_new_process(program: str):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(PINNED)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("use", [
    "[getattr(dp, name) for name in dp.PUBLIC]",
    "dp.run('ftnl', {'means': [0.7, 0.5]}, 1.0, 100, range(2))",  # has compiled code
])  # fmt: skip
def test_importing_and_running_change_nothing_in_the_process(use):
    kept = "print(json.dumps(before.items() <= state().items()))"
    assert in_new_process(f"{WATCHED}import dpbandits as dp\n{use}\n{kept}")
