"""Damaged results are noticed by the run that would publish them, until they are made again; and
two runs in one folder exclude each other."""

import fcntl
import os
import re
import shutil

import pytest

pytestmark = pytest.mark.pipeline


def flipped(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


DAMAGE = {  # file of a run -> what becomes of its content
    "simulations/hu/tiny/0.parquet": flipped,
    "tables/hu/other.csv": flipped,
    "tables/hu/other.md": lambda content: b"",
    "tables/hu/tiny.tex": lambda content: content[: len(content) // 2],
    "claims/hu/points.csv": lambda content: content + content[-20:],
    "claims/hu/certificates.json": lambda content: b"{",
    "figures/hu/wide.png": lambda content: b"GIF89a" + content[6:],
    "figures/hu/wide.pdf": lambda content: content[:200],
    "figures/hu/narrow.csv": lambda content: content[:-2] + b"9\n",
    "figures/hu/narrow.txt": lambda content: b"\xff\x00" + content,
    "figures/claims.csv": lambda content: content.replace(b"violated", b"holds"),
}
UNREADABLE = {  # no job that reads it can go on; the time is new
    "simulations/hu/tiny/0.parquet": b"", "claims/hu/verdicts.csv": b"\xff\x00",
    "figures/hu/wide.png": b"garbage",
}  # fmt: skip


def advice(done) -> list[str]:
    """What a failed run says to add to the command."""
    said = re.search("run snakemake with (--forcerun .*)", done.stdout + done.stderr)
    return said[1].split() if said else []


@pytest.fixture
def project(whole_run, tmp_path):
    return whole_run.copied(tmp_path)


def test_a_run_publishes_nothing_damaged(project):
    """By a bit that flipped, or a disk that lost the end: the time of the file is the old one."""
    summary, whole = project.folder / "results/published.txt", project.files("results/*/**/*.*")
    paths = {f"results/{name}": change for name, change in DAMAGE.items()}
    assert "all as the run left them" in project.dpbandits("verify", "results").stdout
    for name, change in paths.items():
        path = project.folder / name
        times = path.stat()
        path.write_bytes(change(path.read_bytes()))
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    for _ in range(2):  # the run that fails must not forget what it has seen
        summary.unlink(missing_ok=True)
        done = project.snakemake("--cores", "1")
        assert done.returncode != 0
        again = advice(done)
        assert set(again[1:]) == set(paths)
        assert not summary.exists()
        named = project.dpbandits("verify", "results").stdout.splitlines()
        assert set(named) == {f"{name}: changed" for name in paths}
    project.run("--cores", "2", *again)
    now = project.files("results/*/**/*.*")
    assert {name: now[name] for name in paths} == {name: whole[name] for name in paths}
    assert project.files("figures/**/*.*") == {
        name.removeprefix("results/"): content
        for name, content in whole.items()
        if name.startswith("results/figures/")
    }
    assert "all as the run left them" in project.dpbandits("verify", "results").stdout


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_job_that_cannot_read_a_result_names_it(name, project):
    published = project.files("figures/**/*.*")
    (project.folder / "results/published.txt").unlink()
    (project.folder / "results" / name).write_bytes(UNREADABLE[name])
    done = project.snakemake("--cores", "1", "--keep-going")
    assert done.returncode != 0
    assert advice(done) == ["--forcerun", f"results/{name}"]
    assert project.files("figures/**/*.*") == published


def test_a_changed_result_without_its_log_is_not_published(project):
    """The manifest has its checksum. Another one is replaced by a folder, a third is new."""
    results, published = project.folder / "results", project.files("figures/**/*.*")
    verdicts = results / "claims/hu/verdicts.csv"
    verdicts.write_bytes(verdicts.read_bytes().replace(b"violated", b"holds"))
    (results / "logs/claims/hu.log").unlink()
    part = results / "simulations/hu/tiny/0.parquet"
    part.unlink()
    part.mkdir()
    more = shutil.copy(results / "simulations/hu/other/0.parquet", part.with_name("1.parquet"))
    named = ("claims/hu/verdicts.csv", "simulations/hu/tiny/0.parquet")
    done = project.snakemake("--cores", "1")
    assert advice(done) == ["--forcerun", *(f"results/{name}" for name in named)]
    assert "delete them: results/simulations/hu/tiny/1.parquet; not as" in done.stdout + done.stderr
    assert project.files("figures/**/*.*") == published
    more.unlink()
    project.run("--cores", "1", *advice(done))
    assert project.files("figures/**/*.*") == published
    assert "all as the run left them" in project.dpbandits("verify", "results").stdout


def test_a_missing_result_is_named_by_verify(project):
    """Also after a run that could do without it."""
    name = "results/simulations/hu/tiny/0.parquet"
    (project.folder / name).unlink()
    (project.folder / "results/published.txt").unlink()
    project.run("--cores", "1")
    assert project.dpbandits("verify", "results").stdout == f"{name}: missing\n"


def test_what_is_lost_is_made_again_and_what_is_damaged_beside_it_is_named(project):
    """Of the published files, too: pictures whose end is lost look the same."""
    results, figures = project.folder / "results", project.folder / "figures"
    published = project.files("figures/**/*.*")
    for name in ("wide.png", "wide.pdf"):
        path = figures / "hu" / name
        path.write_bytes(path.read_bytes()[:-7])
    (figures / "hu/foreign.csv").write_text("x,y\n")
    lost = ("tables/hu/other.csv", "logs/aggregate/hu/other.log", "notebooks/hu/tiny.html",
            "claims/hu/points.csv", "published.txt")  # fmt: skip
    for name in lost:
        (results / name).unlink()
    output = project.run("--cores", "1")
    assert "extra    hu/foreign.csv" in output
    assert project.files("figures/**/*.*") == published | {"figures/hu/foreign.csv": b"x,y\n"}
    assert all((results / name).is_file() for name in lost)
    report = results / "report.html"
    report.write_bytes(flipped(report.read_bytes()))
    assert project.dpbandits("verify", "results").stdout.splitlines() == [
        "figures/hu/foreign.csv: made by no job of the last run",
        "results/report.html: changed",
    ]


def test_a_run_refuses_links_and_pipes_among_its_results(project):
    """Snakemake would copy a device into its backups until the disk is full."""
    manifest, logs = (project.folder / "results" / name for name in ("manifest.json", "logs"))
    manifest.unlink()
    manifest.symlink_to("/dev/zero")
    kept = logs.rename(project.folder / "kept")
    logs.write_text("no folder")
    (project.folder / "results/published.txt").unlink()
    done = project.snakemake("--cores", "1")
    assert done.returncode != 0
    names = "['results/logs', 'results/manifest.json']"
    assert f"remove them: {names}" in done.stdout + done.stderr
    manifest.unlink()
    logs.unlink()
    kept.rename(logs)
    project.run("--cores", "1")
    assert "all as the run left them" in project.dpbandits("verify", "results").stdout


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
    project.run("--cores", "1")
    assert summary.exists()
