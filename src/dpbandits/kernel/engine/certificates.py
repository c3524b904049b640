"""Exact and interval arithmetic behind the verdicts on US's claims.

The counterexamples live on one small kernel: actions [0,1], eigenfunctions 1 and sqrt(2) cos(pi x)
with eigenvalues 1/2 and 1/4, so k(x, x') = (1 + cos(pi x) cos(pi x'))/2 <= 1, F = sqrt(2), and
C_p = 1 for beta_p = 2.
"""

from fractions import Fraction

import numpy as np
from flint import arb, fmpq, fmpq_mat

from dpbandits.audit.balls import precision

F_SQUARED = 2
DECAY, CONSTANT = 2, 1  # beta_p and C_p
BITS = 128


def lemma_3_1_forms(rng: np.random.Generator) -> tuple[tuple[fmpq, fmpq], tuple[fmpq, fmpq]]:
    """(feature form, kernel form) of the mean and of the variance, on a random rational problem."""
    size, fresh, rounds, multiple = (int(n) for n in rng.integers(1, [5, 9, 7, 6]))
    tau = fmpq(int(rng.integers(1, 50)), int(rng.integers(1, 50)))
    phi_z, phi_w, phi = (_rational(rng, n, size) for n in (fresh, rounds, 1))
    rewards = _rational(rng, rounds, 1)
    operator = phi_z.transpose() * phi_z * fmpq(1, multiple) + _identity(size) * tau
    inverse = operator.inv()
    feature = phi * inverse * phi_w.transpose() * rewards
    feature_variance = phi * inverse * phi.transpose()
    gram = (phi_z * phi_z.transpose() + _identity(fresh) * (tau * multiple)).inv()
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


def gain_at_least(horizon: int, tau: arb) -> arb:
    """gamma_T >= ln(1 + T/tau)/2: all T points at x = 0, where k = 1."""
    return (1 + horizon / tau).log() / 2


def gain_at_most(horizon: int, tau: arb) -> arb:
    """gamma_T <= ln(1 + T/(2 tau)): rank 2, trace at most T, and det <= (trace/2)^2."""
    return (1 + horizon / (2 * tau)).log()


@precision(BITS)
def n1bar_counterexamples() -> list[dict]:
    """Per printed form: a T above it where sqrt(gamma_T ln(1/delta)/(T tau)) is above 1/4."""
    found = []
    f2, delta = arb(F_SQUARED), arb(1) / 100
    log = (1 / delta).log()
    forms = {
        "main text, ln(1/δ)/(16 C_p F²)": log / (16 * CONSTANT * f2),
        "Lemma 6.1, ln(1/δ)/(C_p F^(2/16))": log / (CONSTANT * f2 ** (arb(1) / 16)),
        "Lemma 6.1 read as C_p F²/16": 16 * log / (CONSTANT * f2),
        "proof, ln(1/δ)/(C_p F² 16)": log / (CONSTANT * f2 * 16),
    }
    power = 2 * DECAY // (DECAY - 1)
    for name, base in forms.items():
        threshold = base**power
        horizon = int(float(threshold.upper())) + 2  # above it
        for exponent in range(9):  # tau = 1, 0.1, ...: N1bar does not look at tau
            tau = arb(10) ** -exponent
            value = (gain_at_least(horizon, tau) * log / (horizon * tau)).sqrt()
            if value > arb(1) / 4:
                found.append(
                    {"form": name, "n1bar": float(threshold.mid()), "T": horizon}
                    | {"tau": float(tau.mid()), "value": float(value.lower())}
                )
                break
    return found


