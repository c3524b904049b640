"""The exponential mechanism over its worst score vectors, and randomized response.

Exponential mechanism: P(j) proportional to exp(eps u_j/(2 D)), neighbours move every score by at
most D. Scores are unbounded, or all in an interval of width W.

Proof of the closed forms. For a set S of outcomes, the odds P(S)/P(not S) change by a factor of at
most e^{eps/2}/e^{-eps/2} = e^eps. So with p = P(S) the other probability is at most
q(p) = p e^eps/(1 - p + p e^eps), and this is reached by moving S up and the rest down by D; any p
in (0, 1) is reached by a gap of the scores. So for 0 <= e < eps

    delta(e) = max_p q(p) - e^e p = e^e (e^{(eps - e)/2} - 1)^2/(e^eps - 1),

at p = (e^{(eps - e)/2} - 1)/(e^eps - 1): q is concave, q'(p) = e^e there. It does not depend on the
number of actions. The pure loss ln(q/p) rises to eps as p falls to 0: a supremum, not reached.

In an interval, with t = eps/(2 D): P'(j)/P(j) = (1 + sum a_k)/(1 + sum a'_k) over k != j, a_k =
e^{t(u_k - u_j)} <= e^{tW} and a'_k >= max(a_k e^{-2tD}, e^{-tW}). This rises with every a_k, so the
pure loss is ln (1 + (K-1) e^{tW})/(1 + (K-1) max(e^{t(W-2D)}, e^{-tW})), attained: j is lowest and
rises, the others are highest and fall. (delta is then at most that of unbounded scores.)

Randomized response: the true one of K answers with probability e^eps/(e^eps + K - 1), each other
one with 1/(e^eps + K - 1): pure loss eps, delta(e) = (e^eps - e^e)/(e^eps + K - 1).
"""

import math
from typing import Annotated

import numpy as np
from flint import arb
from pydantic import Field, PlainValidator

from dpbandits.audit.balls import as_delta, precision
from dpbandits.audit.calibrate import TOLERANCE, bisect, certificate, check_target, meets
from dpbandits.core.mechanisms import Calibration, PrivacyLoss, calibrator, mechanism, named
from dpbandits.core.models import Model, parse, parse_epsilon

Epsilon = Annotated[float, Field(gt=0, le=500, description="the parameter in the formula")]
Width = Annotated[float, PlainValidator(lambda value: parse_epsilon(value, "width"))]
Actions = Annotated[int, Field(ge=2, le=10**9, description="number of possible outputs")]


class ExponentialTarget(Model):
    """exp(epsilon u/(2 sensitivity)); the audit says what any such choice really gives."""

    sensitivity: Annotated[float, Field(gt=0, description="by how much any score may move")] = 1.0
    actions: Actions = 2
    width: Width = Field(math.inf, description="of the interval that holds all scores, or inf")


class ExponentialParams(ExponentialTarget):
    epsilon: Epsilon


class RandomizedResponseParams(Model):
    epsilon: Epsilon
    actions: Actions = 2


def delta(epsilon: float | arb, at: float | arb) -> arb:
    """delta of the exponential mechanism at eps `at` (closed form above)."""
    epsilon, at = arb(epsilon), arb(at)
    if at >= epsilon:
        return arb(0)
    return at.exp() * ((epsilon - at) / 2).expm1() ** 2 / epsilon.expm1()


def worst_probability(epsilon: float | arb, at: float | arb) -> arb:
    """P(S) before the change, at the worst pair for `at`."""
    epsilon, at = arb(epsilon), arb(at)
    return ((epsilon - at) / 2).expm1() / epsilon.expm1()


def pure_loss(params: "ExponentialParams") -> float:
    """In closed form; eps if scores are unbounded."""
    if math.isinf(params.width):
        return params.epsilon
    scale = params.epsilon / (2 * params.sensitivity)
    others, high = math.log(params.actions - 1), scale * params.width
    low = max(high - params.epsilon, -high)
    return float(np.logaddexp(0.0, others + high) - np.logaddexp(0.0, others + low))


