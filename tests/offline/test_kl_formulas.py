"""Every printed bound, every repaired one and the problem's own formulas, at numbers by hand.

R = 3 and thresholds off the pure ones, so that no factor or term can hide behind a 1 or a 0; the
approximate theorems of repaired.py once more as loops over actions, as docs/proofs/KL.md has them.
"""

from math import exp, inf, log, sqrt
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb

from dpbandits.core.divergences import delta_at, pure_epsilon
from dpbandits.offline import problem, repaired, rivals, theory
from dpbandits.offline.engine.certificates import (
    curvature,
    delta_of_ratios,
    delta_of_spread,
    pairwise,
)
from dpbandits.offline.engine.sampling import log_uniform, ratio
from dpbandits.offline.problem import BanditData, Preferences, Ridge
from dpbandits.offline.theory import Bound

E = exp(1.0)  # e^2B at B = 1/2
PRINTED = [  # formula, its arguments, eps, delta
    (theory.lemma1, (3, 4), 2 * 3 / 4, 0),
    (theory.lemma1_partition, (1, 4, 0.125), 0.5, 0.125 * exp(0.5)),
    (theory.composition_pure, (Bound(0.25, 0.1), 12), 3, 0),
    # sqrt(2 * 8 * ln e^4) 1/2 + 8/2 (e^1/2 - 1), k delta + delta' = 3/100 + e^-4
    (theory.composition_approx, (Bound(0.5, 0.01), 8, exp(-4), 3), 4 + 4 * (exp(0.5) - 1),
     0.03 + exp(-4)),
    (theory.inexact, (Bound(1, 0.2), 0.5), 2, 0.2),
    # R = 3, eta = 1/2, beta0 = 8: (9) at min N = 5 is 2 (4 * 3/4 + 8/8)
    (theory.theorem1_pure, (5, 0.5, 8, 3), 8, 0),
    # N0 = 4, max N = 16: 2 (12/4 + 8/8); 3 exp(8 + 16 (1/4 - 1/2))
    (theory.theorem1_approx, (3, 16, 0.5, 8, 4, 3), 8, 3 * exp(4)),
    # k = 4: (4 * 4 * 3 + 8 * 8/4)/(16/2); exponent -16 (2 - 1)/4 + 4 * 4 * 3/16 + 16 * 8/64
    (theory.corollary1, (3, 16, 0.5, 8, 4, 3), 8, 3 * E),
    # n = 8, d = 2, l = 5: (2 (1 + sqrt(16/4)) 3/sqrt 4 + 4/4)/(sqrt 5/2)
    (theory.theorem2_pure, (8, 2, 5, 0.5, 4, 3), 20 / sqrt(5), 0),
    # lambda0 = 16, narrowest 1/8: 10/(1/2 * 4); 7 exp(5 + 8 (1/8 - 1/4))
    (theory.theorem2_approx, (7, 8, 2, 5, 0.125, 0.5, 4, 16, 3), 5, 7 * exp(4)),
    # ((1 + 2) 3/sqrt 5 + 4/(2 * 4))/(sqrt 5/2)
    (theory.theorem2_pure_appendix, (8, 2, 5, 0.5, 4, 3), 18 / 5 + 1 / sqrt(5), 0),
    # k1 = 4: 8/(8/2) (2 * 5 (1 + 2 * 2) + 3 sqrt(8/8)); c = 1/16: 6 sqrt(2/8) (1 - sqrt(4/16))
    (theory.corollary2_pure, (8, 2, 4, 0.5, 3, 5), 106, 0),
    (theory.corollary2_approx, (7, 8, 2, 4, 0.5, 3, 1 / 16, 5), 6.625, 7 * exp(6.625 + 1.5)),
    # l = 9, lambda = 1, B = 1/2: (2 + 2e)/(8/2)
    (theory.theorem3_pure, (9, 1, 0.5, 0.5), (1 + E) / 2, 0),
    # times sqrt(9/16); narrowest 1/8, beta0 = 4: 8 (1/8 - 1/4)
    (theory.theorem3_approx, (7, 9, 1, 0.125, 0.5, 4, 0.5, 16), 3 * (1 + E) / 8,
     7 * exp(3 * (1 + E) / 8 - 1)),
    # ((1 + e) 3/8 + 2 * 4/8)/(3/2), and with sqrt 16 for 3
    (theory.theorem4_pure, (9, 1, 0.5, 4, 0.5), (1 + E) / 4 + 2 / 3, 0),
    (theory.theorem4_approx, (7, 9, 1, 0.125, 0.5, 4, 0.5, 16), 3 * (1 + E) / 16 + 0.5,
     7 * exp(3 * (1 + E) / 16 - 0.5)),
    (theory.corollary3_pure, (8, 2, 4, 0.5, 0.5), 4 + 4 * E, 0),
    (theory.corollary3_approx, (7, 8, 2, 4, 0.5, 3, 0.5, 1 / 16), (1 + E) / 4,
     7 * exp((1 + E) / 4 + 1.5)),
    # --- repaired; R = 3, N = 4: (3/4 + 6 (1/sqrt 3 - 1/2))/(1/2)
    (repaired.lemma1, (0.5, 0.2, 0.3), 0.5, 0.3),
    (repaired.lemma1, (0.5, 0.3, 0.2), 0.5, 0.3),
    (repaired.theorem1_pure, (4, 0.5, 6, 3), 12 / sqrt(3) - 4.5, 0),
    # R = 1/2, 4/(2 * 1/8 * 2) = 8: n = 5; x = 2 exp(8 (1/2 + 4/4 - 4/sqrt 5))
    (repaired.theorem1_approx, (16, 0.125, 4, 2, 0.5, 2), 2,
     1 / (1 + exp(-8 * (1.5 - 4 / sqrt(5))) / 2)),
    # n = 13, l = 5, lambda = 1: the removal, 2 * 3 (1 + sqrt 12 sqrt 3/4)/5 + 3 (1/2 - 1/sqrt 5)
    (repaired.theorem2_pure, (13, 5, 1, 0.5, 3, 3), 2 * (3 + 3 * (0.5 - 1 / sqrt(5))), 0),
    # T = 8, omega = 1/2: 8/32 + 1/2 sqrt(8 ln e^4/2)
    (repaired.draws, (0.5, 8, exp(-4)), 2.25, exp(-4)),
]  # fmt: skip


