"""Checksums of results: those that jobs wrote into their logs, and the manifest of a whole run.

Each job ends by writing the SHA-256 of what it made into its log. `publish` refuses results that
differ from it, by damage or because somebody edited them: no job has made them as they are.
RESULTS/manifest.json has the SHA-256 of all results and published files at the end of a run;
`dpbandits verify` names every file that differs or is missing.
"""

import json
import re
import shlex
from collections.abc import Iterable
from pathlib import Path

from dpbandits.core.documents import read_json
from dpbandits.core.errors import InputError
from dpbandits.core.files import sha256, write_text
from dpbandits.core.packages import files_in

NAME = "manifest.json"
FOLDERS = ("simulations", "tables", "claims", "figures")  # of the results
MADE = re.compile(r"^([0-9a-f]{64})  (.+)$", re.MULTILINE)  # a line of a job's log


def changed_since_made(results: Path) -> str:
    """A line that names the results which are not as their jobs made them; "" if there are none."""
    logs = sorted(files_in(results / "logs"), key=lambda log: log.stat().st_mtime_ns)
    texts = [log.read_text(encoding="utf-8", errors="replace") for log in logs]
    made = {name: sha for text in texts for sha, name in MADE.findall(text)}
    changed = [
        name
        for name in map(Path.as_posix, _files(results))
        if name in made and sha256(Path(name)) != made[name]
    ]
    again = shlex.join(["--forcerun", *changed])
    return f"changed since they were made; run snakemake with {again}" if changed else ""


def write(results: Path, published: Iterable[str | Path]) -> None:
    """Write the manifest of the results of one scale and of the folders of published files."""
    files = {*_files(results), *(path for folder in published for path in files_in(Path(folder)))}
    entries = {path.as_posix(): sha256(path) for path in sorted(files)}
    write_text(json.dumps(entries, indent=1) + "\n", results / NAME)


def _files(results: Path) -> list[Path]:
    return [path for name in FOLDERS for path in files_in(results / name)]


def read(results: Path) -> dict[str, str]:
    """File -> checksum; paths are relative to the checkout that made the results."""
    path = results / NAME
    if not path.is_file():
        return {}
    entries = read_json(path, 10**8)
    if not (isinstance(entries, dict) and all(isinstance(sha, str) for sha in entries.values())):
        raise InputError(f"{path}: not a manifest; the next run that publishes writes it again")
    return entries


def damaged(results: Path) -> list[str]:
    """Files that differ from the manifest or are missing."""
    lines = []
    for name, sha in read(results).items():
        if not Path(name).is_file():
            lines.append(f"{name}: missing")
        elif sha256(Path(name)) != sha:
            lines.append(f"{name}: changed")
    return lines