def choose(params: ExponentialParams, which: int, runs: int, generator) -> np.ndarray:
    """Action 0 three units below the others, then up by the sensitivity and the others down."""
    most = params.epsilon * params.width / (2 * params.sensitivity)
    rise = min(params.epsilon * which - min(3.0, most), most)
    return (generator.random(runs) < 1 / (1 + (params.actions - 1) * math.exp(-rise))).astype(int)


@mechanism(
    "exponential",
    params=ExponentialParams,
    examples=(
        {"epsilon": 1.5},
        {"epsilon": 0.4, "sensitivity": 2.0, "actions": 7},
        {"epsilon": 4.0, "sensitivity": 2.0, "actions": 25, "width": 2.0},
    ),
    sample=choose,
)
def audit_exponential(params: ExponentialParams, at_epsilon) -> PrivacyLoss:
    """Closed forms; the worst scores have one action at u, all others at 0."""
    epsilon, unit = params.epsilon, 2 * params.sensitivity / params.epsilon
    places, deltas = {}, {}
    with precision(128):
        for at in at_epsilon:
            value = delta(epsilon, at)
            deltas[at] = as_delta(value)
            if value > 0:
                p = worst_probability(epsilon, at)
                gap = float(unit * (p * (params.actions - 1) / (1 - p)).log())
                places[named(at)] = {"score of action 0": gap, "others": 0.0}
    bounded = math.isfinite(params.width)
    worst = {
        "change": "action 0 up by the sensitivity, all others down",
        "pure": "action 0 lowest, all others highest"
        if bounded
        else "supremum, as the score of action 0 falls without bound",
        "delta_at": places,
    }
    if bounded and deltas:
        worst["gap"] = "delta as if scores were unbounded"
    return PrivacyLoss(pure_loss(params), deltas, worst, "bound" if "gap" in worst else "exact")


@calibrator("exponential", params=ExponentialTarget, examples=({"actions": 5},))
def calibrate_exponential(params, target_epsilon, target_delta=0.0) -> Calibration:
    """Calibrates epsilon, the parameter: the largest allowed. The noise is 1/epsilon here."""
    check_target(target_epsilon, target_delta)

    def audit(temperature, at):
        return audit_exponential(
            ExponentialParams(epsilon=1 / temperature, **params.model_dump()), at
        )

    def passes(temperature):
        return meets(audit(temperature, [target_epsilon]), target_epsilon, target_delta)

    temperature = 1 / target_epsilon
    if target_delta > 0 or math.isfinite(params.width):
        temperature = bisect(passes, temperature, 1 / 500, TOLERANCE)
    keys = {"epsilon": 1 / temperature}
    parse(ExponentialParams, params.model_dump() | keys, "calibrate exponential")
    return certificate(audit, temperature, keys, target_epsilon, target_delta)


def respond(params: RandomizedResponseParams, which: int, runs: int, generator) -> np.ndarray:
    """The truth is `which`."""
    weight = math.exp(params.epsilon)
    true = generator.random(runs) * (weight + params.actions - 1) < weight
    other = which + generator.integers(1, params.actions, size=runs)
    return np.where(true, which, other % params.actions)


@mechanism(
    "randomized-response",
    params=RandomizedResponseParams,
    examples=({"epsilon": 1.0}, {"epsilon": 2.0, "actions": 4}),
    sample=respond,
)
def audit_randomized_response(params: RandomizedResponseParams, at_epsilon) -> PrivacyLoss:
    """A known answer: the auditor must find exactly epsilon."""
    epsilon, deltas = arb(params.epsilon), {}
    with precision(128):
        for at in at_epsilon:
            value = (epsilon.exp() - arb(at).exp()) / (epsilon.exp() + params.actions - 1)
            deltas[at] = as_delta(value)
    worst = {"truth": 0, "neighbour": 1, "output": 0}
    return PrivacyLoss(params.epsilon, deltas, worst, "exact")
