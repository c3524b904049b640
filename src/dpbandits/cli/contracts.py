"""`dpbandits test PAPER`: whatever a paper's package names exists, and its entries pass the tests
that hold for all algorithms and mechanisms."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from dpbandits.core.errors import InputError, nearest, outside, reported
from dpbandits.core.packages import paper_entry_points
from dpbandits.core.registry import Paper, Place
from dpbandits.reproduction.papers import papers

TESTS = ("tests/core/test_algorithm_contract.py", "tests/core/test_mechanism_contract.py")


def test(options) -> int:
    from dpbandits.core.algorithms import algorithms
    from dpbandits.core.mechanisms import CALIBRATORS, MECHANISMS

    by_name = papers() | {paper.package: paper for paper in papers().values()}
    if options.paper not in by_name:
        raise InputError(f"test {options.paper}: {nearest(options.paper, by_name)}")
    if not all(Path(path).is_file() for path in TESTS):
        raise InputError("test: allowed: in a checkout of dpbandits, which holds the contracts")
    paper = by_name[options.paper]
    found = list(problems(paper))
    entries = [*algorithms().items(), *MECHANISMS.all().items(), *CALIBRATORS.all().items()]
    lines = [*dict.fromkeys([*_left_out(paper), *found])]
    print("\n".join(lines) or f"{paper.key}: names, tables, pages and looks are in order")
    names = {name for name, entry in entries if _belongs(entry, paper)}
    code = 0
    if names:
        chosen = " or ".join(sorted(names))
        code = subprocess.call([sys.executable, "-m", "pytest", "-q", *TESTS, "-k", chosen])
    return code or (1 if lines else 0)


def _left_out(paper: Paper) -> list[str]:
    """What was reported of the paper, of what it names too: so the lists above are not whole."""
    names = (f"'{paper.key}'", f"{paper.package}.", f"{paper.judged_in}.", f"{paper.package} ")
    return [line for line in reported if any(name in line for name in names)]


def _belongs(entry, paper: Paper) -> bool:
    return paper.holds(entry.module)


def problems(paper: Paper) -> Iterator[str]:
    """One line for each thing that a paper names and does not have, or names wrongly."""
    from dpbandits.reproduction.pipeline.notebooks import undrawn_figure
    from dpbandits.reproduction.pipeline.tables import load_plan
    from dpbandits.reproduction.plots.figures import FIGURES
    from dpbandits.reproduction.studies import STUDIES

    for entry in paper_entry_points():
        if entry.value.split(":")[0] == paper.package and entry.name != paper.key:
            yield f"pyproject.toml: entry point '{entry.name}'; allowed: the key '{paper.key}'"
    tables: set[str] = set()
    try:
        tables = {name.split("/")[1] for name in load_plan(paper=paper.key).tables()}
    except outside() as error:
        yield f"{paper.package}: {error}"
    yield from _looks(paper)
    yield from _algorithms(paper)
    yield from _registered(paper, FIGURES, "make", tables)
    yield from _registered(paper, STUDIES, "compute", tables)
    yield from _claims(paper, tables)
    of_paper = (f for f in FIGURES.all(paper.key).values() if f.paper == paper.key)
    yield from filter(None, (undrawn_figure([figure]) for figure in of_paper))


def _looks(paper: Paper) -> Iterator[str]:
    """Numbers of colours and markers that do not exist, or that another paper uses."""
    from dpbandits.reproduction.plots.style import MARKERS, METHODS

    most = len(METHODS) * len(MARKERS) - 1
    others = (other.looks for other in papers().values() if other.key != paper.key)
    taken = {slot: name for looks in others for name, slot in looks.items()}
    for name, slot in paper.looks.items():
        if type(slot) is not int or not 0 <= slot <= most:
            yield f"{paper.package}: looks: '{name}' = {slot}; allowed: 0 to {most}"
        elif slot in taken:
            free = min(set(range(most + 1)) - {*taken, *paper.looks.values()})
            yield f"{paper.package}: looks: '{name}' = {slot} is {taken[slot]}'s; free: {free}"


def _algorithms(paper: Paper) -> Iterator[str]:
    """Algorithms whose privacy is neither a claim nor assumed."""
    from dpbandits.core.algorithms import algorithms
    from dpbandits.reproduction.ledger.claims import claims

    for name, algorithm in algorithms().items():
        claim = algorithm.claim
        stated = not claim or claim in claims() or claim.startswith("assumed: ")
        if algorithm.paper == paper.key and not stated:
            hint = nearest(claim, claims(paper.key), "or 'assumed: why'")
            yield f"{Place.of(algorithm.simulate)}: '{name}': claim '{claim}'; {hint}"


def _registered(paper: Paper, registry, function: str, tables: set[str]) -> Iterator[str]:
    """Figures or studies under another paper's key, and unknown tables that they read."""
    for name, entry in registry.all().items():
        key = name.split("/")[0]
        place = Place.of(getattr(entry, function))
        if _belongs(entry, paper) and key != paper.key:
            yield f"{place}: {registry.kind} '{name}'; allowed: '{paper.key}/NAME'"
        reads = (
            getattr(entry, "reads", ()) if getattr(entry, "folder", "tables") == "tables" else ()
        )
        for table in reads if key == paper.key else ():
            if table not in tables:
                yield f"{place}: '{name}' reads table '{table}'; {nearest(table, tables)}"


def _claims(paper: Paper, tables: set[str]) -> Iterator[str]:
    """Claims under another paper's key, and unknown tables, pages and TeX that they name."""
    from dpbandits.reproduction.ledger.claims import claims, place
    from dpbandits.reproduction.plots.texmath import unknown_commands

    for id, claim in claims(paper.key).items():
        where = "{}:{}".format(*place(claim))
        if claim.paper.lower() != paper.key:
            yield f"{where}: claim '{id}'; allowed: {paper.key.upper()}-NAME"
        for table in set(claim.reads) - tables:
            yield f"{where}: '{id}' reads table '{table}'; {nearest(table, tables)}"
        for page in {page for reading in claim.readings for page in reading.evidence}:
            if page.startswith("docs/") and not paper.file(page).is_file():
                yield f"{where}: evidence of '{id}': there is no {page}"
        fields = [claim.statement, *(v for r in claim.readings for v in dict(r).values())]
        texts = "\n".join(text for text in fields if isinstance(text, str))
        for name in dict.fromkeys(unknown_commands(texts)):
            yield f"{where}: '{id}': TeX command '\\{name}' is not known"
