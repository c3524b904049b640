"""The same bytes on every processor: all smoke tables under emulated ones are the golden tables.

Here under the two that are farthest apart, as a third's environment has the smoke run of
test_smoke.py; `make torture` takes all five.

That an emulation is one at all is shown the other way round: with NumPy imported before dpbandits,
too late for `core.processor`, the same command gives other numbers, and says so.
"""

import json

import pytest
from processors import FARTHEST, PROCESSORS, on
from scratch import ROOT

SETTING = '{"preset":"released","steps_factor":1,"step_size":0.15}'
FLIPHAT = ["simulate", "fliphat", "--setting", SETTING, "--epsilon", "inf"]
FLIPHAT += ["--horizon", "131071", "--seeds", "16", "--output"]
EARLY = "import sys; from dpbandits.cli import main; sys.exit(main(sys.argv[1:]))"
LATE = f"import warnings; warnings.simplefilter('ignore'); import numpy, scipy.linalg; {EARLY}"

SEEN = """
import dpbandits, json, numba, numpy, scipy.linalg, threadpoolctl
from numba.core.registry import cpu_target
from numpy._core._multiarray_umath import __cpu_features__ as features
blas = [x for x in threadpoolctl.threadpool_info() if x["internal_api"] == "openblas"]
print(json.dumps({
    "openblas": sorted({(x["architecture"], x["num_threads"]) for x in blas}),
    "libraries": len(blas),
    "numpy": [name for name in ("X86_V3", "X86_V4", "AVX512_ICL", "AVX512_SPR") if features[name]],
    "numba": cpu_target.target_context.codegen().magic_tuple()[1:],
}))
"""


def fliphat(processor: str, program: str, path) -> bytes:
    on(processor, "-c", program, *FLIPHAT, str(path))
    return path.read_bytes()


@pytest.mark.parametrize("processor", PROCESSORS)
def test_the_libraries_obey(processor):
    seen = json.loads(on(processor, "-c", SEEN))
    assert seen["openblas"] == [["Haswell", 1]]
    assert seen["libraries"] == 2  # NumPy's and SciPy's
    assert seen["numpy"] == ["X86_V3"]
    assert seen["numba"][0] == "haswell"
    assert "avx512" not in seen["numba"][1]


def test_emulated_processors_do_differ_if_nothing_is_pinned(tmp_path):
    """Sandybridge and Haswell: kernels that every machine with AVX2 can run."""
    old, new = "before AVX2", "Intel, AVX2"
    made = {name: fliphat(name, LATE, tmp_path / f"{name}.csv") for name in (old, new)}
    assert made[old] != made[new]


def test_one_command_gives_the_same_bytes_there(tmp_path):
    three = {*FARTHEST, "Intel, AVX2"}
    made = {name: fliphat(name, EARLY, tmp_path / f"{name}.csv") for name in three}
    assert len(set(made.values())) == 1


@pytest.mark.parametrize("processor", FARTHEST)
def test_smoke_tables_are_the_golden_ones_to_the_byte(processor, tmp_path):
    on(processor, str(ROOT / "tests/workflow/processors.py"), str(tmp_path), "smoke", "all-tables")
    made = {path.relative_to(tmp_path / "tables"): path.read_bytes() for path in tables(tmp_path)}
    golden = ROOT / "tests/golden"
    assert made == {path.relative_to(golden): path.read_bytes() for path in golden.rglob("*.csv")}


def tables(folder):
    return (folder / "tables").rglob("*.csv")
