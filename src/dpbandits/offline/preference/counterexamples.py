"""Certified counterexamples to Theorems 3 and 4 and Corollary 3.

Records of one difference z per axis, `won` with label 1 and `lost` with label 0: the MLE is
ln(won/lost)/z on each axis, here inside the ball, so that both readings of it agree.
"""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
from flint import arb

from dpbandits.audit.balls import ball, precisely, pure_loss
from dpbandits.core.errors import require_proof
from dpbandits.offline import repaired, theory
from dpbandits.offline.bandit.counterexamples import leader_step
from dpbandits.offline.engine.crossing import Crossing, Step, of_data
from dpbandits.offline.preference.appendix_d import WIDTH_STEP, Axes, sensitivity_steps, width_steps

LEMMA_STEP = (
    "the final $\\varepsilon$ is $\\Delta/\\eta$, with $\\Delta$ the two changes of a flip: Lemma "
    "1's $2\\Delta/\\eta$ is left out"
)


EVEN = (
    "d=1, lambda=1: 20 records of feature difference 2, 10 with label 1; actions phi=+1,-1, "
    "uniform pi0; eta=1/100"
)
BOTH_WAYS = ((1,), (-1,))


def _even(radius: F) -> Axes:
    return Axes(((F(2), 10, 10),), radius)


def _given(data: Axes, actions, eta, beta0=1, **own) -> dict:
    shared = {"B": data.radius, "eta": eta, "beta0": beta0, "penalty": 1}
    return shared | {"pi0": (F(1, 2), F(1, 2)), "actions": actions} | own


def _flip(data: Axes, *, to: int = 1):
    """One label of the first axis becomes `to`: the neighbour, and the two moves to it."""
    middle, after = data.change(to - 1, -to), data.change(2 * to - 1, 1 - 2 * to)
    return after, ((data, middle), (middle, after))


@precisely
def theorem3_pure() -> Crossing:
    eta, data = F(1, 100), _even(F(1, 5))
    after, moves = _flip(data)
    bound = theory.theorem3_pure(data.floor, 1, ball(eta), ball(data.radius))
    words, steps = f"{EVEN}, B=1/5; flip one label", sensitivity_steps(data, moves, BOTH_WAYS)
    true = (repaired.theorem3_pure(81.0, 1.0, float(eta), float(data.radius)),)
    return of_data(data, after, _given(data, BOTH_WAYS, eta), bound, words, steps, true)


@precisely
def theorem3_unit_differences() -> Crossing:
    """With |phi1 - phi2| <= 1, as (31) reads it, Lemma 1's factor is still missing."""
    eta, data = F(1, 100), Axes(((F(1), 10, 10),), F(21, 100))
    after, moves = _flip(data)
    bound = theory.theorem3_pure(data.floor, 1, ball(eta), ball(data.radius))
    words = (
        "d=1, lambda=1: 20 records of feature difference 1, 10 with label 1; actions phi=+1,-1, "
        "uniform pi0; eta=1/100, B=21/100; flip one label"
    )
    loss = pure_loss(data.policy(BOTH_WAYS, eta), after.policy(BOTH_WAYS, eta))
    steps = (*sensitivity_steps(data, moves, BOTH_WAYS), Step(LEMMA_STEP, loss, bound.epsilon))
    true = (repaired.theorem3_pure(21.0, 1.0, float(eta), float(data.radius), 1.0),)
    return of_data(data, after, _given(data, BOTH_WAYS, eta), bound, words, steps, true)


@precisely
def corollary3_pure() -> Crossing:
    found = theorem3_pure()
    bound = theory.corollary3_pure(ball(20), 1, ball(F(1, 4)), ball(F(1, 100)), ball(F(1, 5)))
    words = f"{EVEN}, B=1/5 (lambda_min=81=lambda+n/(k1 d), k1=1/4); flip one label"
    given = found.given | {"k1": F(1, 4)}
    return replace(found, allowed=bound.epsilon, words=words, given=given)


