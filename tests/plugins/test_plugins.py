"""An installed package is a paper like ours: listed, simulated, audited, tested, run."""

import json

import pytest
from outside import EXAMPLE, dpbandits, install, python
from scipy.special import ndtr


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    return install(tmp_path_factory.mktemp("outside"), EXAMPLE)


def test_its_entries_are_listed_with_their_places(installed):
    listed = json.loads(dpbandits(installed, "list", "--paper", "ts", "--json"))
    names = {kind: [entry["name"] for entry in entries] for kind, entries in listed.items()}
    assert names == {
        "algorithms": ["gaussian-thompson"],
        "claims": ["TS-GDP"],
        "figures": ["ts/regret_vs_privacy"],
        "mechanisms": ["gaussian"],
        "studies": ["ts/privacy"],
    }
    site = installed["PYTHONPATH"].split(":")[-1]
    assert all(e["place"].startswith(site) for entries in listed.values() for e in entries)


def test_its_mechanism_has_an_infinite_pure_loss(installed):
    """And delta of the Gaussian mechanism at 0: 2 Phi(mu/2) - 1, mu = 1/scale."""
    options = ["--set", "scale=2", "--at-epsilon", "0,1000", "--json"]
    loss = json.loads(dpbandits(installed, "audit", "gaussian", *options))
    assert loss["pure_epsilon"] == "inf"
    assert loss["delta_at"] == {"0": pytest.approx(2 * ndtr(0.25) - 1), "1000": 0}


def test_its_entries_pass_the_contracts(installed):
    """Five of an algorithm and four of a mechanism."""
    contracts = ("tests/core/test_algorithm_contract.py", "tests/core/test_mechanism_contract.py")
    passed = python(installed, "-m", "pytest", "-q", *contracts, "-k", "gaussian")
    assert "9 passed" in passed


EXACT = """
import numpy as np
from dpbandits.core.algorithms import run
from gaussian_thompson.exact import probability
setting = {"means": [1.0, 0.0], "pre_pulls": 2, "variance": 0.5}
pulls = run("gaussian-thompson", setting, np.inf, 6, range(20000)).extras["pulls"]
law = np.zeros(3)  # distribution of the pulls of arm 0 in rounds 5 and 6, after 2 pre-pulls
first = probability(np.array([[2.0], [2.0]]), np.array([[2.0], [0.0]]), 0.5)[0]
if_0 = probability(np.array([[3.0], [2.0]]), np.array([[3.0], [0.0]]), 0.5)[0]
if_1 = probability(np.array([[2.0], [3.0]]), np.array([[2.0], [0.0]]), 0.5)[0]
law[2], law[1] = first * if_0, first * (1 - if_0) + (1 - first) * if_1
law[0] = 1 - law.sum()
seen = np.bincount(pulls[:, 0].astype(int) - 2, minlength=3) / 20000
print(np.max(np.abs(seen - law) / np.sqrt(law * (1 - law) / 20000)))
"""


def test_its_engine_agrees_with_the_exact_distribution(installed):
    """Of the pulls, for one arm that always pays and one that never does: three frequencies within
    5 standard errors (flake rate below 2e-6; the seeds are fixed)."""
    assert float(python(installed, "-c", EXACT)) < 5


ATTACK = """
import math
from gaussian_thompson.exact import worst_delta
from gaussian_thompson.theory import delta_of, gdp, mu_of, variance_for
one = worst_delta(3, 1.0, 1, [0.0])[0]
print(one, mu_of(one, 0.0) / gdp(7, 2, 3, 1.0))  # one decision after 3 pre-pulls of 2 arms
print(gdp(1000, 5, 10, variance_for(2.0, 1000, 5, 10)), mu_of(delta_of(0.8, 0.3), 0.3))
epsilons = [0.0, 0.2, 0.5]
for b in (0, 1, 3):
    mu = gdp(5 + max(2 * b, 1), 2, b, 1.0)
    deltas = worst_delta(b, 1.0, 5, epsilons)
    print(min(delta_of(mu, e) - d for e, d in zip(epsilons, deltas)) >= 0)
"""


def test_its_bound_and_its_attack_in_known_cases(installed):
    """One decision between two arms of 3 pulls each: at worst from a tie to a lead of 1 success,
    1/4 of the mean, where both noises add to the variance 1/2; at most sqrt(1/2) of the bound."""
    delta, single, mu, back, *below = python(installed, "-c", ATTACK).split()
    assert float(delta) == pytest.approx(ndtr(0.25 / 0.5**0.5) - 0.5)
    assert 0.69 < float(single) <= 0.5**0.5 + 1e-9
    assert (float(mu), float(back)) == (pytest.approx(2.0), pytest.approx(0.8))
    assert below == ["True"] * 3
