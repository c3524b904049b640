"""Certified counterexamples to Theorems 3 and 4 and Corollary 3.

Records of one difference z per axis, `won` with label 1 and `lost` with label 0: the MLE is
ln(won/lost)/z on each axis, here inside the ball, so that both readings of it agree.
"""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np

from dpbandits.audit.balls import at_certificate_precision, ball, pure_loss
from dpbandits.offline import repaired, theory
from dpbandits.offline.counterexamples.appendix_d import Axes, sensitivity_steps, width_steps
from dpbandits.offline.counterexamples.bandit import leader_step
from dpbandits.offline.counterexamples.counterexample import Counterexample, Step, of_data

LEMMA_STEP = "Lemma 1"

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


def _label_flip(data: Axes, longest: int) -> Counterexample:
    """Differences have norm `longest`; the step beyond is Lemma 1's factor alone."""
    eta, (after, moves) = F(1, 100), _flip(data)
    bound = theory.theorem3_pure(data.lambda_min, 1, ball(eta), ball(data.radius))
    loss = pure_loss(data.policy(BOTH_WAYS, eta), after.policy(BOTH_WAYS, eta))
    steps = sensitivity_steps(data, moves, BOTH_WAYS)
    steps += (Step(LEMMA_STEP, loss, longest * bound.epsilon),)
    known = float(min(data.sigma)), 1.0, float(eta), float(data.radius), float(longest)
    true = (repaired.theorem3_pure(*known),)
    return of_data(data, after, _given(data, BOTH_WAYS, eta), bound, steps, true=true)


@at_certificate_precision
def theorem3_pure() -> Counterexample:
    return _label_flip(_even(F(1, 5)), longest=2)


@at_certificate_precision
def theorem3_unit_differences() -> Counterexample:
    """With |phi1 - phi2| <= 1, as (31) reads it, Lemma 1's factor is still missing."""
    return _label_flip(Axes(((F(1), 10, 10),), F(21, 100)), longest=1)


@at_certificate_precision
def corollary3_pure() -> Counterexample:
    found = theorem3_pure()
    bound = theory.corollary3_pure(ball(20), 1, ball(F(1, 4)), ball(F(1, 100)), ball(F(1, 5)))
    given = found.given | {"k1": F(1, 4)}
    return replace(found, allowed=bound.epsilon, given=given)


@at_certificate_precision
def theorem4_pure() -> Counterexample:
    eta, data = F(1, 100), _even(F(1, 10))
    after = data.change(0, -1)
    bound = theory.theorem4_pure(data.lambda_min, 1, ball(eta), 1, ball(data.radius))
    steps = sensitivity_steps(data, ((data, after),), BOTH_WAYS)
    lambda_min, grown = data.lambda_min, 1 + (2 * ball(data.radius)).exp()
    wider = 1 / (lambda_min - 4).sqrt() - 1 / lambda_min.sqrt()  # (33) for |z| = 2
    mended = (2 * grown / (lambda_min - 1) + wider) / ball(eta)  # without Lemma 1's factor
    loss = pure_loss(data.policy(BOTH_WAYS, eta, 1), after.policy(BOTH_WAYS, eta, 1))
    steps += (*width_steps(data, after, BOTH_WAYS), Step(LEMMA_STEP, loss, mended))
    true = (repaired.theorem4_pure(81.0, 1.0, float(eta), 1.0, float(data.radius)),)
    return of_data(data, after, _given(data, BOTH_WAYS, eta), bound, steps, true=true)


# --- the approximate parts: unit differences, so that (31) holds and (24) breaks ------------------
AXES = ((1, 0), (0, 1))
LAMBDA0 = 160000


def _uneven() -> Axes:
    return Axes(((F(1), 242, 158), (F(1), 2 * 10**6, 2 * 10**6)), F(1, 2))


def _last(data: Axes, beta0, eta):
    means, widths = [data.mean(a) for a in AXES], [data.width(a) for a in AXES]
    threshold = 1 / ball(LAMBDA0).sqrt()
    return leader_step(means, widths, threshold, ball(beta0), ball(eta), actions=2, where="(24)")


def _repaired(data: Axes, eta, beta0, label: bool) -> tuple[theory.Bound, ...]:
    """Theorem 3 or 4 as repaired: pure, and a bound per set of actions; uniform pi0, lambda = 1."""
    forms = [np.diag([1 / float(s - lower) for s in data.sigma]) for lower in (0, 1)]
    sets = repaired.preference_sets(np.array(AXES, float), *forms, np.zeros(2))
    known = float(min(data.sigma)), 1.0, float(eta), float(beta0), float(data.radius)
    theorem, pure = repaired.theorem4_approx, repaired.theorem4_pure(*known)
    if label:
        theorem, pure = repaired.theorem3_approx, repaired.theorem3_pure(*known[:3], known[4])
    return (pure, *(theorem(chosen, *known) for chosen in sets))


def _printed(theorem, data: Axes, eta, beta0) -> theory.Bound:
    known = 2, data.lambda_min, 1, data.width(AXES[1]), ball(eta), ball(beta0)
    return theorem(*known, radius=ball(data.radius), lambda0=ball(LAMBDA0))


def _approx(moves, beta0, eta, bound, label: bool = True, **own) -> Counterexample:
    """`own`: what the statement's parameters are besides those of all."""
    data, other = moves[0][0], moves[-1][1]
    widths = () if label else width_steps(*moves[0], AXES)
    steps = sensitivity_steps(data, moves, AXES) + widths + _last(data, beta0, eta)
    given = _given(data, AXES, eta, beta0, **own)
    return of_data(data, other, given, bound, steps, true=_repaired(data, eta, beta0, label))


@at_certificate_precision
def theorem3_approx() -> Counterexample:
    eta, beta0, data = F(1, 1000), F(17, 2), _uneven()
    _, moves = _flip(data, to=0)
    bound = _printed(theory.theorem3_approx, data, eta, beta0)
    return _approx(moves, beta0, eta, bound, lambda0=LAMBDA0)


@at_certificate_precision
def theorem4_approx() -> Counterexample:
    eta, beta0, data = F(1, 4000), F(343, 40), _uneven()
    moves = ((data, data.change(-1, 0)),)
    bound = _printed(theory.theorem4_approx, data, eta, beta0)
    return _approx(moves, beta0, eta, bound, label=False, lambda0=LAMBDA0)


@at_certificate_precision
def corollary3_approx() -> Counterexample:
    eta, beta0, data, c = F(1, 1000), F(17, 2), _uneven(), F(1, 20)
    (_, moves), n = _flip(data, to=0), data.count
    bound = theory.corollary3_approx(
        2, ball(n), 2, ball(F(n, 800)), ball(eta), ball(beta0), radius=ball(data.radius), c=ball(c)
    )
    first = Step("width of the actions", data.width(AXES[1]), (2 / ball(n)).sqrt())
    found = _approx(moves, beta0, eta, bound, k1=F(n, 800), c=c)
    return replace(found, steps=(first, *found.steps))
