"""Tests in several forks report as in one process, and a fork that dies fails the run."""

import os
import subprocess
import sys

from scratch import ROOT

TESTS = """
import os, warnings, pytest

def test_prints(tmp_path):
    print("said", os.getpid())
    warnings.warn("of file NAME")
    (tmp_path / "mine").write_text("NAME")
    assert [*tmp_path.iterdir()] == [tmp_path / "mine"]

def test_fails():
    print("heard in NAME")
    assert 1 == 2

def test_skips():
    pytest.skip("for a reason")
"""


def run(folder, *options):
    command = [sys.executable, "-m", "pytest", "-p", "several", "-p", "no:cacheprovider", "-p"]
    done = subprocess.run(
        [*command, "no:hypothesispytest", "-qrs", *options, "."],
        env=os.environ | {"PYTHONPATH": str(ROOT / "tests"), "PYTEST_ADDOPTS": ""},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout


def test_what_forks_report_is_told_once(tmp_path):
    (tmp_path / "pytest.ini").touch()
    for name in "abc":
        (tmp_path / f"test_{name}.py").write_text(TESTS.replace("NAME", name))
    code, said = run(tmp_path, "--processes", "2")
    assert code == 1
    assert "3 failed, 3 passed, 3 skipped, 3 warnings" in said
    for name in "abc":
        assert said.count(f"heard in {name}\n") == said.count(f"of file {name}\n") == 1
    assert "said" not in said
    assert said.count("for a reason") == 3
    code, said = run(tmp_path, "--processes", "2", "-x")
    assert (code, "stopping after 1 failures" in said) == (1, True)


def test_a_fork_that_dies_fails_the_run(tmp_path):
    (tmp_path / "pytest.ini").touch()
    (tmp_path / "test_a.py").write_text("def test_a():\n    pass")
    (tmp_path / "test_b.py").write_text("import os\ndef test_b():\n    os._exit(0)")
    code, said = run(tmp_path, "--processes", "2")
    assert code == 1
    assert "a process of tests died after test_b.py::test_b" in said
