"""Every printed bound, every repaired one and the problem's own formulas, at numbers by hand.

R = 3 and thresholds off the pure ones, so that no factor or term can hide behind a 1 or a 0; the
approximate theorems of theory.py once more as loops over actions, as docs/proofs/KL.md has them.
"""

from functools import partial
from math import exp, inf, log, sqrt

import numpy as np
import pytest
from printed_policies import pessimistic_linear, pessimistic_mab, rlhf_mle

from dpbandits.offline import theory
from dpbandits.offline.losses.linear import LinearAudit
from dpbandits.offline.losses.preference import PreferenceAudit
from dpbandits.offline.problem import BanditData, Preferences, bandit_policy, log_reference_from
from dpbandits.offline.theory import Bound, Narrowest
from dpbandits.reproduction.kl import corollaries
from dpbandits.reproduction.kl import theory as claimed
from dpbandits.reproduction.kl.theory import Coverage

E = exp(1.0)  # e^2B at B = 1/2
PRINTED = [  # formula, its arguments, eps, delta
    (corollaries.lemma1_partition, (1, 4, 0.125), 0.5, 0.125 * exp(0.5)),
    (corollaries.composition_pure, (Bound(0.25, 0.1), 12), 3, 0),
    # sqrt(2 * 8 * ln e^4) 1/2 + 8/2 (e^1/2 - 1), k delta + delta' = 3/100 + e^-4
    (corollaries.composition_approx, (Bound(0.5, 0.01), 8, exp(-4), 3), 4 + 4 * (exp(0.5) - 1),
     0.03 + exp(-4)),
    (corollaries.inexact, (Bound(1, 0.2), 0.5), 2, 0.2),
    # R = 3, eta = 1/2, beta0 = 8: (9) at min N = 5 is 2 (4 * 3/4 + 8/8)
    (claimed.theorem1_pure, (5, 0.5, 8, 3), 8, 0),
    # N0 = 4, max N = 16: 2 (12/4 + 8/8); 3 exp(8 + 16 (1/4 - 1/2))
    (claimed.theorem1_approx, (3, 16, 0.5, 8, 4, 3), 8, 3 * exp(4)),
    # k = 4: (4 * 4 * 3 + 8 * 8/4)/(16/2); exponent -16 (2 - 1)/4 + 4 * 4 * 3/16 + 16 * 8/64
    (corollaries.corollary1, (3, 16, 0.5, 8, 4, 3), 8, 3 * E),
    # n = 8, d = 2, l = 5: (2 (1 + sqrt(16/4)) 3/sqrt 4 + 4/4)/(sqrt 5/2)
    (claimed.theorem2_pure, (8, 2, 5, 0.5, 4, 3), 20 / sqrt(5), 0),
    # lambda0 = 16, narrowest 1/8: 10/(1/2 * 4); 7 exp(5 + 8 (1/8 - 1/4))
    (claimed.theorem2_approx, (Coverage(7, 0.125, 16), 8, 2, 5, 0.5, 4, 3),
     5, 7 * exp(4)),
    # ((1 + 2) 3/sqrt 5 + 4/(2 * 4))/(sqrt 5/2)
    (corollaries.theorem2_pure_appendix, (8, 2, 5, 0.5, 4, 3), 18 / 5 + 1 / sqrt(5), 0),
    # k1 = 4: 8/(8/2) (2 * 5 (1 + 2 * 2) + 3 sqrt(8/8)); c = 1/16: 6 sqrt(2/8) (1 - sqrt(4/16))
    (corollaries.corollary2_pure, (8, 2, 4, 0.5, 3, 5), 106, 0),
    (partial(corollaries.corollary2_approx, c=1 / 16, reward_max=5), (7, 8, 2, 4, 0.5, 3), 6.625,
     7 * exp(6.625 + 1.5)),
    # l = 9, lambda = 1, B = 1/2: (2 + 2e)/(8/2)
    (claimed.theorem3_pure, (9, 1, 0.5, 0.5), (1 + E) / 2, 0),
    # times sqrt(9/16); narrowest 1/8, beta0 = 4: 8 (1/8 - 1/4)
    (claimed.theorem3_approx, (Coverage(7, 0.125, 16), 9, 1, 0.5, 4, 0.5),
     3 * (1 + E) / 8, 7 * exp(3 * (1 + E) / 8 - 1)),
    # ((1 + e) 3/8 + 2 * 4/8)/(3/2), and with sqrt 16 for 3
    (claimed.theorem4_pure, (9, 1, 0.5, 4, 0.5), (1 + E) / 4 + 2 / 3, 0),
    (claimed.theorem4_approx, (Coverage(7, 0.125, 16), 9, 1, 0.5, 4, 0.5),
     3 * (1 + E) / 16 + 0.5, 7 * exp(3 * (1 + E) / 16 - 0.5)),
    (corollaries.corollary3_pure, (8, 2, 4, 0.5, 0.5), 4 + 4 * E, 0),
    (partial(corollaries.corollary3_approx, radius=0.5, c=1 / 16), (7, 8, 2, 4, 0.5, 3),
     (1 + E) / 4, 7 * exp((1 + E) / 4 + 1.5)),
    # --- repaired; R = 3, N = 4: (3/4 + 6 (1/sqrt 3 - 1/2))/(1/2)
    (corollaries.corrected_lemma1, (0.5, 0.2, 0.3), 0.5, 0.3),
    (corollaries.corrected_lemma1, (0.5, 0.3, 0.2), 0.5, 0.3),
    (corollaries.corrected_theorem1_pure, (4, 0.5, 6, 3), 12 / sqrt(3) - 4.5, 0),
    # R = 1/2, 4/(2 * 1/8 * 2) = 8: n = 5; x = 2 exp(8 (1/2 + 4/4 - 4/sqrt 5))
    (corollaries.corrected_theorem1_approx, (16, 0.125, 4, 2, 0.5, 2), 2,
     1 / (1 + exp(-8 * (1.5 - 4 / sqrt(5))) / 2)),
    # n = 13, l = 5, lambda = 1: the removal, 2 * 3 (1 + sqrt 12 sqrt 3/4)/5 + 3 (1/2 - 1/sqrt 5)
    (theory.corrected_theorem2_pure, (13, 5, 1, 0.5, 3, 3), 2 * (3 + 3 * (0.5 - 1 / sqrt(5))), 0),
    # T = 8, omega = 1/2: 8/32 + 1/2 sqrt(8 ln e^4/2)
    (corollaries.corrected_draws, (0.5, 8, exp(-4)), 2.25, exp(-4)),
]  # fmt: skip


