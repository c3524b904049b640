"""Calibration: the smallest noise whose audited loss meets a target, by bisection on the audit.

The loss falls as the noise grows. For report-noisy-max and pure loss that is proved: dividing all
counts by the scale shrinks the shift and the range, and both lower the ratio (`rnm`). In any case
what is returned has been audited and meets the target; that less noise would not is true up to the
tolerance, and as far as the audit itself is sharp (its `method` says so).
"""

from collections.abc import Callable
from typing import Annotated

from flint import arb
from pydantic import Field

from dpbandits.audit import exponential, laplace, niht, peeling, rnm
from dpbandits.audit.intervals import as_delta, precision, upper
from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import Calibration, PrivacyLoss, calibrator, named
from dpbandits.core.models import Model, parse

TOLERANCE = 1e-7  # relative, of the noise
Audit = Callable[[float, list[float]], PrivacyLoss]


def meets(loss: PrivacyLoss, epsilon: float, delta: float) -> bool:
    return loss.pure_epsilon <= epsilon or (delta > 0 and loss.delta_at[epsilon] <= delta)


def bisect(
    passes: Callable[[float], bool], enough: float, least: float, tolerance: float,
    floor: float | None = None,
) -> float:  # fmt: skip
    """The smallest noise that passes: `enough` is raised until it does, `least` lowered until it
    does not or is `floor` (left out: `least` itself)."""
    step = 1 + 1e-12  # `enough` itself may have been rounded down
    while not passes(enough):
        enough, step = enough * step, 2.0
        if enough > 1e300:
            raise InputError("calibrate: no amount of noise meets the target")
    while passes(least):
        if floor is None or least <= floor:
            return least
        enough, least = least, max(floor, least * 1e-3)
    low = least
    while enough > low * (1 + tolerance):
        middle = (low * enough) ** 0.5
        low, enough = (low, middle) if passes(middle) else (middle, enough)
    return enough


def smallest(
    audit: Audit, epsilon: float, delta: float, enough: float, *,
    key: str = "scale", least: float, floor: float = 1e-300, tolerance: float = TOLERANCE,
    sharpen: int = 30,
) -> Calibration:  # fmt: skip
    """Calibrate `audit(noise, at_epsilon)`; `sharpen` bisections settle the audited epsilon."""
    check_target(epsilon, delta)
    at = [epsilon] if delta > 0 else []
    noise = bisect(lambda x: meets(audit(x, at), epsilon, delta), enough, least, tolerance, floor)
    return certificate(audit, noise, {key: noise}, epsilon, delta, sharpen)


def certificate(
    audit: Audit, noise: float, keys: dict, epsilon: float, delta: float, sharpen: int = 30
) -> Calibration:
    """The audit at that noise, and the smallest eps at which its delta meets the target."""
    loss = audit(noise, [epsilon] if delta > 0 else [])
    if delta == 0 or (loss.pure_epsilon <= epsilon and sharpen == 0):
        return Calibration(keys, loss, loss.pure_epsilon)
    low, high = 0.0, min(epsilon, loss.pure_epsilon)
    for _ in range(sharpen):
        middle = (low + high) / 2
        meets_here = audit(noise, [middle]).delta_at[middle] <= delta
        low, high = (low, middle) if meets_here else (middle, high)
    return Calibration(keys, loss, high)


def check_target(epsilon: float, delta: float) -> None:
    if not 0 < epsilon < float("inf"):
        raise InputError(f"calibrate: target epsilon = {epsilon:g}: allowed: a number above 0")
    if not 0 <= delta < 1:
        raise InputError(f"calibrate: target delta = {delta:g}: allowed: from 0 to below 1")


class RnmTarget(Model):
    """Calibrates scale."""

    arms: Annotated[int, Field(ge=2, le=rnm.MOST_ARMS)]
    rounds: Annotated[int, Field(ge=1, le=10**9)]
    adjacency: rnm.Adjacency


@calibrator("rnm", params=RnmTarget)
def calibrate_rnm(params: RnmTarget, target_epsilon, target_delta=0.0) -> Calibration:
    check_target(target_epsilon, target_delta)
    enough = max(rnm.LEAST_SCALE, rnm.SHIFT[params.adjacency] / target_epsilon)  # proved

    def audit(scale, at):
        return rnm.audit_rnm(rnm.RnmParams(scale=scale, **params.model_dump()), at)

    if params.arms > 2 and target_delta > 0:
        return calibrate_by_pairs(audit, target_epsilon, target_delta, enough)
    floor = rnm.LEAST_SCALE
    least = max(floor, enough * 1e-4)
    return smallest(audit, target_epsilon, target_delta, enough, least=least, floor=floor)


def calibrate_by_pairs(audit: Audit, epsilon: float, delta: float, enough: float) -> Calibration:
    """Where one audit is a long search: calibrate on the worst pairs found so far, then audit.

    Every audit that fails gives another pair; one that passes is the certificate.
    """
    pairs, floor = [], rnm.LEAST_SCALE
    scale = max(floor, enough / 20)
    while scale > floor and meets(audit(scale, [epsilon]), epsilon, delta):
        enough, scale = scale, max(floor, scale / 20)
    for _ in range(20):
        loss = audit(scale, [epsilon])
        if meets(loss, epsilon, delta):
            return Calibration({"scale": scale}, loss, min(epsilon, loss.pure_epsilon))
        if loss.method == "bound":  # a closed form: fast
            return smallest(audit, epsilon, delta, enough, least=scale, floor=floor, sharpen=0)
        where = loss.worst_neighbour["delta_at"][named(epsilon)]
        pairs.append((where["counts"], where["neighbour"], len(where["outputs"])))

        def passes(scale):
            at_pairs = (rnm.test_excess(*pair, scale, epsilon) for pair in pairs)
            return all(excess <= delta for excess in at_pairs)

        scale = bisect(passes, scale, scale * (1 - 1e-9), 1e-6) * (1 + 1e-6)
    return smallest(audit, epsilon, delta, enough, least=scale, tolerance=1e-3, sharpen=0)


