"""Certified counterexamples to Theorems 3 and 4 and Corollary 3, and the steps of Appendix D there.

Records of one difference z per axis, `won` with label 1 and `lost` with label 0: the MLE is
ln(won/lost)/z on each axis, here inside the ball, so that both readings of it agree.
"""

from dataclasses import dataclass, replace
from fractions import Fraction as F
from operator import attrgetter

import numpy as np
from flint import arb

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
from dpbandits.reproduction.proofs import at_certificate_precision, require_proof

LOEWNER_STEP, HALF_STEP, WIDTH_STEP = "(29)", "(31)", "(33)"


@dataclass(frozen=True)
class Axes(Diagonal):
    """Per axis (difference, won, lost); lambda = 1."""

    axes: tuple[tuple[F, int, int], ...]
    radius: F

    @property
    def count(self) -> int:
        return sum(won + lost for _, won, lost in self.axes)

    @property
    def sigma(self) -> list[F]:
        return [1 + F(z) ** 2 * (won + lost) for z, won, lost in self.axes]

    @property
    def rows(self) -> list:
        """Both answers' features, half a difference each way, the label, how many."""
        rows = []
        for i, (z, won, lost) in enumerate(self.axes):
            half = [F(z, 2) * (i == j) for j in range(len(self.axes))]
            pair = [half, [-x for x in half]]
            rows += [[*pair, 1, won], [*pair, 0, lost]]
        return rows

    @property
    def lambda_min(self) -> arb:
        return ball(min(self.sigma))

    @property
    def theta(self) -> list[arb]:
        theta = [ball(F(won, lost)).log() / ball(z) for z, won, lost in self.axes]
        norm = sum((t * t for t in theta), arb(0)).sqrt()
        require_proof(norm < ball(self.radius), "the MLE is inside the ball")
        return theta

    def change(self, won: int, lost: int) -> "Axes":
        """Records of the first axis added (or taken away)."""
        z, w, k = self.axes[0]
        return replace(self, axes=((z, w + won, k + lost), *self.axes[1:]))


# --- the steps of Appendix D --------------------------------------------------------------------
def sensitivity_steps(data: Axes, moves, actions) -> tuple[Step, ...]:
    """Appendix D's (29), then (31), for every move that the pair is made of, at the actions.
    A move is a record of the first axis that one side, D+, has more: (29) is about that addition.
    """
    z, rest = data.axes[0][0], data.lambda_min - 1
    growth = 1 + (2 * ball(data.radius)).exp()
    steps = []
    for move in moves:
        steps += _bilinear(*sorted(move, key=attrgetter("count")), actions)
    record = ball(abs(F(z))) / ball(data.sigma[0] - 1).sqrt()
    for first, second in moves:
        for a in actions:
            norm = ball(sum(F(x) ** 2 / (s - 1) for x, s in zip(a, data.sigma, strict=True))).sqrt()
            moved = abs(second.mean(a) - first.mean(a))
            steps.append(Step("(31), first inequality", moved, growth * record * norm))
            steps.append(Step(HALF_STEP, record, 1 / rest.sqrt()))
    return tuple(steps)


def width_steps(data: Axes, less: Axes, actions) -> tuple[Step, ...]:
    """(33) for one record less."""
    widths = [(data.width(a), less.width(a)) for a in actions]
    rest = data.lambda_min - 1
    return tuple(Step(WIDTH_STEP, after - width, 2 * width / rest) for width, after in widths)


def _bilinear(data: Axes, more: Axes, actions) -> list[Step]:
    """(29) for one record more: its first inequality, then its last, with (30)'s absolute values.
    Both gradients are 0 at their MLEs, so the middle of (29) is y' times the mean Hessian times v.
    """
    (z, won, lost), won_after = data.axes[0], more.axes[0][1]
    growth = (2 * ball(data.radius)).exp()
    gamma, most = 1 / (2 + growth + 1 / growth), 1 / (1 + 1 / growth)
    share = ball(F(lost if won_after > won else -won, won + lost))  # y0 (1 - sigma) - (1-y0) sigma
    curvatures = [F(w * k, (w + k) ** 2) for _, w, k in (data.axes[0], more.axes[0])]
    first, last, ends = [Step("(26)", gamma, ball(x)) for x in curvatures], [], []
    for a in actions:
        moved = gamma * (more.mean(a) - data.mean(a))
        product = ball(F(z) * F(a[0]) / (more.sigma[0] - 1))
        first.append(Step(LOEWNER_STEP, moved, share * product))
        last.append(Step("(29), last inequality", abs(share * product), most * abs(product)))
        ends.append(Step("(30), first inequality", abs(moved), most * abs(product)))
    return [*first, *last, *ends]


# --- the pure parts: labels that are even, or all but even ----------------------------------------
BOTH_WAYS = ((1,), (-1,))


def even(radius: F) -> Axes:
    return Axes(((F(2), 10, 10),), radius)


def flip(data: Axes, *, to: int = 1):
    """One label of the first axis becomes `to`: the two moves from the data to the neighbour."""
    middle, after = data.change(to - 1, -to), data.change(2 * to - 1, 1 - 2 * to)
    return (data, middle), (middle, after)


