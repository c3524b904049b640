"""Certified counterexamples to the statements on multi-armed bandits (counterexample.py)."""

from fractions import Fraction as F

import numpy as np

from dpbandits.audit.computed.balls import ball
from dpbandits.offline import theory
from dpbandits.reproduction.kl import corollaries
from dpbandits.reproduction.kl import theory as claimed
from dpbandits.reproduction.kl.counterexamples.counterexample import (
    Counterexample,
    Step,
    leader_steps,
)
from dpbandits.reproduction.kl.finite_laws import delta_at, policy
from dpbandits.reproduction.proofs import at_certificate_precision

ETA, BETA0, MOST, N0 = F(1, 100), F(6, 5), 10000, 400
GIVEN = {"R": 1, "eta": ETA, "beta0": BETA0, "pi0": (F(1, 2), F(1, 2))}


def _rare_leader(bound, steps, most: int = MOST, **parameters) -> Counterexample:
    """The best-looking arm has two records: the policy plays it, and drops it after a removal.
    The other arm has `most` records of reward 0. `parameters` complete GIVEN in the certificate."""
    given = GIVEN | parameters
    common = -ball(BETA0) / ball(most).sqrt()
    before = policy([1 - ball(BETA0) / ball(2).sqrt(), common], given["eta"])
    after = policy([1 - ball(BETA0), common], given["eta"])
    loss = delta_at(before, after, bound.epsilon)
    known = most, float(given["eta"]), float(BETA0)
    levels = np.linspace(float(corollaries.bandit_step(*known)), 3.0, 200)
    return Counterexample(
        loss,
        bound.delta,
        bound.epsilon,
        (before, after),
        steps,
        repaired=tuple(corollaries.corrected_theorem1_approx(*known, e) for e in levels),
        given=given,
        rows=([[0, 1, 2], [1, 0, most]], [[0, 1, 1], [1, 0, most]]),
    )


def _leader_steps(most: int = MOST, n0: F | int = N0, eta: F = ETA) -> tuple[Step, ...]:
    widths = [1 / ball(2).sqrt(), 1 / ball(most).sqrt()]
    known = 1 / ball(n0).sqrt(), ball(BETA0), ball(eta)
    return leader_steps([ball(1), ball(0)], widths, *known, where="(12)")


@at_certificate_precision
def theorem1_approx() -> Counterexample:
    bound = claimed.theorem1_approx(2, ball(MOST), ball(ETA), ball(BETA0), ball(N0))
    return _rare_leader(bound, _leader_steps(), N0=N0)


@at_certificate_precision
def corollary1() -> Counterexample:
    bound = corollaries.corollary1(2, ball(MOST), ball(ETA), ball(BETA0), ball(MOST // N0))
    return _rare_leader(bound, _leader_steps(), k=25)


@at_certificate_precision
def vanishing() -> Counterexample:
    """The remark after Corollary 1, at n = 10^4 and beta0/eta = 6/5 n^(3/4): delta at eps = 1."""
    most, eta = 10**4 - 2, F(1, 1000)
    bound = theory.Bound(ball(1), ball(F(1, 2)))
    steps = _leader_steps(most, F(most, 25), eta)
    return _rare_leader(bound, steps, most, eta=eta, loss=1, rest=F(1, 2))
