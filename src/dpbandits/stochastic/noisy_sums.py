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
    parts = (
        -eps * x,
        log_below(k, b, odds * math.exp(eps)) - eps * x,
        log_below(b - k, b, math.exp(eps) / odds) + eps * x,
    )
    at_k = math.lgamma(b + 1) - math.lgamma(k + 1) - math.lgamma(b - k + 1)
    at_k += k * math.log(mu) + (b - k) * math.log1p(-mu)
    most = max(parts)
    return at_k + most + math.log(sum(math.exp(part - most) for part in parts))


def derivative(R, b, mu, eps):
    """d/dmu of it: b (r - 1)/(1 - mu + mu r), with r the density of a sum of b - 1 at R - 1 over
    that at R, because E a(Bin(b, mu)) has the derivative b E(a(S' + 1) - a(S'))."""
    n, k = b - 1, math.floor(R)
    if k < 0 or k > n:
        r = math.exp(-eps if k < 0 else eps)
    else:
        x, odds = R - k, mu / (1 - mu)
        below = log_below(k, n, odds * math.exp(eps))
        above = log_below(n - k, n, math.exp(eps) / odds)
        most = max(below, above, 0.0)
        A, B, one = math.exp(below - most), math.exp(above - most), math.exp(-most)
        r = math.exp(eps * (1 - x)) * A + math.exp(-eps * (1 - x)) * (one + B)
        r /= math.exp(-eps * x) * (one + A) + math.exp(eps * x) * B
    return b * (r - 1) / (1 - mu + mu * r)
