"""A damaged result is noticed by the run that would publish it, until it is mended; and two runs
in one folder exclude each other."""

import fcntl
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


def test_second_run_in_a_folder_is_refused(whole_run, tmp_path):
    project = whole_run.copied(tmp_path)
    summary = project.folder / "results/published.txt"
    summary.unlink()
    folder = os.open(project.folder, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)  # as the other run does
    done = project.snakemake("--cores", "1")
    os.close(folder)
    assert done.returncode != 0
    assert "Another run is under way in this folder." in done.stdout + done.stderr
    assert not summary.exists()
    project.run("--cores", "1")
    assert summary.exists()