class LaplaceTarget(Model):
    """Calibrates scale."""

    sensitivity: Annotated[float, Field(gt=0)] = 1.0
    releases: Annotated[int, Field(ge=1, le=200)] = 1


@calibrator("laplace", params=LaplaceTarget)
def calibrate_laplace(params: LaplaceTarget, target_epsilon, target_delta=0.0) -> Calibration:
    check_target(target_epsilon, target_delta)
    enough = params.sensitivity * params.releases / target_epsilon

    def audit(scale, at):
        keys = params.model_dump() | {"scale": scale}
        return laplace.audit_laplace(laplace.LaplaceParams(**keys), at)

    return smallest(audit, target_epsilon, target_delta, enough, least=enough * 1e-6)


class ExponentialTarget(Model):
    """Calibrates epsilon, the parameter in exp(epsilon u/(2 sensitivity)): the largest allowed."""

    sensitivity: Annotated[float, Field(gt=0)] = 1.0
    actions: Annotated[int, Field(ge=2, le=10**9)] = 2


@calibrator("exponential", params=ExponentialTarget)
def calibrate_exponential(params, target_epsilon, target_delta=0.0) -> Calibration:
    """The noise is 1/epsilon here."""
    check_target(target_epsilon, target_delta)

    def audit(temperature, at):
        keys = params.model_dump() | {"epsilon": 1 / temperature}
        return exponential.audit_exponential(exponential.ExponentialParams(**keys), at)

    def passes(temperature):
        return meets(audit(temperature, [target_epsilon]), target_epsilon, target_delta)

    temperature = 1 / target_epsilon
    if target_delta > 0:
        temperature = bisect(passes, temperature, 1 / 500, TOLERANCE)
    keys = {"epsilon": 1 / temperature}
    parse(exponential.ExponentialParams, params.model_dump() | keys, "calibrate exponential")
    return certificate(audit, temperature, keys, target_epsilon, target_delta)


PeelingTarget = peeling.create_model(
    "PeelingTarget",
    __base__=Model,
    s=(Annotated[int, Field(ge=1, le=100)], ...),
    d=(Annotated[int, Field(ge=1, le=10**9)], ...),
    **{"lambda": (Annotated[float, Field(gt=0)], 1.0)},
)


@calibrator("peeling", params=PeelingTarget)
def calibrate_peeling(params, target_epsilon, target_delta=0.0) -> Calibration:
    """Calibrates scale, xi of every Laplace variable."""
    check_target(target_epsilon, target_delta)
    peeling.check_sizes(params.s, params.d)
    lam = getattr(params, "lambda")

    def audit(scale, at):
        with precision(1024):
            ratio = arb(lam) / arb(scale)
        return audit_upper(ratio, params.s, params.d, at)

    enough = 3 * params.s * lam / target_epsilon
    return smallest(
        audit, target_epsilon, target_delta, enough, least=enough * 1e-4, tolerance=1e-6, sharpen=15
    )


def audit_upper(ratio: arb, s: int, d: int, at: list[float]) -> PrivacyLoss:
    """`peeling.audit_ratio` without its lower bounds, which no calibration needs."""
    pure, exact = peeling.pure_loss(ratio, s, d), peeling.one_of_two(ratio, s, d)
    deltas = {}
    for e in at:
        inside = pure > e
        delta = peeling.delta_two(ratio, e)[0] if exact and inside else None
        deltas[e] = as_delta(peeling.delta_upper(ratio, s, d, e) if delta is None else delta)
    method = "exact" if not at else "certified" if exact else "bound"
    return PrivacyLoss(upper(pure), deltas, {"s": s, "d": d}, method)


class NihtTarget(Model):
    """Calibrates scale: n/eta times the scale xi of every Laplace variable."""

    x_max: niht.Positive
    reward_clip: niht.Positive
    b_max: niht.Positive
    n: Annotated[int, Field(ge=1, le=10**12)]
    d: Annotated[int, Field(ge=1, le=10**9)]
    steps: Annotated[int, Field(ge=1, le=50)]
    s: Annotated[int, Field(ge=1, le=100)]


@calibrator("niht", params=NihtTarget)
def calibrate_niht(params: NihtTarget, target_epsilon, target_delta=0.0) -> Calibration:
    """Upper bounds only: sound, and as sharp as composition of dominating pairs is."""
    check_target(target_epsilon, target_delta)
    peeling.check_sizes(params.s, params.d)

    def audit(scale, at):
        with precision(1024):
            first, later = (niht.true_b(params, first=f) / arb(scale) for f in (True, False))
            worst = first if params.steps == 1 else later
            each = [peeling.pure_loss(ratio, params.s, params.d) for ratio in (first, later)]
            pure = each[0] + (params.steps - 1) * each[1]
            deltas = {
                e: 0.0
                if pure <= e
                else as_delta(peeling.delta_upper(worst, params.s, params.d, e, params.steps))
                for e in at
            }
        return PrivacyLoss(upper(pure), deltas, {"record": "see audit niht"}, "bound")

    enough = 3 * params.s * params.steps * upper(niht.true_b(params)) / target_epsilon
    return smallest(
        audit, target_epsilon, target_delta, enough, least=enough * 1e-4, tolerance=1e-6, sharpen=15
    )