@pytest.mark.parametrize("case", PRINTED)
def test_a_bound_by_hand(case):
    formula, arguments, epsilon, delta = case
    found = formula(*arguments)
    assert found.epsilon == pytest.approx(epsilon, rel=1e-12)
    assert found.delta == pytest.approx(delta, rel=1e-12)


def test_where_additions_are_the_worse_change_of_a_linear_policy():
    """n = l = 100, lambda = 1: sqrt(99)/100 and sqrt(98)/99 of each residual."""
    removed = (1 + sqrt(99) * sqrt(98) / 99) / 10
    added = (1 + 10 * sqrt(99) / 100) * 10 / 101
    assert theory.linear_drift(100, 100.0, 1.0) == pytest.approx((removed, added), rel=1e-12)
    # lambda = 60: the leverages are largest at 2 lambda = 120
    most = sqrt(60) / 120
    found = theory.linear_drift(100, 100.0, 60.0)
    expected = (1 + sqrt(99) * most) / 10, (1 + 10 * most) * 10 / 101
    assert found == pytest.approx(expected, rel=1e-12)
    # n = 1: no other record has a residual when it is removed; an addition is worse, beta0 = 0
    pure = theory.corrected_theorem2_pure(1, 100.0, 60.0, 0.5, 0.0).epsilon
    assert pure == pytest.approx(2 * 2 * (1 + most) / 101, rel=1e-12)


def test_exponentials_end_in_infinity_and_odds_in_one():
    assert claimed.exp(708.0) == exp(708.0)
    assert claimed.exp(709.0) == inf
    assert theory.probability_from_log_odds(log(3.0)) == pytest.approx(0.75)
    assert theory.probability_from_log_odds(1e4) == 1.0
    assert corollaries.corrected_theorem1_threshold(1e300, 0.125, 4.0, 3.0) == pytest.approx(
        27 * 4 / (0.25 * 7**1.5)
    )
    assert theory.inverse_gamma(0.5) == pytest.approx((1 + E) ** 2 / E)  # (1 + e^2B)^2/e^2B


# --- the approximate theorems, action by action -----------------------------------------------
def context(seed):
    generator = np.random.default_rng(seed)
    actions, pi0 = generator.standard_normal((5, 2)), generator.dirichlet(np.ones(5))
    root = generator.standard_normal((2, 2))
    sigma = 2 * root @ root.T + 3 * np.eye(2)
    forms = np.linalg.inv(sigma), np.linalg.inv(sigma - np.eye(2)), np.eye(2)
    floor, own = float(np.linalg.eigvalsh(sigma)[0]), 10 ** generator.uniform(-0.5, 0.5, 3)
    return actions, pi0, forms, floor, dict(zip(("eta", "beta0", "B"), own.tolist(), strict=True))


def norm(vector, form):
    return sqrt(vector @ form @ vector)


