"""Emulate other processors by environment variables, and make files of a scale on one of them.

python tests/helpers/processors.py FOLDER SCALE WHAT...
WHAT: PAPER/TABLE, all-tables, claims/PAPER, figures/PAPER; the last two read FOLDER/tables

All files are made in one process, which takes 20 s instead of 200 and gives the same files.
"""

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

FARTHEST = ("Intel, AVX-512", "before AVX2")


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


def make(folder: Path, scale: str, what: list[str]) -> None:
    from dpbandits.core.documents import read_yaml
    from dpbandits.reproduction.files import write_csv
    from dpbandits.reproduction.ledger.claims import claims
    from dpbandits.reproduction.pipeline.figures import draw, figures
    from dpbandits.reproduction.pipeline.jobs import table_of
    from dpbandits.reproduction.pipeline.ledger import check_all
    from dpbandits.reproduction.pipeline.plan import Plan

    plan = Plan(read_yaml(ROOT / "config/config.yaml") | {"scale": scale})
    for key in plan.tables():
        if key in what or "all-tables" in what:
            write_csv(table_of(plan, *key.split("/")), folder / f"tables/{key}.csv")
    for paper in [paper for paper in plan.papers if f"claims/{paper}" in what]:
        own = sorted(id for id, claim in claims().items() if claim.paper.lower() == paper)
        verdicts, points, _ = check_all(own, folder / f"tables/{paper}")
        write_csv(verdicts, folder / f"claims/{paper}/verdicts.csv")
        write_csv(points, folder / f"claims/{paper}/points.csv")
    for figure in [f for f in figures().values() if f"figures/{f.paper}" in what]:
        draw(figure.name, folder / "tables" / figure.paper, folder / "figures" / figure.paper)


if __name__ == "__main__":
    from dpbandits.reproduction import processor

    processor.pin()
    make(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
