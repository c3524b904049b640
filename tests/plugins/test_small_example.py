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
