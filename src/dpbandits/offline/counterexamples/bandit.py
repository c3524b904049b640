"""Certified counterexamples to the statements on multi-armed bandits (crossing.py)."""

from fractions import Fraction as F

import numpy as np
from flint import arb

from dpbandits.audit.balls import at_certificate_precision, ball, delta_at, policy
from dpbandits.offline import repaired, theory
from dpbandits.offline.counterexamples.crossing import Crossing, Step

ETA, BETA0, MOST, N0 = F(1, 100), F(6, 5), 10000, 400
GIVEN = {"R": 1, "eta": ETA, "beta0": BETA0, "pi0": (F(1, 2), F(1, 2))}


def _rare_leader(most: int = MOST, eta=ETA) -> tuple[list[arb], list[arb]]:
    """The best-looking arm has two records: the policy plays it, and drops it after a removal."""
    common = -ball(BETA0) / ball(most).sqrt()
    before = policy([1 - ball(BETA0) / ball(2).sqrt(), common], eta)
    after = policy([1 - ball(BETA0), common], eta)
    return before, after


def leader_step(means, widths, threshold, beta0, eta, *, actions, where: str) -> tuple[Step, ...]:
    """(12) and (24) in logarithms, over eta: the mass of the poorly covered actions."""
    scores = [m - beta0 * w for m, w in zip(means, widths, strict=True)]
    weights = [(s / eta).exp() for s in scores]
    poor = [w for w, width in zip(weights, widths, strict=True) if width > threshold]
    top = max(means, key=lambda x: float(x.mid()))
    best = max(scores, key=lambda x: float(x.mid()))
    narrow = min(widths, key=lambda x: float(x.mid()))
    mass = sum(poor, arb(0)) / sum(weights, arb(0))
    between = actions * ((top - beta0 * threshold - best) / eta).exp()
    last = actions * (beta0 * (narrow - threshold) / eta).exp()
    return (
        Step(f"{where}, second inequality", mass, between),
        Step(f"{where}, last inequality", between, last),
    )


def _steps() -> tuple[Step, ...]:
    widths = [1 / ball(2).sqrt(), 1 / ball(MOST).sqrt()]
    threshold = 1 / ball(N0).sqrt()
    return leader_step(
        [ball(1), ball(0)], widths, threshold, ball(BETA0), ball(ETA), actions=2, where="(12)"
    )


def _repaired(most: int = MOST, eta: F = ETA, up_to: float = 3.0) -> tuple[theory.Bound, ...]:
    """From the eps on from which Theorem 1 as repaired speaks; uniform pi0, R = 1."""
    known = most, float(eta), float(BETA0)
    levels = np.linspace(float(repaired.bandit_step(*known)), up_to, 200)
    return tuple(repaired.theorem1_approx(*known, e) for e in levels)


def _rows(most: int = MOST) -> tuple[list, list]:
    return [[0, 1, 2], [1, 0, most]], [[0, 1, 1], [1, 0, most]]


def _at_rare_leader(bound, **own) -> Crossing:
    pair, about = _rare_leader(), {"given": GIVEN | own, "rows": _rows(), "repaired": _repaired()}
    loss = delta_at(*pair, bound.epsilon)
    return Crossing(loss, bound.delta, bound.epsilon, pair, _steps(), **about)


@at_certificate_precision
def theorem1_approx() -> Crossing:
    bound = theory.theorem1_approx(2, ball(MOST), ball(ETA), ball(BETA0), ball(N0))
    return _at_rare_leader(bound, N0=N0)


@at_certificate_precision
def corollary1() -> Crossing:
    bound = theory.corollary1(2, ball(MOST), ball(ETA), ball(BETA0), ball(MOST // N0))
    return _at_rare_leader(bound, k=25)


@at_certificate_precision
def vanishing() -> Crossing:
    """The remark after Corollary 1, at n = 10^8 and beta0/eta = 1.2 sqrt(n): delta at eps = 1."""
    records = 10**8
    pair = _rare_leader(records - 2, F(1, 10**4))
    loss = delta_at(*pair, ball(1))
    own = theory.corollary1(2, ball(records - 2), ball(F(1, 10**4)), ball(BETA0), ball(25)).delta
    step = Step("Corollary 1's own delta vanishes", own, ball(F(1, 100)))
    about = {"repaired": _repaired(records - 2, F(1, 10**4)), "rows": _rows(records - 2)}
    given = GIVEN | {"eta": F(1, 10**4), "loss": 1, "rest": F(1, 2)}
    return Crossing(loss, ball(F(1, 2)), ball(1), pair, (step,), given=given, **about)


@at_certificate_precision
def every_data_set() -> Crossing:
    """Definition 1 asks for all data sets: the first record of an arm."""
    before = policy([None, -1], 1)
    after = policy([0, -1], 1)  # rewards R=1 and 0, one record each, beta0=1: 1-1 and 0-1
    loss = delta_at(before, after, ball(100))
    step = Step("one data set for all", loss, ball(F(1, 2)))
    return Crossing(loss, ball(F(1, 2)), ball(100), (before, after), (step,))
