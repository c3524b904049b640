"""FL's lower bound: Theorem 3.2, what Section 3 reads off it, and two steps of its proof."""

import math
from itertools import product

import numpy as np
from flint import arb
from scipy.optimize import brentq

from dpbandits.audit.computed.balls import precision
from dpbandits.reproduction.fl.claims.figures import at_each_epsilon
from dpbandits.reproduction.fl.group_privacy_attacks import (
    LAWS,
    OBSERVED,
    group_ratio,
    observed_ratio,
    searched,
)
from dpbandits.reproduction.fl.theory import lower_bound, private_floor
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.proofs import require_proof


def worst_of_the_class(tables) -> Finding:
    """The largest regret on the proof's class over the printed rate, as d grows."""
    dimensions, shares = np.array([400, 10**4, 10**8, 10**16, 10**32], float), []
    for d in dimensions:
        printed, _ = lower_bound(10_000, d, 5, 1.0, 0.01)
        shares.append(worst_regret_of_class(d, 5, 10_000, 0.1, 1.0, 0.01) / printed)
    pairs = zip(shares, np.log10(dimensions), strict=True)
    text = ", ".join(f"{share:.3f} at $d = 10^{{{power:.1f}}}$" for share, power in pairs)
    named = {"what": "largest regret of any policy / printed rate", "x": "d", "at": dimensions}
    return Finding(numbers={"shares": text}, points=points_of(shares, at_least=shares[0], **named))


def without_data(tables) -> Finding:
    """A policy that ignores the data, against the bound as eps falls, and as delta falls."""
    horizon, d, true = 10_000, 400, 5
    most, constant = 2.0 * horizon, 1e-3
    what = "largest regret of any policy, as {} falls"
    epsilons = [10.0**-k for k in range(9)]
    printed = np.array([lower_bound(horizon, d, true, e, 0.01)[0] for e in epsilons])
    limits = {"at_least": constant * printed}
    limits |= {"repaired": [private_floor(horizon, e, 0.01) for e in epsilons]}
    named = {"what": what.format("ε"), "x": "ε", "at": epsilons}
    found = [points_of([most] * len(epsilons), **limits, **named)]
    logs = 10.0 ** np.arange(1, 14, 2)  # ln(1/delta); delta itself underflows
    unit = math.sqrt(true) * math.log(d / true)
    limits = {"at_least": constant * unit * np.sqrt(logs)}
    limits |= {"repaired": private_floor(horizon, 1.0, 0.0)}
    named = {"what": what.format("δ"), "x": "ln(1/δ)", "at": logs}
    found.append(points_of([most] * len(logs), **limits, **named))
    numbers = {"beyond": printed[-1] / most, "at": epsilons[-1], "logs": (most / unit) ** 2}
    numbers |= {f"floor at {e:g}": private_floor(horizon, e, 0.0) for e in (1.0, 0.1, 0.01)}
    return Finding(numbers=numbers, points=found)


def worst_regret_of_class(d, true_sparsity, horizon, sigma, epsilon, delta) -> float:
    """T E|z'beta| with the proof's r (its constant c = 1, rho = 20^(4/3) eps^2/(4 ln(1/delta)))."""
    rho = 20 ** (4 / 3) * epsilon**2 / (4 * math.log(1 / delta))
    sd = 1 / math.sqrt(math.log(d))
    r = math.sqrt(sigma**2 * math.log(d / true_sparsity) / (16 * rho)) / (sd * horizon)
    return 2 / math.sqrt(math.pi) * sd * r * math.sqrt(true_sparsity) * horizon


def privacy_shows(tables) -> Finding:
    sizes, ratios = ((1, 10, 10), (5, 400, 10**4), (10, 4000, 10**6), (50, 10**6, 10**9)), []
    for (true, d, horizon), delta in product(sizes, (0.0, 1e-6, 0.01, 0.3)):
        log = math.log(d / true)
        squared = log * math.log(1 / delta) if delta else true * log**2
        private, other = lower_bound(horizon, d, true, math.sqrt(squared / horizon), delta)
        ratios.append(private / other)
    numbers = {"least": min(ratios), "most": max(ratios), "count": len(ratios)}
    return Finding("holds", numbers, points_of(ratios, at_least=1 - 1e-9, at_most=1 + 1e-9))


def root(epsilon: float, delta: float) -> float:
    """The positive root t of t^4/4 + sqrt(ln(1/delta)) t^2 - 5 t - eps."""
    return brentq(lambda t: float(quartic(t, epsilon, delta)), 0.0, 100.0, xtol=1e-15)


def quartic(t, epsilon, delta) -> arb:
    return t**4 / 4 + (1 / arb(delta)).log().sqrt() * t**2 - 5 * t - epsilon


def approximate_is_concentrated(tables) -> Finding:
    epsilon, delta = 1.0, 0.01
    allowed = 2 * root(epsilon, delta) ** 4 / 4  # D_2 <= 2 rho
    leaks = 10.0 ** -np.array([1, 3, 10, 30, 100, 300])
    orders = np.log(1 - delta + delta * ((1 - leaks) ** 2 / leaks + leaks**2 / (1 - leaks)))
    require_proof(max(orders) > 2 * allowed, "FL-C4b: the divergence stays below the bound")
    named = {"what": "Renyi divergence of order 2", "x": "-log10 of the flip q"}
    found = points_of(orders, at_most=allowed, at=-np.log10(leaks), **named)
    numbers = {"most": max(orders), "allowed": allowed, "searched": searched(group_ratio, LAWS)}
    return Finding(numbers=numbers, points=found)


def estimator_of_the_observed(tables) -> Finding:
    epsilon = np.array([0.1, 0.5, 1.0, 2.0, 5.0, 10.0])
    loss = np.log((np.exp(2 * epsilon) + 1) / 2)
    ratios = ", ".join(f"{x:.3g}" for x in loss / epsilon)
    numbers = {
        "ratios": ratios,
        "share": loss[-1] / 20,
        "searched": searched(observed_ratio, OBSERVED),
    }
    limits, named = {"at_most": epsilon, "repaired": 2 * epsilon}, {"x": "ε", "at": epsilon}
    return Finding(numbers=numbers, points=points_of(loss, what="privacy loss", **limits, **named))


@precision(128)
def root_is_small(tables) -> Finding:
    delta, epsilons = 0.01, np.array([0.001, 0.003, 0.01, 0.03, 0.1, 0.3])
    log = math.log(1 / delta)
    for epsilon in epsilons:
        at = (arb(20) ** (arb(1) / 3)) * arb(epsilon).sqrt() / (1 / arb(delta)).log().sqrt().sqrt()
        require_proof(quartic(at, epsilon, delta) < 0, f"FL-Crho: no violation at {epsilon}")
    roots = np.array([root(epsilon, delta) for epsilon in epsilons])
    bounds = np.maximum(10 / math.sqrt(log), np.sqrt(2 * epsilons) / log**0.25)  # on the root
    printed = 20 ** (4 / 3) * epsilons**2 / log  # on its fourth power
    ratios = roots**4 / printed
    named = {"what": "root / printed bound", "x": "ε", "at": epsilons}
    found = points_of(ratios, at_most=1, repaired=bounds**4 / printed, **named)
    texts = {e: f"{ratio:.3g}" for e, ratio in zip(epsilons, ratios, strict=True)}
    numbers = {"ratios": at_each_epsilon(texts), "most": max(ratios)}
    return Finding(numbers=numbers | {"closest": max(roots / bounds)}, points=found)
