"""Snakemake's measurements of jobs, also damaged ones."""

import pytest

from dpbandits.core.errors import InputError
from dpbandits.reproduction.pipeline import benchmarks

WHOLE = "s\th:m:s\tmax_rss\tcpu_time\n{}\t0\t{}\t3\n"


def test_sums_of_each_kind_of_job(tmp_path):
    for name, seconds, memory in (("study/a", 2, 10), ("study/b", 3, "-"), ("draw/c", 5, 7)):
        path = tmp_path / "benchmarks" / f"{name}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(WHOLE.format(seconds, memory))
    table = benchmarks.by_kind(tmp_path)
    assert table.loc["study"].to_dict() == {"jobs": 2, "wall": 5, "cpu": 6, "memory": 10}
    assert table.loc["draw"].to_dict() == {"jobs": 1, "wall": 5, "cpu": 3, "memory": 7}


@pytest.mark.parametrize("content", [b"\x96\xff" * 40, b"", b"s\n", b"a\tb\n1\t2\n"])
def test_damaged_one_is_named(content, tmp_path):
    path = tmp_path / "hu.tsv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"hu.tsv: no benchmark of Snakemake, delete it"):
        benchmarks.read(path)
