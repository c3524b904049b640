"""examples/local-privacy: it is short, and the commands of its README work."""

import os
import re
import shutil

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


LEARNER = """
import numpy as np
from dpbandits.stochastic.rounds import Bandit, bandit


@bandit("lp-laplace", source="explore, then commit", claim="assumed: a noisy report per reward")
class Reports(Bandit):
    state = ("reports",)

    def start(self):
        self.reports = np.zeros(self.K)

    def index(self):
        return self.reports

    def update(self, J, X):
        self.reports[J] += self.noise.laplace(X, 1 / self.epsilon)
        self.released(J)
"""
REPORT = "self.reports[J] += self.noise.laplace(X, 1 / self.epsilon)"


def test_a_learner_that_is_added_to_it_is_audited(installed, tmp_path):
    """By the contracts: it reports each reward with Laplace noise of scale 1/epsilon; the broken
    one reports it twice."""
    ours, site = installed["PYTHONPATH"].split(os.pathsep)
    shutil.copytree(site, tmp_path / "site")
    environment = installed | {"PYTHONPATH": f"{ours}{os.pathsep}{tmp_path / 'site'}"}
    file = tmp_path / "site/local_privacy/lp_laplace.py"
    file.write_text(LEARNER, "utf-8")
    contract = ("-m", "pytest", "-q", "tests/core/test_algorithm_contract.py", "-k", "lp-")
    assert " passed" in python(environment, *contract)
    file.write_text(LEARNER.replace(REPORT, f"{REPORT}\n        {REPORT}"), "utf-8")
    with pytest.raises(AssertionError, match=r"lp-laplace: not .* loses up to 2 "):
        python(environment, *contract)