def _label_flip(data: Axes, longest: int) -> Counterexample:
    """Differences have norm `longest`; the last step lacks Lemma 1's factor alone."""
    eta, moves = F(1, 100), flip(data)
    bound = claimed.theorem3_pure(data.lambda_min, 1, ball(eta), ball(data.radius))
    steps = sensitivity_steps(data, moves, BOTH_WAYS)
    given = parameters({"B": data.radius}, eta, 1, BOTH_WAYS)
    known = float(min(data.sigma)), 1.0, float(eta), float(data.radius), float(longest)
    pair, true = (data, moves[-1][1]), (theory.corrected_theorem3_pure(*known),)
    return of_data(*pair, given, bound, steps, true, lemma1=longest * bound.epsilon)


@at_certificate_precision
def theorem3_pure() -> Counterexample:
    return _label_flip(even(F(1, 5)), longest=2)


@at_certificate_precision
def theorem3_unit_differences() -> Counterexample:
    """With |phi1 - phi2| <= 1, as (31) reads it, Lemma 1's factor is still missing."""
    return _label_flip(Axes(((F(1), 10, 10),), F(21, 100)), longest=1)


@at_certificate_precision
def corollary3_pure() -> Counterexample:
    counterexample = theorem3_pure()
    bound = corollaries.corollary3_pure(ball(20), 1, ball(F(1, 4)), ball(F(1, 100)), ball(F(1, 5)))
    given = counterexample.given | {"k1": F(1, 4)}
    return replace(counterexample, allowed=bound.epsilon, given=given)


@at_certificate_precision
def theorem4_pure() -> Counterexample:
    eta, data = F(1, 100), even(F(1, 10))
    after = data.change(0, -1)
    bound = claimed.theorem4_pure(data.lambda_min, 1, ball(eta), 1, ball(data.radius))
    steps = sensitivity_steps(data, ((data, after),), BOTH_WAYS)
    steps += width_steps(data, after, BOTH_WAYS)
    lambda_min, growth = data.lambda_min, 1 + (2 * ball(data.radius)).exp()
    wider = 1 / (lambda_min - 4).sqrt() - 1 / lambda_min.sqrt()  # (33) for |z| = 2
    mended = (2 * growth / (lambda_min - 1) + wider) / ball(eta)  # without Lemma 1's factor
    true = (theory.corrected_theorem4_pure(81.0, 1.0, float(eta), 1.0, float(data.radius)),)
    given = parameters({"B": data.radius}, eta, 1, BOTH_WAYS)
    return of_data(data, after, given, bound, steps, true, lemma1=mended)


# --- the approximate parts: unit differences, so that (31) holds and (24) breaks ------------------
AXES = ((1, 0), (0, 1))
LAMBDA0 = 160000


def uneven() -> Axes:
    return Axes(((F(1), 242, 158), (F(1), 2 * 10**6, 2 * 10**6)), F(1, 2))


def _repaired(data: Axes, eta, beta0, label: bool) -> tuple[theory.Bound, ...]:
    """Theorem 3 or 4 as repaired: pure, and a bound per set of actions; uniform pi0, lambda = 1."""
    forms = [np.diag([1 / float(s - lower) for s in data.sigma]) for lower in (0, 1)]
    sets = theory.preference_sets(np.array(AXES, float), *forms, np.zeros(2))
    known = float(min(data.sigma)), 1.0, float(eta), float(beta0), float(data.radius)
    theorem, pure = theory.corrected_theorem4_approx, theory.corrected_theorem4_pure(*known)
    if label:
        theorem = theory.corrected_theorem3_approx
        pure = theory.corrected_theorem3_pure(*known[:3], known[4])
    return (pure, *(theorem(chosen, *known) for chosen in sets))


def _printed(theorem, data: Axes, eta, beta0) -> theory.Bound:
    coverage = claimed.Coverage(2, data.width(AXES[1]), ball(LAMBDA0))
    return theorem(coverage, data.lambda_min, 1, ball(eta), ball(beta0), ball(data.radius))


def _approx(moves, beta0, eta, bound, label: bool = True, **own) -> Counterexample:
    """The steps of both parts, and of a record less those of its width."""
    data, other = moves[0][0], moves[-1][1]
    widths = () if label else width_steps(*moves[0], AXES)
    steps = sensitivity_steps(data, moves, AXES) + widths
    steps += data.leader_steps(AXES, LAMBDA0, beta0, eta)
    given = parameters({"B": data.radius}, eta, beta0, AXES, **own)
    return of_data(data, other, given, bound, steps, _repaired(data, eta, beta0, label))


@at_certificate_precision
def theorem3_approx() -> Counterexample:
    eta, beta0, data = F(1, 1000), F(17, 2), uneven()
    bound = _printed(claimed.theorem3_approx, data, eta, beta0)
    return _approx(flip(data, to=0), beta0, eta, bound, lambda0=LAMBDA0)


@at_certificate_precision
def theorem4_approx() -> Counterexample:
    eta, beta0, data = F(1, 4000), F(343, 40), uneven()
    moves = ((data, data.change(-1, 0)),)
    bound = _printed(claimed.theorem4_approx, data, eta, beta0)
    return _approx(moves, beta0, eta, bound, label=False, lambda0=LAMBDA0)


@at_certificate_precision
def corollary3_approx() -> Counterexample:
    eta, beta0, data, c = F(1, 1000), F(17, 2), uneven(), F(1, 20)
    n = data.count
    bound = corollaries.corollary3_approx(
        2, ball(n), 2, ball(F(n, 800)), ball(eta), ball(beta0), radius=ball(data.radius), c=ball(c)
    )
    counterexample = _approx(flip(data, to=0), beta0, eta, bound, k1=F(n, 800), c=c)
    first = Step("width of the actions", data.width(AXES[1]), (2 / ball(n)).sqrt())
    return replace(counterexample, steps=(first, *counterexample.steps))
