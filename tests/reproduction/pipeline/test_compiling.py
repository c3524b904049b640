"""Jobs that compile beside each other what both call, for two types: nothing is compiled again."""

import os
import subprocess
import sys

from dpbandits.core.files import write_text

FILES = {  # both call `shared`
    "somebodys/__init__.py": "",
    "somebodys/shared.py": "from dpbandits.core.compiled import jit\n\nf = jit(lambda x: x)\n",
    "somebodys-1.dist-info/entry_points.txt": "[dpbandits.algorithms]\nsome = somebodys\n",
    "somebodys-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: somebodys\nVersion: 1\n",
}
OWN = """from dpbandits.core.compiled import jit
from somebodys.shared import f
@jit
def own(x):
    return f(x) + 1
"""
JOB = """
import os, subprocess, sys
from dpbandits.reproduction.pipeline.compiled import apart
before = {**os.environ}
with apart():
    from somebodys.%s import own
    own(%s)
    subprocess.run([sys.executable, "-c", %r], check=True, env=before)  # begins and ends meanwhile
"""
CALL = "from somebodys.%s import own\nprint(own(%s), own.stats.cache_hits.total())"
RUNS = ("first", "1"), ("second", "1.5")


def test_jobs_that_compile_side_by_side_keep_what_each_has_compiled(tmp_path):
    owns = {f"somebodys/{name}.py": OWN for name, _ in RUNS}
    for name, text in (FILES | owns).items():
        write_text(text, tmp_path / name)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def python(program):
        command = [sys.executable, "-c", program]
        return subprocess.run(command, check=True, stdout=-1, text=True, env=environment).stdout

    python(JOB % (*RUNS[0], JOB % (*RUNS[1], "")))
    assert [python(CALL % run).split() for run in RUNS] == [["2", "1"], ["2.5", "1"]]
