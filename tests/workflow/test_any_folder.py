"""A checkout may lie in any folder: Snakemake hands paths to a shell."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from scratch import mini_project

pytestmark = pytest.mark.pipeline


def test_a_folder_with_spaces_and_quotes_in_its_name(tmp_path):
    folder = tmp_path / "a folder's name, with (all) this"
    folder.mkdir()
    project = mini_project(folder, own_source=True)
    (folder / ".venv").symlink_to(Path(sys.prefix))
    command = [folder / ".venv/bin/python", *project.command("--cores", "1", "tables")[1:]]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "results/tables/hu/tiny.csv").stat().st_size