def mass_outside(actions, pi0, inside, widths, lead, form, eta, beta0, outer=1.0, inner=1.0):
    """X, m the narrowest: widths are `outer` times as large outside of I, `inner` times at m."""
    m = min(range(5), key=lambda a: widths[a])
    total = 0.0
    for a in set(range(5)) - set(inside):
        gap = beta0 * (outer * widths[a] - inner * widths[m])
        total += pi0[a] / pi0[m] * exp((lead * norm(actions[a] - actions[m], form) - gap) / eta)
    return total


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("seed", range(6))
def test_approximate_theorems_as_loops(seed, count):
    actions, pi0, (form, spread, plain), floor, own = context(seed)
    eta, beta0, radius = own["eta"], own["beta0"], own["B"]
    widths = [norm(a, form) for a in actions]
    inside = sorted(range(5), key=lambda a: widths[a])[:count]
    farthest = [max(norm(actions[a] - actions[b], f) for a in inside for b in inside)
                for f in (form, spread)]  # fmt: skip
    widest = max(widths[a] for a in inside) * (count > 1)

    def mass(lead, norms, **more):
        return mass_outside(actions, pi0, inside, widths, lead, norms, eta, beta0, **more)

    def same(bound, epsilon, most):
        assert bound.epsilon == pytest.approx(epsilon, rel=1e-10)
        assert bound.delta == pytest.approx(most / (1 + most), rel=1e-10)

    # Theorem 2, R = 2, n = 7, lambda = 1/2
    made = theory.context_of(actions, form, form, form, np.log(pi0))
    grow, shrink = sqrt(floor / (floor - 1)), sqrt(floor / (floor + 1))
    move = 2 * max(theory.linear_drift(7, floor, 0.5))
    masses = [mass(2 * sqrt(7), form), mass(2 * sqrt(6) * grow, form, inner=grow),
              mass(2 * sqrt(8), form, outer=shrink)]  # fmt: skip
    epsilon = (move * farthest[0] + beta0 * widest * (grow - 1)) / eta
    chosen = Narrowest(made, count)
    bound = theory.corrected_theorem2_approx(chosen, 7, floor, 0.5, eta, beta0, reward_max=2.0)
    same(bound, epsilon, max(masses))

    # Theorems 3 and 4, lambda = 1
    made, args = theory.context_of(actions, form, spread, plain, np.log(pi0)), (eta, beta0)
    flat = 2 + exp(2 * radius) + exp(-2 * radius)
    epsilon = 2 * flat / sqrt(floor - 1) * farthest[1] / eta
    bound = theory.corrected_theorem3_approx(Narrowest(made, count), floor, 1.0, *args, radius)
    same(bound, epsilon, mass(radius, plain))
    high = max(floor, 5.0)
    grow, shrink = sqrt(high / (high - 4)), sqrt(floor / (floor + 4))
    masses = mass(radius, plain, inner=grow), mass(radius, plain, outer=shrink)
    moved = 2 * (1 + exp(2 * radius)) / sqrt(floor - 1) * farthest[1]  # flat/(1 + e^-2B)
    epsilon = (moved + beta0 * widest * (grow - 1)) / eta
    same(
        theory.corrected_theorem4_approx(Narrowest(made, count), floor, 1.0, *args, radius),
        epsilon,
        max(masses),
    )


# --- policies, utility, rivals ----------------------------------------------------------------
@pytest.mark.parametrize("seed", range(5))
def test_policies_of_the_paper_equal_those_of_the_audits(seed):
    g = np.random.default_rng(seed)
    pi_0, eta, beta_0 = g.dirichlet(np.ones(4)), 0.3, 0.7
    log_reference = log_reference_from(pi_0)

    arms, rewards = np.append(np.arange(4), g.integers(0, 4, 20)), g.random(24)
    D = list(zip(arms, rewards, strict=True))
    data = BanditData.from_records(arms, rewards, 4)
    fast = np.exp(bandit_policy(data, eta, beta_0, log_reference))
    assert pessimistic_mab(D, pi_0, beta_0, eta) == pytest.approx(fast, rel=1e-12)

    first, second, phi = (v / np.linalg.norm(v, axis=1, keepdims=True)
                          for v in g.standard_normal((3, 24, 3)))  # fmt: skip
    phi, own = phi[:4], {"eta": eta, "beta0": beta_0, "penalty": 0.5}
    audit = LinearAudit(first, rewards, phi, log_reference=log_reference, **own)
    D = list(zip(first, rewards, strict=True))
    plain = pessimistic_linear(D, phi, pi_0, beta_0, eta, lambda_=0.5)
    assert plain == pytest.approx(np.exp(audit.log_pi), rel=1e-10)

    labels = g.integers(0, 2, 24)
    D = list(zip(first, second, labels, strict=True))
    data = Preferences.from_labels(first - second, labels)
    for B in (0.4, 3.0, np.inf):  # on the sphere, inside the ball, without one
        audit = PreferenceAudit(data, phi, radius=B, log_reference=log_reference, **own)
        plain = rlhf_mle(D, phi, pi_0, beta_0, eta, lambda_=0.5, B=B)
        assert plain == pytest.approx(np.exp(audit.log_pi), rel=1e-3)
