"""FL's abstract: upper against lower rate."""

import math

from dpbandits.core.claims import Finding
from dpbandits.core.points import points
from dpbandits.sparse.theory import lower_bound, psi, regret_terms


def private_ratio(horizon: float, d: float, true_sparsity: int) -> float:
    """J_0 of Theorem 5.6 over the private term of Theorem 3.2, at s = s*; eps and delta cancel."""
    _, private = regret_terms(0.0, horizon, d, true_sparsity, true_sparsity, 1.0, delta=0.01)
    return private / lower_bound(horizon, d, true_sparsity, 1.0, 0.01)[0]


def _closed_form(horizon: float, d: float, true_sparsity: int) -> float:
    """The same ratio, with its logarithms of T: the two terms divided by hand."""
    return 2**1.5 * true_sparsity * psi(0.0, horizon) * math.log(d) / math.log(d / true_sparsity)


def optimal_up_to(tables) -> dict[str, Finding]:
    return {"printed": _as_printed(), "logs-in-T": _with_logarithms()}


def _as_printed() -> Finding:
    horizons = [10.0**k for k in (3, 6, 12, 24, 48)]
    by_horizon = [private_ratio(t, 400, 5) for t in horizons]
    look = {"axes": ("T", "upper / lower rate of the private terms"), "log": "xy"}
    look |= {"panel": "no growth in T? dashed: the ratio at T = 1000"}
    repaired = [_closed_form(t, 400, 5) for t in horizons]
    drawn = points(horizons, by_horizon, at_most=by_horizon[0], repaired=repaired, **look)
    numbers = {"first": by_horizon[0], "last": by_horizon[-1]}
    return Finding("violated", numbers | {"factor": by_horizon[-1] / by_horizon[0]}, drawn)


def _with_logarithms() -> Finding:
    sizes = [(5, 400), (50, 4 * 10**3), (500, 4 * 10**4), (5000, 4 * 10**6)]
    # what is neither the linear factor nor the logarithm of d
    left = [private_ratio(1e6, d, s) / (s * math.log(d) / math.log(d / s)) for s, d in sizes]
    limits = {"at_least": left[0] * (1 - 1e-9), "at_most": left[0] * (1 + 1e-9)}
    look = {"axes": ("s*", "ratio without s* and ln d"), "log": "x"}
    drawn = points([s for s, _ in sizes], left, **limits, **look)
    return Finding("holds", {"left": ", ".join(f"{x:.6g}" for x in left)}, drawn)
