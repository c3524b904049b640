"""What is published is whole and new: not after a failure, not by two runs at a time."""

import fcntl
import os

import pytest

pytestmark = pytest.mark.pipeline


@pytest.fixture
def project(whole_run, tmp_path):
    return whole_run.copied(tmp_path)


def test_what_is_lost_is_made_again_and_what_no_job_made_is_named(project):
    results, published = project.folder / "results", project.files("figures/**/*.*")
    (project.folder / "figures/hu/wide.png").write_bytes(b"half")
    (project.folder / "figures/hu/foreign.csv").write_text("x,y\n")
    lost = ("tables/hu/other.csv", "notebooks/hu/figures.html", "claims/hu/points.csv",
            "published.txt")  # fmt: skip
    for name in lost:
        (results / name).unlink()
    output = project.run("--cores", "1")
    assert "changed  hu/wide.png" in output
    assert "extra    hu/foreign.csv" in output
    assert project.files("figures/**/*.*") == published | {"figures/hu/foreign.csv": b"x,y\n"}
    assert all((results / name).is_file() for name in lost)


def test_a_run_that_fails_publishes_nothing(project):
    published = project.files("figures/**/*.*")
    (project.folder / "results/published.txt").unlink()
    (project.folder / "results/tables/hu/tiny.csv").write_text("damaged")
    done = project.snakemake("--cores", "1", "--keep-going")
    assert done.returncode != 0
    assert not (project.folder / "results/published.txt").exists()
    assert project.files("figures/**/*.*") == published


def test_second_run_in_a_folder_is_refused(project):
    summary = project.folder / "results/published.txt"
    summary.unlink()
    folder = os.open(project.folder, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)  # as the other run does
    done = project.snakemake("--cores", "1")
    os.close(folder)
    assert done.returncode != 0
    assert "Another run is under way in this folder." in done.stdout + done.stderr
    assert not summary.exists()
