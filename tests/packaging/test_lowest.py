"""The lowest version of each dependency that pyproject.toml allows: all commands, a whole run."""

import re
import subprocess
import sys
import tomllib

import pytest
from scratch import ROOT
from test_wheel import COMMANDS, Wheel
from tiny_pipeline import run_all

pytestmark = pytest.mark.lowest
LEARNS = """
import dpbandits
learner = dpbandits.learner("lazy-dp-ts", arms=2, epsilon=1)
for _ in range(50):
    learner.update(float(learner.act()))
print(learner.privacy)
"""


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """An environment with the last release of each lowest version: 1.26.4 for numpy>=1.26."""
    folder = tmp_path_factory.mktemp("lowest") / "venv"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    needed = [line for group in groups for line in group if not line.startswith("dpbandits[")]
    pins = [re.sub(r">=([\d.]+)$", r"==\1.*", line) for line in needed]
    assert not any(">" in pin for pin in pins)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [folder / "bin/python", "-m", "pip", "install", "--quiet", *pins]
    subprocess.run(pip, check=True)
    return folder


def test_every_command_answers(prefix, tmp_path):
    wheel = Wheel(tmp_path, prefix / "bin/python")
    assert sum(map(bool, wheel.answers(*COMMANDS))) == len(COMMANDS)
    assert "drawn exactly by OpenDP" in wheel.python("-c", LEARNS)


def test_whole_run(prefix, tmp_path):
    """As far as the report."""
    project = run_all(tmp_path, prefix)
    assert (project.folder / "results/report.html").stat().st_size
