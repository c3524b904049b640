"""Damaged results are noticed by their checksums, by `verify` and before publishing."""

import os
import shutil

import pytest
from scratch import MINI, ROOT

from dpbandits.cli import main
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
    manifest.write(tmp_path.relative_to(tmp_path) / "results", ["figures"])
    return tmp_path


def damage(path, keep_time: bool) -> None:
    times = path.stat()
    path.write_text("whola")
    moved = 0 if keep_time else 10**9
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns + moved))


def test_undamaged_results(run, capsys):
    assert set(manifest.read(run / "results")) == set(FILES)
    assert main(["verify", "results"]) == 0
    assert "3 files: all as the run left them" in capsys.readouterr().out


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("keep_time", [True, False])
def test_a_changed_file_is_named(run, name, keep_time, capsys):
    damage(run / name, keep_time)
    assert main(["verify", "results"]) == 1
    assert capsys.readouterr().out == f"{name}: changed\n"
    damaged = manifest.damaged(run / "results", unchanged_time=True)
    assert damaged == ([f"{name}: changed"] if keep_time else [])


def test_a_damaged_result_is_not_published(run, monkeypatch, capsys):
    (run / "config").mkdir()
    shutil.copy(ROOT / "config/config.yaml", run / "config")
    (run / "config/hu.yaml").write_text(MINI)
    damage(run / FILES[0], keep_time=True)
    monkeypatch.setenv("DPBANDITS_CONFIG", '{"papers": ["hu"]}')
    assert pipeline(["publish", "results/published.txt"]) == 2
    assert f"damaged since it was made, delete it: {FILES[0]}" in capsys.readouterr().err
    assert not (run / "results/published.txt").exists()


def test_missing_file_is_named(run, capsys):
    (run / FILES[0]).unlink()
    assert main(["verify", "results"]) == 1
    assert capsys.readouterr().out == f"{FILES[0]}: missing\n"


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}'])
def test_invalid_manifest_is_refused(run, text, capsys):
    (run / "results/manifest.json").write_text(text)
    assert main(["verify", "results"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_results_without_a_manifest_are_refused(tmp_path, capsys):
    assert main(["verify", str(tmp_path)]) == 2
    assert "no manifest.json" in capsys.readouterr().err
