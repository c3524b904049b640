"""Time and memory of the jobs of a run, from Snakemake's `benchmark:` files."""

from pathlib import Path

import pandas as pd

from dpbandits.core.errors import InputError

COLUMNS = ["s", "cpu_time", "max_rss"]


def by_kind(results: str | Path) -> pd.DataFrame:
    """The number of jobs, wall and CPU seconds, and peak memory in MB of each kind of job."""
    folder = Path(results, "benchmarks")
    paths = sorted(folder.rglob("*.tsv"))
    rows = [read(path) | {"kind": path.relative_to(folder).parts[0]} for path in paths]
    jobs = pd.DataFrame(rows, columns=["kind", *COLUMNS]).groupby("kind")
    return jobs.agg(
        jobs=("s", "size"), wall=("s", "sum"), cpu=("cpu_time", "sum"), memory=("max_rss", "max")
    )


def read(path: Path) -> dict[str, float]:
    """The numbers in one file; those that Snakemake could not measure are 0."""
    try:
        row = pd.read_csv(path, sep="\t", na_values="-").iloc[0]
        return row[COLUMNS].fillna(0).astype(float).to_dict()
    except (ValueError, KeyError, IndexError) as error:  # also those of pandas
        raise InputError(f"{path}: no benchmark of Snakemake, delete it: {error}") from None
