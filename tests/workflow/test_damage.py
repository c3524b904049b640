"""A damaged result is noticed by the run that would publish it, until it is mended."""

import os

import pytest

pytestmark = pytest.mark.pipeline


@pytest.mark.parametrize("name", ["results/figures/hu/wide.csv", "figures/hu/narrow.csv"])
def test_a_run_publishes_no_damaged_file(name, whole_run, tmp_path):
    project = whole_run.copied(tmp_path)
    summary, path = project.folder / "results/published.txt", project.folder / name
    whole, times = path.read_bytes(), path.stat()
    assert project.dpbandits("verify", "results").returncode == 0
    path.write_bytes(whole[:-2] + b"9\n")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    for _ in range(2):  # the run that fails must not forget what it has seen
        summary.unlink(missing_ok=True)
        done = project.snakemake("--cores", "1")
        assert done.returncode != 0
        assert f"damaged since it was made, delete it: {name}: changed" in done.stdout + done.stderr
        assert not summary.exists()
        assert project.dpbandits("verify", "results").stdout == f"{name}: changed\n"
    path.unlink()
    project.run("--cores", "1")
    assert path.read_bytes() == whole
    assert "all as the run left them" in project.dpbandits("verify", "results").stdout
