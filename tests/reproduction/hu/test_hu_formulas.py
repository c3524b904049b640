"""HU's printed and repaired formulas by hand: expected values are worked out from the paper and
from docs/proofs/HU.md, not by our code. All exact: nothing flakes."""

import math

import numpy as np
import pytest
from made_up_tables import same

from dpbandits.reproduction.hu import theory

E5 = math.exp(5)  # a horizon with ln T = 5


# Theorem 3 ------------------------------------------------------------------------------------


def test_sufficient_epochs():
    """24 5/(0.2 0.1) = 6000 <= 2^13; 72 5/(0.2 0.1) = 18000 <= 2^15; 24 5/0.2^2 = 3000 <= 2^12."""
    assert theory.sufficient_epoch(0.2, 0.1, E5, 24) == 13
    assert theory.sufficient_epoch(0.2, 0.1, E5, 72) == 15
    assert theory.sufficient_epoch(0.2, 0.3, E5, 24) == 12


def test_lemma_19_by_hand():
    """s = 1 to t = 3: 2^3 - 1 = 7 pulls times t = 2, 3 of (log t + 2)(t^-3/2 + t^-6), and
    4 ln 4/4^2 for what comes later."""
    rounds = 3 * (1 / 16 + 1 / 64) + (math.log2(3) + 2) * (1 / 54 + 1 / 729)
    same(theory.lemma_19_term(1, 4.0), 7 * (rounds + math.log(4) / 4))


def test_theorem_3():
    """omega^(d + 1) = 2^15 - 1 at d = 13, and Lemma 19's 0.4; T = 10^12: d = 16 and 15."""
    same(theory.lazy_ucb_pulls(0.2, 0.1, E5), 32767.4)
    means = [0.5, 0.3, 0.1]
    same(theory.lazy_ucb_bound(means, 0.1, 1e12), 0.2 * 262143.4 + 0.4 * 131071.4)
    same(theory.lazy_ucb_bound(means, 0.1, E5), 0.6 * E5)  # all that can be lost


# Theorem 5 ------------------------------------------------------------------------------------


def overestimated(best, y, n):
    """E of P(theta <= y)/P(theta > y) for n <= 2 observations, all laws written out."""
    below = {
        (0, 1): 1 - (1 - y) ** 2, (1, 1): y**2,
        (0, 2): 1 - (1 - y) ** 3, (1, 2): 3 * y**2 - 2 * y**3, (2, 2): y**3,
    }  # fmt: skip
    return sum(
        math.comb(n, s) * best**s * (1 - best) ** (n - s) * p / (1 - p)
        for (s, m), p in below.items()
        if m == n
    )


def test_optimism_by_hand():
    """(39) to T = 2, 3: 2 E(1) + 4 E(2); y = best - gap/6."""
    same(theory.overestimation(0.75, 0.65, 1), overestimated(0.75, 0.65, 1))
    by_hand = 2 * overestimated(0.75, 0.65, 1) + 4 * overestimated(0.75, 0.65, 2)
    for horizon in (2, 3):
        same(theory.optimism_pulls(0.75, 0.6, horizon), by_hand)
    same(theory.over_epochs(lambda n: 1 / n, 2**9), 20)  # 2 in each of ten epochs
    same(theory.over_epochs(lambda n: float(n == 1), 2**9), 2)


def test_theorem_t_by_hand(monkeypatch):
    """a = 0.25 of Delta' = 0.5, n = 400; then a = 0.01 of 0.02, n = 100, where 1 + sqrt(pi n/8) is
    the smaller one; n = 1: 1/Delta'."""
    monkeypatch.setattr(theory, "SHARES", np.array([0.5]))
    u = 1 / (1 - math.exp(-1))
    total = math.exp(-50) * 2 * u + math.exp(-25) * (1 + 10 * math.sqrt(math.pi))
    same(theory.overestimation_bound(0.5, 400), total / (401 * 0.25))
    u, other = 1 / (1 - math.exp(-0.04)), 1 + math.sqrt(12.5 * math.pi)
    assert other < u
    total = math.exp(-0.02) * (u + other) + math.exp(-0.01) * (1 + 5 * math.sqrt(math.pi))
    same(theory.overestimation_bound(0.02, 100), total / (101 * 0.01))
    assert theory.overestimation_bound(0.02, 1) == 50
    same(theory.optimism_bound(0.12, 1), 100)  # 2 times 1/Delta', Delta' = gap/6


def test_lemmas_22_and_23():
    """(45) and the union at t = 3 and 4, where log(t - 1) + 1 has the whole part 2."""
    confidence, laplace = theory.bad_event_pulls(2, 4)
    same(confidence, 4 * (3**-6 + 4**-6))
    same(laplace, 2 * (3**-3 + 4**-3))
    assert theory.bad_event_pulls(2, 1e9) == theory.bad_event_pulls(2, 1e5)


def test_theorem_5():
    """72 5/(0.5 0.1) = 7200 <= 2^13: omega_1 = 2^15 - 1; then (39), (45), 2 unions, and 1."""
    confidence, laplace = theory.bad_event_pulls(2, E5)
    rest = theory.optimism_pulls(0.75, 0.5, E5) + confidence + 2 * laplace
    same(theory.lazy_ts_pulls(0.75, 0.5, 0.1, E5, 2), 32768 + rest)
    means = [0.25, 0.75, 0.25, 0.75]
    pulls = theory.lazy_ts_pulls(0.75, 0.5, 0.1, 1e9, 4)
    same(theory.lazy_ts_bound(means, 0.1, 1e9), 2 * 0.5 * pulls)
    assert theory.lazy_ts_bound(means, 0.1, E5) == E5