@precisely
def theorem4_pure() -> Crossing:
    eta, data = F(1, 100), _even(F(1, 10))
    after = data.change(0, -1)
    bound = theory.theorem4_pure(data.floor, 1, ball(eta), 1, ball(data.radius))
    words = f"{EVEN}, B=1/10, beta0=1; remove one record of label 0"
    steps = sensitivity_steps(data, ((data, after),), BOTH_WAYS)
    steps += width_steps(data, after, BOTH_WAYS)
    true = (repaired.theorem4_pure(81.0, 1.0, float(eta), 1.0, float(data.radius)),)
    return of_data(data, after, _given(data, BOTH_WAYS, eta), bound, words, steps, true)


# --- the approximate parts: unit differences, so that (31) holds and (24) breaks ------------------
UNEVEN = (
    "d=2, lambda=1: 400 pairs of feature difference e1, 242 with label 1, and 4000000 of "
    "difference e2, half with label 1; actions e1, e2, uniform pi0; B=1/2, lambda0=160000"
)
AXES = ((1, 0), (0, 1))
LAMBDA0 = 160000


def _uneven() -> Axes:
    return Axes(((F(1), 242, 158), (F(1), 2 * 10**6, 2 * 10**6)), F(1, 2))


def _last(data: Axes, beta0, eta):
    means, widths = [data.mean(a) for a in AXES], [data.width(a) for a in AXES]
    threshold = 1 / ball(LAMBDA0).sqrt()
    return leader_step(means, widths, threshold, ball(beta0), ball(eta), 2, "(24)")


def _repaired(data: Axes, eta, beta0, label: bool) -> tuple[theory.Bound, ...]:
    """Theorem 3 or 4 as repaired: pure, and a bound per set of actions; uniform pi0, lambda = 1."""
    forms = [np.diag([1 / float(s - lower) for s in data.sigma]) for lower in (0, 1)]
    context = repaired.context_of(np.array(AXES, float), *forms, np.eye(2), np.zeros(2))
    known = float(min(data.sigma)), 1.0, float(eta), float(beta0), float(data.radius)
    theorem, pure = repaired.theorem4_approx, repaired.theorem4_pure(*known)
    if label:
        theorem, pure = repaired.theorem3_approx, repaired.theorem3_pure(*known[:3], known[4])
    return (pure, *(theorem(context, k, *known) for k in (1, 2)))


def _approx(moves, beta0, eta, bound, words, label: bool = True, **own) -> Crossing:
    """`own`: what the statement's parameters are besides those of all."""
    data, other = moves[0][0], moves[-1][1]
    widths = () if label else width_steps(*moves[0], AXES)
    steps = sensitivity_steps(data, moves, AXES) + widths + _last(data, beta0, eta)
    given = _given(data, AXES, eta, beta0, **own)
    return of_data(data, other, given, bound, words, steps, _repaired(data, eta, beta0, label))


@precisely
def theorem3_approx() -> Crossing:
    eta, beta0, data = F(1, 1000), F(17, 2), _uneven()
    _, moves = _flip(data, to=0)
    narrow = data.width(AXES[1])
    bound = theory.theorem3_approx(
        2, data.floor, 1, narrow, ball(eta), ball(beta0), ball(data.radius), ball(LAMBDA0)
    )
    words = (
        f"{UNEVEN}, beta0=17/2, eta=1/1000; flip one label 1 of e1; it stays one with eps four "
        "times as large"
    )
    return _approx(moves, beta0, eta, bound, words, lambda0=LAMBDA0)


@precisely
def theorem4_approx() -> Crossing:
    eta, beta0, data = F(1, 4000), F(343, 40), _uneven()
    moves = ((data, data.change(-1, 0)),)
    narrow = data.width(AXES[1])
    bound = theory.theorem4_approx(
        2, data.floor, 1, narrow, ball(eta), ball(beta0), ball(data.radius), ball(LAMBDA0)
    )
    words = (
        f"{UNEVEN}, beta0=343/40, eta=1/4000; remove one record e1 of label 1; it stays one with "
        "eps four times as large"
    )
    return _approx(moves, beta0, eta, bound, words, label=False, lambda0=LAMBDA0)


