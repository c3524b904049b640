"""The (epsilon, delta) of Gaussian noise, exactly, and the largest cost for it.

The cost of noise of standard deviation sigma under a shift of length s is rho = s^2/(2 sigma^2), as
in zcdp.py, and adds up over releases. With mu^2 = 2 rho, x = epsilon/mu - mu/2 and y = x + mu

    delta = P(N > x) - exp(epsilon) P(N > y) = phi(x) (R(x) - R(y)),

N standard normal with density phi, R(x) = P(N > x)/phi(x) (Balle and Wang 2018; also where the past
decides the shifts, and with the discrete noise of the port: docs/proofs/FL.md, Lemmas A5 and A6).
zCDP, which is for other noise, too, allows a rho that is a tenth to a sixth smaller.
"""

import math
from decimal import Decimal, localcontext
from functools import cache

from dpbandits.core import zcdp

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
DIGITS, TERMS, SERIES = 60, 120, 5  # of the fraction for R; up to this x the series is taken
SMOOTH = 8  # steps of the grid: of Lemma A6


def mills(x: Decimal) -> Decimal:
    """R(x), for x > -40: by its continued fraction, or by the series of P(0 < N < x)/phi(x)."""
    if x > SERIES:
        fraction = x
        for n in range(TERMS, 0, -1):
            fraction = x + n / fraction
        return 1 / fraction
    term = total = x
    k = 1
    while abs(term) > Decimal(10) ** -DIGITS * abs(total):
        k += 2
        term *= x * x / k
        total += term
    return (PI / 2).sqrt() * (x * x / 2).exp() - total


def delta_of(rho: float, epsilon: float) -> float:
    """The delta at epsilon, rounded up."""
    with localcontext() as context:
        context.prec = DIGITS
        mu = (2 * Decimal(rho)).sqrt()
        x = Decimal(epsilon) / mu - mu / 2
        if x < -40:  # no delta of a float
            return 1.0
        density = (-x * x / 2).exp() / (2 * PI).sqrt()
        return math.nextafter(float(density * (mills(x) - mills(x + mu))), math.inf)


@cache
def largest_rho(epsilon: float, delta: float) -> float:
    """The largest rho (to 1e-12 of it) that gives (epsilon, delta)."""
    return zcdp.largest(delta_of, epsilon, delta)


def epsilon_of(rho: float, delta: float) -> float:
    """An epsilon (the largest, to 1e-12 of it) whose `largest_rho` is at most rho."""
    return zcdp.spent(delta_of, rho, delta)


def scale_for(moves: float, rho: float, grid: float) -> float:
    """Of the noise on a grid that makes what moves so far cost rho at most (Lemma A6)."""
    return math.hypot(moves / math.sqrt(2 * rho), SMOOTH * grid) if rho < math.inf else 0.0
