"""Notions of privacy for groups of records, against plain computations; claims of algorithms."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from scratch import ROOT

from dpbandits.core import notions
from dpbandits.core.algorithms import algorithms, get_algorithm
from dpbandits.core.errors import InputError


def gaussian_delta_on_a_grid(shift, epsilon):
    """The integral of (f(x - shift) - e^eps f(x))_+, for the density f of a standard normal."""
    x, step = np.linspace(-12, 12 + shift, 400_001, retstep=True)
    excess = norm.pdf(x - shift) - math.exp(epsilon) * norm.pdf(x)
    return np.maximum(excess, 0).sum() * step


@pytest.mark.parametrize("records", [1, 2, 3])
def test_gaussian_privacy_of_a_group(records):
    epsilon, delta = notions.GDP.leaves(0.7, records)
    assert gaussian_delta_on_a_grid(0.7 * records, epsilon) == pytest.approx(delta, rel=1e-4)


def test_a_tiny_mu_costs_no_epsilon():
    assert notions.GDP.leaves(1e-3, 1) == (0.0, notions.CHECKED)


@pytest.mark.parametrize("records", [1, 2, 4])
def test_concentrated_privacy_of_a_group_covers_the_gaussian(records):
    """A Gaussian release with shift mu is (mu^2/2)-zCDP, so its true delta must be covered."""
    epsilon, delta = notions.ZCDP.leaves(0.7**2 / 2, records)
    assert gaussian_delta_on_a_grid(0.7 * records, epsilon) <= delta


def test_approximate_privacy_of_a_group():
    """p_k = e^eps p_(k-1) + delta from p_0 = 0 is the worst chain of neighbours."""
    setting = get_algorithm("fliphat").setting(delta=0.01)
    p = 0.0
    for records in (1, 2, 3):
        p = math.exp(0.5) * p + 0.01
        assert notions.JOINT.leaves(0.5, records, setting) == (records * 0.5, pytest.approx(p))
        own_delta = notions.APPROXIMATE.with_delta(0.01).leaves(0.5, records)
        assert own_delta == (records * 0.5, pytest.approx(p))
    assert notions.APPROXIMATE.leaves(0.5, 3) == (1.5, 0.0)
    assert notions.PURE.leaves(0.5, 3, setting) == (1.5, 0.0)
    assert notions.PURE_JOINT.leaves(0.5, 3) == (1.5, 0.0)


@pytest.mark.parametrize(("name", "setting", "worth"), [
    ("rnm-ftnl", {"means": [1, 0]}, 2.0),
    ("rnm-ftnl", {"means": [1, 0], "variant": "prefix"}, 1.0),
    ("fliphat", {"preset": "released"}, math.inf),
    ("fliphat", {"preset": "zcdp"}, 1.0),
    ("ucb1", {"means": [1, 0]}, math.inf),
])  # fmt: skip
def test_real_epsilon(name, setting, worth):
    assert get_algorithm(name).real_epsilon(setting, 1.0) == worth


def test_a_wrong_setting_is_refused():
    with pytest.raises(InputError, match="unknown key"):
        get_algorithm("rnm-ftnl").real_epsilon({"means": [1, 0], "kind": "prefix"}, 1.0)


def test_privacy_of_every_algorithm_is_a_claim_or_has_a_proof():
    known = set(pd.read_csv(ROOT / "figures/claims.csv")["id"])
    seen = set()
    for name, entry in algorithms().items():
        if not entry.private or entry.paper not in ("hu", "fl", "us", "kl"):
            continue
        if entry.claim not in known:
            place = r"assumed: proved in (docs/proofs/\w+\.md), (Section|Theorem) (\w+)"
            file, kind, number = re.fullmatch(place, entry.claim).groups()
            mark = f"\n## {number}. " if kind == "Section" else f"**Theorem {number} ("
            assert mark in (ROOT / file).read_text().replace(f"{number}.** ", f"{number} ("), name
        seen.add(name)
    assert len(seen) >= 14


def test_zcdp_and_gdp_by_hand():
    """Two records at rho = 0.05: 0.2 + 2 sqrt(0.2 ln 10); mu = 1: 2 Phi(1/2) - 1 = 0.38292 at 0 and
    Phi(-1/2) - e Phi(-3/2) = 0.126936 at 1, from printed tables of the normal law."""
    epsilon = 0.2 + 2 * math.sqrt(0.2 * math.log(10))
    assert notions.ZCDP.leaves(0.05, 2) == (pytest.approx(epsilon, rel=1e-12), 0.1)
    assert notions.gaussian_delta(1.0, 0.0) == pytest.approx(0.3829249, abs=1e-7)
    expected = 0.3085375387 - math.e * 0.0668072013
    assert notions.gaussian_delta(1.0, 1.0) == pytest.approx(expected, abs=1e-9)
    assert notions.gaussian_delta(2.0, 2.0) == pytest.approx(
        0.5 - math.e**2 * 0.0227501319, abs=1e-9
    )
    assert 0 <= notions.gaussian_delta(0.1, 50.0) < 1e-300  # without an overflow
    for mu in (0.3, 3.0, 30.0):
        epsilon, delta = notions.GDP.leaves(mu, 1)
        assert notions.gaussian_delta(mu, epsilon) == pytest.approx(delta, rel=1e-9)
    assert notions.GDP.leaves(15.0, 2) == notions.GDP.leaves(30.0, 1)
