"""Peeling of one of two coordinates: its worst delta as a certified ball (docs/proofs/AUDIT.md)."""

import heapq
import math
from functools import cache

from flint import arb

from dpbandits.audit.computed.balls import lower, precision, upper
from dpbandits.audit.computed.composition import single_delta
from dpbandits.audit.computed.selection import two_levels

LEAST = 1e-34  # absolute accuracy in the deep tail
LARGEST = 50.0  # a larger ratio needs too many bits for the tails


def delta_two(ratio: arb, epsilon: float, accuracy: float = 1e-8) -> tuple[arb, float]:
    """(ball around the worst delta, the gap in units of xi that gives it), for r up to LARGEST.

    The ball is accurate to `accuracy` or, in the deep tail, to 1% (down to LEAST).
    """
    far = 2 * float(ratio) - math.log(LEAST)  # at larger gaps the selection is almost certain
    with precision(128 + 4 * int(far)):  # logarithms of tails as small as e^-far are needed
        ratio, epsilon = arb(ratio), arb(epsilon)

        def value(p: arb, q: arb) -> arb:
            return sum(_part(*pair, ratio, epsilon) for pair in ((p, q), (1 - p, 1 - q)))

        @cache
        def point(gap: float) -> tuple[arb, arb, arb]:
            """p, q and dq/dp at this gap."""
            if math.isinf(gap):
                return arb(gap > 0), arb(gap > 0), arb(1)
            before, after = arb(gap), gap - 2 * ratio  # density of the gap: e^-|x| (1 + |x|)/4
            slope = (abs(before) - abs(after)).exp() * (1 + abs(after)) / (1 + abs(before))
            return two_levels(before, 1, 1), two_levels(after, 1, 1), slope

        def cell(a: float, b: float) -> tuple[float, float, float]:
            """(-upper bound between the gaps a and b, a, b): the largest value at three corners."""
            (p, q, _), (p2, q2, _) = ends = point(a), point(b)
            corners = [(p, q), (p2, q2), _tangents(*ends) or (p2, q)]
            return -max(upper(value(*corner)) for corner in corners), a, b

        best, best_gap = value(*point(0.0)[:2]), 0.0
        cells = [cell(-math.inf, -far), cell(far, math.inf), cell(-far, far)]
        heapq.heapify(cells)
        while True:
            ceiling, a, b = heapq.heappop(cells)
            middle = (a + b) / 2
            near = max(LEAST, min(accuracy, 0.005 * lower(best)))
            if -ceiling <= lower(best) + near or math.isinf(middle):
                return best.union(arb(max(-ceiling, lower(best)))), best_gap
            delta = value(*point(middle)[:2])
            if lower(delta) > lower(best):
                best, best_gap = delta, middle
            for ends in ((a, middle), (middle, b)):
                heapq.heappush(cells, cell(*ends))


def _tangents(a: tuple[arb, arb, arb], b: tuple[arb, arb, arb]) -> tuple[arb, arb] | None:
    """Where the tangents at two points cross; None if the balls cannot tell it well."""
    (p, q, slope), (p2, q2, slope2) = a, b
    if p.is_zero() or (1 - p2).is_zero():
        return None  # slopes that the balls cannot tell apart: NaN below, which is not above 0
    x = (q2 - q + slope * p - slope2 * p2) / (slope - slope2)
    y = q + slope * (x - p)
    return (x, y) if 0 < x < 1 and y > 0 and float(x.rad()) < 1e-12 else None


def _part(p: arb, q: arb, ratio: arb, epsilon: arb) -> arb:
    """Contribution of "this coordinate, and its release": p Lap against q Lap shifted."""
    if p.is_zero() or q.is_zero():
        return p
    return p * single_delta(ratio, epsilon - (p.log() - q.log()))