@precision(BITS)
def lemma_6_2_counterexample(printed: str) -> dict:
    """T = 1, w = 0, noiseless f = B k(., 0) of norm B: the gap exceeds the bound w.p. >= 1/9.

    With x_1 in [0, 1/3] and z in [2/3, 1] (probability 1/9, and K = 1 as gamma_1 >= 1), write
    c = cos(pi x_1) in [1/2, 1], s = cos(pi z) in [-1, -1/2]; then
    mubar(0) = (y/tau) (k(0,x_1) - k(0,z) k(z,x_1)/(tau + k(z,z))), y = B (1+c)/2 >= 3B/4, and the
    bracket is at least ((s-1)(s-c)/(1+s^2))/2 >= (3/2)(1)/(2 * 2) = 3/8, because tau only raises
    it. And |mu_1(0)| <= y (1+c)/(1+c^2) <= 5 B/4.
    """
    reward_bound, tau = (arb(1), arb(10) ** -5) if printed == "proof" else (arb(100), arb(10) ** -7)
    delta = arb(1) / 20
    gain = (1 + 1 / tau).log() / 2  # gamma_1 exactly, since sup k(w, w) = 1
    gap = arb(3) / 4 * reward_bound * arb(3) / 8 / tau - arb(5) / 4 * reward_bound
    bound = _beta_1(delta, reward_bound, tau, printed) * gain.sqrt()
    return {
        "B": float(reward_bound.mid()),
        "tau": float(tau.mid()),
        "delta": float(delta.mid()),
        "gap": float(gap.lower()),
        "bound": float(bound.upper()),
        "certified": bool(gap > bound),  # only where tau is so small that gamma_1 > 1
    }


def _beta_1(delta: arb, b: arb, tau: arb, printed: str) -> arb:
    """Lemma 6.2 with R = 0 (no noise)."""
    f2 = arb(F_SQUARED)
    spectral = (4 / delta).log() / tau
    return (
        ((162 * b**3 / (13 * f2)).sqrt() + 81 * f2 / 52) * (8 / delta).log()
        + arb(28) / 17 * (spectral if printed == "statement" else spectral.sqrt())
        + 2 * b * (108 * f2 * tau / 13).sqrt()
    )


@precision(BITS)
def theorem_8_2_is_negative(horizon: int) -> dict:
    """An epsilon at which the printed bound on the (nonnegative) error rate is below 0.

    At epsilon = gamma e^-1 (delta/3)/(T c), c = 2592 B F^2 L_f D_0/13, the bracket of the second
    term is -1 (d = 1), so that term is -c (648 B F^2/13) 3 e/delta, whatever T is.
    f = k(., 0): norm 1, B = 1, R = 0, tau = 1, L_f = pi/2, D_0 = 1, delta = 1/10, |U_T| = T^2.
    """
    b, f2, tau, delta, lipschitz = arb(1), arb(F_SQUARED), arb(1), arb(1) / 10, arb.pi() / 2
    low, high = gain_at_least(horizon, tau), gain_at_most(horizon, tau)
    constant = 2592 * b * f2 * lipschitz / 13
    epsilon = low * (-arb(1)).exp() * (delta / 3) / (horizon * constant)
    inside = constant * horizon * epsilon / low  # larger than with gamma_T >= low: safe
    bracket = inside.log() + (3 / delta).log()
    second = low / horizon / epsilon * (648 * b * f2 / 13) * bracket  # below 0: low is safe
    each = delta / (12 * arb(horizon) ** 2)
    small = arb(11) / 3 * b / horizon
    first = 10 * (small + _beta_1(each, b, tau, "statement") * (high / horizon).sqrt())
    total = first + second
    return {
        "T": horizon,
        "epsilon": float(epsilon.mid()),
        "bound": float(total.upper()),
        "certified": bool(total < 0),  # hence the second term alone
    }


def volume_ratio_and_bound(rng: np.random.Generator) -> tuple[Fraction, Fraction]:
    """Lemma 8.1 on [0,1] for a random piecewise linear g, exactly: left and right side."""
    pieces = int(rng.integers(1, 9))
    knots = sorted({Fraction(int(k), 60) for k in rng.integers(1, 60, pieces)} | {0, 1})
    knots = [Fraction(k) for k in knots]
    values = [Fraction(int(v), 7) for v in rng.integers(-30, 31, len(knots))]
    segments = list(zip(knots, knots[1:], values, values[1:], strict=False))
    slope = max(abs((v - u) / (b - a)) for a, b, u, v in segments)
    if slope == 0:
        return Fraction(1), Fraction(1)
    r = Fraction(int(rng.integers(1, 100)), 20)
    floor = max(values) - r
    inside = sum((_length_above(*s, floor) for s in segments), Fraction(0))
    return inside, min(Fraction(1), r / slope)


def _length_above(a, b, u, v, floor) -> Fraction:
    """Length of the part of [a, b] where the line from u to v is at least `floor`."""
    low, high = min(u, v), max(u, v)
    if floor <= low:
        return b - a
    if floor > high:
        return Fraction(0)
    return (b - a) * (high - floor) / (high - low)
