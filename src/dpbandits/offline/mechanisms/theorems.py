"""The repaired Theorems 2 to 4 at a user's data (docs/proofs/KL.md).

`bound` shows them beside the printed ones; audits take them where they are below what else is
proved.
"""

from dataclasses import dataclass

import numpy as np

from dpbandits.offline import repaired, theory
from dpbandits.offline.engine.certificates import delta_of_pure

INF = float("inf")


@dataclass(frozen=True)
class Bounds:
    """One theorem, printed or repaired, at one data set: a pure bound, and pairs."""

    pure: float
    pairs: tuple[theory.Bound, ...] = ()
    name: str = ""

    def delta(self, epsilon: float) -> float:
        """The best delta promised at this eps."""
        if epsilon >= self.pure:
            return 0.0
        least = 1.0 if np.isinf(self.pure) else float(delta_of_pure(self.pure, epsilon))
        return min([least, *(float(b.delta) for b in self.pairs if b.epsilon <= epsilon)])


def _context(audit, *forms) -> repaired.Context:
    """Of the actions that pi0 allows: the others play no part."""
    used = np.isfinite(audit.log_reference)
    return repaired.context_of(audit.actions[used], *forms, audit.log_reference[used])


def linear_bounds(audit, kinds) -> Bounds:
    """Theorem 2; a swap is a removal, then an addition to what is left: the sum of two."""
    n, floor = len(audit.features), audit.ridge.smallest_eigenvalue
    own = audit.eta, audit.beta0, audit.reward_max
    if floor <= 1 or "swap" in kinds:
        pure = INF
        if floor > 2:
            first, then = repaired.theorem2_pure, floor - 1
            pure = first(n, floor, audit.penalty, *own).epsilon
            pure += first(n - 1, then, audit.penalty, *own).epsilon
        return Bounds(float(pure), name="KL-T2-pure, repaired, at D and at D less a record")
    context = _context(audit, *[audit.ridge.inverse] * 3)
    pairs = [
        repaired.theorem2_approx(context, k, n, floor, audit.penalty, *own)
        for k in range(1, len(context.log_reference))
    ]
    pure = repaired.theorem2_pure(n, floor, audit.penalty, *own).epsilon
    return Bounds(float(pure), tuple(pairs), "KL-T2-pure and KL-T2-approx, repaired")


def preference_bounds(audit, kinds) -> Bounds:
    """Theorem 4, or its label part, Theorem 3, if labels are all that flips; swaps as above."""
    sigma, penalty = audit.data.covariance(audit.penalty), audit.penalty
    floor, radius = float(np.linalg.eigvalsh(sigma)[0]), audit.radius
    own, label = (audit.eta, audit.beta0, radius), set(kinds) == {"flip"}
    if floor <= penalty * (1 + 1e-9) or np.isinf(radius):
        return Bounds(INF)
    if "swap" in kinds:
        pure, left = INF, floor - 4
        if left > penalty * (1 + 1e-9):
            pure = sum(repaired.theorem4_pure(x, penalty, *own).epsilon for x in (floor, left))
        return Bounds(float(pure), name="KL-T4-pure, repaired, at D and at D less a record")
    spread, plain = np.linalg.inv(sigma - penalty * np.eye(len(sigma))), np.eye(len(sigma))
    context = _context(audit, audit.inverse, spread, plain)
    theorem = repaired.theorem3_approx if label else repaired.theorem4_approx
    sizes = range(1, len(context.log_reference))
    pairs = [theorem(context, k, floor, penalty, *own) for k in sizes]
    if label:
        pure = repaired.theorem3_pure(floor, penalty, audit.eta, radius).epsilon
    else:
        pure = repaired.theorem4_pure(floor, penalty, *own).epsilon
    number = 3 if label else 4
    name = f"KL-T{number}-pure and KL-T{number}-approx, repaired"
    return Bounds(float(pure), tuple(pairs), name)
