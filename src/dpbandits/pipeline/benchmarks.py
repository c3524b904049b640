"""What the jobs of a run took, from Snakemake's own `benchmark:` files."""

from pathlib import Path

import pandas as pd

COLUMNS = ["s", "cpu_time", "max_rss"]


def by_kind(results: str | Path) -> pd.DataFrame:
    """Jobs, wall and CPU seconds, and peak memory in MB, by kind of job."""
    folder = Path(results, "benchmarks")
    paths = sorted(folder.rglob("*.tsv"))
    rows = [read(path) | {"kind": path.relative_to(folder).parts[0]} for path in paths]
    return (
        pd.DataFrame(rows, columns=["kind", *COLUMNS])
        .groupby("kind")
        .agg(
            jobs=("s", "size"),
            wall=("s", "sum"),
            cpu=("cpu_time", "sum"),
            memory=("max_rss", "max"),
        )
    )


def read(path: Path) -> dict[str, float]:
    """The numbers of one file; what Snakemake could not measure counts as 0."""
    row = pd.read_csv(path, sep="\t", na_values="-").iloc[0]
    return row[COLUMNS].fillna(0).astype(float).to_dict()
