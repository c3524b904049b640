"""Answers of the command line, kept on disk until a file that they depend on changes.

`dpbandits list` depends on the files of dpbandits and of the packages that bring papers.
`dpbandits check` asks Snakemake whether verdicts are up to date, which takes seconds; that depends
on the code, the rules, the config and the paper's results.
"""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from dpbandits.core.compiled import cache_locations
from dpbandits.core.files import write_text
from dpbandits.core.packages import digest_of, files_in, packages, paper_entry_points

CHECKOUT = ("Snakefile", "config", "workflow", "envs/requirements.lock", "src/dpbandits")
RESULTS = ("simulations", "tables", "claims")  # folders of the results that have one per paper


def state_of_packages(*others: str) -> str:
    """A digest of all files of the packages, and of other files and folders."""
    paths = dict.fromkeys([*packages().values(), *(Path(path).resolve() for path in others)])
    files = (file for path in paths for file in ([path] if path.is_file() else files_in(path)))
    return f"{digest_of(files)} {[entry.value for entry in paper_entry_points()]}"


def state_of_checkout() -> str:
    """A digest of the code, the rules and the config, with the packages."""
    return state_of_packages(*CHECKOUT)


def read(name: str, state: str) -> Any:
    """The answer that was kept under a name in this state; None if there is none."""
    for location in cache_locations():
        with suppress(OSError, ValueError):
            kept_state, answer = json.loads((location / f"{name}.json").read_text("utf-8"))
            if kept_state == state:
                return answer
    return None


def write(name: str, state: str, answer: Any) -> None:
    """Keep an answer, in the first location that can be written to."""
    for location in cache_locations():
        with suppress(OSError):
            write_text(json.dumps([state, answer]), location / f"{name}.json")
            return


def results_of_paper(verdicts: str) -> list[list]:
    """Name, size and time of change of all results of the paper that a file of verdicts is of."""
    claims = Path(verdicts).parent
    folders = [claims.parents[1] / name / claims.name for name in RESULTS]
    stats = {path: path.stat() for folder in folders for path in files_in(folder)}
    return [[str(path), stat.st_size, stat.st_mtime_ns] for path, stat in stats.items()]


def up_to_date_verdicts(papers: set[str], state: str) -> dict[str, str]:
    """Paper -> its file of verdicts, where Snakemake found it up to date in this state."""
    files = {}
    for paper in papers:
        verdicts, results = read(f"verdicts-{paper}", state) or ("", None)
        if verdicts and results == results_of_paper(verdicts):
            files[paper] = verdicts
    return files


def keep_up_to_date(verdicts: str, results: list[list], state: str) -> None:
    """Keep that Snakemake found verdicts up to date; `state` and `results` from before it ran."""
    if state == state_of_checkout():
        write(f"verdicts-{Path(verdicts).parent.name}", state, [verdicts, results])
