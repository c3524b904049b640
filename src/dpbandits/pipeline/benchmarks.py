"""What the jobs of a run took, from Snakemake's own `benchmark:` files."""

import csv
from pathlib import Path


def by_kind(results: str | Path) -> dict[str, dict[str, float]]:
    """Jobs, wall and CPU seconds, and peak memory in MB, by kind of job."""
    found: dict[str, dict[str, float]] = {}
    folder = Path(results, "benchmarks")
    for path in sorted(folder.rglob("*.tsv")):
        kind = found.setdefault(
            path.relative_to(folder).parts[0], {"jobs": 0, "wall": 0.0, "cpu": 0.0, "memory": 0.0}
        )
        row = read(path)
        kind["jobs"] += 1
        kind["wall"] += row["s"]
        kind["cpu"] += row["cpu_time"]
        kind["memory"] = max(kind["memory"], row["max_rss"])
    return found


def read(path: Path) -> dict[str, float]:
    """The columns of one file; what Snakemake could not measure counts as 0."""
    with open(path, encoding="utf-8", newline="") as file:
        row = next(csv.DictReader(file, delimiter="\t"))
    return {name: float(row[name]) if row[name] not in ("NA", "-") else 0.0
            for name in ("s", "cpu_time", "max_rss")}  # fmt: skip
