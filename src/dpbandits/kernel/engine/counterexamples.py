"""Closed forms that refute printed statements of US, exact or in balls (docs/proofs/US.md).

Each function returns the numbers of its claim and whether they were certified.
"""

import math
from fractions import Fraction

from flint import arb

from dpbandits.audit.balls import precision
from dpbandits.kernel import theory

BITS = 128


@precision(BITS)
def hub_norm(arms: int = 2000, per_arm: int = 20, delta: Fraction = Fraction(1, 20)) -> dict:
    """Lemma 4.4 on k(c, c') = a^2 + b^2 c.c' over the simplex, tau = 1, b^2 = 1/(2h) (Section 3).

    |Z~^-1 Z - Id| is at least `norm` with probability at least `chance`, in closed form.
    """
    n, h, horizon = arb(arms), arb(per_arm), arb(arms * per_arm)
    spoke = 1 / (2 * h)  # b^2
    hub = 1 - spoke  # a^2
    gamma = ((1 + horizon * (hub + spoke / n)).log() + (n - 1) * (1 + spoke * h).log()) / 2
    multiple = math.ceil(float((horizon / gamma).upper()))
    certified = bool(horizon / gamma > multiple - 1)  # K is the printed one
    log = -(arb(delta.numerator) / delta.denominator).log()
    norm = (hub * spoke * h * (n - 1) / (2 * multiple)).sqrt() / (2 * spoke * h + 1)
    bound = arb(28) / 17 * (gamma * log / horizon).sqrt()
    chance = 1 - 8 / (n - 1) - n * (-h * multiple / 3).exp()
    condition = (gamma * log / horizon).sqrt()
    certified &= bool(norm > bound and chance > float(delta) and condition <= arb(1) / 4)
    return {
        "T": arms * per_arm, "K": multiple, "delta": float(delta), "gamma": float(gamma.mid()),
        "norm": float(norm.lower()), "bound": float(bound.upper()),
        "chance": float(chance.lower()), "condition": float(condition.upper()),
        "certified": certified,
    }  # fmt: skip


@precision(BITS)
def atom_spectrum(tau: int = 4, arms: int = 10**6, delta: Fraction = Fraction(1, 10)) -> dict:
    """Lemma 4.4 read for eigenvalues: k = 1{w = w'} on n = `arms` equally likely points, T = n tau.

    An eigenvalue of Z~^-1 Z leaves the printed band with probability at least `chance`.
    """
    log2, log = arb(2).log(), -(arb(delta.numerator) / delta.denominator).log()
    multiple = math.ceil(float((2 * tau / log2).upper()))
    bound = arb(28) / 17 * (log2 * log / 2).sqrt() / tau
    condition = (log2 * log / 2).sqrt() / tau
    trials = tau * arms * multiple
    least = (2 * tau / (1 + bound) - tau) * multiple  # a smaller count leaves the band
    count = math.ceil(float(least.lower())) - 1
    p, covered = arb(1) / arms, 1 / (2 * tau)  # phi' Z^-1 phi at every point: Z = 2 tau
    law = theory.Effective(covered, arms / 2, 0.5, tau * arms, tau)
    single = _binomial_mass(trials, count, p)
    chance = 1 - (arms * (1 - single).log()).exp()
    certified = bool(count < least and chance > float(delta) and condition <= arb(1) / 4)
    return {
        "T": tau * arms, "K": multiple, "delta": float(delta), "count": count,
        "eigenvalue": 2 * tau / (count / multiple + tau), "bound": float(bound.upper()),
        "chance": float(chance.lower()), "condition": float(condition.upper()),
        "repaired": 1 / (1 - theory.relative_spectral_bound(law, multiple, float(delta))) - 1,
        "certified": certified,
    }  # fmt: skip


def _binomial_mass(trials: int, count: int, p: arb) -> arb:
    """P(Bin(trials, p) = count)."""
    ways = arb(trials + 1).lgamma() - arb(count + 1).lgamma() - arb(trials - count + 1).lgamma()
    return (ways + count * p.log() + (trials - count) * (1 - p).log()).exp()


def norm_step(size: int = 10) -> dict:
    """Lemma 6.3's |Z~^-1 Phi Phi' f| <= 5/3 |f|: a rational 2 x 2 counterexample (Section 5).

    Z = Z~ = diag(4 q^2, 1), Z^ the same with q/5 off the diagonal, f = e_1, tau = 1/2.
    """
    top, off, tau = Fraction(4 * size**2), Fraction(size, 5), Fraction(1, 2)
    relative = off**2 / top  # 1/100, the square of |Z^-1/2 Z^ Z^-1/2 - Id|: at most 1/81
    squared = ((top - tau) / top) ** 2 + off**2
    return {
        "relative": relative, "squared_norm": squared, "bound": Fraction(25, 9),
        "certified": squared > Fraction(25, 9),  # its premises hold at every size
    }  # fmt: skip


