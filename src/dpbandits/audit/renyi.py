"""Renyi divergence and zero-concentrated privacy of finite laws, as balls.

A mechanism is rho-zCDP iff D_alpha(P || Q) <= rho alpha for every alpha > 1 and all neighbours (Bun
and Steinke 2016). K(alpha) = (alpha - 1) D_alpha = ln sum p^alpha q^(1 - alpha) is convex, with
K(1) = 0 and K(0) <= 0. So on [a, b] it is at most its chord c + s alpha, and rho there at most the
maximum of chord/(alpha(alpha - 1)) = |c|/alpha - |c + s|/(alpha - 1), which is in closed form.
Where K'' <= v there, K is also below a parabola, which is better for laws that lose nearly as
Gaussian ones do. `largest_rho` divides the alphas until the bounds from above and below meet.
"""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flint import arb, arb_series

from dpbandits.audit.balls import balls, highest, lower, max_divergence, precision, upper

RELATIVE, MOST_PARTS, LARGEST, BITS = 1e-9, 3000, 2.0**40, 320


@dataclass(frozen=True)
class Loss:
    """K of one ordered pair of laws, its derivative at 1 (the KL divergence), and D_inf.

    cumulant takes a ball, or a power series of balls, from which K'' is read.
    """

    cumulant: Callable
    kl: arb
    pure: arb


def loss_of(p: Sequence, q: Sequence) -> Loss:
    """The loss of P against Q; an outcome that is impossible under Q alone makes it infinite."""
    p, q = balls(p), balls(q)
    pure = max_divergence(p, q)
    pairs = [(a, b) for a, b in zip(p, q, strict=True) if not a.is_zero()]
    if not pure.is_finite():
        return Loss(lambda _: arb.pos_inf(), arb.pos_inf(), arb.pos_inf())
    logs = [(a.log(), b.log()) for a, b in pairs]
    kl = sum((a * (x - y) for (a, _), (x, y) in zip(pairs, logs, strict=True)), arb(0))

    def cumulant(alpha):
        terms = (x + (alpha - 1) * (x - y) for x, y in logs)
        return sum((term.exp() for term in terms), arb(0)).log()

    return Loss(cumulant, kl, pure)


def divergence(loss: Loss, alpha: float) -> arb:
    """D_alpha; the KL divergence at 1."""
    return loss.kl if alpha == 1 else loss.cumulant(arb(alpha)) / (arb(alpha) - 1)


def renyi_divergence(p: Sequence, q: Sequence, alpha: float) -> arb:
    """D_alpha of a pair of laws, in the worse of the two directions."""
    with precision(BITS):
        return highest(divergence(loss_of(*pair), alpha) for pair in ((p, q), (q, p)))


def rho(p: Sequence, q: Sequence) -> arb:
    """The smallest rho of a pair of laws, over both directions."""
    with precision(BITS):
        return largest_rho([loss_of(p, q), loss_of(q, p)])[0]


def largest_rho(losses: Sequence[Loss], target: float | None = None) -> tuple[arb, int]:
    """(a ball around the largest D_alpha/alpha over alpha > 1 and all losses, the worst loss); it
    is wider if that suffices to be on one side of the target."""
    for i, loss in enumerate(losses):
        if not loss.pure.is_finite():
            return arb.pos_inf(), i
    best, where = max(((loss.kl, i) for i, loss in enumerate(losses)), key=lambda x: float(x[0]))
    parts: list[tuple[float, int, float, float]] = []  # (-upper bound, loss, interval of alpha)

    def add(i: int, a: float, b: float) -> None:
        heapq.heappush(parts, (-upper(_above(losses[i], a, b)), i, a, b))

    for i, loss in enumerate(losses):
        if loss.pure.contains(0) and loss.pure < 2.0**-200:
            continue  # equal laws
        last = 2.0
        while last < LARGEST and not loss.pure / last < best:
            add(i, last, 2 * last)
            last *= 2
        if last == LARGEST:  # beyond, D_alpha/alpha <= D_inf/alpha
            heapq.heappush(parts, (-upper(loss.pure / last), i, last, last))
        add(i, 1.0, 2.0)
    highest_left = lower(best)  # also of parts that are too narrow to be divided
    for _ in range(MOST_PARTS):
        if not parts or _sharp(lower(best), -parts[0][0], target):
            break
        bound, i, a, b = heapq.heappop(parts)
        middle = 1 + (b - 1) / 16 if a == 1 else (a + b) / 2
        if not a < middle < b:
            highest_left = max(highest_left, -bound)
            continue
        value = losses[i].cumulant(arb(middle)) / (arb(middle) * (arb(middle) - 1))
        if lower(value) > lower(best):
            best, where = value, i
        add(i, a, middle)
        add(i, middle, b)
    return best.union(arb(max(highest_left, -parts[0][0] if parts else 0.0))), where


def _sharp(low: float, high: float, target: float | None) -> bool:
    aside = target is not None and not low <= target < high
    return high <= low * (1 + RELATIVE) or aside


def _above(loss: Loss, a: float, b: float) -> arb:
    """An upper bound of D_alpha/alpha on [a, b]: by the chord of K, or by a parabola above K."""
    ends = arb(a), arb(b)
    around = arb((a + b) / 2, (b - a) / 2 * (1 + 1e-9))
    curvature = 2 * loss.cumulant(arb_series([around, 1], 3))[2]
    high = loss.cumulant(ends[1])
    if a == 1:
        chord = high / (ends[1] - 1)  # D_alpha <= D_b, and alpha >= 1
        parabola = loss.kl.max((loss.kl + curvature * (ends[1] - 1) / 2) / b)
        return chord.min(parabola) if parabola.is_finite() else chord
    low = loss.cumulant(ends[0])
    slope = (high - low) / (ends[1] - ends[0])
    at_0, at_1 = abs(low - slope * a), abs(low - slope * (ends[0] - 1))
    highest_end = (low / (ends[0] * (ends[0] - 1))).max(high / (ends[1] * (ends[1] - 1)))
    ratio = (at_1 / at_0).sqrt() if at_0 > 0 else arb(0)
    peak = 1 / (1 - ratio) if ratio < 1 else ends[1]
    if not ratio < 1:
        chord = highest_end if ratio >= 1 else high / (ends[0] * (ends[0] - 1))
    else:
        outside = peak < a or peak > b
        chord = highest_end if outside else highest_end.max(at_0 * (1 - ratio) ** 2)
    middle = arb((a + b) / 2)
    value, rise, _ = (loss.cumulant(arb_series([middle, 1], 3))[i] for i in range(3))
    half = curvature / 2
    at_0, at_1 = (value + rise * (x - middle) + half * (x - middle) ** 2 for x in (0, 1))
    parabola = half + at_1 / (around - 1) - at_0 / around
    return chord.min(parabola) if parabola.is_finite() else chord


# Laws that stand for a whole class
def response(pure: arb) -> tuple[list[arb], list[arb]]:
    """Randomised response: the largest divergences of all pairs of laws with this pure loss."""
    right = 1 / (1 + (-arb(pure)).exp())
    return [right, 1 - right], [1 - right, right]
