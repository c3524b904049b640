"""The manifest: checksums of the results and the published files at the end of a run.

RESULTS/manifest.json has, for each file, its SHA-256 and the time of its last change. A file whose
content differs although its time does not is damaged, and `publish` refuses it.
`dpbandits verify` names every file that differs or is missing.
"""

import json
from collections.abc import Iterable
from pathlib import Path

from dpbandits.core.documents import read_json
from dpbandits.core.errors import InputError
from dpbandits.core.files import write_text
from dpbandits.core.packages import files_in
from dpbandits.reproduction.pipeline.provenance import checksum

NAME = "manifest.json"
FOLDERS = ("simulations", "tables", "claims", "figures")  # of the results


def write(results: Path, published: Iterable[str | Path]) -> None:
    """Write the manifest of the results of one scale and of the folders of published files."""
    folders = [*(results / name for name in FOLDERS), *map(Path, published)]
    files = sorted({path for folder in folders for path in files_in(folder)})
    entries = {path.as_posix(): [checksum(path), path.stat().st_mtime_ns] for path in files}
    write_text(json.dumps(entries, indent=1) + "\n", results / NAME)


def read(results: Path) -> dict[str, tuple[str, int]]:
    """File -> checksum and time; paths are relative to the checkout that made the results."""
    path = results / NAME
    if not path.is_file():
        return {}
    try:
        return {name: (sha, time) for name, (sha, time) in read_json(path, 10**8).items()}
    except (ValueError, AttributeError, TypeError) as error:
        raise InputError(f"{path}: not a manifest: {error}") from None


def damaged(results: Path, unchanged_time: bool = False) -> list[str]:
    """Files that differ from the manifest or are missing; with unchanged_time, only those that
    differ and have not been written since."""
    lines = []
    for name, (sha, time) in read(results).items():
        path = Path(name)
        if unchanged_time and not (path.is_file() and path.stat().st_mtime_ns == time):
            continue
        if not path.is_file():
            lines.append(f"{name}: missing")
        elif checksum(path) != sha:
            lines.append(f"{name}: changed")
    return lines
