"""A counterexample: what it measures, what the statement allows, which printed steps fail there.

Everything is ball arithmetic from fractions on, so `proved` and `fails` are proofs.
"""

from dataclasses import dataclass, field
from fractions import Fraction as F
from math import nan

from flint import arb

from dpbandits.audit.balls import ball, delta_at, policy, pure_loss
from dpbandits.core.errors import require_proof
from dpbandits.offline import theory


@dataclass(frozen=True)
class Step:
    """One inequality of a printed proof, at the counterexample: left <= right is claimed."""

    name: str
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
class Counterexample:
    """A certified violation: measured > allowed."""

    measured: arb
    allowed: arb
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
        failing = dict.fromkeys(step.name for step in self.steps if step.fails)
        require_proof(bool(failing), "no step fails at the counterexample")
        return "; then ".join(failing)


def of_data(data, other, given: dict, bound, steps, *, true) -> Counterexample:
    """What a printed bound of one data set promises of this neighbour, lambda = 1, uniform pi0."""
    actions, eta, beta0 = given["actions"], given["eta"], given["beta0"]
    pair = data.policy(actions, eta, beta0), other.policy(actions, eta, beta0)
    about = {"pair": pair, "steps": steps, "repaired": true}
    about |= {"given": given, "rows": (data.rows, other.rows)}
    if bound.delta == 0.0:
        return Counterexample(pure_loss(*pair), bound.epsilon, quantity="pure loss", **about)
    return Counterexample(delta_at(*pair, bound.epsilon), bound.delta, bound.epsilon, **about)
