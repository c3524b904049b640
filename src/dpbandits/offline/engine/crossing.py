"""Certified counterexamples: what they measure, what the statement allows, where its proof breaks.

Everything is ball arithmetic from fractions on, so `proved` and `fails` are proofs.
"""

from dataclasses import dataclass, field
from fractions import Fraction as F
from math import nan

from flint import arb

from dpbandits.audit.balls import ball, delta_at, policy, precisely, pure_loss
from dpbandits.core.errors import require_proof
from dpbandits.offline import repaired, theory


@dataclass(frozen=True)
class Step:
    """One inequality of a printed proof, at the counterexample: left <= right is claimed."""

    text: str
    left: arb
    right: arb

    @property
    def fails(self) -> bool:
        return bool(self.left > self.right)


class Diagonal:
    """A data set whose Sigma has the diagonal `sigma`, and whose estimate gives the `mean`.

    `rows` are its records as certificates have them.
    """

    def width(self, phi) -> arb:
        return ball(sum((F(x) ** 2 / s for x, s in zip(phi, self.sigma, strict=True)), F(0))).sqrt()

    def policy(self, actions, eta, beta0=0):
        return policy([self.mean(a) - ball(beta0) * self.width(a) for a in actions], eta)


@dataclass(frozen=True)
class Crossing:
    measured: arb
    allowed: arb
    words: str
    epsilon: arb | None = None  # where delta is measured; None: the pure loss, or a number
    pair: tuple[list[arb], list[arb]] | None = None  # the two policies, if there are two
    steps: tuple[Step, ...] = ()  # of the printed proof, in its order
    quantity: str = "delta"
    repaired: tuple[theory.Bound, ...] = ()  # what is true there, in floats (offline/repaired.py)
    given: dict = field(default_factory=dict)  # the parameters, if there is a certificate,
    rows: tuple[list, ...] = ()  # and both data sets

    def repaired_delta(self, epsilon: float) -> float:
        """The least delta that the repaired bounds promise at this eps; NaN: none speaks of it."""
        return min((float(b.delta) for b in self.repaired if b.epsilon <= epsilon), default=nan)

    @property
    def proved(self) -> bool:
        return bool(self.measured > self.allowed)

    @property
    def broken(self) -> str:
        """The steps of the printed proof that fail at this counterexample, the first one first."""
        failing = dict.fromkeys(step.text for step in self.steps if step.fails)
        require_proof(bool(failing), f"no step fails at {self.words}")
        return "; then ".join(failing)


def of_data(data, other, given: dict, bound, words: str, steps, true) -> Crossing:
    """What a printed bound of one data set promises of this neighbour, lambda = 1, uniform pi0."""
    actions, eta, beta0 = given["actions"], given["eta"], given["beta0"]
    pair = data.policy(actions, eta, beta0), other.policy(actions, eta, beta0)
    about = {"pair": pair, "steps": steps, "repaired": true}
    about |= {"given": given, "rows": (data.rows, other.rows)}
    if bound.delta == 0.0:
        return Crossing(pure_loss(*pair), bound.epsilon, words, quantity="pure loss", **about)
    return Crossing(delta_at(*pair, bound.epsilon), bound.delta, words, bound.epsilon, **about)


@precisely
def lemma1_partition_at_one_data_set(gap: int = 10) -> Crossing:
    """Hypothesis at D only: arm 1 is safe and never moves, arm 0 is unlikely at D, likely at D'."""
    before, after = policy([-gap, 0], 1), policy([gap, 0], 1)
    bound = theory.lemma1_partition(ball(0), ball(1), before[0])
    words = (
        "two actions, uniform pi0, eta=1: scores (-10, 0) at D and (10, 0) at its neighbour; "
        "I={action 1}, Delta=0, delta0=pi(action 0; D)"
    )
    steps = (
        Step("the weights of I grow by at most $e^{\\Delta/\\eta}$", arb(1), arb(1)),
        Step(
            "Appendix A bounds the weights of the unlikely actions at $D'$ by $e^{\\Delta/\\eta}$ "
            "times those at $D$, though $\\Delta$ bounds nothing there",
            ball(gap).exp(),
            ball(-gap).exp(),
        ),
    )
    loss = delta_at(before, after, bound.epsilon)
    outside = (float(before[0].mid()), float(after[0].mid()))
    true = (repaired.lemma1(0.0, *outside),)
    pair = before, after
    return Crossing(loss, bound.delta, words, bound.epsilon, pair, steps, repaired=true)


