"""Exact and interval arithmetic behind the verdicts on US's claims.

Both sides of a refutation are in claims.toml. Here is what else a verdict needs: the probability of
the event, the conditions of a statement, identities, and refutations of several forms.
"""

import math
from fractions import Fraction

import numpy as np
from flint import arb, fmpq, fmpq_mat

from dpbandits.audit.computed.balls import precision
from dpbandits.reproduction.us import theory

F_SQUARED = 2
DECAY, CONSTANT = 2, 1  # beta_p and C_p
BITS = 128


def lemma_3_1_forms(rng: np.random.Generator) -> tuple[tuple[fmpq, fmpq], tuple[fmpq, fmpq]]:
    """(feature form, kernel form) of the mean and of the variance, on a random rational problem."""
    size, fresh, rounds, K = (int(n) for n in rng.integers(1, [5, 9, 7, 6]))
    tau = fmpq(int(rng.integers(1, 50)), int(rng.integers(1, 50)))
    phi_z, phi_w, phi = (_rational(rng, n, size) for n in (fresh, rounds, 1))
    rewards = _rational(rng, rounds, 1)
    operator = phi_z.transpose() * phi_z * fmpq(1, K) + _identity(size) * tau
    inverse = operator.inv()
    feature = phi * inverse * phi_w.transpose() * rewards
    feature_variance = phi * inverse * phi.transpose()
    gram = (phi_z * phi_z.transpose() + _identity(fresh) * (tau * K)).inv()
    to_z = phi * phi_z.transpose() * gram * phi_z
    kernel = (phi - to_z) * phi_w.transpose() * rewards * (1 / tau)
    kernel_variance = (phi - to_z) * phi.transpose() * (1 / tau)
    return ((feature[0, 0], kernel[0, 0]), (feature_variance[0, 0], kernel_variance[0, 0]))


def _rational(rng: np.random.Generator, rows: int, columns: int) -> fmpq_mat:
    entries = [fmpq(int(a), int(b)) for a, b in zip(
        rng.integers(-20, 21, rows * columns), rng.integers(1, 21, rows * columns), strict=True
    )]  # fmt: skip
    return fmpq_mat(rows, columns, entries)


def _identity(size: int) -> fmpq_mat:
    return fmpq_mat(size, size, [fmpq(int(i == j)) for i in range(size) for j in range(size)])


@precision(BITS)
def n1bar_counterexamples() -> list[dict]:
    """For each printed form of N1bar a larger T with sqrt(gamma_T ln(1/delta)/(T tau)) > 1/4."""
    cases = []
    f2, delta = arb(F_SQUARED), arb(1) / 100
    log = (1 / delta).log()
    for name, threshold in theory.n1bar_forms(DECAY, CONSTANT, f2, log).items():
        horizon = int(float(threshold.upper())) + 2  # above it
        for exponent in range(9):  # tau = 1, 0.1, ...: N1bar does not depend on tau
            tau = arb(10) ** -exponent
            gain = (1 + horizon / tau).log() / 2  # of all T points at x = 0, where k = 1
            value = (gain * log / (horizon * tau)).sqrt()
            if value > arb(1) / 4:
                case = {"form": name, "n1bar": float(threshold.mid()), "T": horizon}
                cases.append(case | {"tau": float(tau.mid()), "value": float(value.lower())})
                break
    return cases


def volume_ratio_and_bound(rng: np.random.Generator) -> tuple[Fraction, Fraction]:
    """Both sides of Lemma 8.1 on [0,1] for a random piecewise linear g, exactly."""
    pieces = int(rng.integers(1, 9))
    knots = sorted({Fraction(int(k), 60) for k in rng.integers(1, 60, pieces)} | {0, 1})
    knots = [Fraction(k) for k in knots]
    values = [Fraction(int(v), 7) for v in rng.integers(-30, 31, len(knots))]
    segments = list(zip(knots, knots[1:], values, values[1:], strict=False))
    slope = max(abs((v - u) / (b - a)) for a, b, u, v in segments)
    if slope == 0:
        return Fraction(1), Fraction(1)
    r = Fraction(int(rng.integers(1, 100)), 20)
    floor, inside = max(values) - r, Fraction(0)
    for a, b, u, v in segments:  # the length where the line from u to v is at least `floor`
        low, high = min(u, v), max(u, v)
        if floor <= low:
            inside += b - a
        elif floor <= high:
            inside += (b - a) * (high - floor) / (high - low)
    return inside, min(Fraction(1), r / slope)


