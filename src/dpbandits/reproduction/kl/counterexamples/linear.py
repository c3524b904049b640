"""Certified counterexamples to Theorem 2 and its corollary; Sigma is diagonal in all of them."""

from dataclasses import dataclass
from fractions import Fraction as F

import numpy as np

from dpbandits.audit.computed.balls import ball
from dpbandits.offline import theory
from dpbandits.reproduction.kl import corollaries
from dpbandits.reproduction.kl import theory as claimed
from dpbandits.reproduction.kl.counterexamples.counterexample import (
    Counterexample,
    Diagonal,
    Step,
    of_data,
    parameters,
)
from dpbandits.reproduction.proofs import at_certificate_precision

SQUARE_STEP = "(23), last inequality"


@dataclass(frozen=True)
class Records(Diagonal):
    """Ridge data of lambda = 1: records (phi, reward, how many) whose Sigma is diagonal."""

    records: tuple[tuple[tuple[F, ...], int, int], ...]

    @property
    def count(self) -> int:
        return sum(n for _, _, n in self.records)

    @property
    def sigma(self) -> list[F]:
        axes = range(len(self.records[0][0]))
        return [1 + sum(phi[i] ** 2 * n for phi, _, n in self.records) for i in axes]

    @property
    def theta(self) -> list[F]:
        b = [sum(phi[i] * r * n for phi, r, n in self.records) for i in range(len(self.sigma))]
        return [x / s for x, s in zip(b, self.sigma, strict=True)]

    @property
    def rows(self) -> list:
        return [[list(phi), reward, n] for phi, reward, n in self.records]


def sensitivity_steps(data: Records, other: Records, actions) -> tuple[Step, ...]:
    """Appendix C's bounds of the changes of the mean, (21), and of the width, (22) or (23)."""
    lambda_min, n, d = ball(min(data.sigma)), data.count, len(data.sigma)
    reach = 1 + (ball(n * d) / (lambda_min - 1)).sqrt()
    removal = other.count < n
    steps = []
    for a in actions:
        width, after = data.width(a), other.width(a)
        steps += [
            Step("(21)", abs(other.mean(a) - data.mean(a)), reach / lambda_min.sqrt() * width),
            Step("(22) or (23), end", abs(after - width), width / (2 * (lambda_min - removal))),
        ]
        if removal:
            steps.append(Step("(22), denominator", (1 + 1 / lambda_min).sqrt() * width, after))
        else:
            added = data.width(other.records[-1][0])
            steps += [
                Step("(21), additions", ball(n) / lambda_min, ball(n - 1) / (lambda_min - 1)),
                Step("(23), third line", abs(after - width), added / 2 * width),
                Step(SQUARE_STEP, added / 2 * width, width / (2 * lambda_min)),
            ]
    return tuple(steps)


def _repaired(data: Records, actions, eta, beta0) -> tuple[theory.Bound, ...]:
    """Theorem 2 as repaired, a bound per set of actions; uniform pi0, lambda = 1."""
    inverse = np.diag([1 / float(s) for s in data.sigma])
    sets = theory.linear_sets(np.array(actions, float), inverse, np.zeros(len(actions)))
    known = data.count, float(min(data.sigma)), 1.0, float(eta), float(beta0)
    pairs = [theory.corrected_theorem2_approx(chosen, *known) for chosen in sets]
    return (theory.corrected_theorem2_pure(*known), *pairs)


@at_certificate_precision
def theorem2_pure_appendix() -> Counterexample:
    eta, beta0, actions = F(1, 20), F(1, 10), ((1,), (-1,))
    data = Records((((F(-1),), 1, 2), ((F(1),), 1, 1)))
    other = Records(data.records[:1])
    bound = corollaries.theorem2_pure_appendix(ball(3), 1, ball(4), ball(eta), ball(beta0))
    steps = sensitivity_steps(data, other, actions)
    given = parameters({"R": 1}, eta, beta0, actions)
    true = (theory.corrected_theorem2_pure(3, 4.0, 1.0, float(eta), float(beta0)),)
    return of_data(data, other, given, bound, steps, true, lemma1=bound.epsilon)


@at_certificate_precision
def theorem2_approx() -> Counterexample:
    eta, beta0, lambda0 = F(1, 50), 198, 60000
    first, second = (F(1, 40), F(19, 20)), (F(-1, 40), F(19, 20))
    data = Records(((first, 1, 80000), (second, 0, 80000)))
    other = Records((*data.records, ((F(1), F(0)), 0, 1)))
    actions = ((1, 0), (0, 1))
    steps = sensitivity_steps(data, other, actions)
    steps += data.leader_steps(actions, lambda0, beta0, eta)
    coverage = claimed.Coverage(2, data.width(actions[1]), ball(lambda0))
    bound = claimed.theorem2_approx(coverage, ball(160000), 2, ball(101), ball(eta), ball(beta0))
    given = parameters({"R": 1}, eta, beta0, actions, lambda0=lambda0)
    return of_data(data, other, given, bound, steps, _repaired(data, actions, eta, beta0))


@at_certificate_precision
def corollary2_approx() -> Counterexample:
    eta, beta0, k1, c = F(1, 20), 198, 400, F(3, 40)
    data = Records((((F(1, 20),), 1, 39600),))
    other = Records((*data.records, ((F(1),), 0, 1)))
    actions, n = ((1,), (0,)), 39600
    narrow = min((data.width(a) for a in actions), key=lambda x: float(x.mid()))
    steps = (Step("width of the actions", narrow, (1 / ball(n)).sqrt()),)
    steps += sensitivity_steps(data, other, actions)
    steps += data.leader_steps(actions, F(100) / c**2, beta0, eta)
    known = ball(k1), ball(eta), ball(beta0)
    bound = corollaries.corollary2_approx(2, ball(n), 1, *known, c=ball(c))
    given = parameters({"R": 1}, eta, beta0, actions, k1=k1, c=c)
    return of_data(data, other, given, bound, steps, _repaired(data, actions, eta, beta0))
