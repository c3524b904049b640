"""The wheel alone, in an empty folder: every command that needs no run of the workflow works."""

import json
import os
import subprocess
import sys

import pytest
from scratch import ROOT

BOUNDS = ["rnm", "--set", "scale=2", "arms=2", "rounds=8", "adjacency=replace"]
COMMANDS = [
    ["list"],
    *(["list", kind] for kind in ("algorithms", "claims", "figures", "mechanisms", "studies")),
    ["list", "claims", "--paper", "hu"],
    ["list", "figures", "--paper", "us"],
    ["audit", *BOUNDS, "--at-epsilon", "0.5"],
    ["calibrate", "rnm", "--target-epsilon", "0.5", "--set", *BOUNDS[3:]],
    ["bound", *BOUNDS],
    ["refute", "HU-T8"],
    ["refute", "KL-T1-approx"],
    ["check", "KL-T1-approx"],
]
SIMULATE = ["--epsilon", "inf", "--horizon", "50", "--seeds", "2", "-o", "regret.csv"]
MEANS = ["--setting", '{"means": [0.7, 0.5]}']


CALLS = """
import contextlib, io, json, sys
from dpbandits.cli import main
for command in map(json.loads, sys.argv[1:]):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(command) == 0, command
    print(json.dumps(out.getvalue()))
"""


class Wheel:
    """The installed wheel, without the checkout, in an empty folder."""

    def __init__(self, folder, interpreter=sys.executable):
        self.interpreter = str(interpreter)
        self.site, self.folder = folder / "site", folder / "empty"
        self.folder.mkdir()
        run = [sys.executable, "-m", "hatchling", "build", "-d", str(folder / "dist")]
        subprocess.run(run, check=True, cwd=ROOT, capture_output=True)
        (self.wheel,) = (folder / "dist").glob("*.whl")
        (self.sdist,) = (folder / "dist").glob("*.tar.gz")
        self.install(self.wheel)

    def install(self, path) -> None:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
        pip += ["--no-build-isolation", "--target", str(self.site), str(path)]
        subprocess.run(pip, check=True, capture_output=True)

    def python(self, *words, code: int = 0) -> str:
        environment = os.environ | {"PYTHONPATH": str(self.site)}
        command = [self.interpreter, *map(str, words)]
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True
        )
        assert done.returncode == code, (words, done.stdout[-2000:] + done.stderr[-4000:])
        return done.stdout + done.stderr

    def answers(self, *commands) -> list[str]:
        """What several commands print, in one process; each must end with code 0."""
        printed = self.python("-c", CALLS, *map(json.dumps, commands)).splitlines()
        return [json.loads(line) for line in printed if line.startswith('"')]  # the rest: stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return Wheel(tmp_path_factory.mktemp("wheel"))


def test_every_command_answers_in_an_empty_folder(wheel):
    assert sum(map(bool, wheel.answers(*COMMANDS))) == len(COMMANDS)


def test_certificates_and_their_checker_come_along(wheel):
    folder = wheel.site / "dpbandits/reproduction/published/certificates"
    ours = sorted((ROOT / "certificates").glob("*.json"))
    theirs = [folder / path.name for path in ours]
    assert [path.read_bytes() for path in theirs] == [path.read_bytes() for path in ours]
    assert wheel.python("-I", folder / "check.py", *theirs[:3]).count("proved ") == 3


def test_packages_of_papers_are_found(wheel):
    wheel.install(ROOT / "examples/local-privacy")
    wheel.python("-m", "dpbandits", "simulate", "lp-commit", *MEANS, *SIMULATE)
    assert (wheel.folder / "regret.csv").read_text().count("\n") > 10
    assert "lp-commit" in wheel.python("-m", "dpbandits", "list", "algorithms", "--paper", "lp")