@precision(BITS)
def hub_conditions(arms: int = 2000, per_arm: int = 20, delta: Fraction = Fraction(1, 20)) -> dict:
    """The conditions of US-L4.4's counterexample (Section 3): k(c, c') = a^2 + b^2 c.c' over the
    simplex, tau = 1, b^2 = 1/(2h). It refutes if `condition` <= 1/4 and `chance` > delta, a lower
    bound on the probability that the norm is reached."""
    n, h, horizon = arb(arms), arb(per_arm), arb(arms * per_arm)
    b_squared = 1 / (2 * h)
    gamma = (1 + horizon * (1 - b_squared + b_squared / n)).log() / 2
    gamma += (n - 1) * (1 + b_squared * h).log() / 2
    K = math.ceil(float((horizon / gamma).upper()))
    chance = 1 - 8 / (n - 1) - n * (-h * K / 3).exp()
    condition = (-gamma * (arb(delta.numerator) / delta.denominator).log() / horizon).sqrt()
    return {
        "T": arms * per_arm, "K": K, "delta": float(delta),
        "chance": float(chance.lower()), "condition": float(condition.upper()),
    }  # fmt: skip


@precision(BITS)
def atom_conditions(
    tau: int = 4, arms: int = 10**6, count: int = 22, delta: Fraction = Fraction(1, 10)
) -> dict:
    """The conditions of US-L4.4.spectrum's counterexample: k = 1{w = w'} on n = `arms` equally
    likely points, T = n tau. It refutes if `condition` <= 1/4 and `chance` > delta, a lower bound
    on the probability that some point has `count` visits."""
    log2, log = arb(2).log(), -(arb(delta.numerator) / delta.denominator).log()
    K = math.ceil(float((2 * tau / log2).upper()))
    condition = (log2 * log / 2).sqrt() / tau
    trials, p = tau * arms * K, arb(1) / arms
    ways = arb(trials + 1).lgamma() - arb(count + 1).lgamma() - arb(trials - count + 1).lgamma()
    single = (ways + count * p.log() + (trials - count) * (1 - p).log()).exp()  # of one point
    chance = 1 - (arms * (1 - single).log()).exp()
    effective = theory.Effective(1 / (2 * tau), arms / 2, 0.5, tau * arms, tau)
    return {
        "T": tau * arms, "K": K, "delta": float(delta), "count": count,
        "chance": float(chance.lower()), "condition": float(condition.upper()),
        "repaired": 1 / (1 - theory.corrected_spectral_bound(effective, K, float(delta))) - 1,
    }  # fmt: skip


def fixed_kernel_chance(first: int, miss: float = 0.05) -> float:
    """A lower bound on the probability that the norm of US-L4.4 on the circle is reached:
    1 - 4 sum lambda_j^2/(sum lambda_j)^2 - miss, lambda_j ~ j^-2 over first < j <= 2 first
    (docs/proofs/US.md, Section 3)."""
    low = 1 / (first + 1) - 1 / (2 * first + 1)  # of the sum of j^-2
    return 1 - 7 / (6 * first**3) / low**2 - miss


def first_entries() -> tuple[dict[Fraction, Fraction], dict[Fraction, Fraction]]:
    """The laws of the first entries of Z^ - tau and Z~ - tau: two features, T = 2, K = 2."""
    usual = {Fraction(k): p for k, p in enumerate(_fair_binomial(2))}
    surrogate = {Fraction(k, 2): p for k, p in enumerate(_fair_binomial(4))}
    return usual, surrogate


def _fair_binomial(trials: int) -> list[Fraction]:
    """P(Bin(trials, 1/2) = k) for every k."""
    return [Fraction(math.comb(trials, k), 2**trials) for k in range(trials + 1)]


def two_point_errors(horizon: int, K: int, tau: Fraction) -> tuple[Fraction, Fraction]:
    """Mean squares of mu_T - f and mubar - f at one of two equally likely points; f = 1, no
    noise."""
    counts, surrogate = _fair_binomial(horizon), _fair_binomial(horizon * K)
    usual = sum(p * (tau / (k + tau)) ** 2 for k, p in enumerate(counts))
    mean = sum(p * k for k, p in enumerate(counts))
    square = sum(p * k * k for k, p in enumerate(counts))
    private = Fraction(0)
    for k, p in enumerate(surrogate):
        level = Fraction(k, K) + tau  # mubar = n_1/level
        private += p * (square / level**2 - 2 * mean / level + 1)
    return usual, private


def spectral_tightness(arms: int = 10**13, K: int = 10**5, delta: float = 0.1) -> float:
    """A deviation that |Z^-1/2 Z~ Z^-1/2 - Id| exceeds with probability delta, over b(delta).
    On k = 1{w = w'} over `arms` points, T = n, tau = 1: the norm is max |m_i - 1|/2, and
    P(all counts < k) <= P(one count < k)^n (negative association), counts being Bin(nK, 1/n)."""
    from scipy.stats import binom

    law = binom(arms * K, 1.0 / arms)
    needed = -math.expm1(math.log1p(-delta) / arms)
    low = int(law.isf(needed))  # the largest k with P(count >= k) > needed
    effective = theory.Effective(0.5, arms / 2, 0.5, arms, 1.0)
    return (low / K - 1.0) / 2.0 / theory.corrected_spectral_bound(effective, K, delta)
