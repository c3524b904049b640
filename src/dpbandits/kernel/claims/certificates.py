"""US's refutations as certificates, on the kernel (1 + cos pi x cos pi x')/2 of [0, 1].

The enclosures are computed with python-flint; certificates/check.py computes them without it.
"""

from fractions import Fraction as F
from functools import partial

from flint import arb

from dpbandits.audit.balls import ball, precisely
from dpbandits.core.certificates import certificate, enclosure, numeric
from dpbandits.kernel.engine.certificates import F_SQUARED, _beta_1, gain_at_least


def _sides(left: arb, right: arb) -> dict:
    return {"left": enclosure(left), "right": enclosure(right)}


@precisely
def n1bar() -> dict:
    """A T above N1bar (of Lemma 4.4) at which the proof's quantity exceeds 1/4."""
    delta, horizon, tau = F(1, 100), 2, F(1)
    gain, log = gain_at_least(horizon, ball(tau)), -ball(delta).log()
    value = (gain * log / (horizon * ball(tau))).sqrt()
    return certificate(
        "US-N1",
        fails="sqrt(gamma_T ln(1/delta)/(T tau)) <= 1/4 for T > N1bar",
        step="C_p and F stand in the denominator, and tau is missing",
        given={"T": horizon, "tau": tau, "delta": delta, "constant": 1},
        enclosures=_sides(value, ball(F(1, 4))),
    )


@precisely
def lemma_6_2() -> dict:
    """T = 1, x_1 in [0, 1/3], z_1 in [2/3, 1]: probability 1/9 > delta."""
    bound_of_y, norm, tau, delta = 100, 99, F(1, 10**7), F(1, 20)
    x, z, t = (F(1, 2), F(1)), (F(-1), F(-1, 2)), ball(tau)
    # ends of the naive range: k(x, 0) in [3/4, 1], k(z, 0) in [0, 1/4], k(z, x) in [0, 3/8]
    most = (1 + z[1]) / 2 * (1 + z[1] * x[0]) / 2 / (tau + (1 + z[1] ** 2) / 2)
    least = ball(norm * (1 + x[0]) / 2 * ((1 + x[0]) / 2 - most)) / t
    gap = least - ball(norm) / (t + ball(1 + x[0] ** 2) / 2)
    bound = _beta_1(ball(delta), ball(bound_of_y), t, "statement")
    # sqrt(162 B^3/13 F^2) read so that the bound is larger
    root = (ball(F(162 * bound_of_y**3, 13)) * F_SQUARED).sqrt()
    bound += (root - root / F_SQUARED) * (8 / ball(delta)).log()
    return certificate(
        "US-L6.2",
        fails="|mu_T - mubar_T| <= beta_1(delta) sqrt(gamma_T/T) with probability 1 - delta",
        step="the proof uses T >= max(N1bar, Nbar), which the statement leaves out",
        given={"B": bound_of_y, "norm": norm, "tau": tau, "delta": delta},
        event=[["0", "1/3"], ["2/3", "1"]],
        enclosures=_sides(gap, bound * (1 + 1 / t).log().sqrt() / arb(2).sqrt()),
    )


@precisely
def theorem_8_2() -> dict:
    """epsilon = share gamma_T/T makes the printed bound on the error rate negative, at every T."""
    share, delta, lipschitz = F(1, 10**5), F(1, 10), F(4, 5)
    one, each = arb(1), ball(delta) / 24
    scale = ball(F(648 * F_SQUARED, 13))
    second = (
        scale
        / ball(share)
        * ((4 * scale * ball(lipschitz * share)).log() - (ball(delta) / 3).log())
    )
    root = (ball(F(162, 13)) * F_SQUARED).sqrt()

    def beta_1(at: arb) -> arb:
        return _beta_1(at, one, one, "statement") + root / 2 * (8 / at).log()

    slope = (beta_1(each / 2) - beta_1(each)) / arb(2).log()
    first = 10 * (ball(F(11, 3)) + beta_1(each) + ball(F(3, 2)) * slope)
    return certificate(
        "US-T4.1",
        fails="0 <= error rate <= the bound of Theorem 8.2, at any T and epsilon = share gamma_T/T",
        step="the choice of r: its logarithm turns negative for small epsilon",
        given={"share": share, "delta": delta, "L_f": lipschitz},
        enclosures=_sides(arb(0), first + second),
    )


NUMERIC = {
    "US-S3-variance": (
        "sigmabar^2 at the one point of Z is the posterior variance (3) there, k = 1",
        "(5) is (3) divided by tau",
        {"tau": F(1, 2)},
        lambda g: ((1 - 1 / (1 + g.tau)) / g.tau, 1 - 1 / (1 + g.tau)),
    ),
    "US-A2.7": (
        "P(|y_1| > B + R ln(T/delta)) <= delta, T = 1, y_1 normal, B = ratio R",
        "a sub-Gaussian tail at R ln(1/delta) is not delta for delta near 1",
        {"ratio": F(1, 100), "delta": F(4, 5)},
        lambda g: (1 - 2 * (g.ratio - g.delta.log()) / (2 * arb.pi()).sqrt(), g.delta),
    ),
    "US-S8.2-uniform": (
        "P(the bound fails at some context) <= delta, independent contexts",
        "a bound that holds with probability 1 - delta at each context is taken to hold at all",
        {"n": 100, "delta": F(1, 10)},
        lambda g: (1 - (1 - g.delta) ** 100, g.delta),
    ),
    "US-S6.3-norm": (
        "|Z~^-1 (Z^ - tau) f| <= 5/3 |f|, Z = Z~ = diag(a, b), Z^ with e off the diagonal, f = e_1",
        "an order of operators says nothing of the norm of a product that is not symmetric",
        {"a": 400, "b": 1, "e": 2, "tau": F(1, 2)},
        lambda g: ((((g.a - g.tau) / g.a) ** 2 + (g.e / g.b) ** 2).sqrt(), arb(5) / 3),
    ),
    "US-S7.1": (
        "sup phi'Z^-1 phi <= 54 F^2 gamma_T/(13 T), T = 1, n equally likely orthogonal points",
        "the lemma is quoted without its condition on T",
        {"n": 1024, "tau": F(1, 1024)},
        lambda g: (1 / (1 / g.n + g.tau), 54 * (1 + 1 / g.tau).log() / 26),
    ),
}


@precisely
def _numeric(claim: str) -> dict:
    fails, step, given, sides = NUMERIC[claim]
    return numeric(claim, fails, step, given, sides)


REFUTATIONS = {
    "US-N1": n1bar,
    "US-L6.2": lemma_6_2,
    "US-T4.1": theorem_8_2,
    **{claim: partial(_numeric, claim) for claim in NUMERIC},
}
