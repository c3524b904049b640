"""Checks of what we say of learners with contexts: `leaky-linear`, `dp-linear` and `dp-signs`."""

import math
from itertools import product

import numpy as np
import pandas as pd
from scipy.special import expit, logit

from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.ours.claims.regret import LEVEL_WITHIN, beside_limit
from dpbandits.reproduction.proofs import require_proof
from dpbandits.reproduction.statistics import (
    LEVEL,
    NORMAL_95,
    Interval,
    crossing,
    quantile,
    ratios_over,
)
from dpbandits.sparse.leaky_linear import LEAKS, UNIT, sensitivity

OURS, OTHERS = "leaky-linear", "dense-dp-linear"
ARMS = np.arange(2, 21)
KINDS = ("ahead", "level", "behind")
HALF = 0.5  # of a random arm's regret


def leaky_linear(tables) -> Finding:
    """L1: the squared distance of two records, over the angle of their features, by the four sums
    that are released (the code has the vertices of the same parabolas); and L3.2, the weights."""
    c, omega, K = np.linspace(0, 1, 2001), 0.6, ARMS[:, None]
    b = 1 - 1 / K + omega**2 / K
    s, m = 0.125 * b, np.array([0, 0.2])[:, None, None] * b  # of early and late batches
    same = 2 * (s + m * (1 - 1 / K)) * (1 - c**2) + b / 2 * (1 + c)
    other = 2 * s * (1 - c**2) + 2 * m * (1 - 1 / K) + 2 * m / K * c**2 + 2 * 0.28**2
    other += b / 2 + (1 - omega**2) / (2 * K) * c
    require_proof((LEAKS**2).sum() <= UNIT**2, "L3.2, the weights of the leak")
    found = np.sqrt(np.maximum(same, other).max(axis=2))
    bound = np.array([[sensitivity(int(K), late) for K in ARMS] for late in (0, 1)])
    require_proof((bound[0] <= bound[1]).all(), "L1.4, the largest D is that of late batches")
    points = points_of(found.ravel(), at_most=bound.ravel(), x="arms", at=np.tile(ARMS, 2))
    return Finding("holds", {"most": found.max(), "arms": int(ARMS.max())}, points)


def leak(tables) -> Finding:
    """ "The leak is as good as any": (SNR/t)^2 on average over the first batches, of random
    factorisations with columns of length 1, of disjoint batches and of the leak itself."""
    rng, growth, n = np.random.default_rng(69), np.array([1.2, 1.3, 1.5, 2.0, 3.0]), 24
    values, limits, leaks = [], [], []
    for G in growth:
        t = G ** np.arange(1, n + 1)
        steps = np.arange(n)[:, None] - np.arange(n)
        geometric = np.where(steps >= 0, float(G) ** -np.maximum(steps, 0), 0)
        rows = [geometric, np.eye(n), *np.tril(rng.normal(size=(200, n, n)))]
        rows += [geometric * np.abs(noise) for noise in rng.normal(1, 0.3, size=(200, n, n))]
        found = [mean_precision(C, t, G) for C in rows]
        values += found
        limits += [(G / (1 + G)) ** 2] * len(rows)
        leaks.append(found[0] / limits[-1])
    numbers = {"least": min(leaks), "tried": len(values)}
    return Finding("holds", numbers, points_of(values, at_most=np.array(limits)))


def finding_out(tables) -> Finding:
    """L5: the largest leverage of a corner, by random designs and by the even one, which has p; and
    C_a, by pairs of means that add up to 1 at most."""
    rng, values, least, most = np.random.default_rng(69), [], [], []
    for d in range(1, 8):
        corners = np.array(list(product((-1, 1), repeat=d)))
        z = np.hstack((np.ones((len(corners), 1)), corners))
        even, some = np.full(len(z), 1 / len(z)), rng.dirichlet(np.full(len(z), 2.0), size=200)
        for design in (even, *some):
            gram = (z * design[:, None]).T @ z
            values.append((z @ np.linalg.inv(gram) * z).sum(axis=1).max())
            least.append(d + 1)
            most.append(d + 1 if design is even else math.inf)
    mean, best = np.sort(rng.uniform(0.001, 0.999, size=(2000, 2)), axis=1).T
    kept = (mean + best <= 1) & (best - mean > 0.02)  # nearer ones are lost in rounding
    mean, best = mean[kept], best[kept]
    odds, gap, grid = logit(mean), logit(best) - logit(mean), np.linspace(-1, 1, 400)
    moves = grid[np.abs(grid) > 0.01, None] * gap
    found = divergence(mean, expit(odds + moves)) / moves**2
    limit = divergence(mean, best) / gap**2
    require_proof((found <= limit * (1 + 1e-6)).all(), "L5.4, the largest divergence")
    require_proof((limit <= 1 / 8).all(), "L5.2, the divergence of two means")
    limits = {"at_least": np.array(least), "at_most": np.array(most)}
    return Finding("holds", {"tried": len(values), "pairs": len(mean)}, points_of(values, **limits))