@precisely
def corollary3_approx() -> Crossing:
    eta, beta0, data, c = F(1, 1000), F(17, 2), _uneven(), F(1, 20)
    (_, moves), n = _flip(data, to=0), data.count
    bound = theory.corollary3_approx(
        2, ball(n), 2, ball(F(n, 800)), ball(eta), ball(beta0), ball(data.radius), ball(c)
    )
    words = (
        f"{UNEVEN}, beta0=17/2, eta=1/1000 (lambda_min=401=lambda+n/(k1 d), k1=n/800), c=1/20; "
        "flip one label 1 of e1; it stays one with c sqrt(k1) for sqrt(c k1)"
    )
    first = Step(
        "$\\min_a |\\phi(x,a)|_{\\Sigma^{-1}} \\le \\sqrt{d/n}$",
        data.width(AXES[1]),
        (2 / ball(n)).sqrt(),
    )
    found = _approx(moves, beta0, eta, bound, words, k1=F(n, 800), c=c)
    return replace(found, steps=(first, *found.steps))


# --- steps of Appendix D ------------------------------------------------------------------------
@precisely
def width_step() -> Crossing:
    """(33) at d = 1, lambda = 1, 20 differences of 2: sqrt(81/77) - 1 against 2/80."""
    measured, allowed = (ball(81) / ball(77)).sqrt() - 1, ball(F(2, 80))
    words = "d=1, lambda=1: 20 records of feature difference 2 (l=81), action phi=1; remove one"
    step = Step(WIDTH_STEP, ball(F(4, 81)), ball(F(1, 81)))
    true = (theory.Bound(0.0, (81 / 77) ** 0.5 - 1),)
    return Crossing(measured, allowed, words, None, None, (step,), "growth of the width", true)


@precisely
def bilinear_step() -> Crossing:
    """(29) and the first line of (30) at phi orthogonal to z, where their right side is 0.

    Records n e1 and n e2; the added z = (a, a). Its score equations are n (sigma(theta_i) - p_i) =
    tau a on both axes, so sigma(theta_i) = p_i + s with one s = tau a/n; p = 1/2 and 3/4.
    """
    n, a = 20, F(1, 2)
    half, most = ball(F(1, 2)), ball(F(3, 4))

    def logit(x):
        return (x / (1 - x)).log()

    low, high = F(1, 20) * a / n, a / n  # tau is above sigma(-2) > 1/20, and below 1
    s = ball((low + high) / 2) + ball((high - low) / 2) * arb(0, 1)
    falls = 1 / ((half + s) * (half - s)) - 1 / ((most + s) * (1 - most - s))
    require_proof(falls < 0, "y'phi decreases in s")
    moved = logit(half + ball(low)) - logit(most + ball(low)) + logit(most)
    gamma = 1 / (2 + ball(4).exp() + ball(-4).exp())  # B = 2
    words = (
        "d=2: 20 records of difference e1, 10 with label 1, and 20 of e2, 15 with label 1; B=2; "
        "add (1/2,1/2) with label 1; phi=(1,-1)/2: <z, S_+^-1 phi> = 0, yet y'phi < 0"
    )
    left = gamma * abs(moved) / 2
    step = Step("(29): the Loewner order is used in a bilinear form", left, arb(0))
    true = (theory.Bound(0.0, float(a) / n * float(repaired.miss(2.0))),)  # |z| |phi| = a/n
    more = {"quantity": "gamma |(theta' - theta)'phi|", "repaired": true}
    return Crossing(left, arb(0), words, steps=(step,), **more)


@precisely
def no_zero_gradient() -> Crossing:
    """One record of difference 1: the gradient of the log-likelihood at theta is sigma(-theta)."""
    words = "d=1: one record of difference 1, label 1; the gradient is 1/(1+e^theta) > 0 everywhere"
    at = 1 / (1 + ball(1).exp())  # at B = 1, where the constrained MLE sits
    step = Step("(25): the gradient at the MLE is 0 for all data sets", at, arb(0))
    return Crossing(at, arb(0), words, steps=(step,), quantity="gradient at B=1")
