"""What FL's checks compute, by hand: sides of lemmas, ranges, steps and tails."""

import math
from fractions import Fraction
from types import SimpleNamespace

import pytest
from flint import arb

from dpbandits.reproduction.fl import certified_loss as certificates
from dpbandits.reproduction.fl.claims import estimation, lower_bound, peeling, rates, tails
from dpbandits.sparse.fliphat import Tuning

close = pytest.approx


# Lemmas D.1, D.2: both sides in fractions, by hand


def F(*values):
    return [Fraction(x) for x in values]


def test_peeling_selection():
    """|v| + w: round 0: 3, 2 + 2, 1; then 3 + 1, 1 + 4; ties go to the lowest index."""
    assert peeling.selected(F(3, 2, 1), 2, [F(0, 2, 0), F(1, 9, 4)]) == [1, 2]
    assert peeling.selected(F(1, 1, 1), 2, [F(0, 0, 0)] * 2) == [0, 1]


def test_lemma_d1_by_hand():
    """v = (3, -2, 1), kept: {0}; left 4 + 1. |v_hat - v|^2 = 4 + 1, (|I| - s)/(|I| - s_hat) =
    (4 - 1)/(4 - 2); (1 + 1/2) x 3/2 x 5 + 4 x 3 x (1/2)^2 at c = 2."""
    noise = [[Fraction(1, 2), Fraction(-1, 4), 0]]
    sides = peeling.basic_peeling_sides(F(3, -2, 1), 4, F(3, 0, 0), 2, 1, noise, c=Fraction(2))
    assert sides == (5, Fraction(45, 4) + 3)


def test_lemma_d2_by_hand():
    """theta = (2, -1, 1), theta* = (1, 0, 0), s = 2, rows of noise 1/2 and 1: kept are 0 and 1,
    released 2 + 1/2 and -1 - 1: left (3/2)^2 + 4. c1 = 1, c2 = 2, c = 3: share (3/2)(4/3)/2 = 1,
    a = 2 (1 + 1 + 2) = 8; worst = 1/4 + 1, added 1/4 + 1: b = 2 x 5/4 + 4 x 2 x 3/2 x 4 x 5/4."""
    noise = [[Fraction(1, 2), 0, 0], [0, 1, 0]]
    sides = peeling.contraction_sides(
        F(2, -1, 1), F(1, 0, 0), 2, noise, [Fraction(1, 2), -1, 9], F(1, 2, 3)
    )
    assert sides == (Fraction(9, 4) + 4, 8 * 3 + Fraction(5, 2) + 60)
    plain = peeling.contraction_sides([2.0], [1.0], 1, [[0.5]], [0.5], [1.0, 2.0, 3.0])
    share = 1.5 * 4 / 3
    assert plain == close((2.25, 2 * (share + 3) + 2 * 0.25 + 4 * 2 * 1.5 * 4 * 0.25))


# Lemma A.2: ranges of eps


def scan(verdicts):
    low = {"violated": 0.02, "open": 0.0, "proved": 0.0}
    high = {"violated": 1.0, "open": 0.5, "proved": 0.01}
    return [(v, arb(low[v]), arb(high[v])) for v in verdicts]


def test_ranges_of_lemma_a2():
    """1, 2, 5 proved, 8 open, 10 proved again (does not count), 12 open, refuted from 15."""
    found = ["proved"] * 3 + ["open", "proved", "open"] + ["violated"] * 9
    assert peeling.peeling_range(scan(found)) == (5, 15)
    assert peeling.peeling_range(scan(["open"] * 15)) == (0, math.inf)
    assert peeling.peeling_range(scan(["proved"] * 15)) == (500, math.inf)
    with pytest.raises(ValueError, match="zip"):
        peeling.peeling_range(scan(["proved"] * 13))


# Certified events: s = 4, n = 10 rows, eta = 1/2, R = 3, x_max = 2


def flipped(scale, radius):
    tuning = Tuning(3.0, radius, (scale,))
    own = {"sparsity": 4, "d": 50, "step_size": 0.5, "x_max": 2.0}
    return certificates.flipped_reward(SimpleNamespace(**own), tuning, 10)


