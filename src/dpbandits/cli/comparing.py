"""`dpbandits compare`: two folders or files, or this working tree against a commit."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from dpbandits.cli.inputs import PICTURES, writable
from dpbandits.core.errors import InputError


def compare(options) -> int:
    if options.output:
        writable(options.output, *PICTURES)
    if options.against:
        return _compare_with_commit(options)
    if not (options.old and options.new):
        raise InputError("compare: allowed: OLD NEW, or --against REVISION ALGORITHM")
    for path in (options.old, options.new):
        if not Path(path).exists():
            raise InputError(f"compare: {path}: no such folder or file")
    if Path(options.old).is_dir() != Path(options.new).is_dir():
        raise InputError("compare: OLD or NEW is a folder; allowed: two folders, or two files")
    differs = _seeds_differ(options.old, options.new, options.output)
    if Path(options.old).is_dir():
        differs = _files_differ(options.old, options.new) or differs
    return 1 if differs else 0


def _seeds_differ(old: str | Path, new: str | Path, output: str | None) -> bool:
    """Compare seed by seed, if both have seeds; True if a seed differs or only one has it."""
    from dpbandits.reproduction.pipeline import compare_seeds

    frames = [compare_seeds.per_seed(path) for path in (old, new)]
    if any(frame is None for frame in frames):
        return False
    settings = compare_seeds.other_settings(old, new)
    if settings:
        print("Other settings, so nothing is compared:")
        print("\n".join(f"  {line}" for line in settings))
        return True
    unmatched = compare_seeds.unmatched(*frames)
    if unmatched:
        print("Not compared:")
        print("\n".join(f"  {line}" for line in unmatched))
    table = compare_seeds.paired(*frames)
    if table.empty:
        print("Seed by seed: nothing that both have")
        return True
    end = compare_seeds.at_the_end(table)
    changed = end[(end["difference"] != 0) | (end["sem"] != 0)]
    print(f"Seed by seed, at the last round: {len(changed)} of {len(end)} cells differ")
    rows = compare_seeds.in_words(changed if len(end) > 20 else end)
    print("\n".join(f"  {row}" for row in rows))
    if output:
        regret = table[table["metric"] == "regret"] if "metric" in table else table
        compare_seeds.picture(regret, output)
        print(f"{output}: the differences over time")
    return bool(unmatched) or len(changed) > 0


def _files_differ(old: str, new: str) -> bool:
    from dpbandits.reproduction.pipeline.compare import compare

    changes = compare(old, new)
    if not changes:
        print("Nothing is compared: neither folder has a file")
        return True
    differing = [change for change in changes if change.status != "same"]
    print("\n".join(map(str, differing)) or "  no difference")
    print(f"{len(differing)} of {len(changes)} files differ")
    return bool(differing)


def _compare_with_commit(options) -> int:
    """Simulate an algorithm with this working tree and with a commit, with the same seeds."""
    from dpbandits.core.algorithms import get_algorithm

    algorithm = options.old or options.new
    if not algorithm or (options.old and options.new):
        raise InputError("compare --against REVISION: allowed: one ALGORITHM")
    if not options.setting:
        raise InputError("compare --against: --setting is required, as for simulate")
    entry = get_algorithm(algorithm)
    with tempfile.TemporaryDirectory() as folder:
        commit = Path(folder, "commit")
        git = ["git", "worktree", "add", "--quiet", "--detach", str(commit), options.against]
        process = subprocess.run(git, capture_output=True, text=True)
        if process.returncode:
            raise InputError(f"compare --against {options.against}: {process.stderr.strip()}")
        try:
            old, new = (Path(folder, f"{name}.csv") for name in ("old", "new"))
            _simulate(entry, commit / "src", old, options)
            _simulate(entry, Path("src"), new, options)
            return 1 if _seeds_differ(old, new, options.output) else 0
        finally:
            git = ["git", "worktree", "remove", "--force", str(commit)]
            subprocess.run(git, capture_output=True)


def _simulate(entry, source: Path, file: Path, options) -> None:
    """Run `dpbandits simulate` with the library in the folder `source`, in a new process."""
    command = [sys.executable, "-m", "dpbandits.cli", "simulate", entry.name]
    command += ["--setting", options.setting, "--horizon", options.horizon]
    command += ["--seeds", options.seeds, "--output", str(file)]
    if entry.private:
        command += ["--epsilon", options.epsilon]
    environment = os.environ | {"PYTHONPATH": str(source.resolve())}
    process = subprocess.run(command, env=environment, capture_output=True, text=True)
    if process.returncode:
        raise InputError(f"compare --against: {source}: {process.stderr.strip()}")