@precision(BITS)
def quoted_variance(arms: int = 1024) -> dict:
    """sup phi' Z^-1 phi <= 54 F^2 gamma_T/(13 T) at T = 1, tau = 1/n, k = 1{w = w'}, F = 1."""
    gamma = (1 + arb(arms)).log() / 2
    left, right = Fraction(arms, 2), 54 * gamma / 13
    return {
        "left": float(left),
        "right": float(right.upper()),
        "repaired": arms / 2,  # F^2 N/T: N = n/2, each of n points being half covered
        "certified": bool(right < arms // 2),
    }


@precision(BITS)
def undrawn_cell(arms: int = 1024) -> dict:
    """Lemma 7.1 at T = 1 with the same kernel: K = 1 as gamma_1 > 1; one of `arms` points drawn."""
    gamma = (1 + arb(arms)).log() / 2
    right = 81 * gamma / 13
    certified = bool(right < arms)  # hence arms >= 7, and gamma > 1
    return {"left": float(arms), "right": float(right.upper()), "certified": certified}


@precision(BITS)
def posterior_variance(tau: int = 100, constant: int = 10**4) -> dict:
    """At least sigma_T^2 over 108 F^2 gamma_T/(13 T) on the circle, if T lambda_1/tau >= constant.

    lambda_j falls like j^-2, once for j = 1 and twice above. With x_j = T lambda_j/tau = c/j^2 the
    summands of N and of ln det fall with j: N >= 2 int_1^inf x/(1+x) dj - 2, and
    ln det <= 2 int_0^inf ln(1+x) dj = 2 pi sqrt(c). The quotient grows with c (Section 5).
    """
    root = arb(constant).sqrt()
    dimension = root * (arb.pi() - 2 * (1 / root).atan()) - 2
    logarithm = 2 * arb.pi() * root
    ratio = arb(13) * tau / 108 * dimension / logarithm
    return {"ratio": float(ratio.lower()), "certified": bool(ratio > 1)}


@precision(BITS)
def clipping(delta: Fraction = Fraction(4, 5)) -> dict:
    """P(|y| > B + R ln(T/delta)) at T = 1 for y ~ N(0, R^2), f = 0, B = R/100: above delta."""
    level = arb(1) / 100 - (arb(delta.numerator) / delta.denominator).log()
    chance = (level / arb(2).sqrt()).erfc()
    return {"chance": float(chance.lower()), "certified": bool(chance > float(delta) + 1e-9)}


def first_entries() -> tuple[dict[Fraction, Fraction], dict[Fraction, Fraction]]:
    """The laws of the first entries of Z^ - tau and Z~ - tau: two features, T = 2, K = 2."""

    def law(points: int, multiple: int) -> dict[Fraction, Fraction]:
        return {
            Fraction(k, multiple): Fraction(math.comb(points, k), 2**points)
            for k in range(points + 1)
        }

    return law(2, 1), law(4, 2)


def two_point_errors(horizon: int, multiple: int, tau: Fraction) -> tuple[Fraction, Fraction]:
    """Mean squares of mu_T - f and mubar - f at one of two likely points, f = 1, no noise."""
    counts = [Fraction(math.comb(horizon, k), 2**horizon) for k in range(horizon + 1)]
    fresh = horizon * multiple
    surrogate = [Fraction(math.comb(fresh, k), 2**fresh) for k in range(fresh + 1)]
    usual = sum(p * (tau / (k + tau)) ** 2 for k, p in enumerate(counts))
    mean = sum(p * k for k, p in enumerate(counts))
    square = sum(p * k * k for k, p in enumerate(counts))
    private = Fraction(0)
    for k, p in enumerate(surrogate):
        level = Fraction(k, multiple) + tau  # mubar = n_1/level
        private += p * (square / level**2 - 2 * mean / level + 1)
    return usual, private


def spectral_tightness(arms: int = 10**13, multiple: int = 10**5, delta: float = 0.1) -> float:
    """A deviation that |Z^-1/2 Z~ Z^-1/2 - Id| exceeds with chance delta, over b(delta).

    On k = 1{w = w'} over `arms` points, T = n, tau = 1: the norm is max |m_i - 1|/2, and
    P(all counts < k) <= P(one count < k)^n (negative association), counts being Bin(nK, 1/n).
    """
    from scipy.stats import binom

    from dpbandits.kernel.theory import Effective, relative_spectral_bound

    law = binom(arms * multiple, 1.0 / arms)
    needed = -math.expm1(math.log1p(-delta) / arms)
    low, high = multiple, 2 * multiple  # the largest k with P(count >= k) >= needed
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if law.sf(middle - 1) >= needed else (low, middle)
    effective = Effective(0.5, arms / 2, 0.5, arms, 1.0)
    return (low / multiple - 1.0) / 2.0 / relative_spectral_bound(effective, multiple, delta)
