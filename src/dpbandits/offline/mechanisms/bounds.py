"""What the theorems say of a user's own data: printed, repaired and exact side by side.

A printed bound that the ledger refutes may lie below the exact loss: that is what the comparison
is for. The approximate theorems are taken at the threshold (N0, lambda0, or the set of actions)
that serves the asked epsilon best.
"""

import numpy as np

from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import Comparison, PrivacyLoss, bound
from dpbandits.offline import repaired, theory
from dpbandits.offline.mechanisms.audits import audit_bandit, audit_linear, audit_preferences
from dpbandits.offline.mechanisms.inputs import (
    BanditAudit,
    LinearParams,
    PreferenceParams,
    kinds_of,
    read_bandit,
    read_linear,
    read_preferences,
)
from dpbandits.offline.mechanisms.theorems import INF, Bounds, linear_bounds, preference_bounds

THRESHOLDS = 400
ADD_REMOVE = {"remove", "add"}


def _compare(printed, true, exact: PrivacyLoss, at_epsilon, claims) -> Comparison:
    sides = {"printed": printed, "repaired": true}
    pure = {name: float(side.pure) for name, side in sides.items()}
    deltas = {
        e: {name: side.delta(e) for name, side in sides.items()} | {"exact": exact.delta_at[e]}
        for e in at_epsilon
    }
    return Comparison(pure | {"exact": exact.pure_epsilon}, deltas, exact.method, claims)


def _only_add_remove(params) -> None:
    if not set(kinds_of(params.neighbours, ("remove", "add", "swap"))) <= ADD_REMOVE:
        raise InputError("--neighbours: the theorems speak of remove,add; allowed: these")


@bound("kl-mab", params=BanditAudit)
def bound_bandit(params: BanditAudit, at_epsilon=()) -> Comparison:
    """Theorem 1."""
    _only_add_remove(params)
    played = read_bandit(params)
    data, log_reference = played.data, played.log_reference
    eta, beta0, top = params.eta, params.beta0, params.reward_max
    least, most = int(data.counts.min()), int(data.counts.max())
    counts = np.geomspace(0.01, 100.0 * most, THRESHOLDS)
    pairs = [theory.theorem1_approx(data.arms, most, eta, beta0, n0, top) for n0 in counts]
    pure = theory.theorem1_pure(least, eta, beta0, top).epsilon if least > 1 else INF
    printed = Bounds(pure, tuple(pairs))
    ratio = float(np.exp(log_reference.max() - log_reference[int(data.counts.argmax())]))
    allowed = repaired.bandit_step(most, eta, beta0, top) if most > 1 else INF
    asked = [e for e in at_epsilon if e >= allowed]
    pairs = [repaired.theorem1_approx(most, eta, beta0, e, top, ratio) for e in asked]
    pure = repaired.theorem1_pure(least, eta, beta0, top).epsilon if least > 1 else INF
    exact = audit_bandit(params, at_epsilon)
    true = Bounds(pure, tuple(pairs))
    return _compare(printed, true, exact, at_epsilon, ("KL-T1-pure", "KL-T1-approx"))


def _printed(pure: float, approx, floor: float, at_epsilon) -> Bounds:
    """Theorems 2 to 4 as printed: eps = pure sqrt(lambda_min/lambda0), solved for lambda0."""
    thresholds = [floor * (pure / e) ** 2 * (1 + 1e-12) for e in at_epsilon if 0 < e < pure]
    return Bounds(pure, tuple(approx(x) for x in thresholds) if np.isfinite(pure) else ())


@bound("kl-linear", params=LinearParams)
def bound_linear(params: LinearParams, at_epsilon=()) -> Comparison:
    """Theorem 2."""
    _only_add_remove(params)
    audit = read_linear(params)
    n, d = audit.features.shape
    floor, top = audit.ridge.smallest_eigenvalue, params.reward_max
    shape = n, d, floor
    own = {"eta": params.eta, "beta0": params.beta0, "reward_max": top}
    narrow = float(np.sqrt(audit.squares.min()))

    def approx(lambda0):
        return theory.theorem2_approx(
            len(audit.actions), *shape, narrowest=narrow, lambda0=lambda0, **own
        )

    pure = theory.theorem2_pure(*shape, **own).epsilon if floor > 1 else INF
    printed, true = _printed(pure, approx, floor, at_epsilon), linear_bounds(audit, ADD_REMOVE)
    exact = audit_linear(params, at_epsilon)
    return _compare(printed, true, exact, at_epsilon, ("KL-T2-pure", "KL-T2-approx"))


@bound("kl-rlhf", params=PreferenceParams)
def bound_preferences(params: PreferenceParams, at_epsilon=()) -> Comparison:
    """Theorem 4; with --neighbours flip its label part, Theorem 3."""
    kinds = set(kinds_of(params.neighbours, ("remove", "add", "swap", "flip")))
    label = kinds == {"flip"}
    if not (label or kinds <= ADD_REMOVE):
        raise InputError("--neighbours: allowed: remove,add (Theorem 4) or flip (Theorem 3)")
    if np.isinf(params.B):
        raise InputError("B: the theorems need a ball; allowed: a finite B")
    audit = read_preferences(params)
    sigma = audit.data.covariance(params.penalty)
    floor, penalty = float(np.linalg.eigvalsh(sigma)[0]), params.penalty
    eta, beta0, radius = params.eta, params.beta0, params.B
    narrow, count = float(np.sqrt(audit.squares.min())), len(audit.actions)
    covered = floor > penalty * (1 + 1e-9)

    def approx(lambda0):
        theorem = theory.theorem3_approx if label else theory.theorem4_approx
        return theorem(count, floor, penalty, narrow, eta, beta0, radius, lambda0)

    pure = INF
    if covered and label:
        pure = theory.theorem3_pure(floor, penalty, eta, radius).epsilon
    elif covered and floor > 1:
        pure = theory.theorem4_pure(floor, penalty, eta, beta0, radius).epsilon
    printed, true = _printed(pure, approx, floor, at_epsilon), preference_bounds(audit, kinds)
    claims = ("KL-T3-pure", "KL-T3-approx") if label else ("KL-T4-pure", "KL-T4-approx")
    exact = audit_preferences(params, at_epsilon)
    return _compare(printed, true, exact, at_epsilon, claims)
