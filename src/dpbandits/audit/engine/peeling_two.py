"""Peeling with s = 1 and d = 2: its worst delta as a certified ball.

The output is (j, y): the selected coordinate and its release. With p, q the probabilities of j = 1
before and after, and every release shifted by r, the divergence h(p, q) is jointly convex (a sum of
perspectives). So for given p the worst q is an end of its range: the two |v_j| move apart, and
q = G(g - 2r) if p = G(g), G the distribution function of a difference of two Laplace variables.
Its density is log-concave, so q is a convex function of p along g: the arc between two gaps lies in
the triangle of its two ends and the crossing of their tangents, and h is at most the largest of its
values at these three points. Best-first bisection of the gap does the rest.
"""

import heapq
import math
from functools import cache

from flint import arb

from dpbandits.audit.balls import lower, precision, upper
from dpbandits.audit.laplace import single_delta
from dpbandits.audit.selection import two_levels

LEAST = 1e-34
LARGEST = 50.0  # beyond, the precision that the tails need is out of proportion


def delta_two(ratio: arb, epsilon: float | arb, accuracy: float = 1e-8) -> tuple[arb, float]:
    """(ball around the worst delta, the gap in units of xi that gives it), r up to LARGEST.

    Accurate to `accuracy` or, in the deep tail, to 1% (down to LEAST).
    """
    with precision(128 + 4 * int(_far(ratio))):  # tails of e^-far take part in logarithms
        return _search(arb(ratio), arb(epsilon), accuracy)


def _far(ratio: arb) -> float:
    """Beyond this gap the selection is all but certain."""
    return 2 * float(ratio) - math.log(LEAST)


def _search(ratio: arb, epsilon: arb, accuracy: float) -> tuple[arb, float]:
    @cache
    def point(gap: float) -> tuple[arb, arb, arb]:
        """p, q and dq/dp."""
        if math.isinf(gap):
            return (arb(1), arb(1), arb(1)) if gap > 0 else (arb(0), arb(0), arb(1))
        after = gap - 2 * ratio
        slope = _density(after) / _density(arb(gap))
        return two_levels(arb(gap), 1, 1), two_levels(after, 1, 1), slope

    def value(p: arb, q: arb) -> arb:
        return _outcome(p, q, ratio, epsilon) + _outcome(1 - p, 1 - q, ratio, epsilon)

    def cell(a: float, b: float) -> tuple[float, float, float]:
        (p, q, _), (p2, q2, _) = point(a), point(b)
        corners = [(p, q), (p2, q2), _tangents(point(a), point(b)) or (p2, q)]
        return -max(upper(value(*corner)) for corner in corners), a, b

    far = _far(ratio)
    best, place = value(*point(0.0)[:2]), 0.0
    cells = [cell(-math.inf, -far), cell(far, math.inf), cell(-far, far)]
    heapq.heapify(cells)
    while True:
        ceiling, a, b = heapq.heappop(cells)
        middle = (a + b) / 2
        near = max(LEAST, min(accuracy, 0.005 * lower(best)))
        if -ceiling <= lower(best) + near or math.isinf(middle):
            return best.union(arb(max(-ceiling, lower(best)))), place
        found = value(*point(middle)[:2])
        if lower(found) > lower(best):
            best, place = found, middle
        heapq.heappush(cells, cell(a, middle))
        heapq.heappush(cells, cell(middle, b))


def _density(x: arb) -> arb:
    """Of a difference of two standard Laplace variables."""
    return (-abs(x)).exp() * (1 + abs(x)) / 4


def _tangents(a: tuple[arb, arb, arb], b: tuple[arb, arb, arb]) -> tuple[arb, arb] | None:
    """Where the tangents at two points cross; None if the balls cannot tell it well."""
    (p, q, slope), (p2, q2, slope2) = a, b
    if p.is_zero() or (1 - p2).is_zero():
        return None  # slopes that the balls cannot tell apart: NaN below, which is not above 0
    x = (q2 - q + slope * p - slope2 * p2) / (slope - slope2)
    y = q + slope * (x - p)
    return (x, y) if 0 < x < 1 and y > 0 and float(x.rad()) < 1e-12 else None


def _outcome(p: arb, q: arb, ratio: arb, epsilon: arb) -> arb:
    """Contribution of "this coordinate, and its release": p Lap against q Lap shifted."""
    if p.is_zero() or q.is_zero():
        return p
    return p * single_delta(ratio, epsilon - (p.log() - q.log()))
