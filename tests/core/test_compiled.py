"""The disk cache of machine code: it is used again, and never after an edit of any source.

With an outside package that brings a paper, in new processes.
"""

import os
import subprocess
import sys

import pytest

from dpbandits.core.files import write_text

COMPILED = """from dpbandits.core.compiled import jit
{uses}

@jit
def f(x):
    return {value}
"""
FILES = {  # caller -> near -> far -> plain
    "somebodys/__init__.py": "",
    "somebodys/plain.py": "STEP = 1\n",
    "somebodys/far.py": COMPILED.format(uses="from somebodys.plain import STEP", value="x + STEP"),
    "somebodys/near.py": COMPILED.format(uses="from somebodys.far import f as g", value="g(x)"),
    "somebodys/caller.py": COMPILED.format(uses="from somebodys.near import f as g", value="g(x)"),
    "somebodys-1.dist-info/entry_points.txt": "[dpbandits.algorithms]\nsome = somebodys\n",
    "somebodys-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: somebodys\nVersion: 1\n",
}
CALL = """
import sys
from dpbandits.core.compiled import cache_folder
from somebodys.caller import f
print(f(1), f.stats.cache_hits.total(), cache_folder().name)
"""


@pytest.fixture
def call(tmp_path):
    """f(1) in a new process, the number of cache hits, and the name of the cache folder."""
    for name, text in FILES.items():
        write_text(text, tmp_path / name)
    cache = tmp_path / "cache"
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path}

    def call(first="", folder=cache, program=CALL):
        command = [sys.executable, "-c", first + program]
        done = subprocess.run(
            command, check=True, capture_output=True, text=True,
            env=environment | {"NUMBA_CACHE_DIR": str(folder)},
        )  # fmt: skip
        answer, hits, name = done.stdout.split()
        return int(answer), int(hits), name

    return call


def test_edit_of_an_imported_constant_compiles_again(call, tmp_path):
    plain = tmp_path / "somebodys/plain.py"
    first, again = call(), call()
    assert first[:2] == (2, 0)
    assert again[:2] == (2, 1)
    assert first[2] == again[2]
    write_text("STEP = 20\n", plain)
    edited = call()
    assert edited[:2] == (21, 0)
    assert edited[2] != first[2]
    write_text("STEP = 1\n", plain)
    assert call() == again  # the machine code of these sources is still there


PHASES = """
import math
from dpbandits.stochastic.rounds import Phases, bandit_algorithm

def lead(mean, n, t):
    return mean + {width} * math.sqrt(math.log(t) / n)

@bandit_algorithm("made-up", source="a test", claim="assumed: as the others")
class MadeUp(Phases):
    state = ("n", "mean")

    def start(self):
        import numpy as np
        super().start()
        self.n, self.mean = np.ones(self.K), np.zeros(self.K)

    def index(self):
        out = self.mean.copy()
        for a in range(self.K):
            out[a] = lead(self.mean[a], self.n[a], self.t)
        return out

    def size(self, a):
        return max(1, int(self.n[a]))

    def release(self, a, total, n):
        self.n[a], self.mean[a] = self.n[a] + n, total / n
"""
RUN = """
import math
from somebodys import made_up
from dpbandits.core.algorithms import run
both = [run("made-up", {"means": [0.0, 1.0, 1.0]}, math.inf, 3000, [0], [3000], engine=e).regret
        for e in ("fast", "plain")]
print(*(int(x[0, 0]) for x in both), "_")
"""


def test_a_phase_algorithm_of_another_package_gets_its_engine(call, tmp_path):
    """With certain rewards and no noise both play the same arms, also after an edit of a function
    that its index calls."""
    regret = []
    for width in (2, 6):
        write_text(PHASES.replace("{width}", str(width)), tmp_path / "somebodys/made_up.py")
        fast, plain, _ = call(program=RUN)
        assert fast == plain > 0
        regret.append(fast)
    assert regret[1] > regret[0]
