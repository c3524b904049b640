"""The same arithmetic on every x86-64 processor with AVX2.

OpenBLAS, NumPy and numba choose machine code by processor, and the variants round differently: they
sum in another order, use other polynomials for `exp` and `log`, or sort ties differently. The last
digits would then differ from machine to machine, and a threshold can make that a large difference.
So environment variables fix the variant before these libraries are loaded, and set one thread, as
the order of a sum depends on the number of threads.
"""

import os
import sys
import warnings

ONE_THREAD = {
    f"{library}_NUM_THREADS": "1"
    for library in ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB_MAXIMUM")
}
AVX2 = {
    "OPENBLAS_CORETYPE": "Haswell",  # NumPy and SciPy bring an OpenBLAS each; both read this
    "OPENBLAS_L2_SIZE": "512",  # kB; the size of its blocks may follow the cache
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",  # all above X86_V3, which is AVX2
    "NUMBA_CPU_NAME": "haswell",
    "NUMBA_CPU_FEATURES": "+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+popcnt",
    "NUMBA_DISABLE_INTEL_SVML": "1",
}

CPUINFO = "/proc/cpuinfo"


def pin(cpuinfo: str = CPUINFO) -> None:
    """Set the variables; warn if NumPy is loaded already, which makes it too late."""
    pins = ONE_THREAD | (AVX2 if has_avx2(cpuinfo) else {})
    changed = {name: value for name, value in pins.items() if os.environ.get(name) != value}
    os.environ.update(changed)
    if changed and "numpy" in sys.modules:
        warnings.warn(
            "NumPy was imported before dpbandits: the last digits of results may depend on this "
            "processor. Import dpbandits first.",
            RuntimeWarning,
            stacklevel=3,
        )


def has_avx2(cpuinfo: str = CPUINFO) -> bool:
    """Whether this is Linux on x86-64 with AVX2 and FMA; elsewhere results may differ."""
    try:
        with open(cpuinfo, encoding="utf-8") as lines:
            flags = next((line for line in lines if line.startswith("flags")), "").split()
    except OSError:
        return False
    return {"avx2", "fma"} <= set(flags)
