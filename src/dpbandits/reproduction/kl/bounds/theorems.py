"""What the theorems say of a user's own data: printed, repaired and attained side by side.

A printed bound that the ledger refutes may lie below the loss that a neighbour attains: the
comparison says so. The approximate theorems are taken at the threshold (N0, lambda0, or the set of
actions) that serves the asked epsilon best.
"""

import numpy as np

from dpbandits.core.bisection import last
from dpbandits.core.errors import InputError
from dpbandits.offline.policy import BanditPolicy, LinearPolicy, PreferencePolicy
from dpbandits.offline.problem import BanditSetting, LinearSetting, PreferenceSetting
from dpbandits.offline.repaired import INF, Bounds, is_exact, linear_bounds, preference_bounds
from dpbandits.reproduction.comparison import Comparison, theorem
from dpbandits.reproduction.kl import corollaries
from dpbandits.reproduction.kl import theory as claimed

ADD_REMOVE = ("remove", "add")
BEYOND = 1 + 1e-12  # keeps a solved epsilon below the one asked for, whatever the rounding


def _compare(printed: Bounds, true: Bounds, worst, exact: bool, claims) -> Comparison:
    side = "exact" if exact else "found"
    pure = {"printed": float(printed.pure), "repaired": float(true.pure), side: worst.pure}
    deltas = {
        e: {"printed": printed.delta(e), "repaired": true.delta(e), side: value}
        for e, value in worst.delta.items()
    }
    return Comparison(pure, deltas, "exact" if exact else "bound", claims)


def _add_remove(params) -> tuple[str, ...]:
    if "swap" in params.neighbours:
        raise InputError("--neighbours: the theorems speak of remove,add; allowed: these")
    return params.neighbours


def best_n0(epsilon: float, eta: float, beta0: float, reward_max: float) -> float:
    """The N0 of the least printed delta of Theorem 1 among those whose eps is at most this.

    eps falls in N0. delta falls up to the root of its derivative, 4R sqrt(N0) + 3 beta0/2 =
    beta0 N0/2, and rises beyond it.
    """

    def allowed(x):  # x = 1/sqrt(N0)
        return 4 * reward_max * x**2 + beta0 * x**3 <= epsilon * eta

    top = np.sqrt(epsilon * eta / reward_max)  # there 4R x^2 alone is too much
    least = BEYOND / last(allowed, 0.0, top * BEYOND) ** 2
    if beta0 == 0:
        return least  # whatever N0 is, delta is at least |A|
    root = (4 * reward_max + np.sqrt(16 * reward_max**2 + 3 * beta0**2)) / beta0
    return max(least, root**2)


@theorem("kl-mab", params=BanditSetting)
def bound_bandit(params: BanditSetting, at_epsilon=()) -> Comparison:
    """Theorem 1."""
    kinds, policy = _add_remove(params), BanditPolicy(params)
    data, log_reference = policy.counts, policy.log_reference
    eta, beta0, top = params.eta, params.beta0, params.reward_max
    least, most = int(data.counts.min()), int(data.counts.max())
    thresholds = [best_n0(e, eta, beta0, top) for e in at_epsilon if 0 < e < INF]
    pairs = [claimed.theorem1_approx(data.arms, most, eta, beta0, n0, top) for n0 in thresholds]
    pure = claimed.theorem1_pure(least, eta, beta0, top).epsilon if least > 1 else INF
    printed = Bounds(pure, tuple(pairs))
    ratio = float(np.exp(log_reference.max() - log_reference[int(data.counts.argmax())]))
    step = corollaries.bandit_step(most, eta, beta0, top) if most > 1 else INF
    levels = [e for e in at_epsilon if e >= step]
    pairs = [corollaries.corrected_theorem1_approx(most, eta, beta0, e, top, ratio) for e in levels]
    pure = corollaries.corrected_theorem1_pure(least, eta, beta0, top).epsilon if least > 1 else INF
    true = Bounds(pure, tuple(pairs))
    worst = policy.worst(kinds, at_epsilon)
    return _compare(printed, true, worst, True, ("KL-T1-pure", "KL-T1-approx"))


def _printed(pure: float, approx, lambda_min: float, at_epsilon) -> Bounds:
    """Theorems 2 to 4 as printed: eps = pure sqrt(lambda_min/lambda0), solved for lambda0."""
    thresholds = [lambda_min * (pure / e) ** 2 * BEYOND for e in at_epsilon if 0 < e < pure]
    return Bounds(pure, tuple(approx(x) for x in thresholds) if np.isfinite(pure) else ())


@theorem("kl-linear", params=LinearSetting)
def bound_linear(params: LinearSetting, at_epsilon=()) -> Comparison:
    """Theorem 2."""
    kinds = _add_remove(params)
    audit = LinearPolicy(params).at()
    n, d = audit.features.shape
    lambda_min = audit.lambda_min
    shape = n, d, lambda_min
    options = {"eta": params.eta, "beta0": params.beta0, "reward_max": params.reward_max}
    narrow = float(np.sqrt(audit.squares.min()))

    def approx(lambda0):
        coverage = claimed.Coverage(len(audit.actions), narrow, lambda0)
        return claimed.theorem2_approx(coverage, *shape, **options)

    pure = claimed.theorem2_pure(*shape, **options).epsilon if lambda_min > 1 else INF
    printed, true = _printed(pure, approx, lambda_min, at_epsilon), linear_bounds(audit, ADD_REMOVE)
    worst, claims = audit.worst(kinds, at_epsilon), ("KL-T2-pure", "KL-T2-approx")
    return _compare(printed, true, worst, is_exact(audit, kinds), claims)


@theorem("kl-rlhf", params=PreferenceSetting)
def bound_preferences(params: PreferenceSetting, at_epsilon=()) -> Comparison:
    """Theorem 4; with --neighbours flip its label part, Theorem 3."""
    kinds = params.neighbours
    label = set(kinds) == {"flip"}
    if not (label or set(kinds) <= set(ADD_REMOVE)):
        raise InputError("--neighbours: allowed: remove,add (Theorem 4) or flip (Theorem 3)")
    if np.isinf(params.radius):
        raise InputError("B: the theorems need a ball; allowed: a finite B")
    audit = PreferencePolicy(params).at()
    lambda_min, radius = audit.lambda_min, params.radius
    penalty, eta, beta0 = params.penalty, params.eta, params.beta0
    narrow, count = float(np.sqrt(audit.squares.min())), len(audit.actions)
    covered = lambda_min > penalty * (1 + 1e-9)

    def approx(lambda0):
        theorem = claimed.theorem3_approx if label else claimed.theorem4_approx
        coverage = claimed.Coverage(count, narrow, lambda0)
        return theorem(coverage, lambda_min, penalty, eta, beta0, radius)

    pure = INF
    if covered and label:
        pure = claimed.theorem3_pure(lambda_min, penalty, eta, radius).epsilon
    elif covered and lambda_min > 1:
        pure = claimed.theorem4_pure(lambda_min, penalty, eta, beta0, radius).epsilon
    printed, true = _printed(pure, approx, lambda_min, at_epsilon), preference_bounds(audit, kinds)
    claims = ("KL-T3-pure", "KL-T3-approx") if label else ("KL-T4-pure", "KL-T4-approx")
    worst = audit.worst(kinds, at_epsilon)
    return _compare(printed, true, worst, is_exact(audit, kinds), claims)
