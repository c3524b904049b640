"""Verdicts that Snakemake found up to date, and that nothing they follow from has changed since.

Starting Snakemake takes seconds. Its judgement of a paper's verdicts follows from the code, the
rules, the config and the results of the paper; while all of these are as they were when it was
asked, it is not asked again.
"""

from pathlib import Path

from dpbandits.core import cache
from dpbandits.core.compiled import files_in

CHECKOUT = ("Snakefile", "config", "workflow", "envs/requirements.lock", "src/dpbandits")
RESULTS = ("simulations", "tables", "claims")  # folders that have one per paper


def state() -> str:
    """A digest of the code, the rules and the config, by their bytes."""
    return cache.state(*CHECKOUT)


def results_behind(verdicts: str) -> list[list]:
    """All results of the paper of a file of verdicts: name, size and time of change."""
    folder = Path(verdicts).parent
    places = [folder.parents[1] / name / folder.name for name in RESULTS]
    found = {path: path.stat() for place in places for path in files_in(place)}
    return [[str(path), about.st_size, about.st_mtime_ns] for path, about in found.items()]


def known(papers: set[str], now: str) -> dict[str, str]:
    """Of papers whose verdicts are known to be up to date, the file of these; now: the state."""
    found = {}
    for paper in papers:
        verdicts, results = cache.read(f"verdicts-{paper}", now) or ("", None)
        if verdicts and results == results_behind(verdicts):
            found[paper] = verdicts
    return found


def record(verdicts: str, results: list[list], before: str) -> None:
    """Snakemake, asked after that state and those results were looked at, found it up to date."""
    if before == state():
        cache.write(f"verdicts-{Path(verdicts).parent.name}", before, [verdicts, results])
