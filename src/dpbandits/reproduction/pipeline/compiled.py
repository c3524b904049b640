"""Compile what the simulations of a run call, once, before they are started side by side.

numba keeps machine code on disk; two processes that compile one function at once would write the
same files. So the jobs that compile the algorithms about one paper run one after the other, each
some algorithms; what simulates these need not wait for the next. Jobs of two papers share functions
of core/ alone, which have the same types in both.
"""

from collections.abc import Iterable

from dpbandits.core.algorithms import get_algorithm, run
from dpbandits.reproduction.papers import key_of
from dpbandits.reproduction.pipeline.plan import Cell, Plan

ROUNDS = 200  # enough to call every function
AT_ONCE = 6  # algorithms of a job


def paper_of(algorithm: str) -> str:
    return key_of(get_algorithm(algorithm).module)


def parts_of(plan: Plan) -> dict[str, list[str]]:
    """PAPER/PART of each job that compiles, and its algorithms, in the order of the jobs."""
    names = {cell.algorithm: None for job in plan.jobs.values() for cell in job.cells}
    papers: dict[str, list[str]] = {}
    for name in names:
        papers.setdefault(paper_of(name), []).append(name)
    return {
        f"{paper}/{first // AT_ONCE}": own[first : first + AT_ONCE]
        for paper, own in papers.items()
        for first in range(0, len(own), AT_ONCE)
    }


def parts_for(algorithms: Iterable[str], parts: dict[str, list[str]]) -> list[str]:
    """Of these jobs those that compile one of the algorithms."""
    wanted = {*algorithms}
    return [part for part, own in parts.items() if wanted & {*own}]


def part_before(part: str) -> list[str]:
    """The job of the same paper that is to be over first, if there is one."""
    paper, _, number = part.partition("/")
    return [f"{paper}/{int(number) - 1}"] if number != "0" else []


def kinds_of(plan: Plan, part: str) -> list[Cell]:
    """A cell of each algorithm of a part, and of each set of texts and types in its settings, which
    may lead to functions of their own."""
    own, found = {*parts_of(plan)[part]}, {}
    for job in plan.jobs.values():
        for cell in job.cells:
            if cell.algorithm in own:
                found.setdefault((cell.algorithm, *_types(cell)), cell)
    return [*found.values()]


def compile_all(plan: Plan, part: str) -> list[str]:
    """Simulate a few rounds of each kind of cell; the names of the algorithms."""
    for cell in kinds_of(plan, part):
        rounds = min(cell.horizon, ROUNDS)
        run(cell.algorithm, _setting(cell), cell.epsilon, rounds, [0], [rounds])
    return parts_of(plan)[part]


def _setting(cell: Cell) -> dict:
    return cell.setting if isinstance(cell.setting, dict) else cell.setting[0]


def _types(cell: Cell) -> list[tuple[str, str]]:
    items = sorted(_setting(cell).items())
    return [(key, v if isinstance(v, str) else type(v).__name__) for key, v in items]
