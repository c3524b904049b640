"""Peeling (FL Algorithm 3): s noisy argmaxes of |v_j| without replacement, then a noisy release.

All noise has scale xi, and each coordinate of v moves by at most lambda: the loss depends on
r = lambda/xi alone. Printed is r = eps/(2 sqrt(3 s ln(1/delta))), by Lemma A.2 (eps, delta)-DP.

exact: the pure loss, 3 s r, or (3s - 2) r if d = s. certified: delta for s = 1, d = 2. bound: any
other delta, from above by composition of dominating pairs; one event gives a certified lower bound
beside it. Proofs: docs/proofs/AUDIT.md.
"""

import numpy as np
from flint import arb, arb_poly
from pydantic import Field

from dpbandits.audit.computed.balls import as_delta, lower, positive_part, precision, sharp, upper
from dpbandits.audit.computed.calibrate import Search, smallest
from dpbandits.audit.computed.composition import composed_delta, composed_deltas
from dpbandits.audit.computed.selection import start_bits, two_levels
from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import Calibration, PrivacyLoss, calibrator, mechanism, named
from dpbandits.core.models import Model
from dpbandits.reproduction.fl.mechanisms.peeling_two import LARGEST, delta_two

COMPOSED = "dominating pairs of the selections and releases compose (docs/proofs/AUDIT.md)"
MOST_OTHERS = 3  # unselected coordinates in the lower bound; more may lie too far below to matter


class PeelingTarget(Model):
    s: int = Field(ge=1, le=100, description="coordinates that are selected")
    d: int = Field(ge=1, le=10**9, description="coordinates of the vector")
    lam: float = Field(1.0, gt=0, alias="lambda", description="by how much a coordinate may move")


class PeelingParams(PeelingTarget):
    epsilon: float = Field(gt=0, le=1e4, description="eps of the printed noise")
    delta: float = Field(gt=0, lt=1, description="delta of the printed noise")


def printed_ratio(s: int, epsilon: float | arb, delta: float | arb) -> arb:
    """r = lambda/xi of the printed noise."""
    return arb(epsilon) / (2 * (3 * s * -arb(delta).log()).sqrt())


def pure_loss(ratio: arb, s: int, d: int) -> arb:
    return (3 * s - (2 if d == s else 0)) * ratio


# From above
EXACT_RELEASES, MOST_LOST = 60, 1 << 16


def composed_upper(ratio: arb, selections: int, releases: int, epsilon: float | arb) -> arb:
    """delta of `selections` randomized responses of loss 2r and `releases` Laplace releases of
    shift r."""
    ratio, epsilon = arb(ratio), arb(epsilon)
    lost = int(2 * float(ratio) * (2 * selections + releases))  # bits, to 1 - P and to e^eps
    if lost > MOST_LOST:
        return arb(1)  # with so little noise delta is close to 1

    def compute() -> arb:
        right = 1 / (1 + (-2 * ratio).exp())
        losses = [2 * ratio * (2 * k - selections) for k in range(selections + 1)]
        targets = [epsilon - loss for loss in losses]
        if releases > 1:
            deltas = composed_deltas(ratio, releases, targets)
        else:
            deltas = [composed_delta(ratio, releases, target) for target in targets]
        total, choose = arb(0), 1
        for k, delta in enumerate(deltas):
            total += choose * right**k * (1 - right) ** (selections - k) * delta
            choose = choose * (selections - k) // (k + 1)
        return total

    return sharp(compute, 1e-10, 128 + 8 * releases + lost)


def delta_upper(ratio: arb, s: int, d: int, epsilon: float | arb, steps: int = 1) -> arb:
    """A certified upper bound on delta of `steps` adaptive peelings; 0 at and above the pure
    loss."""
    if arb(epsilon) >= steps * pure_loss(ratio, s, d):
        return arb(0)
    compose = composed_upper if steps * s <= EXACT_RELEASES else responses_upper
    return compose(ratio, steps * (s - (d == s)), steps * s, epsilon)


def responses_upper(ratio: arb, selections: int, releases: int, epsilon: float | arb) -> arb:
    """As `composed_upper`, each release bounded by a randomized response of loss r: all losses are
    then multiples of r."""
    with precision(192):
        r, least = arb(ratio), -2 * selections - releases
        (wrong, right), (below, above) = (
            [1 / (1 + (sign * k * r).exp()) for sign in (1, -1)] for k in (2, 1)
        )
        law = arb_poly([wrong, 0, 0, 0, right]) ** selections
        law *= arb_poly([below, 0, above]) ** releases
        excess = [positive_part(-(epsilon - k * r).expm1()) for k in range(least, 1 - least)]
        masses = law.coeffs()
        return sum((p * x for p, x in zip(masses, excess, strict=True)), arb(0)).min(arb(1))


