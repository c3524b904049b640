"""`dpbandits test PAPER`: is what a paper says of itself true, and does it hold the contracts?"""

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

from dpbandits.core.errors import InputError, nearest
from dpbandits.core.registry import ENTRY_POINTS, Paper, Place, papers

TESTS = ("tests/core/test_registry.py", "tests/core/test_mechanism_contract.py")


def test(options) -> int:
    from dpbandits.core.algorithms import algorithms
    from dpbandits.core.mechanisms import CALIBRATORS, MECHANISMS

    known = papers() | {paper.package: paper for paper in papers().values()}
    if options.paper not in known:
        raise InputError(f"test {options.paper}: {nearest(options.paper, known)}")
    if not all(Path(path).is_file() for path in TESTS):
        raise InputError("test: allowed: in a checkout of dpbandits, which holds the contracts")
    paper = known[options.paper]
    said = list(problems(paper))
    print("\n".join(said) or f"{paper.key}: names, tables, pages and looks are in order")
    entries = [*algorithms().items(), *MECHANISMS.all().items(), *CALIBRATORS.all().items()]
    names = {name for name, entry in entries if f"{entry.module}.".startswith(f"{paper.package}.")}
    if not names:
        return 1 if said else 0
    chosen = " or ".join(sorted(names))
    code = subprocess.call([sys.executable, "-m", "pytest", "-q", *TESTS, "-k", chosen])
    return code or (1 if said else 0)


def problems(paper: Paper) -> Iterator[str]:
    """What a paper names and does not have, one line each."""
    from dpbandits.core.algorithms import STUDIES, algorithms
    from dpbandits.core.claims import claims, place
    from dpbandits.core.figures import FIGURES
    from dpbandits.pipeline.tables import load_plan

    for entry in entry_points(group=ENTRY_POINTS):
        if entry.value.split(":")[0] == paper.package and entry.name != paper.key:
            yield f"pyproject.toml: entry point '{entry.name}'; allowed: the key '{paper.key}'"
    yield from _looks(paper)
    tables = {name.split("/")[1] for name in load_plan(paper=paper.key).tables()}
    known = claims()
    for name, algorithm in algorithms().items():
        claim = algorithm.claim or "assumed: "
        if algorithm.paper == paper.key and claim not in known and claim[:9] != "assumed: ":
            hint = nearest(claim, claims(paper.key), "or 'assumed: why'")
            yield f"{Place.of(algorithm.simulate)}: '{name}': claim '{claim}'; {hint}"
    for registry, function in ((FIGURES, "make"), (STUDIES, "compute")):
        for name, entry in registry.all().items():
            key, inside = name.split("/")[0], f"{entry.module}.".startswith(f"{paper.package}.")
            where = Place.of(getattr(entry, function))
            if inside and key != paper.key:
                yield f"{where}: {registry.kind} '{name}'; allowed: '{paper.key}/NAME'"
            for table in getattr(entry, "reads", ()) if key == paper.key else ():
                if table not in tables:
                    yield f"{where}: '{name}' reads table '{table}'; {nearest(table, tables)}"
    for id, claim in claims(paper.key).items():
        where = "{}:{}".format(*place(claim))
        if claim.paper.lower() != paper.key:
            yield f"{where}: claim '{id}'; allowed: {paper.key.upper()}-NAME"
        for table in set(claim.reads) - tables:
            yield f"{where}: '{id}' reads table '{table}'; {nearest(table, tables)}"
        for page in {page for reading in claim.readings for page in reading.evidence}:
            if page.startswith("docs/") and not paper.file(page).is_file():
                yield f"{where}: evidence of '{id}': there is no {page}"


def _looks(paper: Paper) -> Iterator[str]:
    from dpbandits.plots.style import MARKERS, METHODS

    most = len(METHODS) * len(MARKERS) - 1
    others = (other.looks for other in papers().values() if other.key != paper.key)
    taken = {slot: name for looks in others for name, slot in looks.items()}
    for name, slot in paper.looks.items():
        if type(slot) is not int or not 0 <= slot <= most:
            yield f"{paper.package}: looks: '{name}' = {slot}; allowed: 0 to {most}"
        elif slot in taken:
            free = min(set(range(most + 1)) - {*taken, *paper.looks.values()})
            yield f"{paper.package}: looks: '{name}' = {slot} is {taken[slot]}'s; free: {free}"
