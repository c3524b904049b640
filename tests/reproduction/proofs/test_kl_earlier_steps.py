"""What KL prints before a step that fails holds at that step's counterexample.

This is for the rows whose counterexample (offline/counterexamples) has the failing step only. A
line (name, left, right) states left <= right, in fractions or in balls of 192 bits; an equality is
two lines. The proof of a row is the chain that leads to its statement; what a remark or a corollary
starts from is its premise.
"""

from fractions import Fraction as F
from itertools import product

import pytest
from flint import arb

from dpbandits.audit.computed.balls import ball
from dpbandits.reproduction.kl import corollaries
from dpbandits.reproduction.kl import theory as claimed
from dpbandits.reproduction.kl.counterexamples import general
from dpbandits.reproduction.kl.counterexamples.counterexample import Step
from dpbandits.reproduction.kl.counterexamples.linear import Records, sensitivity_steps
from dpbandits.reproduction.kl.finite_laws import policy, pure_loss
from dpbandits.reproduction.ledger.certificates import both_sides
from dpbandits.reproduction.ledger.claims import get_claim
from dpbandits.reproduction.ledger.inequalities import exact as exactly
from dpbandits.reproduction.proofs import at_certificate_precision

ROUNDING = F(1, 10**40)  # equal balls differ by less than 1e-50 of their value


def same(name, left, right):
    return [(name, left, right), (name, right, left)]


def largest(values):
    return max(values, key=lambda x: float(x.mid()))


# --- the bandit -----------------------------------------------------------------------------------


def chain_12(arms, n0, beta0, eta):
    """(12) line by line; arms: (records, mean, pi0)."""
    count, mean, base = zip(*arms, strict=True)
    eta, level = ball(eta), ball(beta0) / ball(n0).sqrt()
    score = [ball(m) - ball(beta0) / ball(n).sqrt() for n, m in zip(count, mean, strict=True)]
    weight = [ball(q) * (f / eta).exp() for q, f in zip(base, score, strict=True)]
    rare = [n <= n0 for n in count]
    tilted = zip(score, base, strict=True)
    chosen = policy([f - score[0] + eta * ball(q).log() for f, q in tilted], eta)
    mass = sum((p for p, r in zip(chosen, rare, strict=True) if r), arb(0))
    ratio = sum((w for w, r in zip(weight, rare, strict=True) if r), arb(0)) / sum(weight, arb(0))
    logs = [ball(q).log() for q in base]
    top = largest(ball(m) + q for m, q in zip(mean, logs, strict=True)) - level
    best = largest(f + q for f, q in zip(score, logs, strict=True))
    between = len(arms) * ((top - best) / eta).exp()
    end = len(arms) * ((ball(beta0) / ball(max(count)).sqrt() - level) / eta).exp()
    return [("(12)", mass, ratio), ("second", ratio, between), ("last", between, end)]


def change_of_the_mean():
    """R = 1, two records of each arm, and one of the first arm is added; all rewards in {0, 1}."""
    lines, half = [], F(1, 2)
    for *old, new in product((0, 1), repeat=3):
        before, after = sum(old), sum(old) + new
        terms = F(abs(before - after), 2), after * abs(half - F(1, 3))
        lines += chain_12([(2, F(before, 2), half), (2, 0, half)], 2, 1, 1)
        lines += [
            ("triangle", abs(F(before, 2) - F(after, 3)), sum(terms)),
            ("first term", terms[0], half),
            ("second term", terms[1], 3 * (1 - half)),
        ]
    return lines


REFERENCE = [(1, 1, F(1, 100)), (10**4, 0, F(99, 100))], 1, F(2, 5), F(1, 10)


def reference_inside():
    return chain_12(*REFERENCE)[:1]


def one_record_is_cover():
    """One record of each arm, with rewards 0 and 1/10, eta = beta0 = R = 1.

    Theorem 1 needs two records: (9) and its rate are evaluated at two, with the same means.
    """
    lead, width = F(1, 10), 1 / ball(2).sqrt()
    rate = [(n, claimed.theorem1_pure(ball(n), 1, 1).epsilon) for n in range(2, 200)]
    pair = [policy([-first, ball(lead) - width], 1) for first in (width, arb(1))]
    return [
        *chain_12([(1, 0, F(1, 2)), (1, lead, F(1, 2))], 1, 1, 1),
        ("(9), two records", pure_loss(*pair), rate[0][1]),
        *(("O(1/min N)", n * epsilon, 8 + 2) for n, epsilon in rate),
    ]


def corollary_1(n, k, beta0, eta, most):
    """The formulas of Corollary 1 and of its remark, up to the scale of eps; 3 for O(.)."""
    k, eta, most, beta0 = ball(k), ball(eta), ball(most), ball(beta0)
    epsilon = corollaries.corollary1(2, most, eta, beta0, k).epsilon
    cube = k * k.sqrt() * beta0
    theorem = claimed.theorem1_approx(2, most, eta, beta0, most / k).epsilon
    return [
        *same("eps at N0 = max N/k", epsilon, theorem),
        ("eps, simpler", epsilon, (4 * k + cube) / (eta * most)),
        ("max N >= n/|A|", F(n, 2), most),
        ("scale of eps", epsilon, 3 * cube / (eta * n)),
    ]


def scales():
    """beta0 = R = 1, k = 4, eta = n^(-5/6), at n = 10^6, 10^12, 10^18."""
    ends = [(10 ** (6 * j), F(1, 10 ** (5 * j))) for j in (1, 2, 3)]
    return [line for n, eta in ends for line in corollary_1(n, 4, 1, eta, n - 1)]


