"""A wrong config stops a run with one line, and nothing is written."""

import pytest
from scratch import MINI, mini_project

pytestmark = pytest.mark.pipeline


def test_wrong_config_is_one_clear_line(tmp_path):
    """Other errors: tests/reproduction/pipeline/test_plan_by_hand.py."""
    project = mini_project(tmp_path)
    project.write("config/hu.yaml", MINI.replace("epsilon: [0.5, 2]", "epsilonn: [0.5, 2]", 1))
    done = project.snakemake("--cores", "1", "tables")
    assert done.returncode != 0
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "config/hu.yaml:" in line]
    assert len(lines) == 1, done.stderr
    assert "did you mean 'epsilon'" in lines[0]
    assert not (project.folder / "results").exists()
    assert "Traceback" not in done.stderr
