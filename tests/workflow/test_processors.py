"""Results are the same to the byte on every processor.

All smoke tables are compared with the golden ones on two emulated processors that are farthest
apart: the environment of all tests (conftest.py) and that of the run in test_smoke.py.

That the emulation has an effect is shown without `reproduction.processor`: then the solution of a
system of equations depends on the processor.
"""

import json
import os

import pytest
from processors import FARTHEST, HAS_AVX512, PROCESSORS, on
from smoke_tables import GOLDEN, names

SOLVE = """
import numpy
matrix = numpy.random.default_rng(0).normal(size=(99, 99))
print(numpy.linalg.solve(matrix, numpy.exp(matrix[0])).tobytes().hex())
"""

EMULATED = [name for name in PROCESSORS if HAS_AVX512 or "AVX-512" not in name]
PIN = "from dpbandits.reproduction import processor; processor.pin()\n"
SEEN = f"""
{PIN}
import json, numba, numpy, scipy.linalg, threadpoolctl
blas = [x for x in threadpoolctl.threadpool_info() if x["internal_api"] == "openblas"]

@numba.njit
def add(x, y):
    for i in range(x.size):
        x[i] += y[i]

add(numpy.ones(9), numpy.ones(9))
code = "".join(add.inspect_asm().values())
print(json.dumps({{
    "openblas": sorted({{(x["architecture"], x["num_threads"]) for x in blas}}),
    "libraries": len(blas),
    "numpy": numpy.show_config(mode="dicts")["SIMD Extensions"]["found"],
    "numba": numba.config.CPU_NAME,
    "registers": [name for name in ("ymm", "zmm") if name in code],
}}))
"""


@pytest.mark.parametrize("processor", [*EMULATED, "of all tests"])
def test_libraries_use_the_fixed_variant(processor, capsys):
    if processor in PROCESSORS:
        output = on(processor, "-c", SEEN)
    else:
        exec(SEEN, {})
        output = capsys.readouterr().out
    seen = json.loads(output)
    assert seen["openblas"] == [["Haswell", 1]]
    assert seen["libraries"] == 2  # NumPy's and SciPy's
    assert seen["numpy"] == ["X86_V3"]
    assert seen["numba"] == "haswell"
    assert seen["registers"] == ["ymm"]  # of AVX2, not of AVX-512


def test_emulated_processors_differ_if_nothing_is_fixed():
    """Sandybridge and Haswell: kernels that every machine with AVX2 can run."""
    processors = ("before AVX2", "Intel, AVX2")
    assert len({on(name, "-c", SOLVE) for name in processors}) == 2
    assert len({on(name, "-c", f"{PIN}{SOLVE}") for name in processors}) == 1


def test_environment_of_all_tests_is_an_emulated_processor():
    """There each paper's tests compare its smoke tables with the golden ones. Pinning does not
    overrule the variable of pyarrow, which shows that conftest.py has set it."""
    here = PROCESSORS[FARTHEST[1]]
    assert os.environ["ARROW_USER_SIMD_LEVEL"] == here["ARROW_USER_SIMD_LEVEL"]
    assert os.environ["OPENBLAS_CORETYPE"] != here["OPENBLAS_CORETYPE"]
    golden = {path.relative_to(GOLDEN).as_posix() for path in GOLDEN.rglob("*.csv")}
    assert golden == {
        f"{paper}/{name}.csv" for paper in ("hu", "fl", "us", "kl") for name in names(paper)
    }
