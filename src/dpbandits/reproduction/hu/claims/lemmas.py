"""Checks of the lemmas and facts behind HU's regret bounds."""

import math
from functools import lru_cache
from itertools import product

import numpy as np

from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.proofs import require_proof

NODES = np.polynomial.legendre.leggauss(30)
RATE_21 = 15  # Lemma 21 names no constant; the smallest T has the largest ratio to ln T
ROUNDING = 1e-9  # relative, of probabilities by quadrature and convolution


def fact_17(tables) -> Finding:
    """Both tails at a = 1/10; the last of the sizes is that of the certificate."""
    a, sizes = 0.1, np.arange(1, 11)
    bound = np.exp(-sizes * (math.log(2) + a * math.log(a) + (1 - a) * math.log(1 - a)))
    upper_tail = 1 - 0.5**sizes
    lower_tail = 0.5**sizes * (1 + sizes * (sizes == 10))  # one success of ten is below 1/10 too
    named = {"what": "probability, mean 1/2", "series": "X ≥ 1/10, as printed", "x": "n"}
    printed = points_of(upper_tail, at_most=bound, at=sizes, **named)
    found = [printed, points_of(lower_tail, repaired=bound)]
    return Finding(numbers={"tightness": 1 / (2 * bound[0])}, points=found)


def lemma_6(tables) -> Finding:
    left, right = lemma_6_sides(400)
    ratios = left / right
    numbers = {"share": ratios.max(), "median": np.median(ratios), "slack": 1 - ratios.max()}
    return Finding("holds", numbers, points_of(left, at_most=right))


def lemma_6_sides(states: int) -> tuple[np.ndarray, np.ndarray]:
    """Left and right side of Lemma 6 on random states (where the right is not tiny)."""
    from scipy.special import betainc

    rng = np.random.default_rng(6)
    sides = []
    for _ in range(states):
        arms = int(rng.integers(2, 7))
        O = 2.0 ** rng.integers(0, 11, arms)  # noqa: E741  (the paper's name)
        mu_bar = np.clip(rng.normal(0.5, 0.4, arms), 0, 1)
        y = float(rng.uniform(0.05, 0.95))
        a, b = mu_bar * O + 1, (1 - mu_bar) * O + 1
        below, above = betainc(a[0], b[0], y), betainc(b[0], a[0], 1 - y)
        left = win_probability(a, b, y, winner=1, reach=y)
        right = win_probability(a, b, y, winner=0, reach=1.0)
        if above > 1e-9 and right * below > 1e-12:
            sides.append((left, below / above * right))
    return tuple(np.array(sides).T)


