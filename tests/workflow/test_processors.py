"""The same bytes on every processor: all smoke tables under emulated ones are the golden tables.

Of the two that are farthest apart one is the environment of all tests (conftest.py), the other that
of the smoke run of test_smoke.py; processors_at_large.py takes the other three.

That an emulation is one at all is shown the other way round: with NumPy imported before dpbandits,
too late for `core.processor`, the same system of equations has other solutions, and we say so.
"""

import json
import os

import pytest
from processors import FARTHEST, PROCESSORS, on
from smoke_tables import GOLDEN, names

SOLVE = """
import numpy
matrix = numpy.random.default_rng(0).normal(size=(99, 99))
print(numpy.linalg.solve(matrix, numpy.exp(matrix[0])).tobytes().hex())
"""

SEEN = """
import dpbandits, json, numba, numpy, scipy.linalg, threadpoolctl
blas = [x for x in threadpoolctl.threadpool_info() if x["internal_api"] == "openblas"]

@numba.njit
def add(x, y):
    for i in range(x.size):
        x[i] += y[i]

add(numpy.ones(9), numpy.ones(9))
code = "".join(add.inspect_asm().values())
print(json.dumps({
    "openblas": sorted({(x["architecture"], x["num_threads"]) for x in blas}),
    "libraries": len(blas),
    "numpy": numpy.show_config(mode="dicts")["SIMD Extensions"]["found"],
    "numba": numba.config.CPU_NAME,
    "registers": [name for name in ("ymm", "zmm") if name in code],
}))
"""


@pytest.mark.parametrize("processor", [*PROCESSORS, "of all tests"])
def test_the_libraries_obey(processor, capsys):
    if processor in PROCESSORS:
        said = on(processor, "-c", SEEN)
    else:
        exec(SEEN, {})
        said = capsys.readouterr().out
    seen = json.loads(said)
    assert seen["openblas"] == [["Haswell", 1]]
    assert seen["libraries"] == 2  # NumPy's and SciPy's
    assert seen["numpy"] == ["X86_V3"]
    assert seen["numba"] == "haswell"
    assert seen["registers"] == ["ymm"]  # of AVX2, not of AVX-512


def test_emulated_processors_do_differ_if_nothing_is_pinned():
    """Sandybridge and Haswell: kernels that every machine with AVX2 can run."""
    processors = ("before AVX2", "Intel, AVX2")
    assert len({on(name, "-c", SOLVE) for name in processors}) == 2
    assert len({on(name, "-c", f"import dpbandits{SOLVE}") for name in processors}) == 1


def test_the_tests_run_in_the_environment_of_one_of_the_farthest():
    """Where each paper's tests compare its smoke tables with the golden ones to the byte. pyarrow's
    variable is not dpbandits' to overrule: it tells that conftest.py was in time."""
    here = PROCESSORS[FARTHEST[1]]
    assert os.environ["ARROW_USER_SIMD_LEVEL"] == here["ARROW_USER_SIMD_LEVEL"]
    assert os.environ["OPENBLAS_CORETYPE"] != here["OPENBLAS_CORETYPE"]
    golden = {path.relative_to(GOLDEN).as_posix() for path in GOLDEN.rglob("*.csv")}
    assert golden == {
        f"{paper}/{name}.csv" for paper in ("hu", "fl", "us", "kl") for name in names(paper)
    }