def divergence(p, q):
    """That of two means of rewards 0 or 1."""
    return p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))


def mean_precision(C: np.ndarray, t: np.ndarray, growth: float) -> float:
    """sigma^2 P_k/t_k^2 on average over k, for a mean of 1 per round."""
    C = C / np.linalg.norm(C, axis=0)
    precision = np.cumsum((C @ (t * (1 - 1 / growth))) ** 2)
    return float((precision / t**2).mean())


def people(tables, dimension) -> Finding:
    """People until half of a random arm's regret is saved: leaky-linear's over dp-linear's, from
    some number of numbers a person on."""
    parts = "fl/people_few", "fl/people", "fl/people_many"
    rows = pd.concat(map(tables, parts), ignore_index=True)
    rows = rows[(rows["metric"] == "share") & (rows["d"] >= dimension)]
    keys, found = ["setting", "d", "epsilon"], []
    for key, part in rows.groupby(keys):
        own, other = (crossing(part[part["algorithm"] == name], HALF) for name in (OURS, OTHERS))
        if math.isfinite(own[0] + other[0]):
            found.append((*key, own[0] - other[0], math.hypot(own[1], other[1])))
    cells = pd.DataFrame(found, columns=[*keys, "log", "error"])
    if cells.empty:  # toy sizes
        return nothing("ratios")
    z, value = quantile(len(cells)) * cells["error"], np.exp(cells["log"])
    texts = [
        f"{setting} arms, d = {d}, ε = {epsilon:g}: "
        f"{Interval(*np.exp([log, log - NORMAL_95 * error, log + NORMAL_95 * error]))}"
        for setting, d, epsilon, log, error in found
    ]
    numbers = {"least": value.min(), "most": value.max(), "ratios": "; ".join(texts)}
    limits = {"low": value * np.exp(-z), "high": value * np.exp(z), "at_most": 1.0}
    return Finding(numbers=numbers | {"all level": LEVEL}, points=points_of(value, **limits))


def nothing(*texts: str) -> Finding:
    """Where a table has nothing to compare."""
    numbers = {"least": math.nan, "most": math.nan, "all": 0, "all level": LEVEL}
    return Finding("untestable", numbers | dict.fromkeys(texts, "none"), points_of([0.0]))


def beside(
    tables, table, own, others, least=0, most=math.inf, dimension=0, without=(), only=()
) -> Finding:
    """The regret of one learner over that of others at each size of these tables, of `least` to
    `most` people with at least so many numbers each. Beyond: it has over 5% more."""
    rows = pd.concat([tables(name) for name in table.split()], ignore_index=True)
    kind = next(name for name in ("setting", "problem", "kind") if name in rows)
    if "metric" in rows:
        rows = rows[rows["metric"] == "share"]
    if "t" in rows:
        rows = rows[rows["t"].between(least, most)]
    if "d" in rows:
        rows = rows[rows["d"] >= dimension]
    rows = rows[~rows[kind].isin(without) & (rows[kind].isin(only) | (not only))]
    keys = [name for name in (kind, "d", "epsilon", "t") if name in rows]
    pairs = {
        other.removeprefix("dense-"): ratios_over(
            rows[rows["algorithm"].isin((own, other))], other, keys
        )
        for other in others
    }
    found = pd.concat(pairs, names=["other"]).dropna(subset="mean").reset_index("other")
    if found.empty:  # toy sizes
        return nothing("where", "averages", *KINDS)
    where = (
        f"{row['other']} ({', '.join(f'{name} = {row[name]}' for name in keys)}): {row['mean']:.2f}"
        for row in found[found["low"] > LEVEL_WITHIN].to_dict("records")
    )
    averages = np.exp(np.log(found["mean"]).groupby(found["other"]).mean())
    numbers = {"where": "; ".join(where) or "nowhere"}
    numbers |= {"least": found["mean"].min(), "most": found["mean"].max()}
    numbers["averages"] = ", ".join(f"{name} {value:.3g}" for name, value in averages.items())
    ratios = (found[name] for name in ("mean", "low", "high"))
    return beside_limit(*ratios, numbers, against="ahead", at_most=LEVEL_WITHIN)