@pytest.mark.parametrize("case", PRINTED, ids=lambda c: f"{c[0].__module__[19:]}.{c[0].__name__}")
def test_a_bound_by_hand(case):
    formula, arguments, epsilon, delta = case
    found = formula(*arguments)
    assert found.epsilon == pytest.approx(epsilon, rel=1e-12)
    assert found.delta == pytest.approx(delta, rel=1e-12)


def test_a_composition_in_balls():
    """T = 8, eps = 1/2, delta' = e^-4, k = 3, as above: 4 + 4 (e^1/2 - 1), 3/100 + e^-4."""
    one = Bound(arb(1) / 2, arb(1) / 100)
    found = theory.composition_approx(one, 8, (-arb(4)).exp(), 3)
    assert float(found.epsilon.mid()) == pytest.approx(4 * exp(0.5), rel=1e-12)
    assert float(found.delta.mid()) == pytest.approx(0.03 + exp(-4), rel=1e-12)


def test_where_additions_are_the_worse_change_of_a_linear_policy():
    """n = l = 100, lambda = 1: sqrt(99)/100 and sqrt(98)/99 of each residual."""
    removed = (1 + sqrt(99) * sqrt(98) / 99) / 10
    added = (1 + 10 * sqrt(99) / 100) * 10 / 101
    assert repaired.linear_drift(100, 100.0, 1.0) == pytest.approx((removed, added), rel=1e-12)
    # lambda = 60: the leverages are largest at 2 lambda = 120
    most = sqrt(60) / 120
    found = repaired.linear_drift(100, 100.0, 60.0)
    expected = (1 + sqrt(99) * most) / 10, (1 + 10 * most) * 10 / 101
    assert found == pytest.approx(expected, rel=1e-12)
    # n = 1: no other record has a residual when it is removed; an addition is worse, beta0 = 0
    pure = repaired.theorem2_pure(1, 100.0, 60.0, 0.5, 0.0).epsilon
    assert pure == pytest.approx(2 * 2 * (1 + most) / 101, rel=1e-12)


