"""The law of a noisy sum, R = Bin(b, mu) + Lap(1/eps): its density in mu and the derivative.

With k = floor(R), x = R - k, the law pi(s) of Bin(b, mu), and the binomials of odds e^(+-eps)
mu/(1 - mu), whose laws are e^(+-eps s) pi(s) up to constants, the density is, up to eps/2,

    E e^(-eps |R - S|) = pi(k) (e^(-eps x) (1 + A) + e^(eps x) B)

with A = P(S < k)/P(S = k) at the larger odds and B = P(S > k)/P(S = k) at the smaller. Both come
from a continued fraction of positive terms and in logarithms: nothing underflows or cancels.
"""

import math


def log_below(k, n, odds):
    """ln(P(S < k)/P(S = k)), S ~ Bin(n, odds/(1 + odds)), for whole 0 <= k <= n."""
    if k <= 0:
        return -math.inf
    p, q = odds / (1 + odds), 1 / (1 + odds)
    large = k > (n + 1) * p
    if large:  # the other side is the smaller one
        k, p, q = n - k, q, p
    ratio = 0.0
    if k > 0:  # k q/(b_0 + a_1/(b_1 + a_2/(b_2 + ...))), from the incomplete beta function
        a, lead = n - k + 1.0, (n + 1) * p - k + 1
        fraction = a * lead / (a + 1)
        c, d = fraction, 0.0
        for m in range(1, k + 1):
            s = a + 2 * m - 1
            top = (a + m - 1) * (n + m) * m * (k - m) * (q / s) ** 2
            bottom = m + m * (k - m) * q / s + (a + m) * (lead + m * (2 - q)) / (s + 2)
            c, d = bottom + top / c, 1 / (bottom + top * d)
            fraction *= c * d
            if abs(c * d - 1) < 1e-15:
                break
        ratio = k * q / fraction
    if not large:
        return math.log(ratio)
    at_k = math.lgamma(n + 1.0) - math.lgamma(k + 1.0) - math.lgamma(n - k + 1.0)
    at_k += k * math.log(p) + (n - k) * math.log(q)
    return math.log1p(-(1 + ratio) * math.exp(at_k)) - at_k


def log_density(R, b, mu, eps):
    """ln E e^(-eps |R - S|), S ~ Bin(b, mu), up to a constant in mu."""
    k = math.floor(R)
    if k < 0:
        return b * math.log1p(mu * math.expm1(-eps))
    if k > b:
        return b * math.log1p(mu * math.expm1(eps))
    x, odds = R - k, mu / (1 - mu)
    below = log_below(k, b, odds * math.exp(eps)) - eps * x
    above = log_below(b - k, b, math.exp(eps) / odds) + eps * x
    most = max(below, above, -eps * x)
    parts = math.exp(below - most) + math.exp(above - most) + math.exp(-eps * x - most)
    at_k = math.lgamma(b + 1) - math.lgamma(k + 1) - math.lgamma(b - k + 1)
    at_k += k * math.log(mu) + (b - k) * math.log1p(-mu)
    return at_k + most + math.log(parts)


def slope(R, b, mu, eps):
    """mu (1 - mu) times its derivative in mu, which is E(S - b mu | R): bounded, and without
    cancelling. By the masses above and below floor(R), each tilted by e^(eps S)."""
    k, n = math.floor(R), b - 1
    if k < 0 or k > n:
        grown = math.expm1(-eps if k < 0 else eps)
    else:
        x, odds = R - k, mu / (1.0 - mu)
        below = log_below(k, n, odds * math.exp(eps))
        above = log_below(n - k, n, math.exp(eps) / odds)
        most = max(below, above, 0.0)
        A, B, one = math.exp(below - most), math.exp(above - most), math.exp(-most)
        up, down = math.exp(-eps * x), math.exp(eps * x)
        more = up * A * math.expm1(eps) + up * (math.exp(eps * (2.0 * x - 1.0)) - 1.0) * one
        grown = (more + down * B * math.expm1(-eps)) / (up * (one + A) + down * B)
    return b * grown * mu * (1.0 - mu) / (1.0 + mu * grown)


def log_posterior(sums, sizes, mu, eps):
    """L(mu), up to a constant: all of an arm's releases, and 1/2 ln(mu (1 - mu)), the prior's."""
    total = 0.5 * math.log(mu * (1.0 - mu))
    for j in range(len(sums)):
        total += log_density(sums[j], sizes[j], mu, eps)
    return total


def most_likely(sums, sizes, start, eps):
    """argmax of L, which is concave: the root of mu (1 - mu) L'(mu), which falls from 1/2 at 0 to
    -1/2 at 1, between two numbers that differ by 1e-15 of it, by the Illinois method."""
    low, high, at_low, at_high = 0.0, 1.0, 0.5, -0.5
    mu, side = start, 0
    for _ in range(200):
        at_mu = 0.5 - mu
        for j in range(len(sums)):
            at_mu += slope(sums[j], sizes[j], mu, eps)
        if at_mu == 0.0:
            return mu
        if at_mu > 0.0:
            low, at_low = mu, at_mu
            if side == 1:
                at_high *= 0.5
            side = 1
        else:
            high, at_high = mu, at_mu
            if side == -1:
                at_low *= 0.5
            side = -1
        if high - low <= 1e-15 * high:
            break
        mu = (low * -at_high + high * at_low) / (at_low - at_high)
        if not low < mu < high:
            mu = 0.5 * (low + high)
    return 0.5 * (low + high)