def win_probability(a, b, y: float, winner: int, reach: float) -> float:
    """P(the winner's draw is the largest and below `reach`, draw 1 is at most y), by quadrature.
    The draws are independent, theta_j ~ Beta(a_j, b_j)."""
    from scipy.special import betainc, betaln

    mean = a / (a + b)
    deviation = np.sqrt(mean * (1 - mean) / (a + b + 1))
    marks = [mean + k * deviation for k in (-8, -3, 0, 3, 8)]
    cuts = np.unique(np.clip(np.concatenate([*marks, [0.0, y, 1.0]]), 0, reach))
    z, w = NODES
    half, centre = np.diff(cuts)[:, None] / 2, (cuts[1:] + cuts[:-1])[:, None] / 2
    x, weight = (centre + half * z).ravel()[:, None], (half * w).ravel()
    factors = betainc(a, b, x)
    factors[:, 1] = betainc(a[1], b[1], np.minimum(x[:, 0], y))
    log_density = (a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - betaln(a, b)
    factors[:, winner] = np.exp(log_density[:, winner])
    return float(weight @ factors.prod(axis=1))


def lemma_7(tables) -> Finding:
    """Theorem T of docs/proofs/HU.md, which replaces it, beside exact sums."""
    cases = [*product(((0.5, 0.3), (0.5, 0.03), (0.95, 0.03), (0.5, 0.003)), range(13))]
    ratios = [theory.overestimation(best, best - shift, 2**k) for (best, shift), k in cases]
    bounds = [theory.overestimation_bound(shift, 2**k) for (_, shift), k in cases]
    share = np.divide(ratios, bounds).max()
    return Finding("holds", {"share": share}, points_of(ratios, at_most=bounds))


def lemma_19(tables) -> Finding:
    terms = [theory.lemma_19_term(s) for s in range(6, 15)]
    total = sum(terms) + 2 * terms[-1]
    require_proof(total < theory.LEMMA_19, "Lemma 19: its sum is too large")
    numbers = {"first": terms[0], "total": total, "allowed": theory.LEMMA_19}
    return Finding("holds", numbers | {"slack": 0.2 - terms[0]}, points_of(terms, at_most=0.2))


def lemma_20(tables) -> Finding:
    gaps, shares = np.geomspace(1e-3, 1, 13), []
    for epsilon, horizon in product((0.01, 1.0, 100.0), (3, 1e9)):
        epochs = np.array([theory.sufficient_epoch(gap, epsilon, horizon, 72) for gap in gaps])
        level = 3 * math.log(horizon) / 2.0**epochs
        shift = np.sqrt(level) + 2 * level / epsilon  # of the centre
        shares.append(shift / gaps)
    worst = np.max(shares)
    numbers = {"shift": worst, "slack": 1 / 3 - worst}
    return Finding("holds", numbers, points_of(shares, at_most=1 / 3))


def lemma_21(tables) -> Finding:
    gaps, times = (0.05, 0.125, 0.25, 0.5), (1e3, 1e4, 1e5, 1e6, 1e9)
    theorem_t = max(gap**2 * theory.optimism_bound(gap, 1e9) for gap in gaps)
    sums = {gap: [theory.optimism_pulls(0.75, gap, t) * gap**2 for t in times] for gap in gaps}
    texts = [f"gap {gap:g}: {y[0]:.3g} at T = 1e3, {y[-1]:.3g} at 1e9" for gap, y in sums.items()]
    share = max(curve[-1] / math.log(1e9) for curve in sums.values())
    numbers = {"by_gap": "; ".join(texts), "theorem_t": theorem_t, "share": share}
    found = points_of([*sums.values()], at_most=RATE_21 * np.log(times))
    return Finding(numbers=numbers, points=found)


def expected_rounds(tables, event: int) -> Finding:
    """The sum over the rounds of a bound on the probability of a bad event, C_j or G_j."""
    _, *probabilities = theory.bad_events(2, 1e5)
    total = np.cumsum(probabilities[event])[-1]
    return Finding(numbers={"total": total}, points=points_of([total], at_most=1.0))


def lemma_24(tables) -> Finding:
    epochs, epsilons = range(13), (0.01, 0.1, 0.5, 1.0, 5.0)
    means, gaps = (0.3, 0.6, 0.9, 1.0), (0.01, 0.05, 0.1, 0.2, 0.3, 0.6, 0.9)
    cases = [c for c in product(epochs, means, gaps, epsilons) if c[2] <= c[1]]
    shares = np.array([lemma_24_share(*case) for case in cases])
    worst = shares.max()
    r, best, gap, epsilon = cases[
        np.argmax(shares >= worst * (1 - ROUNDING))
    ]  # the first of equals
    where = f"r = {r}, means {best:g}, {best - gap:.3g}, ε = {epsilon:g}"
    numbers = {"share": worst, "where": where, "slack": 1 - worst}
    return Finding("holds", numbers, points_of(shares, at_most=1))


def lemma_24_share(r: int, best: float, gap: float, epsilon: float) -> float:
    """P(G_j - G_1 + Lap(1/eps) - Lap(1/eps) >= 0) over the lemma's bound, by exact convolution."""
    n = 2**r
    x = -np.arange(-n, n + 1) * epsilon  # what the difference of two Lap(1) must reach
    beyond = 0.5 * (1 + np.abs(x) / 2) * np.exp(-np.abs(x))
    tail = np.where(x >= 0, beyond, 1 - beyond)
    return float(_difference(n, best, gap) @ tail / theory.noise_tail_bound(r, gap, epsilon))


@lru_cache(1)  # every epsilon asks for the same one
def _difference(n: int, best: float, gap: float) -> np.ndarray:
    """The law of the difference of two sums of n rewards, from -n to n."""
    k = np.arange(n + 1)
    loser, winner = (np.exp(theory.log_binomial(k, n, mean)) for mean in (best - gap, best))
    return np.convolve(loser, winner[::-1])
