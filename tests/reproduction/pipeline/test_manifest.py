"""Damaged results are noticed by their checksums, by `verify` and before publishing."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from scratch import MINI, ROOT

from dpbandits.cli import main
from dpbandits.core.files import sha256
from dpbandits.reproduction.__main__ import main as pipeline
from dpbandits.reproduction.pipeline import manifest

FILES = ("results/tables/hu/a.csv", "results/simulations/hu/a/0.parquet", "figures/hu/a.png")


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A finished run, in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name in (*FILES, "results/logs/a.log", "figures/.hidden.png"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("whole")
    made = [f"{sha256(name)}  {name}" for name in FILES[:2]]
    (tmp_path / "results/logs/a.log").write_text("\n".join(["words of the job", *made, ""]))
    manifest.write(Path("results"), [Path(FILES[2])])
    return tmp_path


def test_undamaged_results(run, capsys):
    assert set(manifest.read(run / "results")) == set(FILES)
    assert main(["verify", "results"]) == 0
    assert "3 files: all as the run left them" in capsys.readouterr().out


@pytest.mark.parametrize("name", FILES)
def test_a_changed_file_is_named(run, name, capsys):
    (run / name).write_text("whola")
    assert main(["verify", "results"]) == 1
    assert capsys.readouterr().out == f"{name}: changed\n"


def test_a_changed_result_is_not_published(run, monkeypatch, capsys):
    (run / "config").mkdir()
    shutil.copy(ROOT / "config/config.yaml", run / "config")
    (run / "config/hu.yaml").write_text(MINI)
    (run / FILES[0]).write_text("whola")
    monkeypatch.setenv("DPBANDITS_CONFIG", '{"papers": ["hu"]}')
    assert pipeline(["publish", "results/published.txt"]) == 2
    line = manifest.not_as_made(Path("results"))
    assert line.endswith(f" --forcerun {FILES[0]}")
    assert capsys.readouterr().err == f"nothing is published\n{line}\n"
    assert not (run / "results/published.txt").exists()


def test_the_newest_log_counts(run):
    (run / FILES[0]).write_text("made again")
    log = run / "results/logs/b.log"
    log.write_text(f"{sha256(FILES[0])}  {FILES[0]}\n")
    os.utime(log, ns=(0, 0))
    assert manifest.not_as_made(Path("results")).endswith(f" {FILES[0]}")
    log.touch()
    assert manifest.not_as_made(Path("results")) == ""


def test_missing_file_is_named(run, capsys):
    (run / FILES[0]).unlink()
    assert main(["verify", "results"]) == 1
    assert capsys.readouterr().out == f"{FILES[0]}: missing\n"


def test_result_of_no_job_is_named(run, capsys):
    (run / "results/tables/hu/b.csv").write_text("more")
    assert main(["verify", "results"]) == 1
    assert capsys.readouterr().out == "results/tables/hu/b.csv: made by no job of the last run\n"
    line = manifest.not_as_made(Path("results"))
    assert line == "no log has these, delete them: results/tables/hu/b.csv"
    (run / FILES[0]).write_text("whola")
    assert manifest.not_as_made(Path("results")).startswith(f"{line}; not as their jobs made them")


def test_a_strange_name_is_printed_so_that_a_shell_takes_it(run):
    folder = run / "results/tables/hu"
    for name in (b"a'\xffb", b"c\nd", "é f".encode()):
        (folder / os.fsdecode(name)).write_text("more")
    names = manifest.not_as_made(Path("results")).partition(": ")[2]
    subprocess.run(["bash", "-c", f"rm -- {names}"], check=True)
    assert [path.name for path in folder.iterdir()] == ["a.csv"]


def test_files_beside_published_ones_are_named(run, capsys):
    """Not those of other kinds or papers: a README, a certificate of a paper that was not run."""
    for name in ("figures/hu/b.png", "figures/hu/README.md", "certificates/HU-1.json",
                 "certificates/HU-2.json", "certificates/FL-1.json"):  # fmt: skip
        (run / name).parent.mkdir(exist_ok=True)
        (run / name).write_text("more")
    manifest.write(Path("results"), [Path(FILES[2]), Path("certificates/HU-1.json")])
    assert main(["verify", "results"]) == 1
    extra = ("certificates/HU-2.json", "figures/hu/b.png")
    lines = [f"{name}: made by no job of the last run\n" for name in extra]
    assert capsys.readouterr().out == "".join(lines)


def test_a_missing_simulation_stays_missing(run, capsys):
    """With its log, or with its log and the manifest."""
    for lost in ("results/logs/a.log", "results/manifest.json"):
        (run / FILES[1]).unlink(missing_ok=True)
        (run / lost).unlink()
        manifest.write(Path("results"), [Path(FILES[2])], expected=[Path(FILES[1])])
        assert main(["verify", "results"]) == 1
        assert f"{FILES[1]}: missing\n" in capsys.readouterr().out


def test_what_is_made_after_the_manifest_is_compared_with_its_log(run, capsys):
    later = ("results/report.html", "results/notebooks/hu/a.ipynb", "results/archive.zip")
    for name in later:
        (run / name).parent.mkdir(parents=True, exist_ok=True)
        (run / name).write_text("whole")
    sums = "".join(f"{sha256(name)}  {name}\n" for name in later)
    (run / "results/logs/later.log").write_text(sums)
    assert main(["verify", "results"]) == 0
    (run / later[0]).write_text("whola")
    (run / later[1]).unlink()
    (run / later[2]).unlink()  # made on request only
    capsys.readouterr()
    assert main(["verify", "results"]) == 1
    assert capsys.readouterr().out == f"{later[1]}: missing\n{later[0]}: changed\n"


def test_links_and_pipes_are_found(run, tmp_path_factory):
    assert manifest.irregular(Path("results"), ["figures"]) == []
    disk = tmp_path_factory.mktemp("disk")
    (run / "results/notebooks").symlink_to(disk)  # a folder of its own may be on another disk
    assert manifest.irregular(Path("results"), ["figures"]) == []
    (disk / "a.html").symlink_to("/dev/zero")
    (run / "figures/kl").symlink_to(disk)
    (run / "results/report.html").symlink_to("nowhere")
    os.mkfifo(run / "results/logs/b.log")
    (run / "results/letters").write_text("no folder")
    inside = ("letters", "logs/b.log", "notebooks/a.html", "report.html")
    names = ["figures/kl", *(f"results/{name}" for name in inside)]
    assert manifest.irregular(Path("results"), ["figures"]) == names


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}'])
def test_invalid_manifest_is_refused(run, text, capsys):
    (run / "results/manifest.json").write_text(text)
    assert main(["verify", "results"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_results_without_a_manifest_are_refused(tmp_path, capsys):
    assert main(["verify", str(tmp_path)]) == 2
    assert "no manifest.json" in capsys.readouterr().err


def test_results_of_papers_that_a_run_does_not_make_stay_known(run, capsys):
    """The job that typesets tables then writes a log without theirs."""
    (run / "results/logs/a.log").unlink()
    assert manifest.not_as_made(Path("results")) == ""
    manifest.write(Path("results"), [Path(FILES[2])])
    assert main(["verify", "results"]) == 0
    (run / FILES[0]).write_text("whola")
    assert manifest.not_as_made(Path("results")).endswith(f" --forcerun {FILES[0]}")
    capsys.readouterr()