def test_certified_events_by_hand():
    """unit = 2 eta R x_max/n = 0.6; D = 2 units: wins = 1 - (1 + g/2) e^-g/2 with g = 1.2/scale.
    Another selection: s d e^(-8 unit/(2 scale)); the ball: s e^-(C/s - 10 unit)/scale."""
    scale, radius = 0.1, 25.0
    g = 1.2 / scale
    wins = 1 - (1 + g / 2) * math.exp(-g) / 2
    slip = 4 * 50 * math.exp(-8 * 0.6 / (2 * scale)) + 4 * math.exp(-(radius / 4 - 6) / scale)
    one, two = flipped(scale, radius)
    assert [e.at_least for e in (one, two)] == [1, 2]
    found = [float(x) for x in (one.low, one.high, two.low, two.high)]
    lost = 1 - wins
    assert found == close(
        [1 - lost**2 - slip, 1 - wins**2 + slip, wins**2 - slip, lost**2 + slip], rel=1e-9
    )
    assert slip > 0.1
    # a ball that is active for sure: nothing is known
    assert [float(x.high) for x in flipped(scale, 24.0)] == close([2 - wins**2, 1 + lost**2])


def test_epsilon_refuted_by_an_event():
    """P = 0.5 against 0.1: at delta = 0.1 every eps below ln(0.4/0.1)."""
    event = certificates.Event(1, arb(0.5), arb(0.1))
    assert float(event.excess(math.log(2))) == close(0.3)
    assert event.epsilon(0.1) == close(math.log(4))
    assert event.epsilon(0.1) < math.log(4)
    assert event.epsilon(0.4) == event.epsilon(0.45) == 0
    weak = certificates.Event(2, arb(0.3), arb(0.09))
    assert certificates.strongest([weak, event], 0.1) is event
    assert certificates.strongest([weak, event], 0.01) is event


# Tails, estimation, lower bound, abstract


def test_the_largest_of_laplace_numbers_by_hand():
    """k = 4, c = 1/2: each exceeds (ln 4)/2 with chance 1/2: 1 - 1/16, bound 2; k = 1: surely."""
    assert tails.largest_tail(4, 0.5) == close((15 / 16, 2))
    assert tails.largest_tail(1, 3) == (1.0, 1)
    assert float(tails.normal_maximum(2, arb(1))) == close(1 - math.erf(1 / math.sqrt(2)) ** 2)


def test_step_c_by_hand():
    """u = 2: -1 + 1/3 - 1/3 = -1, squared 1; (2/3)^2; 1 - 1/42."""
    assert estimation.step_c(2.0) == close((1, 4 / 9, 41 / 42))
    assert estimation.step_c(0.0) == close((4 / 9, 4 / 9, 41 / 42))


def test_the_class_of_the_lower_bounds_proof():
    """r = sigma sqrt(ln(d/s*)/(16 rho))/(sd T), rho = 20^(4/3) eps^2/(4 ln(1/delta)): T and sd
    cancel: 2/sqrt(pi) sigma sqrt(s* ln(d/s*) ln(1/delta)/(4 x 20^(4/3)))/eps."""
    found = lower_bound.worst_regret_of_class(3 * math.e**4, 3, 77, 0.5, 2.0, math.e**-9)
    expected = 2 / math.sqrt(math.pi) * 0.5 * math.sqrt(3 * 4 * 9 / (4 * 20 ** (4 / 3))) / 2
    assert found == close(expected)


def test_the_quartic_and_its_root():
    assert float(lower_bound.quartic(2.0, 1.0, math.exp(-4))) == close(4 + 2 * 4 - 10 - 1)
    root = lower_bound.root(1.0, math.exp(-4))
    assert abs(float(lower_bound.quartic(root, 1.0, math.exp(-4)))) < 1e-9
    assert root > 1


def test_ratios_of_the_abstract():
    """J_0 over the private term at s = s*: Psi sqrt((2 s)^3 ln^2 d)/(sqrt(s) ln(d/s))."""
    horizon, d = math.e**2.5, 5 * math.e**2  # Psi = 14, ln(d/s) = 2
    assert rates.private_ratio(horizon, d, 5) == close(14 * 2**1.5 * 5 * math.log(d) / 2)
