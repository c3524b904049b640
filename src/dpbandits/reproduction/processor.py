"""The same arithmetic on every x86-64 processor with AVX2.

OpenBLAS, NumPy and numba choose machine code by processor, and the variants round differently: they
sum in another order, use other polynomials for `exp` and `log`, or sort ties differently. The last
digits would then differ from machine to machine, and a threshold can make that a large difference.
So the jobs of the workflow and the command line set environment variables before these libraries
are loaded: they fix the variant, and set one thread, as the order of a sum depends on the number of
threads. `import dpbandits` sets none.
"""

import os

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
    "NUMBA_OPT": "2",  # the same numbers as with 3, and less time to compile
}


def pin() -> None:
    """Set the variables, for this process and those that it starts; NumPy must not be loaded."""
    os.environ.update(ONE_THREAD | (AVX2 if has_avx2() else {}))


def has_avx2() -> bool:
    """Whether this is Linux on x86-64 with AVX2 and FMA; elsewhere results may differ."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            flags = next((line for line in lines if line.startswith("flags")), "").split()
    except OSError:
        return False
    return {"avx2", "fma"} <= set(flags)