# From below
def delta_lower(ratio: arb, s: int, d: int, epsilon: float | arb) -> tuple[arb, float]:
    """(a certified lower bound on the worst delta, the gap in units of xi that gives it)."""
    if d == s:
        return composed_delta(ratio, s, epsilon), 0.0
    others = min(d - s, MOST_OTHERS)

    def value(gap: float) -> arb:
        with precision(start_bits(s + others) + 8 * s):
            before = _selected(arb(gap), s, others)
            after = _selected(arb(gap) - 2 * ratio, s, others)
            chance, loss = arb(1), arb(0)
            for p, q in zip(before, after, strict=True):
                chance, loss = chance * p, loss + p.log() - q.log()
            return chance * composed_delta(ratio, s, epsilon - loss)

    top = 2 * float(ratio) + float((1 + arb(others)).log()) + 5
    gap = best_of_grid(value, 0.0, top)
    return value(gap), gap


def _selected(gap: arb, s: int, others: int) -> list[arb]:
    """P(one of the remaining coordinates at `gap` wins) in each of the s selections."""
    return [two_levels(gap, left, others) for left in range(s, 0, -1)]


def best_of_grid(value, low: float, high: float, points: int = 6, rounds: int = 3) -> float:
    """The argument of the largest value found on grids that are refined `rounds` times."""
    for _ in range(rounds):
        step = (high - low) / (points - 1)
        best = max((low + i * step for i in range(points)), key=lambda g: float(value(g)))
        low, high = max(0.0, best - step), best + step
    return best


# The mechanism
def check_sizes(s: int, d: int) -> None:
    if d < s:
        raise InputError(f"audit: d = {d}: allowed: at least s = {s}")


def sample_first(params, which: int, runs: int, generator) -> np.ndarray:
    """0 if coordinate 0, which starts below the others, is not selected first; else 1, or 2 if its
    release is low."""
    lam, ratio = params.lam, printed_ratio(params.s, params.epsilon, params.delta)
    scale = float(lam / ratio)
    start = -2 * scale
    v = np.zeros(params.d)
    v[0] = start
    v += which * lam * np.where(np.arange(params.d) == 0, 1, -1)
    first = (v + generator.laplace(scale=scale, size=(runs, params.d))).argmax(axis=1) == 0
    released = v[0] + generator.laplace(scale=scale, size=runs)
    return np.where(first, 1 + (released < start), 0)


@mechanism(
    "peeling",
    params=PeelingParams,
    examples=(
        {"s": 1, "d": 2, "epsilon": 4.0, "delta": 0.2},
        {"s": 3, "d": 8, "epsilon": 2.0, "delta": 0.1, "lambda": 0.5},
        {"s": 2, "d": 2, "epsilon": 3.0, "delta": 0.1},
    ),
    sample=sample_first,
)
def audit_peeling(params, at_epsilon) -> PrivacyLoss:
    """Worst over vectors that differ by at most lambda in each coordinate."""
    s, d = params.s, params.d
    check_sizes(s, d)
    with precision(1024):
        ratio = printed_ratio(s, params.epsilon, params.delta)
        scale = float(params.lam / ratio)
    loss = audit_ratio(ratio, s, d, at_epsilon)
    loss.worst_neighbour["scale"] = scale
    return loss


def audit_ratio(ratio: arb, s: int, d: int, at_epsilon, *, below: bool = True) -> PrivacyLoss:
    """The audit at r = lambda/xi; `below`: with lower bounds, too."""
    pure, method = pure_loss(ratio, s, d), "exact"
    deltas, places = dict.fromkeys(at_epsilon, 0.0), {}
    for epsilon in (e for e in at_epsilon if not e >= pure):
        if s == 1 and d == 2 and ratio < LARGEST:
            high, gap = delta_two(ratio, epsilon)
            low, method = high, "certified"
        else:
            high, method = delta_upper(ratio, s, d, epsilon), "bound"
            low, gap = delta_lower(ratio, s, d, epsilon) if below else (arb(0), 0.0)
        deltas[epsilon] = as_delta(high)
        places[named(epsilon)] = {"gap": gap, "delta_at_least": max(0.0, lower(low))}
    worst = {
        "vector": f"|v| = gap (in units of the scale) on {s} coordinates, 0 on the others",
        "change": f"the {s} down by lambda, the others up by lambda",
        "pure": "supremum, as the coordinates that are selected fall without bound",
    }
    worst |= {"delta_at": places} if below else {}
    worst |= {"theorem": COMPOSED} if method == "bound" else {}
    return PrivacyLoss(upper(pure), deltas, worst, method)


# Calibration
@calibrator("peeling", params=PeelingTarget, examples=({"s": 1, "d": 2}, {"s": 2, "d": 9}))
def calibrate_peeling(params, target_epsilon, target_delta=0.0) -> Calibration:
    """Calibrates scale, xi of every Laplace variable."""
    check_sizes(params.s, params.d)

    def audit(scale, at):
        with precision(1024):
            ratio = arb(params.lam) / arb(scale)
        return audit_ratio(ratio, params.s, params.d, at, below=False)

    search = Search(3 * params.s * params.lam, tolerance=1e-6, sharpen=15)
    return smallest(audit, target_epsilon, target_delta, search)