@precisely
def single_actions(half: int = 50) -> Crossing:
    """Appendix A ends with single actions: each is (0, 1/50)-close, the event is not."""
    p = [ball(F(1, half))] * half + [arb(0)] * half
    q = p[::-1]
    words = "uniform on 50 of 100 outcomes at D, on the other 50 at D'"
    step = Step(
        "$\\pi(a;D) \\le e^\\varepsilon \\pi(a;D') + \\delta$ for single actions is taken for "
        "events, whose $\\delta$ add up",
        arb(1),
        ball(F(1, half)),
    )
    true = (repaired.lemma1(0.0, 1.0, 0.0),)  # I is empty
    loss = delta_at(p, q, 0)
    return Crossing(loss, ball(F(1, half)), words, ball(0), (p, q), (step,), repaired=true)


@precisely
def composition_with_k(times: int = 1000, k: int = 1) -> Crossing:
    """k read as a constant, not as T: an outcome that only one neighbour can give adds up."""
    rare, slack = F(1, 10000), F(1, 1000)
    allowed, loss = ball(k * rare + slack), ball(1 - (1 - rare) ** times)
    words = (
        f"T={times} draws; the arm without records at D has probability 1/10000 at its neighbour "
        f"(scores equal, pi0=(9999/10000, 1/10000)); delta'=1/1000, k={k}: that arm is seen with "
        "probability 1-(1-1/10000)^T, whatever eps is"
    )
    step = Step("$k\\delta$ stands for the $T\\delta$ of the source", loss, allowed)
    true = theory.Bound(0.0, float(times * rare + slack))
    return Crossing(loss, allowed, words, steps=(step,), repaired=(true,))


@precisely
def inexact() -> Crossing:
    """pi~(D)=(d, 1-d), pi~(D')=(0, 1); the inexact policy doubles d: within eps^ = ln 2."""
    rare = F(1, 10)
    exact, other = [ball(rare), ball(1 - rare)], [arb(0), arb(1)]
    rough = [ball(2 * rare), ball(1 - 2 * rare)]
    epsilon = -ball(1 - rare).log()  # pi~ is (eps, 1/10)-private for this pair
    error = ball(2).log()
    require_proof(not delta_at(exact, other, epsilon) > ball(rare), "delta is 1/10 exactly")
    ratios = (rare / (2 * rare), (1 - rare) / (1 - 2 * rare))
    require_proof(max(max(x, 1 / x) for x in ratios) == 2, "both D_infinity <= ln 2")
    bound = theory.inexact(theory.Bound(epsilon, ball(rare)), error)
    words = (
        "two actions: exact policy (1/10, 9/10) at D and (0, 1) at its neighbour, where action 0 "
        "has no records; inexact policy (1/5, 4/5) at D, (0, 1) at the neighbour; eps^=ln 2"
    )
    steps = (
        Step(
            "the rough policy is within $e^{\\hat\\varepsilon}$ at $D$",
            ball(F(1, 5)),
            ball(F(1, 5)),
        ),
        Step("the exact policy is $(\\varepsilon,\\delta)$-close", ball(rare), ball(rare)),
        Step(
            "called straightforward: passing through the exact policy multiplies $\\delta$ by "
            "$e^{\\hat\\varepsilon}$ too",
            ball(2 * rare),
            ball(rare),
        ),
    )
    loss = delta_at(rough, other, bound.epsilon)
    true = repaired.inexact(theory.Bound(float(epsilon.mid()), float(rare)), float(error.mid()))
    pair = rough, other
    return Crossing(loss, bound.delta, words, bound.epsilon, pair, steps, repaired=(true,))


@precisely
def bradley_terry() -> Crossing:
    """Section 3.2's probability of preferring reward 1 to reward 0, and Bradley and Terry's."""
    usual = 1 / (1 + (-(ball(1).exp() - 1)).exp())
    true = 1 / (1 + (-ball(1)).exp())
    words = "rewards 1 and 0: sigma(e - 1) with sigma(t) = 1/(1+e^-t), against e/(e + 1)"
    step = Step("$\\sigma(e^{r_1} - e^{r_2})$ is Bradley-Terry's $\\sigma(r_1 - r_2)$", usual, true)
    return Crossing(usual, true, words, steps=(step,), quantity="probability")
