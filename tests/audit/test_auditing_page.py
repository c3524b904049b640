"""docs/auditing.md: its commands, run on its files, print the lines of the page: in a block as many
as there are commands, each perhaps with more lines below it, indented, and "..." at an end."""

import math
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from plain import seeded
from scipy.optimize import brentq
from scipy.stats import binom

from dpbandits.audit.replayed import judge
from dpbandits.audit.sampled.blackbox import CONFIDENCE, log_ratio, lower_bound
from dpbandits.cli import main

PAGE = (Path(__file__).parents[2] / "docs/auditing.md").read_text(encoding="utf-8")
FILES = [(x[1], x[0]) for x in re.findall(r"```python\n(# (\w+\.py)\n.*?)```", PAGE, re.DOTALL)]
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
    monkeypatch.setattr(judge, "SUSPECTS", 2)  # sampled before one is chosen: the same, but faster
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
    monkeypatch.setattr(judge, "SUSPECTS", 2)
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


def detectable(epsilon: float, delta: float, runs: int, confidence: float = CONFIDENCE) -> float:
    """The smallest loss of randomised response at which this many runs refute (epsilon, delta)-DP
    with probability 0.9 or more, if the event is known; infinity if there is none."""
    half, error = runs - runs // 2, (1 - confidence) / 4

    def excess(loss: float) -> float:
        """The bound minus epsilon, each count on its bad side with probability 0.05."""
        right = 1 / (1 + math.exp(-loss))
        hits, others = binom.ppf(0.05, half, right), binom.ppf(0.95, half, 1 - right)
        return max(-1.0, log_ratio(int(hits), int(others), half, delta, error) - epsilon)

    most = 50.0
    return brentq(excess, epsilon, most) if excess(most) > 0 else math.inf


def test_detectable_loss_is_refuted_in_nine_of_ten_audits():
    """Randomised response, 200 audits, up to 5 standard errors: fails by chance below 1e-6. No
    bound from these runs exceeds the largest provable one."""
    runs, epsilon, confidence = 2000, 0.5, 0.99
    loss = detectable(epsilon, 0.0, runs, confidence)
    assert epsilon < loss < 1.5
    right, refuted = 1 / (1 + math.exp(-loss)), 0
    for trial in range(200):
        generator = seeded(trial)
        first, second = generator.random(runs) < right, generator.random(runs) > right
        refuted += lower_bound(first, second, confidence=confidence).epsilon > epsilon
    assert refuted / 200 > 0.9 - 5 * math.sqrt(0.9 * 0.1 / 200)
    assert detectable(20.0, 0.0, runs) == math.inf
    certain = lower_bound(np.zeros(runs, int), np.ones(runs, int), confidence=confidence)
    assert certain.epsilon == log_ratio(1000, 0, 1000, 0.0, 0.01 / 4)


def test_table_of_runs():
    claims = [float(x) for x in re.findall(r"claim ([\d.]+)", PAGE)]
    assert len(ROWS) == 4
    for runs, losses in ROWS:
        detected = [detectable(claim, 0.0, int(runs.replace(",", ""))) for claim in claims]
        assert losses.split(" | ") == [f"{loss:.2f}" for loss in detected]