# --- the linear bandit ----------------------------------------------------------------------------

E1, E2 = (F(1), F(0)), (F(0), F(1))


def additions():
    """d = 1, lambda = 2, one record 1 of reward 1 (l = 3), removed; or 1 of reward 0 is added."""
    fewer, theta, more, root = F(0, 2), F(1, 3), F(1, 4), 1 / ball(3).sqrt()  # theta = b/Sigma
    return [
        *same("(19)", theta - fewer, F(1, 3) * (1 - fewer)),
        ("(21)", theta - fewer, root * root),
        *same("change, additions", abs(more - theta), F(1, 3) * abs(0 - more)),
        ("(21), additions", abs(more - theta), (1 + root) * root * root),
    ]


def orthogonal_widths():
    """Records e1 and e2, e1 is removed, phi = e2: their product is 0, |z|^2 = 1/2 = 1/l."""
    data, fewer = Records(((E1, 0, 1), (E2, 0, 1))), Records(((E2, 0, 1),))
    mean = sensitivity_steps(data, fewer, (E2,))[0]
    inner, norm = F(0), 1 / data.sigma[0]
    both = data.width(E2) + fewer.width(E2)
    return [
        (mean.name, mean.left, mean.right),
        *same("(22)", fewer.width(E2) - data.width(E2), ball(inner**2 / (1 - norm)) / both),
        ("(i), by (15)", 1 / (1 - norm), 1 / (1 - 1 / min(data.sigma))),
        ("(ii), Cauchy-Schwarz", inner**2, norm / data.sigma[1]),
    ]


def an_added_record():
    """Three records of norm 1, lambda = 1 (l = 4), one more, phi = 1: (23) up to its third line."""
    width, more = 1 / ball(4).sqrt(), 1 / ball(5).sqrt()
    first = more**2 * width**2 / (width + more)  # both inner products, phi and phi_0 being 1
    return [
        *same("(23)", width - more, first),
        ("(23), first inequality", first, more * more / (2 * more) * width * width),
        ("(23), third line", more * width * width / 2, width / 2 * width),
    ]


# --- preferences, and the rest --------------------------------------------------------------------


def long_differences():
    """d = 1, l = 81, differences of norm 2, phi = 1: one is added, then one is removed."""
    width, fewer, more = (1 / ball(n).sqrt() for n in (81, 77, 85))
    inner, norm = F(2, 81), F(4, 81)
    return [
        ("(32)", width - more, ball(F(2, 81)) * width),
        *same("as (22), first", fewer - width, ball(inner**2) / (width + fewer) / ball(1 - norm)),
        ("Cauchy-Schwarz", inner**2, F(1, 81) * norm),
    ]


def both_axes():
    """Shares 1/2 and 3/4 of 20 labels per axis, B = 2: the MLE is (0, ln 3)."""
    gamma, lines = 1 / (2 + ball(4).exp() + ball(-4).exp()), [("|theta| <= B", ball(3).log(), 2)]
    for theta, share in ((arb(0), F(1, 2)), (ball(3).log(), F(3, 4))):
        lines += same("(25)", 1 / (1 + (-theta).exp()), share)
        lines += [("(26)", gamma, share * (1 - share))]
    return lines


def each_action():
    """The end of Appendix A, at eps = 0 and delta = 1/50."""
    return [
        ("an action", p - q, F(1, 50)) for p, q in zip(*general.single_actions().pair, strict=True)
    ]


def one_draw():
    rare, times, slack = F(1, 10000), 1000, F(1, 1000)
    return [("one draw", rare, rare), ("the source", 1 - (1 - rare) ** times, times * rare + slack)]


def number(id):
    """A function that returns the inequality of a row's first reading, as a step."""
    rule = get_claim(id).readings[0].inequality
    given = exactly(rule.given) | {"data": rule.data or [], "neighbour": rule.neighbour or []}
    return lambda: Step(id, *both_sides(given, rule.python).values())


def one_step(make):
    """A function that returns the only step of a counterexample."""

    def step():
        (only,) = make().steps
        return only

    return step


EARLIER = {  # row: its step, the lines before it
    "KL-B-mean": (number("KL-B-mean"), change_of_the_mean),
    "KL-B12-reference": (number("KL-B12-reference"), reference_inside),
    "KL-S4.1": (number("KL-S4.1"), one_record_is_cover),
    "KL-R1-scales": (number("KL-R1-scales"), scales),
    "KL-C21": (number("KL-C21"), additions),
    "KL-C22": (number("KL-C22"), orthogonal_widths),
    "KL-C23": (number("KL-C23"), an_added_record),
    "KL-D33": (number("KL-D33"), long_differences),
    "KL-D30": (number("KL-D30"), both_axes),
    "KL-L1-events": (one_step(general.single_actions), each_action),
    "KL-S4.4-composition.k-constant": (one_step(general.composition_with_k), one_draw),
}


def exact(x):
    return x if isinstance(x, arb) else ball(x)


@pytest.mark.parametrize("row", EARLIER)
@at_certificate_precision
def test_first_step_that_fails_is_the_one_of_the_row(row):
    make, before = EARLIER[row]
    assert make().fails
    for name, left, right in before():
        left, right = exact(left), exact(right)
        assert left <= right + ball(ROUNDING) * (1 + abs(right)), name


@at_certificate_precision
def test_the_second_inequality_of_12_is_the_one_that_fails():
    _, (_, left, right), (_, between, end) = chain_12(*REFERENCE)
    printed = number("KL-B12-reference")()
    assert left > right
    assert left.overlaps(printed.left)
    assert right.overlaps(between)
    assert end.overlaps(printed.right)
