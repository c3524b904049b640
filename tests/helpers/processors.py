"""Emulate other processors by environment variables."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NO_AVX512 = "X86_V4 AVX512_ICL AVX512_SPR"
PROCESSORS = {
    "Intel, AVX2": {
        "OPENBLAS_CORETYPE": "Haswell",
        "NPY_DISABLE_CPU_FEATURES": NO_AVX512,
        "NUMBA_CPU_NAME": "haswell",
    },
    "Intel, AVX-512": {
        "OPENBLAS_CORETYPE": "SkylakeX",
        "OPENBLAS_L2_SIZE": "2048",
        "NPY_DISABLE_CPU_FEATURES": "",
        "NUMBA_CPU_NAME": "skylake-avx512",
        "OPENBLAS_NUM_THREADS": "2",
    },
    "AMD, AVX2": {
        "OPENBLAS_CORETYPE": "Zen",
        "NPY_DISABLE_CPU_FEATURES": NO_AVX512,
        "NUMBA_CPU_NAME": "znver2",
        "NUMBA_CPU_FEATURES": "+avx2",
        "ARROW_USER_SIMD_LEVEL": "AVX2",
    },
    "AMD, AVX-512": {
        "OPENBLAS_CORETYPE": "Cooperlake",
        "OPENBLAS_L2_SIZE": "1024",
        "NPY_DISABLE_CPU_FEATURES": "AVX512_SPR",
        "NUMBA_CPU_NAME": "znver4",
    },
    "before AVX2": {  # which every machine of today can emulate
        "OPENBLAS_CORETYPE": "Sandybridge",
        "NPY_DISABLE_CPU_FEATURES": f"X86_V3 {NO_AVX512}",
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
        "ARROW_USER_SIMD_LEVEL": "NONE",
    },
}

# A library that is told of AVX-512 runs it, also where the processor has none, and is killed.
CPUINFO = Path("/proc/cpuinfo")
HAS_AVX512 = CPUINFO.exists() and "avx512f" in CPUINFO.read_text()
FARTHEST = ("Intel, AVX-512" if HAS_AVX512 else "Intel, AVX2", "before AVX2")


def on(processor: str, *command: str) -> str:
    """The output of a Python command on an emulated processor."""
    variables = {name for settings in PROCESSORS.values() for name in settings}
    environment = {name: value for name, value in os.environ.items() if name not in variables}
    done = subprocess.run(
        [sys.executable, *command],
        env=environment | PROCESSORS[processor] | {"PYTHONPATH": f"{ROOT / 'src'}"},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