def test_exponentials_end_in_infinity_and_odds_in_one():
    assert theory.exp(708.0) == exp(708.0)
    assert theory.exp(709.0) == inf
    assert repaired.odds(log(3.0)) == pytest.approx(0.75)
    assert repaired.odds(1e4) == 1.0
    assert repaired.threshold(0.125, 4.0, 3.0) == 27 / (2 * 0.125 * 16)
    assert repaired.miss(0.5) == pytest.approx(E / (1 + E))
    assert repaired.flatness(0.5) == pytest.approx((1 + E) ** 2 / E)  # (1 + e^2B)^2/e^2B


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
    made = repaired.context_of(actions, form, form, form, np.log(pi0))
    grow, shrink = sqrt(floor / (floor - 1)), sqrt(floor / (floor + 1))
    move = 2 * max(repaired.linear_drift(7, floor, 0.5))
    masses = [mass(2 * sqrt(7), form), mass(2 * sqrt(6) * grow, form, inner=grow),
              mass(2 * sqrt(8), form, outer=shrink)]  # fmt: skip
    epsilon = (move * farthest[0] + beta0 * widest * (grow - 1)) / eta
    same(repaired.theorem2_approx(made, count, 7, floor, 0.5, eta, beta0, 2.0), epsilon,
         max(masses))  # fmt: skip

    # Theorems 3 and 4, lambda = 1
    made, args = repaired.context_of(actions, form, spread, plain, np.log(pi0)), (eta, beta0)
    flat = 2 + exp(2 * radius) + exp(-2 * radius)
    epsilon = 2 * flat / sqrt(floor - 1) * farthest[1] / eta
    same(repaired.theorem3_approx(made, count, floor, 1.0, *args, radius), epsilon,
         mass(radius, plain))  # fmt: skip
    high = max(floor, 5.0)
    grow, shrink = sqrt(high / (high - 4)), sqrt(floor / (floor + 4))
    masses = mass(radius, plain, inner=grow), mass(radius, plain, outer=shrink)
    moved = 2 * (1 + exp(2 * radius)) / sqrt(floor - 1) * farthest[1]  # flat/(1 + e^-2B)
    epsilon = (moved + beta0 * widest * (grow - 1)) / eta
    same(repaired.theorem4_approx(made, count, floor, 1.0, *args, radius), epsilon, max(masses))


# --- policies, data, utility ------------------------------------------------------------------
def test_a_policy_by_hand():
    """Scores 1, 2 and -inf, eta = 1/2, pi0 = (1/2, 1/4, 1/4): weights e^2/2, e^4/4, 0."""
    reference = problem.log_reference_from([2, 1, 1])
    assert np.exp(reference) == pytest.approx([0.5, 0.25, 0.25])
    found = np.exp(problem.log_policy(np.array([1, 2, -inf]), reference, 0.5))
    weights = np.array([exp(2) / 2, exp(4) / 4, 0])
    assert found == pytest.approx(weights / weights.sum())
    empty = problem.log_policy(np.full((2, 3), -inf), None, 0.5)
    assert np.exp(empty) == pytest.approx(np.full((2, 3), 1 / 3))


def test_scores_and_records_by_hand():
    data = BanditData.from_records(np.array([0, 2, 0]), np.array([0.25, 1.0, 0.5]), 3)
    assert data.counts.tolist() == [2, 0, 1]
    assert data.sums.tolist() == [0.75, 0, 1]
    assert data.lowest.tolist() == [0.25, inf, 1]
    assert data.highest.tolist() == [0.5, -inf, 1]
    scores = problem.bandit_scores(data.counts, data.sums, 2.0)
    assert scores.tolist() == [0.375 - 2 / sqrt(2), -inf, 1 - 2]


def test_ridge_by_hand():
    """d = 1, lambda = 3, features 1 and 2 of rewards 1 and 1/2: Sigma = 8, b = 2."""
    ridge = Ridge.fit(np.array([[1.0], [2.0]]), np.array([1.0, 0.5]), 3.0)
    assert ridge.inverse == pytest.approx(np.array([[1 / 8]]))
    assert (ridge.theta[0], ridge.records) == (pytest.approx(1 / 4), 2)
    assert ridge.smallest_eigenvalue == pytest.approx(8.0)
    found = np.exp(problem.linear_policy(ridge, np.array([[1.0], [-2.0]]), 0.5, 4.0))
    scores = 2 * np.array([1 / 4 - 4 / sqrt(8), -1 / 2 - 8 / sqrt(8)])
    assert found == pytest.approx(np.exp(scores) / np.exp(scores).sum())
    wide = Ridge.fit(np.diag([1.0, 2.0]), np.ones(2), 1.0)
    assert wide.smallest_eigenvalue == pytest.approx(2.0)


def drawing(**answers):
    """A generator that answers what it is told, one call after the other, and keeps the calls."""
    calls = []

    def method(name, values):
        values = iter(values)
        return lambda *arguments: (calls.append((name, *arguments)), next(values))[1]

    return SimpleNamespace(calls=calls, **{k: method(k, v) for k, v in answers.items()})


