"""Checksums of results: those that jobs wrote into their logs, and the manifest of a whole run.

Each job ends by writing the SHA-256 of what it made into its log. `publish` refuses results that
differ from it, by damage or because somebody edited them; a result whose log is gone must be as in
the manifest of the run before.
RESULTS/manifest.json has the SHA-256 of all results, from the logs, and of the published files at
the end of a run; `dpbandits verify` names every file that differs, is missing or was added. It
compares with the logs what is made later (the report) or is for people only (notebooks).
"""

import json
import os
import re
import shlex
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from dpbandits.core.documents import read_json
from dpbandits.core.errors import InputError
from dpbandits.core.files import sha256, write_text
from dpbandits.core.packages import files_in

NAME = "manifest.json"
FOLDERS = ("simulations", "tables", "claims", "figures")  # of the results
OTHERS = ("benchmarks", "letters", "logs", "notebooks")
MADE = re.compile(r"^([0-9a-f]{64})  (.+)$", re.MULTILINE)  # a line of a job's log


def not_as_made(results: Path) -> str:
    """A line that names the results which are not as their jobs made them, or which no job has
    made; "" if there are none. A file that is missing is not named: a run may do without it."""
    made = _results_of(last(results), results) | _in_logs(results)
    wrong = {name for name in made if os.path.lexists(name) and not os.path.isfile(name)}
    wrong |= {p.as_posix() for p in _files(results) if made.get(p.as_posix()) != sha256(p)}
    foreign, changed = sorted(wrong - made.keys()), sorted(wrong & made.keys())
    lines = []
    if foreign:
        lines.append(f"no log has these, delete them: {' '.join(map(_in_shell, foreign))}")
    if changed:
        again = shlex.join(["--forcerun", *changed])
        lines.append(f"not as their jobs made them; run snakemake with {again}")
    return "; ".join(lines)


def _in_shell(name: str) -> str:
    """A name as a shell takes it, also with bytes that are no characters."""
    if name.isprintable():
        return shlex.quote(name)
    plain = {byte: chr(byte) for byte in range(32, 127) if chr(byte) not in "'\\"}
    return "$'" + "".join(plain.get(byte, f"\\{byte:03o}") for byte in os.fsencode(name)) + "'"


def irregular(results: Path, published: Iterable[str | Path]) -> list[str]:
    """Links, pipes and devices among the files of a run, which reading or copying may never end, or
    lead elsewhere, and what stands in place of a folder. The folders themselves may be links, to
    another disk."""
    top = [path for path in results.glob("*") if not path.is_dir()]
    folders = [*(results / name for name in (*FOLDERS, *OTHERS)), *map(Path, published)]
    below = (
        Path(place, name)
        for folder in folders
        for place, inner, names in os.walk(folder)
        for name in (*inner, *names)
    )
    kinds = {stat.S_IFREG, stat.S_IFDIR}
    wrong = {path for path in (*top, *below) if stat.S_IFMT(path.lstat().st_mode) not in kinds}
    wrong |= {path for path in folders if path.exists() and not path.is_dir()}
    return sorted(path.as_posix() for path in wrong)


def last(results: Path) -> dict[str, str]:
    """The manifest of the run before, also of papers that this run does not make; {} if broken."""
    with suppress(InputError):
        return read(results)
    return {}


def _results_of(made: dict[str, str], results: Path) -> dict[str, str]:
    return {name: sha for name, sha in made.items() if _is_result(name, results)}


def _is_result(name: str, results: Path) -> bool:
    folders = tuple(f"{(results / folder).as_posix()}/" for folder in FOLDERS)
    return name.startswith(folders) and "/." not in name


def _in_logs(results: Path) -> dict[str, str]:
    """Result -> checksum, as the newest log has it."""
    return _results_of(_all_in_logs(results), results)


def _all_in_logs(results: Path) -> dict[str, str]:
    logs = sorted(files_in(results / "logs"), key=lambda log: log.stat().st_mtime_ns)
    texts = [log.read_text(encoding="utf-8", errors="replace") for log in logs]
    return {name: sha for text in texts for sha, name in MADE.findall(text)}


def write(results: Path, published: Iterable[Path], expected: Iterable[Path] = ()) -> None:
    """Write the manifest of the results of one scale and of the published files.

    expected: results that this run may do without; those that are missing stay known as missing.
    """
    files = {path.as_posix(): sha256(path) for path in published if path.is_file()}
    names = dict.fromkeys((path.as_posix() for path in expected), "")
    old = _results_of(last(results), results).items()
    before = {name: sha for name, sha in old if name in names or os.path.isfile(name)}
    entries = names | before | _in_logs(results) | files
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
    others = {path.as_posix() for path in (*_files(results), *_beside(known))} - known.keys()
    lines += [f"{name}: made by no job of the last run" for name in sorted(others)]
    return lines + _later(results, known)


def _beside(known: Iterable[str]) -> Iterator[Path]:
    """Files in folders of known ones, of the same kinds: suffix, and paper of a certificate."""
    kinds = {_kind(Path(name)) for name in known}
    for folder in sorted({folder for folder, *_ in kinds}):
        yield from (path for path in sorted(folder.glob("[!.]*")) if _kind(path) in kinds)


def _kind(path: Path) -> tuple[Path, str, str]:
    return path.parent, path.suffix, path.name.partition("-")[0] if "-" in path.name else ""


def _later(results: Path, known: dict[str, str]) -> list[str]:
    """What is not in the manifest: the report, notebooks, and what is made on request."""
    lines = []
    for name, sha in sorted(_all_in_logs(results).items()):
        inside = name.startswith(f"{results.as_posix()}/") and "/." not in name
        if name in known or not inside:
            continue
        if os.path.isfile(name):
            lines += [f"{name}: changed"] * (sha256(Path(name)) != sha)
        elif name.endswith((".ipynb", ".html")):
            lines.append(f"{name}: missing")
    return lines
