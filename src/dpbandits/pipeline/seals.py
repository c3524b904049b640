"""Nothing stale and nothing damaged: what the seals beside all outputs say when a run starts.

An output is taken only if its bytes are those that its job wrote, and if its inputs still hold what
they held then. Times of files are not asked. Whatever fails is removed, so that it is made again,
and what was made of it: Snakemake makes no file again that only finished files would need. What a
job published stands among its inputs: an edited or lost file of figures/ is published again.
"""

import os
import time
from collections.abc import Callable, Container
from pathlib import Path
from typing import Any

from dpbandits.core.files import HOST, PARTIAL, content, read_seal

DAY = 86_400
FOLLOWS = "an input is gone"


def sweep(results: str | Path, say: Callable[[str], None] = print) -> list[Path]:
    """Remove what a killed run left behind and what cannot be trusted; return the latter."""
    results = Path(results)
    _sweep_partials(results)
    outputs = {
        seal.with_name(seal.name[1:].removesuffix(".seal")): seal
        for seal in results.rglob(".*.seal")
    }
    held = {str(path): content(path) for path in outputs if path.is_file()}
    now = time.time()
    for path in held:
        if os.stat(path).st_mtime > now:  # the clock was set back: Snakemake refuses such inputs
            os.utime(path)
    removed = []
    kept = {path: read_seal(path) for path in sorted(outputs)}
    while found := {
        path: why for path, seal in kept.items() if (why := _distrust(path, seal, held, outputs))
    }:
        for path, why in found.items():
            if why != FOLLOWS:
                say(f"{path}: {why}; it is made again")
            path.unlink(missing_ok=True)
            outputs[path].unlink(missing_ok=True)
            held.pop(str(path), None)
            del kept[path]
            removed.append(path)
    return removed


def _distrust(
    path: Path, seal: dict[str, Any] | None, held: dict[str, str], outputs: Container[Path]
) -> str:
    """Why an output cannot be taken as it is; nothing if it can."""
    if str(path) not in held:
        return "gone"
    if seal is None or seal["content"] != held[str(path)]:
        return "not what its job wrote"
    for name, before in seal["inputs"].items():
        if name not in held and Path(name).is_file():
            held[name] = content(name)
        if name not in held:
            return FOLLOWS if Path(name) in outputs else f"{name} is gone"
        if held[name] != before:
            return f"{name} is no longer what it was made of"
    return ""


def _sweep_partials(results: Path) -> None:
    """Half-written files of processes that are no more."""
    for path in results.rglob(f".*{PARTIAL}*"):
        owner = path.name.split(PARTIAL)[0].rpartition(".")[2]
        host, _, pid = owner.partition("-")
        dead = host == HOST and pid.isdigit() and not Path(f"/proc/{pid}").exists()
        if dead or path.stat().st_mtime < time.time() - DAY:
            path.unlink(missing_ok=True)
