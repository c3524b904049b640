"""The chances of several Beta variables to be the largest: an integral to almost all digits."""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.noise import HALF_LOG_TWO_PI, _stirling_tail

NEGLIGIBLE = 45.0  # -ln of what is left out, 2^-64
MODE, K, N, AT, TOP, WIDTH, PEAK, ABOVE, BELOW = range(9)  # columns of the laws

# Gauss-Legendre nodes and weights on (-1, 1), and the integrals from node q to 1 of the polynomials
# that are 1 at node r and 0 at the others: w_r sum_l (l + 1/2) P_l(x_r) int_q^1 P_l.
_HALF = [0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363]
_HALF_WEIGHTS = [0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763]
NODES = np.array([-x for x in reversed(_HALF)] + _HALF)
WEIGHTS = np.array([*reversed(_HALF_WEIGHTS), *_HALF_WEIGHTS])
_P = np.polynomial.legendre.legvander(NODES, 8)
TO_END = 0.5 * WEIGHTS * (1.0 - NODES)[:, None]
for _l in range(1, 8):
    TO_END += 0.5 * WEIGHTS * _P[:, _l] * (_P[:, _l - 1] - _P[:, _l + 1])[:, None]


@jit
def win_chances(centre, used, chance):
    """chance[j] = P(arm j's draw is the largest), of Beta(centre used + 1, (1 - centre) used + 1).

    Whether that is exact: not if an arm that matters has a density that is not smooth at 0 or 1.
    From the top down, in panels as wide as the narrowest law that is under way: what is above x
    and the chances solve differential equations, for which Gauss' nodes have order 16. Places are
    distances from the highest centre, which are known to more digits than itself.
    """
    arms, best = len(used), 0.0
    laws, density = np.zeros((arms, 9)), np.zeros((arms, 8))
    for j in range(arms):
        best = max(best, centre[j])
    bottom, x = -best, -1.0
    for j in range(arms):
        m, law = centre[j], laws[j]
        k, n = m * used[j], (1.0 - m) * used[j]
        width = math.sqrt((m * (1.0 - m) + 1.0 / used[j]) / used[j])
        law[MODE], law[K], law[N], law[AT], law[WIDTH] = m, k, n, m - best, width
        law[PEAK], law[TOP] = _log_peak(m, k, n), m - best + _edge(width, m, k, n)
        bottom, x = max(bottom, m - best + _edge(-width, m, k, n)), max(x, law[TOP])
    exact = bottom > -best
    for j in range(arms):
        exact = exact and (laws[j, TOP] < bottom or laws[j, N] >= 4.0)
        chance[j] = 0.0
    while x > bottom:
        width, floor = 1.0, bottom
        for j in range(arms):
            if laws[j, TOP] < x:
                floor = max(floor, laws[j, TOP])
            else:
                width = min(width, laws[j, WIDTH])
        floor = max(floor, x - width)
        _panel(laws, floor, x, density, chance)
        x = floor
    return exact


@jit
def _log_shape(e, m, k, n):
    """ln of the Beta(k + 1, n + 1) density at distance e from its mode m over that at m."""
    up = k * math.log1p(e / m) if k > 0.0 else 0.0
    return up + (n * math.log1p(-e / (1.0 - m)) if n > 0.0 else 0.0)


@jit
def _log_peak(m, k, n):
    """ln of the density at its mode: `log_density`, but no large number times a rounded one."""
    up = k * math.log1p((m - 1.0) / (k + 1.0)) if k > 0.0 else 0.0
    down = n * math.log1p(-m / (n + 1.0)) if n > 0.0 else 0.0
    both = k + n + 1.0
    spread = 0.5 * math.log(both / (k + 1.0) * both / (n + 1.0) * both)
    tails = _stirling_tail(k + n) - _stirling_tail(k) - _stirling_tail(n)
    return up + down + spread + 1.0 - HALF_LOG_TWO_PI + tails


@jit
def _edge(step, m, k, n):
    """How far from the mode, by steps, the density is no longer negligible."""
    e = step
    while 0.0 < m + e < 1.0 and _log_shape(e, m, k, n) > -NEGLIGIBLE:
        e += step
    return min(max(e, -m), 1.0 - m)


@jit
def _panel(laws, floor, top, density, chance):
    """Add what the interval (floor, top) has to the chances, and to what is above it."""
    arms, half = len(laws), 0.5 * (top - floor)
    for j in range(arms):
        for q in range(8):
            density[j, q] = 0.0
            if laws[j, TOP] >= top:
                e = floor + half * (1.0 + NODES[q]) - laws[j, AT]
                shape = _log_shape(e, laws[j, MODE], laws[j, K], laws[j, N])
                density[j, q] = half * math.exp(laws[j, PEAK] + shape)
    for q in range(8):
        for j in range(arms):
            laws[j, BELOW] = 1.0 - laws[j, ABOVE]
            for r in range(8):
                laws[j, BELOW] -= TO_END[q, r] * density[j, r]
        for i in range(arms):
            part = WEIGHTS[q] * density[i, q]
            for j in range(arms):
                part *= laws[j, BELOW] if j != i else 1.0
            chance[i] += part
    for j in range(arms):
        for q in range(8):
            laws[j, ABOVE] += WEIGHTS[q] * density[j, q]
