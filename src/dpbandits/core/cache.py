"""Answers kept on disk, beside the machine code, each with the state in which it was found.

It is given again in exactly that state only: the places, names and contents of all files of
dpbandits, of the packages that bring papers, and of the files that are named beside them.
"""

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from dpbandits.core.compiled import brought, files_in, packages, places
from dpbandits.core.files import write_text


def state(*beside: str) -> str:
    """A digest of these files; beside: files and folders, as seen from the current folder."""
    found = hashlib.blake2b(repr(brought()).encode(), digest_size=16)
    for top in dict.fromkeys([*packages().values(), *(Path(p).resolve() for p in beside)]):
        for path in [top] if top.is_file() else files_in(top):
            content = path.read_bytes()
            found.update(f"{path}\0{len(content)}\0".encode() + content)
    return found.hexdigest()


def read(name: str, state: str) -> Any:
    """What was kept under a name in that state; None if there is nothing."""
    for place in places():
        with suppress(OSError, ValueError):
            before, found = json.loads((place / f"{name}.json").read_text(encoding="utf-8"))
            if before == state:
                return found
    return None


def write(name: str, state: str, found: Any) -> None:
    """Keep it; if that is possible nowhere, it is found anew each time."""
    for place in places():
        with suppress(OSError):
            write_text(json.dumps([state, found]), place / f"{name}.json")
            return
