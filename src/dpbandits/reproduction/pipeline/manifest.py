"""Checksums of results: those that jobs wrote into their logs, and the manifest of a whole run.

Each job ends by writing the SHA-256 of what it made into its log. `publish` refuses results that
differ from it, by damage or because somebody edited them; a result whose log is gone must be as in
the manifest of the run before.
RESULTS/manifest.json has the SHA-256 of all results, from the logs, and of the published files at
the end of a run; `dpbandits verify` names every file that differs, is missing or was added.
"""

import json
import os
import re
import shlex
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from dpbandits.core.documents import read_json
from dpbandits.core.errors import InputError
from dpbandits.core.files import sha256, write_text
from dpbandits.core.packages import files_in

NAME = "manifest.json"
FOLDERS = ("simulations", "tables", "claims", "figures")  # of the results
MADE = re.compile(r"^([0-9a-f]{64})  (.+)$", re.MULTILINE)  # a line of a job's log


def not_as_made(results: Path) -> str:
    """A line that names the results which are not as their jobs made them, or which no job has
    made; "" if there are none. A file that is missing is not named: a run may do without it."""
    made = _of_the_last_run(results) | _in_logs(results)
    broken = {name for name in made if os.path.lexists(name) and not os.path.isfile(name)}
    changed = {p.as_posix() for p in _files(results) if made.get(p.as_posix()) != sha256(p)}
    if not (broken | changed):
        return ""
    again = shlex.join(["--forcerun", *sorted(broken | changed)])
    return f"not as their jobs made them; delete what no job makes, and run snakemake with {again}"


def _of_the_last_run(results: Path) -> dict[str, str]:
    """Result -> checksum, as its manifest has it: also of papers that this run does not make."""
    with suppress(InputError):
        return {name: sha for name, sha in read(results).items() if _is_result(name, results)}
    return {}


def _is_result(name: str, results: Path) -> bool:
    return name.startswith(tuple(f"{(results / folder).as_posix()}/" for folder in FOLDERS))


def _in_logs(results: Path) -> dict[str, str]:
    """Result -> checksum, as the newest log has it."""
    logs = sorted(files_in(results / "logs"), key=lambda log: log.stat().st_mtime_ns)
    texts = [log.read_text(encoding="utf-8", errors="replace") for log in logs]
    made = {name: sha for text in texts for sha, name in MADE.findall(text)}
    return {
        name: sha for name, sha in made.items() if _is_result(name, results) and "/." not in name
    }


def write(results: Path, published: Iterable[str | Path]) -> None:
    """Write the manifest of the results of one scale and of the folders of published files."""
    files = [path for folder in published for path in files_in(Path(folder))]
    before = {name: sha for name, sha in _of_the_last_run(results).items() if os.path.isfile(name)}
    entries = before | _in_logs(results) | {path.as_posix(): sha256(path) for path in files}
    write_text(json.dumps(dict(sorted(entries.items())), indent=1) + "\n", results / NAME)


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
    """Files that differ from the manifest, are missing, or are results that it does not have."""
    lines, known = [], read(results)
    for name, sha in known.items():
        if not Path(name).is_file():
            lines.append(f"{name}: missing")
        elif sha256(Path(name)) != sha:
            lines.append(f"{name}: changed")
    others = sorted({path.as_posix() for path in _files(results)} - known.keys())
    return lines + [f"{name}: made by no job of the last run" for name in others]
