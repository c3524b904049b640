"""Compile what the simulations of a run call, once, before they are started side by side.

numba keeps machine code on disk; two processes that compile one function for two types at once
would write the same files. So the algorithms of a file are compiled in a job of their own, which
works on a copy of the folder of machine code (`apart`).
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from dpbandits.core.algorithms import get_algorithm, run
from dpbandits.core.compiled import cache_folder
from dpbandits.reproduction.papers import key_of
from dpbandits.reproduction.pipeline.plan import Cell, Plan, run_config

ROUNDS = 200  # enough to call every function


def simulated(plan: Plan) -> set[str]:
    """The algorithms that the jobs of a plan simulate."""
    return {name for job in plan.jobs.values() for name in job.algorithms}


def groups(plan: Plan) -> dict[str, list[str]]:
    """The algorithms of each job, those of one file, by the first of them."""
    found: dict[str, list[str]] = {}
    for name in sorted(simulated(plan)):
        found.setdefault(get_algorithm(name).module, []).append(name)
    return {own[0]: own for own in found.values()}


def kinds_of(plan: Plan, algorithm: str) -> list[Cell]:
    """A cell of each set of texts and types in the settings of an algorithm, which may lead to
    functions of their own."""
    found: dict[tuple, Cell] = {}
    for job in plan.jobs.values():
        for cell in job.cells:
            if cell.algorithm == algorithm:
                found.setdefault((*_types(cell),), cell)
    return [*found.values()]


def compile_group(algorithms: list[str]) -> int:
    """Simulate a few rounds of each kind of cell of their paper; how many kinds there are."""
    paper = key_of(get_algorithm(algorithms[0]).module)
    plan = Plan(run_config() | {"papers": [paper]})
    cells = [cell for algorithm in algorithms for cell in kinds_of(plan, algorithm)]
    for cell in cells:
        rounds = min(cell.horizon, ROUNDS)
        run(cell.algorithm, _setting(cell), cell.epsilon, rounds, [0], [rounds])
    return len(cells)


@contextmanager
def apart() -> Iterator[None]:
    """Keep machine code in a copy of its folder, and at the end add to the folder what is new.

    What another process has added meanwhile stays: an algorithm's own function, which holds all
    that it calls, is compiled in one job alone. To be entered before anything is compiled.
    """
    shared = cache_folder()
    with TemporaryDirectory() as own:
        os.environ["NUMBA_CACHE_DIR"] = own
        cache_folder.cache_clear()
        with alone(shared):
            shutil.copytree(shared, cache_folder(), dirs_exist_ok=True)
        yield
        with alone(shared):
            for path in filter(Path.is_file, cache_folder().rglob("*")):
                to = shared / path.relative_to(cache_folder())
                to.parent.mkdir(parents=True, exist_ok=True)
                if not to.exists():
                    shutil.move(path, to)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """While no other process is here, where files have locks."""
    with open(folder / "lock", "w") as lock:
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _setting(cell: Cell) -> dict:
    return cell.setting if isinstance(cell.setting, dict) else cell.setting[0]


def _types(cell: Cell) -> list[tuple[str, str]]:
    items = sorted(_setting(cell).items())
    return [(key, v if isinstance(v, str) else type(v).__name__) for key, v in items]