def test_draws_by_hand():
    """Shares 1, 1/2, 1/4 of 100: 57, 28, 14, and one left; with 1/1000 the last arm has none."""
    assert problem.spread_counts(100, 3, 0.25).tolist() == [58, 28, 14]
    made = drawing(binomial=[np.array([7, 3, 0])])
    data = problem.draw_bandit(10, np.array([0.9, 0.5, 0.1]), 1e-3, made)
    counts = [10, 0, 0]  # shares 1, 0.03, 0.001
    assert data.counts.tolist() == counts
    ((_, asked, means),) = made.calls
    assert asked.tolist() == counts
    assert means.tolist() == [0.9, 0.5, 0.1]
    data = problem.draw_bandit(9, np.full(3, 0.5), 1.0, drawing(binomial=[np.array([0, 2, 3])]))
    assert data.lowest.tolist() == [0, 0, 1]
    assert data.highest.tolist() == [0, 1, 1]
    data = problem.draw_bandit(1, np.full(3, 0.5), 1.0, drawing(binomial=[np.array([1, 0, 0])]))
    assert data.lowest.tolist() == [1, inf, inf]
    assert data.highest.tolist() == [1, -inf, -inf]


def test_linear_draws_by_hand():
    """Coverage 1/16: the second deviation is 1/4; the mean of e1 under theta = (1/2, 0) is 3/4."""
    ones = np.array([[1.0, 1.0], [3.0, 0.0], [3.0, 0.0]])
    made = drawing(standard_normal=[ones], random=[np.array([0.0, 0.7499, 0.7501])])
    features, rewards = problem.draw_linear(3, np.array([0.5, 0.0]), 1 / 16, made)
    slope = np.array([1, 0.25]) / sqrt(1 + 1 / 16)
    assert features == pytest.approx(np.array([slope, [1, 0], [1, 0]]))
    assert rewards.tolist() == [1, 1, 0]
    assert made.calls == [("standard_normal", (3, 2)), ("random", 3)]


def test_preference_draws_by_hand():
    """Differences 2 e1: won with probability 1/(1 + e^-1) = 0.7311 under theta = (1/2, 0)."""
    e1 = np.array([[1.0, 0.0]] * 2)
    made = drawing(standard_normal=[e1, -3 * e1], random=[np.array([0.731, 0.7312])])
    data = problem.draw_preferences(2, np.array([0.5, 0.0]), 1.0, made)
    assert data.signed.tolist() == [[2, 0], [-2, 0]]
    assert data.covariance(0.5).tolist() == [[8.5, 0], [0, 0.5]]
    assert Preferences.from_labels(e1, [0, 1]).signed.tolist() == [[-1, 0], [1, 0]]


def test_the_objective_by_hand():
    """pi = (3/4, 1/4, 0), pi0 = (1/2, 1/4, 1/4): 3/4 * 1 + 1/4 * 2 - 3/4 ln(3/2)/2."""
    pi, pi0 = np.array([0.75, 0.25, 0.0]), np.array([0.5, 0.25, 0.25])
    with np.errstate(divide="ignore"):
        found = problem.objective(np.log(pi), np.array([1.0, 2, 9]), np.log(pi0), 0.5)
    assert found == pytest.approx(1.25 - 0.375 * log(1.5))


# --- rivals -----------------------------------------------------------------------------------
def test_neighbours_of_the_rivals_by_hand():
    """Two records of the first arm, one of the second, which cannot be removed."""
    data = BanditData(np.array([2, 1]), np.array([0.75, 0.5]), np.array([0.25, 0.5]),
                      np.array([0.5, 0.5]))  # fmt: skip
    found = [(c.tolist(), s.tolist()) for c, s in rivals.bandit_neighbours(data, 3.0)]
    assert found == [
        ([3, 1], [0.75, 0.5]), ([3, 1], [3.75, 0.5]), ([1, 1], [0.5, 0.5]), ([1, 1], [0.25, 0.5]),
        ([2, 2], [0.75, 0.5]), ([2, 2], [0.75, 3.5]),
    ]  # fmt: skip


def test_rivals_by_hand():
    """Means 1/4 and 1/2; the second arm leads; noise 2 * 3/8 and 2 * 3/2 on the means."""
    counts, sums = np.array([8, 2]), np.array([2.0, 1.0])
    assert np.exp(rivals.mixture_policy(counts, sums, 0.25)) == pytest.approx([0.125, 0.875])
    found = rivals.laplace_policy(counts, sums, 2.0, 3.0)
    assert found == pytest.approx(rivals.noisy_argmax(np.array([0.25, 0.5]), np.array([0.75, 3.0])))
    # the difference of Laplace variables of scales a = 3/4 and b = 3 exceeds g = 1/4 with
    # probability (a^2 e^(-g/a) - b^2 e^(-g/b))/(2 (a^2 - b^2))
    a, b, g = 0.75, 3.0, 0.25
    tail = (a * a * exp(-g / a) - b * b * exp(-g / b)) / (2 * (a * a - b * b))
    assert np.exp(found[0]) == pytest.approx(tail, rel=1e-10)


