"""docs/auditing.md: its commands, run on its files, print the verdicts of the page."""

import re
import shlex
from pathlib import Path

import pytest

from dpbandits.audit.blackbox import detectable
from dpbandits.cli import main

PAGE = (Path(__file__).parents[2] / "docs/auditing.md").read_text(encoding="utf-8")
FILES = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = re.findall(r"^dpbandits audit --function .*$", PAGE, re.MULTILINE)
VERDICTS = re.findall(r"^    (verdict: .*)$", PAGE, re.MULTILINE)
ROWS = re.findall(r"^\| ([\d,]+) \| (.*) \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("command", "verdict"), [*zip(COMMANDS, VERDICTS, strict=True)])
def test_command_prints_the_verdict_of_the_page(command, verdict, tmp_path, monkeypatch, capsys):
    """The seeds are fixed; another one would refute a sound function with probability 1e-6."""
    assert len(FILES) == PAGE.count("```python")
    for name, text in FILES:
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == verdict


def test_table_of_runs():
    claims = [float(x) for x in re.findall(r"claim ([\d.]+)", PAGE)]
    assert len(ROWS) == 4
    for runs, losses in ROWS:
        detected = [detectable(claim, 0.0, int(runs.replace(",", ""))) for claim in claims]
        assert losses.split(" | ") == [f"{loss:.2f}" for loss in detected]
