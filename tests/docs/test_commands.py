"""Every command of README.md and docs/cli.md runs as it is written, at the smoke scale.

The tables that a command reads are the golden ones, taken as up to date; that Snakemake makes what
is not: tests/workflow/test_reruns.py.
"""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from scratch import ROOT

from dpbandits.audit.replayed import judge
from dpbandits.cli import main
from dpbandits.core import choose
from dpbandits.reproduction.pipeline import tables

PAGES = "".join((ROOT / name).read_text("utf-8") for name in ("README.md", "docs/cli.md"))
FOUND = re.findall(r"^ *(dpbandits (?:.*\\\n)*.*)$|`(dpbandits .*?)`", PAGES, re.MULTILINE)
COMMANDS = dict.fromkeys(" ".join("".join(pair).replace("\\\n", " ").split()) for pair in FOUND)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the checkout at the smoke scale, with a file of records to audit."""
    folder = tmp_path_factory.mktemp("checkout")
    for path in ROOT.iterdir():
        if path.name not in ("results", "config", ".git"):
            (folder / path.name).symlink_to(path)
    shutil.copytree(ROOT / "config", folder / "config")
    config = folder / "config/config.yaml"
    config.write_text(re.sub(r"^scale: \w+", "scale: smoke", config.read_text(), flags=re.M))
    shutil.copytree(ROOT / "tests/golden", folder / "results/smoke/tables")
    (folder / "results/figures").symlink_to(ROOT / "figures")
    (folder.parent / "before").symlink_to(ROOT)
    (folder / "records.csv").write_text("arm,reward\n" + "0,1\n0,0\n1,1\n" * 4)
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_command_runs(command, checkout, monkeypatch, capsys):
    monkeypatch.chdir(checkout)
    monkeypatch.setattr(choose, "SECONDS", 1.0)  # as few instances as it ever takes
    monkeypatch.setattr(judge, "SUSPECTS", 2)  # of an audit
    monkeypatch.setattr(tables, "make", lambda plan, paths: [*map(Path.stat, map(Path, paths))])
    assert main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out or (checkout / "regret.csv").is_file()
