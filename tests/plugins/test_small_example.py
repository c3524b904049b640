"""examples/local-privacy: it is short, and the commands of its README work."""

import re

import numpy as np
import pytest
from outside import SMALL, dpbandits, install, python

README = (SMALL / "README.md").read_text("utf-8")


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    return install(tmp_path_factory.mktemp("outside"), SMALL)


OUTPUT = {  # of the commands of its README, in part
    "list": "randomised-response",
    "check": "LP-ERR, printed: holds",
    "audit": "pure_epsilon: 1\n",
}


@pytest.mark.parametrize("command", re.findall(r"^dpbandits (.*)$", README, re.MULTILINE))
def test_commands_of_its_readme(command, installed):
    words = command.split()
    assert OUTPUT[words[0]] in dpbandits(installed, *words)


WRONG = """
import numpy as np
from dpbandits.reproduction.studies import get_study
from local_privacy.lp_commit import play
params = {"means": (0.7, 0.5), "pulls": (10,), "epsilons": (1.0,)}
exact = get_study("lp/commit").table(params)["wrong"][0]
rng = np.random.default_rng(0)
means = np.array([0.5, 0.7])  # ties choose the first arm: here the worse one
wrong = np.mean([play(means, 10, 1.0, 21, rng)[-1] == 0 for _ in range(20000)])
print((wrong - exact) / np.sqrt(exact * (1 - exact) / 20000))
"""


def test_error_rate_of_its_algorithm_agrees_with_its_study(installed):
    """Within 5 standard errors (by chance further off with probability 1e-6; the seed is fixed)."""
    assert np.abs(float(python(installed, "-c", WRONG))) < 5


OF_ITS_OWN = """
import dpbandits as dp
run = dp.run("kinds", {"means": [[0.9, 0.1], [0.1, 0.9]]}, 20.0, 2000, range(3), [2000])
learner = dp.learner("kinds", arms=2, kinds=3, epsilon=1.0, delay=3, contributions=2)
for t in range(12):
    learner.update(1.0, learner.act(t % 3).ticket)
try:
    learner.act(3)
except dp.InputError as error:
    refused = str(error)
audits = [dp.audit(learner="kinds", **more).within for more in ({}, {"delay": 2, "horizon": 9})]
found = dp.choose(like="kinds", arms=2, dim=3, epsilon=20.0, horizon=2000, instances=3)
print(run.regret.max() < 300, learner.privacy.neighbours, refused, audits)
print(found.rows[0].algorithm, found.rows[0].mean < 0.3 * found.beside[1].mean, found.use)
"""


def test_a_problem_of_its_own_is_simulated_deployed_audited_and_chosen(installed):
    """Random play would lose 800 of 2,000 rounds, at epsilon = 20 `kinds` less than 300."""
    first, second = python(installed, "-c", OF_ITS_OWN).splitlines()
    assert first.startswith("True kind and reward of at most 2 rounds change")
    assert "a kind, from 0 to 2" in first
    assert first.endswith("[True, True]")
    assert second.startswith('kinds True dpbandits.learner("kinds"')