def test_two_helpers_of_the_families():
    assert (ratio(0.0, 0.0), ratio(-1.0, 2.0), ratio(1.0, 2.0), ratio(1.0, 0.0)) == (0, 0, 0.5, inf)
    made = drawing(uniform=[np.array([log(2.0)])])
    assert log_uniform(made, 1.0, 4.0, 1) == pytest.approx([2.0])
    assert made.calls == [("uniform", 0.0, log(4.0), 1)]


# --- what log-ratios say of delta -------------------------------------------------------------
@pytest.mark.parametrize("seed", range(20))
def test_ratios_that_are_exact_give_the_exact_delta(seed):
    """Of the change of each action from that of another: both log-ratios, and delta, at last."""
    generator = np.random.default_rng(seed)
    log_pi = np.log(generator.dirichlet(np.ones(4)))
    moved = generator.standard_normal(4)
    other = log_pi + moved - np.logaddexp.reduce(log_pi + moved)
    found = pairwise(log_pi, moved[None, :] - moved[:, None])
    assert found.forth == pytest.approx(log_pi - other, abs=1e-12)
    assert found.back == pytest.approx(other - log_pi, abs=1e-12)
    assert found.pure == pytest.approx(float(pure_epsilon(log_pi, other)))
    for epsilon in (0.0, 0.2, 0.7):
        expected = delta_at(log_pi, other, epsilon)
        assert found.delta(epsilon) == pytest.approx(float(expected), abs=1e-14)
    third = np.log(generator.dirichlet(np.ones(4)))
    seen = found.seen_from(third)
    assert seen.delta(0.1) == pytest.approx(float(delta_at(third, other, 0.1)), abs=1e-14)
    wider = pairwise(log_pi, moved[None, :] - moved[:, None] + generator.random((4, 4)))
    least = wider.least(found)
    assert (least.forth == found.forth).all()
    assert (least.back == found.back).all()


def test_delta_of_ratios_that_say_nothing():
    """An action that is excluded, one that may lose all, one that may gain beyond e^300."""
    half = np.log([0.5, 0.5])
    assert delta_of_ratios(half, np.array([inf, 0.0]), np.zeros(2), 1.0) == pytest.approx(0.5)
    assert delta_of_ratios(half, np.zeros(2), np.array([400.0, 0.0]), 1.0) == 1.0
    with np.errstate(divide="ignore"):
        sure = np.log([1.0, 0.0])
    nothing = np.array([0.0, -inf])
    assert delta_of_ratios(sure, nothing, nothing, 0.5) == 0.0


def test_what_is_claimed_up_to_e_to_the_300():
    """Less likely than e^-200, what grows by e^200 counts little; beyond e^300 nothing is said."""
    rare, none = np.array([0.0, -250.0]), np.zeros(2)
    assert delta_of_ratios(rare, none, np.array([0, 200.0]), 0.0) == pytest.approx(
        exp(-50), rel=1e-9, abs=0
    )
    rare[1] = -500.0
    assert delta_of_ratios(rare, none, np.array([0, 400.0]), 0.0) == 1.0
    assert curvature(np.array([200.0, 301.0])) == pytest.approx([(exp(200) - 201) / 4e4, inf])
    assert curvature(np.array(1.0)) == pytest.approx((E - 2) * (1 + 1e-9), rel=1e-12)
    # eps = 1, no mean: c is a tenth of the deviation; forth (1 + 1/100)/4, back times the chord
    small = 1.01e-90 / 4
    assert delta_of_spread(1e-45, 0.0, 201.0, 1.0) == pytest.approx(
        E * exp(200) / 200 * small, abs=0
    )
    assert delta_of_spread(1e-45, 0.0, 401.0, 1.0) == 1.0


def test_a_delta_by_its_spread_by_hand():
    """eps = 0, deviation 1/4, mean 0: (1 + c^2)/16 c at best at c = 1, between the 20th and 21st of
    40 from 1/10 to 10; times the chord to a pure loss so small that 1e-8 is taken: 1 + 5e-9."""
    c = 0.1 * 100 ** (19 / 39)
    found = delta_of_spread(0.25, 0.0, 1e-9, 0.0)
    assert found == pytest.approx((1 + c * c) / 16 / c * (1 + 5e-9), rel=1e-10)
