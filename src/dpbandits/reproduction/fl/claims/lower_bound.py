"""FL's lower bound: Theorem 3.2, what Section 3 reads off it, and two steps of its proof."""

import math

import numpy as np
from flint import arb
from scipy.optimize import brentq

from dpbandits.audit.balls import precision
from dpbandits.reproduction.fl.claims.figures import at_each_epsilon
from dpbandits.reproduction.fl.theory import lower_bound, private_floor
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points
from dpbandits.reproduction.proofs import require_proof


def regret_lower_bound(tables) -> dict[str, Finding]:
    true, horizon, sigma = 5, 10_000, 0.1
    shares = {}
    for d in (400, 10**4, 10**8, 10**16, 10**32):
        private, _ = lower_bound(horizon, d, true, 1.0, 0.01)
        shares[d] = worst_regret_of_class(d, true, horizon, sigma, 1.0, 0.01) / private
    text = ", ".join(f"{x:.3f} at $d = 10^{{{math.log10(d):.1f}}}$" for d, x in shares.items())
    look = {"axes": ("d", "largest regret of any policy / printed rate"), "log": "xy"}
    look |= {"panel": "bounded away from 0? dashed: the share at d = 400"}
    plot = points(list(shares), list(shares.values()), at_least=shares[400], **look)
    return {"printed": _as_printed(), "proof": Finding("violated", {"shares": text}, plot)}


def _as_printed() -> Finding:
    """A policy that ignores the data, against the bound as eps falls, and as delta falls."""
    horizon, d, true = 10_000, 400, 5
    most, constant = 2.0 * horizon, 1e-3
    axis, rate = "largest regret of any policy", "dashed: the printed rate times 1/1000"
    epsilons = [10.0**-k for k in range(9)]
    printed = np.array([lower_bound(horizon, d, true, e, 0.01)[0] for e in epsilons])
    floors = [private_floor(horizon, e, 0.01) for e in epsilons]
    limits = {"at_least": constant * printed, "repaired": floors}
    look = {"panel": f"as ε falls; {rate}", "axes": ("ε", axis), "log": "xy"}
    plots = [points(epsilons, [most] * len(epsilons), **limits, **look)]
    logs = np.array([10.0**k for k in range(1, 14, 2)])  # ln(1/delta); delta itself underflows
    rates = np.sqrt(true * logs) * math.log(d / true)
    limits = {"at_least": constant * rates, "repaired": private_floor(horizon, 1.0, 0.0)}
    look = {"panel": f"as δ falls, ε = 1; {rate}", "axes": ("ln(1/δ)", axis), "log": "xy"}
    plots.append(points(logs, [most] * len(logs), **limits, **look))
    numbers = {"beyond": printed[-1] / most, "at": epsilons[-1]}
    numbers["logs"] = (most / (math.sqrt(true) * math.log(d / true))) ** 2
    for e in (1.0, 0.1, 0.01):
        numbers[f"floor at {e:g}"] = private_floor(horizon, e, 0.0)
    return Finding("violated", numbers, plots)


def worst_regret_of_class(d, true_sparsity, horizon, sigma, epsilon, delta) -> float:
    """T E|z'beta| with the proof's r (its constant c = 1, rho = 20^(4/3) eps^2/(4 ln(1/delta)))."""
    rho = 20 ** (4 / 3) * epsilon**2 / (4 * math.log(1 / delta))
    sd = 1 / math.sqrt(math.log(d))
    r = math.sqrt(sigma**2 * math.log(d / true_sparsity) / (16 * rho)) / (sd * horizon)
    return 2 / math.sqrt(math.pi) * sd * r * math.sqrt(true_sparsity) * horizon


def privacy_shows(tables) -> Finding:
    ratios = []
    for true, d, horizon in ((1, 10, 10), (5, 400, 10**4), (10, 4000, 10**6), (50, 10**6, 10**9)):
        for delta in (0.0, 1e-6, 0.01, 0.3):
            log = math.log(d / true)
            epsilon = math.sqrt(true / horizon) * log
            if delta:
                epsilon = math.sqrt(log * math.log(1 / delta) / horizon)
            private, other = lower_bound(horizon, d, true, epsilon, delta)
            ratios.append(private / other)
    look = {"at_least": 1 - 1e-9, "at_most": 1 + 1e-9}
    look |= {"axes": ("instance", "private / non-private term at the threshold")}
    plot = points(range(1, len(ratios) + 1), ratios, **look)
    numbers = {"least": min(ratios), "most": max(ratios), "count": len(ratios)}
    return Finding("holds", numbers, plot)


def root(epsilon: float, delta: float) -> float:
    """The positive root t of t^4/4 + sqrt(ln(1/delta)) t^2 - 5 t - eps."""
    return brentq(lambda t: float(quartic(t, epsilon, delta)), 0.0, 100.0, xtol=1e-15)


def quartic(t, epsilon, delta) -> arb:
    return t**4 / 4 + (1 / arb(delta)).log().sqrt() * t**2 - 5 * t - epsilon


def approximate_is_concentrated(tables) -> Finding:
    from dpbandits.reproduction.fl.group_privacy_attacks import LAWS, group_ratio, searched

    epsilon, delta = 1.0, 0.01
    allowed = 2 * root(epsilon, delta) ** 4 / 4  # D_2 <= 2 rho
    leaks = [10.0**-k for k in (1, 3, 10, 30, 100, 300)]
    orders = [math.log(1 - delta + delta * ((1 - q) ** 2 / q + q * q / (1 - q))) for q in leaks]
    require_proof(max(orders) > 2 * allowed, "FL-C4b: the divergence stays below the bound")
    flips = [-math.log10(q) for q in leaks]
    look = {"axes": ("-log10 of the flip q", "Renyi divergence of order 2"), "log": "y"}
    plot = points(flips, orders, at_most=allowed, **look)
    numbers = {"most": max(orders), "allowed": allowed}
    return Finding("violated", numbers | {"searched": searched(group_ratio, LAWS)}, plot)


@precision(128)
def root_is_small(tables) -> Finding:
    delta, epsilons = 0.01, (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
    log, ratios = math.log(1 / delta), []
    for epsilon in epsilons:
        at = (arb(20) ** (arb(1) / 3)) * arb(epsilon).sqrt() / (1 / arb(delta)).log().sqrt().sqrt()
        require_proof(quartic(at, epsilon, delta) < 0, f"FL-Crho: no violation at {epsilon}")
        ratios.append(root(epsilon, delta) ** 4 / (20 ** (4 / 3) * epsilon**2 / log))
    bounds = {e: max(10 / math.sqrt(log), math.sqrt(2 * e) / log**0.25) for e in epsilons}
    repaired = [t**4 * log / (20 ** (4 / 3) * e**2) for e, t in bounds.items()]
    look = {"axes": ("ε", "root / printed bound"), "log": "xy"}
    plot = points(epsilons, ratios, at_most=1, repaired=repaired, **look)
    texts = {e: f"{ratio:.3g}" for e, ratio in zip(epsilons, ratios, strict=True)}
    numbers = {"ratios": at_each_epsilon(texts), "most": max(ratios)}
    numbers["closest"] = max(root(e, delta) / t for e, t in bounds.items())
    return Finding("violated", numbers, plot)
