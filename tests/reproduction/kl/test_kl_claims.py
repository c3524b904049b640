"""Certified counterexamples against floating point, and the ledger rows."""

import math
from functools import cache

import numpy as np
import pytest

from dpbandits.core.divergences import pure_epsilon
from dpbandits.offline.losses.bandit import exact_loss
from dpbandits.offline.losses.linear import LinearAudit
from dpbandits.offline.losses.preference import PreferenceAudit
from dpbandits.offline.mle import fit
from dpbandits.offline.problem import BanditData, Preferences
from dpbandits.reproduction.kl.counterexamples import COUNTEREXAMPLES, bandit, linear
from dpbandits.reproduction.kl.counterexamples import rlhf as preference
from dpbandits.reproduction.ledger.claims import get_claim

CROSSINGS = [*COUNTEREXAMPLES]


crossed = cache(lambda row: COUNTEREXAMPLES[row]())


@pytest.mark.parametrize("row", CROSSINGS)
def test_the_blamed_step_fails_at_its_counterexample_and_none_before_it_does(row):
    """Every step of the printed proof in numbers: left <= right up to the one named first."""
    found = crossed(row)
    assert found.proved
    assert float(found.measured.rad()) < 1e-30
    assert float(found.allowed.rad()) < 1e-30 * max(1.0, float(found.allowed.mid()))
    failing = [step.fails for step in found.steps]
    first = failing.index(True)
    assert found.broken.split("; then ")[0] == found.steps[first].name
    assert not any(failing[:first])
    for step in found.steps[:first]:  # not only undecided
        assert float(step.left.mid()) <= float(step.right.mid()) * (1 + 1e-30)


@pytest.mark.parametrize(
    "make",
    [preference.theorem3_approx, preference.theorem4_approx, preference.corollary3_approx],
)
def test_counterexamples_to_the_approximate_parts_survive_four_times_the_printed_eps(make):
    """All missing factors 2 put in, in eps and in the e^eps of delta."""
    found = make()
    own = float(found.epsilon.mid())
    p, q = (np.array([float(x.mid()) for x in side]) for side in found.pair)
    exact = max(np.maximum(a - math.exp(4 * own) * b, 0).sum() for a, b in ((p, q), (q, p)))
    assert exact > 1e4 * float(found.allowed.mid()) * math.exp(3 * own)


def test_counterexamples_to_the_corollaries_survive_their_slip():
    """c sqrt(k1) for sqrt(c k1): |A| e^eps exp(beta0/eta sqrt(d/n) (1 - c sqrt k1))."""
    for found, n, d, k1, c, rate in (
        (linear.corollary2_approx(), 39600, 1, 400, 3 / 40, 198 * 20),
        (preference.corollary3_approx(), 4000400, 2, 4000400 / 800, 1 / 20, 8500),
    ):
        mended = math.exp(rate * math.sqrt(d / n) * (1 - c * math.sqrt(k1)))
        allowed = 2 * math.exp(float(found.epsilon.mid())) * mended
        assert float(found.measured.mid()) > 500 * allowed


def test_the_step_of_appendix_d_fails_for_the_fitted_estimates_too():
    """(29) at the data of the certificate, with the MLE of the engine: 1.1e-4, and 0 is allowed."""
    e1, e2 = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    z, phi = np.array([0.5, 0.5]), np.array([0.5, -0.5])
    rows = [e1] * 10 + [-e1] * 10 + [e2] * 15 + [-e2] * 5
    before, after = fit(np.array(rows), 2.0), fit(np.array([*rows, z]), 2.0)
    sigma = sum(np.outer(v, v) for v in (*rows, z))
    assert z @ np.linalg.inv(sigma) @ phi == pytest.approx(0.0, abs=1e-15)
    gamma = 1 / (2 + math.exp(4) + math.exp(-4))
    certified = get_claim("KL-D30").certificates()["printed"]["enclosures"]["left"]
    assert float(certified[0]) == pytest.approx(1.0999945e-4, rel=1e-7)
    assert gamma * abs((after - before) @ phi) == pytest.approx(float(certified[0]), rel=1e-6)


def test_certificates_agree_with_the_floating_point_audits():
    """The same data sets through the audit engine: two independent computations."""
    data = BanditData(
        np.array([2, 10000]), np.array([2.0, 0]), np.array([1.0, 0]), np.array([1.0, 0])
    )
    certified = bandit.theorem1_approx()
    epsilon = float(certified.epsilon.mid())
    worst = exact_loss(data, 0.01, 1.2, at_epsilon=(epsilon,))
    assert worst.delta[epsilon] == pytest.approx(float(certified.measured.mid()), rel=1e-9)

    x, actions = np.array([[-1.0], [-1], [1]]), np.array([[1.0], [-1]])
    audit = LinearAudit(x, np.ones(3), actions, eta=0.05, beta0=0.1, penalty=1.0)
    one = audit.updated(x[2:], np.ones(1), -1.0)
    certified = linear.theorem2_pure_appendix()
    assert float(pure_epsilon(audit.log_pi, one)[0]) == pytest.approx(
        float(certified.measured.mid())
    )

    signed = np.repeat([[2.0], [-2.0]], 10, axis=0)
    audit = PreferenceAudit(
        Preferences(signed), actions, eta=0.01, beta0=4.0, penalty=1.0, radius=0.2
    )
    certified = preference.theorem3_pure()
    assert audit.worst(("flip",)).pure == pytest.approx(float(certified.measured.mid()), rel=1e-9)
    audit = PreferenceAudit(
        Preferences(signed), actions, eta=0.01, beta0=1.0, penalty=1.0, radius=0.1
    )
    certified = preference.theorem4_pure()
    assert audit.theta == pytest.approx([0.0], abs=1e-14)
    assert audit.worst(("remove",)).pure == pytest.approx(float(certified.measured.mid()), rel=1e-9)
