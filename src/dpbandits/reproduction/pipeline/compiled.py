"""Compile what the simulations of a run call, once, before they are started side by side.

numba keeps machine code on disk; two processes that compile one function at once would write the
same files. So one job compiles the algorithms about one paper. Jobs of two papers share functions
of core/ alone, which have the same types in both.
"""

from collections.abc import Iterable

from dpbandits.core.algorithms import get_algorithm, run
from dpbandits.reproduction.papers import key_of
from dpbandits.reproduction.pipeline.plan import Cell, Job, Plan

ROUNDS = 200  # enough to call every function


def paper_of(algorithm: str) -> str:
    return key_of(get_algorithm(algorithm).module)


def papers_of(job: Job) -> list[str]:
    """The papers whose algorithms a job simulates."""
    return sorted({paper_of(name) for name in {cell.algorithm for cell in job.cells}})


def papers_simulated(plan: Plan, algorithms: Iterable[str]) -> list[str]:
    """Of the papers about these algorithms those for which the plan has a job that compiles."""
    of_plan = {paper for job in plan.jobs.values() for paper in papers_of(job)}
    return sorted({paper_of(name) for name in algorithms} & of_plan)


def kinds_of(plan: Plan, paper: str) -> list[Cell]:
    """A cell of each algorithm about a paper, and of each set of texts and types in its settings,
    which may lead to functions of their own."""
    found: dict[tuple, Cell] = {}
    for job in plan.jobs.values():
        for cell in job.cells if paper in papers_of(job) else ():
            found.setdefault((cell.algorithm, *_types(cell)), cell)
    return [cell for cell in found.values() if paper_of(cell.algorithm) == paper]


def compile_all(plan: Plan, paper: str) -> list[str]:
    """Simulate a few rounds of each kind of cell; the names of the algorithms."""
    cells = kinds_of(plan, paper)
    for cell in cells:
        rounds = min(cell.horizon, ROUNDS)
        run(cell.algorithm, _setting(cell), cell.epsilon, rounds, [0], [rounds])
    return sorted({cell.algorithm for cell in cells})


def _setting(cell: Cell) -> dict:
    return cell.setting if isinstance(cell.setting, dict) else cell.setting[0]


def _types(cell: Cell) -> list[tuple[str, str]]:
    items = sorted(_setting(cell).items())
    return [(key, v if isinstance(v, str) else type(v).__name__) for key, v in items]
