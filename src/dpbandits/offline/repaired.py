"""The loss at a user's data: exact, or an upper bound by the repaired Theorems 2 to 4 (KL.md)."""

from dataclasses import dataclass

import numpy as np

from dpbandits.core.mechanisms import PrivacyLoss, delta_of_pure, named
from dpbandits.offline import theory
from dpbandits.offline.neighbours import ENUMERATED, Worst

INF = float("inf")
REPAIRED = "repaired (docs/proofs/KL.md)"
BOTH = f"{REPAIRED}, at D and at D less a record"


@dataclass(frozen=True)
class Bounds:
    """One theorem, printed or repaired, at one data set: a pure bound, and (eps, delta) pairs."""

    pure: float
    pairs: tuple[theory.Bound, ...] = ()
    name: str = ""

    def delta(self, epsilon: float) -> float:
        """The best delta promised at this eps."""
        if epsilon >= self.pure:
            return 0.0
        promised = [float(b.delta) for b in self.pairs if b.epsilon <= epsilon]
        return min([delta_of_pure(self.pure, epsilon), *promised])


def _allowed(audit, *matrices):
    """(actions, these matrices, ln pi0) of the actions that pi0 allows: the others play no part."""
    allowed = np.isfinite(audit.log_reference)
    return audit.actions[allowed], *matrices, audit.log_reference[allowed]


def _none(needs: str, least: float, lambda_min: float) -> Bounds:
    return Bounds(INF, name=f"none: {needs} lambda_min(D) > {least:g}; it is {lambda_min:.3g}")


def linear_bounds(audit, kinds) -> Bounds:
    """Theorem 2; a swap is a removal, then an addition to what is left: the sum of two."""
    n, lambda_min, top = len(audit.features), audit.lambda_min, audit.reward_max
    options = audit.penalty, audit.eta, audit.beta0
    least = 2 if "swap" in kinds else 1
    if lambda_min <= least:
        return _none("Theorem 2 needs", least, lambda_min)
    pure = theory.corrected_theorem2_pure(n, lambda_min, *options, top).epsilon
    if "swap" in kinds:
        pure += theory.corrected_theorem2_pure(n - 1, lambda_min - 1, *options, top).epsilon
        return Bounds(float(pure), name=f"KL-T2-pure, {BOTH}")
    *sets, _ = theory.linear_sets(*_allowed(audit, audit.inverse))
    known = n, lambda_min, *options
    pairs = [theory.corrected_theorem2_approx(chosen, *known, reward_max=top) for chosen in sets]
    return Bounds(float(pure), tuple(pairs), f"KL-T2-pure and KL-T2-approx, {REPAIRED}")


def preference_bounds(audit, kinds) -> Bounds:
    """Theorem 4, or its label part, Theorem 3, if labels are all that flips; swaps as above."""
    sigma, penalty = audit.data.covariance(audit.penalty), audit.penalty
    lambda_min, label = audit.lambda_min, set(kinds) == {"flip"}
    options = audit.eta, audit.beta0, audit.radius
    least = (penalty + 4 if "swap" in kinds else penalty) + 1e-9 * penalty
    if np.isinf(audit.radius):
        return Bounds(INF, name="none: Theorems 3 and 4 need a finite B")
    if lambda_min <= least:
        return _none("Theorems 3 and 4 need", least, lambda_min)
    pure = theory.corrected_theorem4_pure(lambda_min, penalty, *options).epsilon
    if "swap" in kinds:
        pure += theory.corrected_theorem4_pure(lambda_min - 4, penalty, *options).epsilon
        return Bounds(float(pure), name=f"KL-T4-pure, {BOTH}")
    if label:
        pure = theory.corrected_theorem3_pure(lambda_min, penalty, audit.eta, audit.radius).epsilon
    spread_inverse = np.linalg.inv(sigma - penalty * np.eye(len(sigma)))
    theorem = theory.corrected_theorem3_approx if label else theory.corrected_theorem4_approx
    *sets, _ = theory.preference_sets(*_allowed(audit, audit.inverse, spread_inverse))
    pairs = [theorem(chosen, lambda_min, penalty, *options) for chosen in sets]
    number = 3 if label else 4
    name = f"KL-T{number}-pure and KL-T{number}-approx, {REPAIRED}"
    return Bounds(float(pure), tuple(pairs), name)


def described(worst: Worst) -> dict:
    """The worst neighbour of the pure loss, and of each delta that is not 0."""
    at = {named(e): worst.neighbour_at[e] for e, delta in worst.delta.items() if delta > 0}
    return worst.neighbour | ({"at_epsilon": at} if at else {})


def is_exact(audit, kinds) -> bool:
    """Whether all neighbours are enumerated, or only one action has a probability (of 1)."""
    return ENUMERATED.issuperset(kinds) or np.isfinite(audit.log_reference).sum() == 1


def concluded(audit, kinds, worst: Worst, theorem: Bounds) -> PrivacyLoss:
    """Exact, or an upper bound by the repaired theorem, with the worst neighbours found below it.

    A theorem that says nothing here gives epsilon = inf and delta = 1 (0 at epsilon = inf).
    """
    if is_exact(audit, kinds):
        return PrivacyLoss(worst.pure, worst.delta, described(worst), "exact")
    deltas = {e: max(value, theorem.delta(e)) for e, value in worst.delta.items()}
    attained = {"pure": worst.pure} | {named(e): value for e, value in worst.delta.items()}
    about = {"found": described(worst) | {"attained": attained}, "theorem": theorem.name}
    return PrivacyLoss(max(worst.pure, theorem.pure), deltas, about, "bound")
