"""`dpbandits compare`: two folders of results, or two files of `dpbandits simulate`."""

from pathlib import Path

from dpbandits.core.errors import InputError


def compare(options) -> int:
    from dpbandits.reproduction.pipeline import compare as results

    old, new = Path(options.old), Path(options.new)
    for path in (old, new):
        if not path.exists():
            raise InputError(f"compare: {path}: no such folder or file")
    if old.is_dir() != new.is_dir():
        raise InputError("compare: OLD or NEW is a folder; allowed: two folders, or two files")
    if old.is_file():
        difference = results.compare_simulations(old, new)
        print(difference or "no difference")
        return 1 if difference else 0
    changes = results.compare(old, new)
    if not changes:
        print("Nothing is compared: neither folder has a file")
        return 1
    differing = [change for change in changes if change.status != "same"]
    print("\n".join(map(str, differing)) or "  no difference")
    print(f"{len(differing)} of {len(changes)} files differ")
    return 1 if differing else 0
