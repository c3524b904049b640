"""docs/auditing.md: its commands, run on its files, print the lines of the page: in a block as many
as there are commands, each perhaps with more lines below it, indented, and "..." at an end."""

import re
import shlex
from pathlib import Path

import pytest

from dpbandits.audit.sampled.blackbox import detectable
from dpbandits.cli import main

PAGE = (Path(__file__).parents[2] / "docs/auditing.md").read_text(encoding="utf-8")
FILES = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", PAGE, re.DOTALL)
BLOCKS = re.findall(r"```sh\n([^`]*)```\n\n((?:    [^\n]*\n)+)", PAGE)
LINES = [
    pair
    for commands, lines in BLOCKS
    for pair in zip(commands.splitlines(), re.split(r"\n    (?=\S)", lines.strip()), strict=True)
]
ROWS = re.findall(r"^\| ([\d,]+) \| (.*) \|$", PAGE, re.MULTILINE)


def test_every_command_of_the_page_is_run():
    assert len(LINES) == len(re.findall(r"^dpbandits ", PAGE, re.MULTILINE)) >= 10
    assert len(FILES) == PAGE.count("```python")


@pytest.mark.parametrize(("command", "line"), LINES)
def test_command_prints_the_line_of_the_page(command, line, tmp_path, monkeypatch, capsys):
    """The seeds are fixed; another one would refute a sound function with probability 1e-6."""
    if "opendp:" in command:
        pytest.importorskip("opendp")
    for name, text in FILES:
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command)[1:]) == 0
    printed = capsys.readouterr().out.splitlines()
    name = re.search(r":(\w+) ", command)
    for said in line.removeprefix(f"{name and name[1]}:").splitlines():
        text, dots, _ = said.strip().partition(" ...")
        assert any(one.startswith(text) if dots else one == text for one in printed)


@pytest.mark.parametrize("name", ["test_privacy", "test_greedy"])
def test_tests_of_the_page(name, tmp_path, monkeypatch):
    """The first one fails with the lines of the page."""
    for file, text in FILES:
        (tmp_path / file).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    names = {"__name__": name}
    exec(dict(FILES)[f"{name}.py"], names)
    (test,) = [f for key, f in names.items() if key.startswith("test_")]
    if name == "test_greedy":
        test()
        return
    with pytest.raises(AssertionError) as error:
        test()
    first, *others = str(error.value).split("\n")
    assert f"AssertionError: {first.split(' at least')[0]}" in PAGE
    assert "\n".join(f"    E       {line}" for line in others) in PAGE


def test_table_of_runs():
    claims = [float(x) for x in re.findall(r"claim ([\d.]+)", PAGE)]
    assert len(ROWS) == 4
    for runs, losses in ROWS:
        detected = [detectable(claim, 0.0, int(runs.replace(",", ""))) for claim in claims]
        assert losses.split(" | ") == [f"{loss:.2f}" for loss in detected]
