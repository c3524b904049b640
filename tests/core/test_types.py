"""The types of the public API: mypy takes right calls and refuses wrong ones."""

from mypy import api
from scratch import ROOT

RIGHT = """
import numpy as np
import dpbandits as dp

result = dp.run("ucb1", {"means": [0.7, 0.5]}, float("inf"), 100, range(3))
regret: np.ndarray = result.regret
learner: dp.Learner = dp.learner("lazy-dp-ts", arms=2, epsilon=1.0, delay=5)
arm: int = learner.act()
learner.update(0.5, ticket=learner.ticket)
promised: float = learner.privacy.epsilon
learner.update(np.float32(0.5))
learner.update([0.5, 1.0])


class Own(dp.Bandit):
    def update(self, arm: int, reward: float) -> None:
        self.released(arm)
"""
WRONG = [
    'dp.run("ucb1", {"means": [0.7, 0.5]}, "1", 100, range(3))',
    'dp.run("ucb1", {"means": [0.7, 0.5]}, 1.0, 100, range(3), engine="slow")',
    'dp.learner("lazy-dp-ts", arms=2, epsilon="1")',
    "word: str = learner.act()",
    "learner.update(0.5, ticket=0.5)",
    "learner.nothing",
    "learner.act(allowed=3)",
    'learner.update("0.5")',
    "dp.nothing",
]


def test_mypy_refuses_wrong_calls_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setenv("MYPYPATH", str(ROOT / "src"))
    file = tmp_path / "uses.py"
    file.write_text(RIGHT + "\n".join(WRONG) + "\n")
    options = ["--follow-imports=silent", "--ignore-missing-imports", "--strict", "--config-file="]
    found, broken, _ = api.run([*options, f"--cache-dir={tmp_path}", str(file)])
    assert not broken
    lines = [int(line.split(":")[1]) for line in found.splitlines() if ": error: " in line]
    first = RIGHT.count("\n") + 1
    assert lines == [*range(first, first + len(WRONG))]