# Full information -----------------------------------------------------------------------------


def test_theorem_9_with_gaps_below_1_over_t():
    same(theory.rnm_ftnl_bound([0, 0.1, 1e-7], 1, 1e6), 2561)
    same(theory.rnm_ftnl_bound([0, 0.1, 1e-6], 1, 1e6), 2561)  # up to 1/T
    assert theory.rnm_ftnl_bound([0, 1e-7], 1, 1e6) == 1
    assert theory.rnm_ftnl_bound([0, 0], 1, 1e6) == 0
    two = 256 * (1 + math.log(2)) / 0.1 + 256 / 0.15  # gaps 0.1, 0.1 and 0.4 in brackets 1 and 3
    same(theory.rnm_ftnl_bound([0, 0.1, 0.1, 0.4], 0.15, 1e6), two)


def test_corollary_11():
    """K = 16, T = 10^4, Delta* = sqrt(ln 16)/100: one bracket above eps = 1/2, six above 1/64 (and
    Delta* > 1/64), none above 1; T = 1 with none."""
    w = 1 + math.log(16)
    critical = math.sqrt(math.log(16)) / 100
    base = 1e4 * critical + 512 * w / critical + 1
    for epsilon, brackets in ((0.5, 1), (0.3, 2), (0.001, 6), (1.0, 0), (3.0, 0)):
        bound = theory.corollary_11_bound(16, epsilon, 1e4)
        same(bound, base + 256 * w * brackets / epsilon)
    critical = math.sqrt(math.log(2))
    expected = critical + 512 * (1 + math.log(2)) / critical + 1
    same(theory.corollary_11_bound(2, 0.5, 1), expected)
    rate = math.sqrt(E5 * math.log(16)) + 5 * math.log(16) / 0.3
    same(theory.corollary_11_rate(16, 0.3, E5), rate)


def test_lower_bound_and_lemma_24():
    assert theory.packing_means(3, 0.1) == {"first": [0.6, 0.5, 0.5], "last": [0.5, 0.5, 0.6]}
    same(theory.lower_bound_rounds(8, 0.2, 0.1), 5 * math.log(8))
    same(theory.noise_tail_bound(3, 0.2, 0.1), 2 * math.exp(-0.02))
    same(theory.noise_tail_bound(3, 0.2, 0.5), 2 * math.exp(-0.04))


@pytest.mark.parametrize(("schedule", "first", "weight"), [
    ("prefix", 1, 4), ("phase", 2 - math.log(2), math.e),
])  # fmt: skip
def test_theorem_o(schedule, first, weight):
    """Its two cases; they do not meet at gap = eps/2, which belongs to the first."""
    k = math.log(5)
    for gap in (0.05, 0.3):
        same(theory.theorem_o_bound(5, gap, 0.1, schedule), first + weight * 40 * k)
    small = 4 * (1 + k) / 0.04 - 40
    same(theory.theorem_o_bound(5, 0.04, 0.1, schedule), first + weight * small)


@pytest.mark.parametrize("eta", [0.05, 0.2, 3.0])
def test_instance_bound_of_one_and_two_gaps(eta):
    """(O.2) and (O.3) for 0.1 alone, and for 0.1, 0.4, 0.4: the best of three splits."""

    def fall(x):
        return math.sinh(eta) - (math.cosh(eta) - 1) / x

    def decay(x):  # -ln of the minimum of cosh - x sinh up to eta, which is at tanh = x
        y = min(eta, 0.5 * math.log((1 + x) / (1 - x)))
        return -math.log(math.cosh(y) - x * math.sinh(y))

    def large(arms, x):
        return math.log(1 + arms) / fall(x) if fall(x) > 0 else math.inf

    one = min(large(1, 0.1), 0.1 / decay(0.1))
    same(theory.theorem_o_instance_bound([0, 0.1], 2 * eta, "prefix"), 0.1 + 4 * one)
    high = 0.3 * (1 + math.log(2)) / decay(0.4)
    three = min(
        large(3, 0.1), 0.1 / decay(0.1) + large(2, 0.4), 0.1 * (1 + math.log(3)) / decay(0.1) + high
    )
    bound = theory.theorem_o_instance_bound([0.4, 0.1, 0.4, 0], 2 * eta, "phase")
    same(bound, (2 - math.log(2)) * 0.4 + math.e * three)
    assert theory.theorem_o_instance_bound([0, 0], 2 * eta, "phase") == 0


@pytest.mark.parametrize("arms", [2, 9])
@pytest.mark.parametrize(("gap", "epsilon"), [(0.3, 0.4), (1.0, 2.0), (0.2, 0.15)])
def test_theorems_l_and_m_term_by_term(arms, gap, epsilon):
    """gap times the sum of (1 - c^(t - 1)/K)_+ to T, and for ever."""
    cases = [
        (theory.theorem_l_bound, (arms, gap, epsilon), 1 + gap * math.expm1(epsilon),
         arms),
        (theory.theorem_m_bound, (arms, gap), math.sqrt(1 + 4 * gap**2),
         math.sqrt(arms)),
    ]  # fmt: skip
    for bound, instance, c, k in cases:
        terms = [gap * max(0.0, 1 - c**t / k) for t in range(300)]
        for horizon in (1, 2, 4, 7):
            assert bound(*instance, horizon) == pytest.approx(sum(terms[:horizon]), abs=1e-12)
        assert bound(*instance) == pytest.approx(sum(terms), abs=1e-12)
