"""`dpbandits compare`: two folders of results, or two files of `dpbandits simulate`."""

from pathlib import Path

from dpbandits.core.errors import InputError


def compare(old: Path, new: Path) -> int:
    from dpbandits.reproduction.pipeline import compare as results

    kinds = [(path.is_dir(), path.is_file()) for path in (old, new)]
    if kinds[0] != kinds[1] or not any(kinds[0]):
        raise InputError(f"compare: {old}, {new}: allowed: two folders, or two files")
    lines = results.compare(old, new) if old.is_dir() else []
    if old.is_file() and old.read_bytes() != new.read_bytes():
        settings = {p.read_bytes() for f in (old, new) if (p := Path(f"{f}.json")).is_file()}
        tables = (results.means(results.read_regret(file)) for file in (old, new))
        lines = ["other settings"] if len(settings) > 1 else [results.compare_tables(*tables)]
    print("\n".join(lines) or "no difference")
    return 1 if lines else 0
