"""A counterexample: what it measures, what the statement allows, which printed steps fail there.

Everything is ball arithmetic from fractions on, so `proved` and `fails` are proofs.
"""

from dataclasses import dataclass, field
from fractions import Fraction as F
from math import nan

from flint import arb

from dpbandits.audit.computed.balls import ball
from dpbandits.offline import theory
from dpbandits.reproduction.kl.finite_laws import delta_at, policy, pure_loss
from dpbandits.reproduction.proofs import require_proof


@dataclass(frozen=True)
class Step:
    """One inequality of a printed proof, at the counterexample: left <= right is claimed."""

    name: str
    left: arb
    right: arb

    @property
    def fails(self) -> bool:
        return bool(self.left > self.right)


def leader_steps(means, widths, threshold, beta0, eta, *, where: str) -> tuple[Step, ...]:
    """(12) and (24), in balls: the mass of the actions that are wider than the threshold."""
    scores = [m - beta0 * w for m, w in zip(means, widths, strict=True)]
    weights = [(s / eta).exp() for s in scores]
    poor = [w for w, width in zip(weights, widths, strict=True) if width > threshold]
    top = max(means, key=lambda x: float(x.mid()))
    best = max(scores, key=lambda x: float(x.mid()))
    narrow = min(widths, key=lambda x: float(x.mid()))
    mass = sum(poor, arb(0)) / sum(weights, arb(0))
    between = len(means) * ((top - beta0 * threshold - best) / eta).exp()
    last = len(means) * (beta0 * (narrow - threshold) / eta).exp()
    return (
        Step(f"{where}, second inequality", mass, between),
        Step(f"{where}, last inequality", between, last),
    )


def parameters(constant: dict, eta, beta0, actions, **own) -> dict:
    """The parameters of a certificate, lambda = 1, uniform pi0; `own`: of this statement alone."""
    shared = {"eta": eta, "beta0": beta0, "penalty": 1, "pi0": (F(1, 2), F(1, 2))}
    return constant | shared | {"actions": actions} | own


class Diagonal:
    """A data set whose Sigma has the diagonal `sigma`, and whose estimate is `theta`; `rows` are
    its records as certificates have them."""

    def mean(self, phi) -> arb:
        return sum((ball(t) * ball(x) for t, x in zip(self.theta, phi, strict=True)), arb(0))

    def width(self, phi) -> arb:
        return ball(sum((F(x) ** 2 / s for x, s in zip(phi, self.sigma, strict=True)), F(0))).sqrt()

    def policy(self, actions, eta, beta0=0):
        return policy([self.mean(a) - ball(beta0) * self.width(a) for a in actions], eta)

    def leader_steps(self, actions, lambda0, beta0, eta) -> tuple[Step, ...]:
        """(24) at this lambda0."""
        means, widths = [self.mean(a) for a in actions], [self.width(a) for a in actions]
        threshold = 1 / ball(lambda0).sqrt()
        return leader_steps(means, widths, threshold, ball(beta0), ball(eta), where="(24)")


@dataclass(frozen=True)
class Counterexample:
    """A certified violation: measured > allowed."""

    measured: arb
    allowed: arb
    epsilon: arb | None = None  # where delta is measured; None: the pure loss, or a number
    pair: tuple[list[arb], list[arb]] | None = None  # the two policies, if there are two
    steps: tuple[Step, ...] = ()  # of the printed proof, in its order
    quantity: str = "delta"
    repaired: tuple[theory.Bound, ...] = ()  # what is true there, in floats (corrected_...)
    given: dict = field(default_factory=dict)  # the parameters, if there is a certificate,
    rows: tuple[list, ...] = ()  # and both data sets

    def repaired_delta(self, epsilon: float) -> float:
        """The least delta that the repaired bounds promise at this eps; NaN if none does."""
        return min((float(b.delta) for b in self.repaired if b.epsilon <= epsilon), default=nan)

    @property
    def proved(self) -> bool:
        return bool(self.measured > self.allowed)

    @property
    def broken(self) -> str:
        """The steps of the printed proof that fail at this counterexample, the first one first."""
        failing = dict.fromkeys(step.name for step in self.steps if step.fails)
        require_proof(bool(failing), "no step fails at the counterexample")
        return "; then ".join(failing)


def of_data(data, other, given: dict, bound, steps, repaired, *, lemma1=None) -> Counterexample:
    """What a printed bound of one data set promises of this neighbour, lambda = 1, uniform pi0.
    `lemma1`: right side of the last step, a bound that lacks only the factor 2 of Lemma 1."""
    actions, eta, beta0 = given["actions"], given["eta"], given["beta0"]
    pair = data.policy(actions, eta, beta0), other.policy(actions, eta, beta0)
    facts = {"pair": pair, "repaired": repaired, "given": given, "rows": (data.rows, other.rows)}
    if bound.delta == 0.0:
        loss = pure_loss(*pair)
        steps += () if lemma1 is None else (Step("Lemma 1", loss, lemma1),)
        return Counterexample(loss, bound.epsilon, steps=steps, quantity="pure loss", **facts)
    loss = delta_at(*pair, bound.epsilon)
    return Counterexample(loss, bound.delta, bound.epsilon, steps=steps, **facts)
