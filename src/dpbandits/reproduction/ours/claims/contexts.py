"""Checks of what we say of learners with contexts: `leaky-linear`, `dp-linear` and `dp-signs`."""

import math
from itertools import product

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from scipy.stats import binom

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
from dpbandits.stochastic.divergences import d_eps

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
    """L5: what an arm's plays tell of the corner of which they tell least, shared among the corners
    at random or evenly; and its simpler bounds, for pairs of means and d up to 60."""
    rng, values, least, most = np.random.default_rng(69), [], [], []
    for d, (worse, best, linear) in product(range(1, 8), ((0.2, 0.7, False), (0.6, 0.9, True))):
        corners = np.array(list(product((-1, 1), repeat=d)))
        products = (corners @ corners.T + 1) / (d + 1)  # of two corners, over that of one by itself
        told = divergence(worse, between(worse, best, products, linear))
        means = between(worse, best, turns(d), linear)
        allowed = binom.pmf(np.arange(d + 1), d, 0.5) @ divergence(worse, means)
        even, some = np.full(2**d, 0.5**d), rng.dirichlet(np.full(2**d, 2.0), size=100)
        for share in (even, *some):
            values.append((told @ share).min())
            least.append(allowed if share is even else 0)
            most.append(allowed)
    pairs = np.sort(rng.uniform(0.001, 0.999, size=(2000, 2)), axis=1)
    worse, best = pairs[pairs[:, 1] - pairs[:, 0] > 0.02].T  # nearer ones are lost in rounding
    odds, whole = logit(best) - logit(worse), divergence(worse, best)
    simple = np.minimum(odds**2 / 8, np.where(worse + best <= 1, whole, math.inf))
    for d, linear in product((1, 2, 3, 5, 20, 60), (True, False)):
        law, kept = binom.pmf(np.arange(d + 1), d, 0.5), worse >= (0.5 if linear else 0)
        means = between(worse[kept, None], best[kept, None], turns(d), linear)
        told_mean = divergence(worse[kept, None], means) @ law * (d + 1)
        limit = (whole if linear else simple)[kept] * (1 + 1e-9)
        require_proof((told_mean <= limit).all(), "L5.4, simpler bounds")
    own = [d_eps(*pair, gap * (1 + 1e-9)) for *pair, gap in zip(worse, best, odds, strict=True)]
    require_proof(np.allclose(own, whole, rtol=1e-9, atol=0), "L5, d_eps is kl")
    numbers = {"tried": len(values), "pairs": len(worse)}
    points = points_of(values, at_least=np.array(least), at_most=np.array(most))
    return Finding("holds", numbers, points)


def turns(d: int) -> np.ndarray:
    """The product of two corners that differ in 0 to d signs, over that of one by itself."""
    return 1 - 2 * np.arange(d + 1) / (d + 1)


def between(worse, best, part, linear: bool):
    """The mean that is `part` of the way from the worse to the best, in means or in log-odds."""
    if linear:
        return worse + part * (best - worse)
    return expit(logit(worse) + part * (logit(best) - logit(worse)))


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
