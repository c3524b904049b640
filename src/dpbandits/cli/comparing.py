"""`dpbandits compare`: two folders or files, or this working tree against a commit."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from dpbandits.cli.inputs import writable
from dpbandits.core.errors import InputError


def compare(options) -> int:
    if options.against:
        return _against(options)
    if not (options.old and options.new):
        raise InputError("compare: allowed: OLD NEW, or --against REVISION ALGORITHM")
    for place in (options.old, options.new):
        if not Path(place).exists():
            raise InputError(f"compare: {place}: no such folder or file")
    differing = _paired(options.old, options.new, options.output)
    if Path(options.old).is_dir():
        differing = _files(options.old, options.new) or differing
    return 1 if differing else 0


def _paired(old: str | Path, new: str | Path, output: str | None) -> bool:
    """Seed by seed, where both have seeds; True if any differs, or is in one of them only."""
    from dpbandits.pipeline import pairs

    frames = [pairs.per_seed(place) for place in (old, new)]
    if any(frame is None for frame in frames):
        if Path(old).is_file():
            raise InputError(f"compare: {old}, {new}: allowed: files of `dpbandits simulate`")
        return False
    apart = pairs.other_settings(old, new)
    if apart:
        print("\n".join(["Other settings, so nothing is compared:", *(f"  {x}" for x in apart)]))
        return True
    apart = pairs.unmatched(*frames)
    if apart:
        print("\n".join(["Not compared:", *(f"  {x}" for x in apart)]))
    table = pairs.paired(*frames)
    if table.empty:
        print("Seed by seed: nothing that both have")
        return True
    end = pairs.at_the_end(table)
    changed = end[(end["difference"] != 0) | (end["sem"] != 0)]
    print(f"Seed by seed, at the last round: {len(changed)} of {len(end)} cells differ")
    print("\n".join(f"  {line}" for line in pairs.in_words(changed if len(end) > 20 else end)))
    if output:
        pairs.picture(table if "metric" not in table else table[table["metric"] == "regret"],
                      writable(output))  # fmt: skip
        print(f"{output}: the differences over time")
    return bool(apart) or len(changed) > 0


def _files(old: str, new: str) -> bool:
    from dpbandits.pipeline import publish

    changes = publish.compare(old, new)
    differing = [change for change in changes if change.status != "same"]
    print("\n".join(map(str, differing)) or "  no difference")
    print(f"{len(differing)} of {len(changes)} files differ")
    return bool(differing)


def _against(options) -> int:
    """Simulate an algorithm as it is here and as it was at a commit, with the same seeds."""
    from dpbandits.core.algorithms import get_algorithm

    algorithm = options.old or options.new
    if not algorithm or (options.old and options.new):
        raise InputError("compare --against REVISION: allowed: one ALGORITHM")
    if not options.setting:
        raise InputError("compare --against: --setting is required, as for simulate")
    entry = get_algorithm(algorithm)
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder, "before")
        git = ["git", "worktree", "add", "--quiet", "--detach", str(before), options.against]
        done = subprocess.run(git, capture_output=True, text=True)
        if done.returncode:
            raise InputError(f"compare --against {options.against}: {done.stderr.strip()}")
        try:
            files = [Path(folder, f"{name}.csv") for name in ("old", "new")]
            for source, file in zip((before / "src", Path("src")), files, strict=True):
                _simulate(entry, source, file, options)
            return 1 if _paired(*files, options.output) else 0
        finally:
            git = ["git", "worktree", "remove", "--force", str(before)]
            subprocess.run(git, capture_output=True)


def _simulate(entry, source: Path, file: Path, options) -> None:
    """`dpbandits simulate` with the library of one folder, in a process of its own."""
    command = [sys.executable, "-m", "dpbandits.cli", "simulate", entry.name]
    command += ["--setting", options.setting, "--horizon", options.horizon]
    command += ["--seeds", options.seeds, "--output", str(file)]
    if entry.private:
        command += ["--epsilon", options.epsilon]
    environment = os.environ | {"PYTHONPATH": str(source.resolve())}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise InputError(f"compare --against: {source}: {done.stderr.strip()}")
