"""Each `proof_step` of the ledger fails at its counterexample, and no earlier step does.

A step states left <= right; the last one of each list is the one that the ledger names. Statements
about limits are evaluated at finite numbers. For each paper there is a function per step, then a
table of the rows that name it (FL's and US's are in fl_steps.py and us_steps.py). KL's steps with a
certificate are evaluated in ball arithmetic, in tests/reproduction/kl/test_kl_claims.py and
test_kl_earlier_steps.py.
"""

import math

import pytest
from fl_steps import FL
from scipy.stats import binom
from us_steps import US

from dpbandits.reproduction.ledger.claims import get_claim

ROUNDING = 1e-12


# --- HU ---------------------------------------------------------------------------------------


def difference_of_laplaces(x: float) -> float:
    """P(L1 - L2 > x), both of scale 1, x >= 0."""
    return (2 + x) * math.exp(-x) / 4


def claim_3_9():
    """K = 2, eps = 0.5: action 1 has to make up 62 = 63 - 1; rows that add, rows that replace."""
    epsilon = 0.5
    behind = [difference_of_laplaces(epsilon * gap) for gap in (62, 63, 64)]
    added = math.log(behind[0] / behind[1])
    return [("one count moves", added, epsilon),
            ("one moves up, one down", math.log(behind[0] / behind[2]), epsilon)]  # fmt: skip


def noise_that_stays():
    t = 5  # eps = 1
    fresh = math.exp(-3 * math.log(t)) / 2  # P(Lap(1/eps) < -3 ln t/eps)
    given_o_j = get_claim("HU-L23").certificates()["step (46)"]["enclosures"]["left"][0]
    return [("without O_j", fresh, t**-3), ("(46)", float(given_o_j), t**-3)]


def small_gaps_only():
    arms, horizon = 10, 1
    gap = math.sqrt(math.log(arms) / horizon)
    return [("eps", gap / 10, gap), ("gap < 1/4", gap, 0.25)]


def equal_gaps():
    gap, epsilon = 0.5, 0.1
    brackets = 1  # all actions are in one
    true = 1 + math.floor(math.log2(gap / max(gap, epsilon)))
    return [("1 + floor(log2)", brackets, true),
            ("ln", brackets, math.log(gap / max(gap, epsilon)))]  # fmt: skip


def wrong_way_round():
    n, a = 10, 0.1
    bound = math.exp(-n * (math.log(2) + a * math.log(a) + (1 - a) * math.log(1 - a)))
    return [("X <= a", binom.cdf(1, n, 0.5), bound), ("X >= a", binom.sf(0, n, 0.5), bound)]


def misprint_24():
    pulls = [2 ** (d + 1) - 1 for d in (5, 6)]
    return [("first line", pulls[1], 2**7 - 1), ("(24), second line", pulls[1], pulls[0])]


HU = {
    "HU-F17": wrong_way_round, "HU-T3.step (24)": misprint_24,
    "HU-T8": claim_3_9, "HU-ABS": claim_3_9, "HU-L23.step (46)": noise_that_stays,
    "HU-S5-minimax": small_gaps_only, "HU-T9": equal_gaps,
    "HU-C10b": equal_gaps, "HU-C11": equal_gaps,  # both hold; they cite the form that does not
}  # fmt: skip


# --- KL: what has no certificate of steps ---------------------------------------------------------


def swaps_keep_the_size():
    return [("loss of a swap", math.log(5 / 5), 0), ("a removal is swaps", abs(5 - 4), 0)]


def width_read_as_root():
    """n = 10^20, l = n^(2/5), d = 1; the constant 10 for 'of order'."""
    n, floor = 1e20, 1e8
    true = math.sqrt(n / (floor - 1)) / math.sqrt(floor * (floor - 1))
    order = math.sqrt(n) / floor**1.5
    return [("order", true, 2 * order), ("read as sqrt(n)/l", math.sqrt(n) / floor, 10 * true)]


KL = {"KL-P1b": swaps_keep_the_size, "KL-S4.2": width_read_as_root}

STEPS = FL | HU | US | KL


@pytest.mark.parametrize("row", STEPS)
def test_first_step_that_fails_is_the_one_of_the_row(row):
    *before, (_, left, right) = STEPS[row]()
    assert left > right + ROUNDING * abs(right)
    for name, small, large in before:
        assert small <= large + ROUNDING * abs(large), name
