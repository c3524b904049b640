"""One thread per process, as in the workflow's jobs."""

import os

for variable in ("OMP", "OPENBLAS", "MKL", "NUMBA"):  # as in jobs: one thread each
    os.environ.setdefault(f"{variable}_NUM_THREADS", "1")
