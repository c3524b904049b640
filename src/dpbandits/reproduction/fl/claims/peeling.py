"""FL's lemmas on peeling: D.1 and D.2 in exact arithmetic, its privacy A.2 certified."""

import itertools
import math
from fractions import Fraction

import numpy as np

from dpbandits.audit.computed.balls import as_delta, lower
from dpbandits.reproduction.fl.studies.lemma_a2 import lemma
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.proofs import require_proof

PEELING = ((6, 0.01), (10, 0.01), (20, 0.01), (10, 1e-6))
VERDICTS = ("proved", "violated", "open")
EPSILONS = (1, 2, 5, 8, 10, 12, 15, 20, 30, 50, 75, 100, 150, 200, 500)


def selected(size: list, sparsity: int, noise: list) -> list[int]:
    """Peeling's choices for given |v| and rows of noise; ties go to the lowest index.
    As `fliphat.peeling`, but for any type of number."""
    left = list(range(len(size)))
    chosen = []
    for i in range(sparsity):
        best = max(left, key=lambda j: (size[j] + noise[i][j], -j))
        left.remove(best)
        chosen.append(best)
    return chosen


def basic_peeling_sides(v, size, v_hat, s_hat, sparsity, noise, *, c):
    """Left and right side of Lemma D.1 (8), |I| = `size`, which must not equal s_hat."""
    kept = set(selected([abs(x) for x in v], sparsity, noise))
    left = sum(v[j] ** 2 for j in range(len(v)) if j not in kept)
    worst = sum(max(abs(w) for w in row) ** 2 for row in noise)
    distance = sum((a - b) ** 2 for a, b in zip(v, v_hat, strict=True))
    factor = Fraction(size - sparsity, size - s_hat)
    return left, (1 + 1 / c) * factor * distance + 4 * (1 + c) * worst


def peeling_ratio(seed: int, moves: int) -> float:
    """Hill climbing on left over right side of Theorem D1 from a random instance, |I| >= s."""
    rng = np.random.default_rng([13, seed])
    size = int(rng.integers(2, 7))
    s = int(rng.integers(1, size + 1))
    s_hat = int(rng.integers(0, min(s, size - 1) + 1))

    def ratio(x):
        v = np.append(x[:size], [0.0, 0.0])
        v_hat = v.copy()
        v_hat[np.argsort(-np.abs(v))[s_hat:]] = 0.0  # the nearest
        noise, c = x[size:-1].reshape(s, -1), float(np.exp(x[-1]))
        left, right = basic_peeling_sides(v, size, v_hat, s_hat, s, noise, c=c)
        return left / right if right > 0 else 0.0

    x = rng.standard_normal(size + s * (size + 2) + 1)
    x[size:-1] *= 0.3
    best = ratio(x)
    for _ in range(moves):
        y = x + rng.standard_normal(len(x)) * rng.choice([0.03, 0.3, 2.0], len(x))
        y[size:-1] = x[size:-1] * rng.choice([0.0, 0.5, 1.0, 1.1], len(x) - size - 1)
        moved = ratio(y)
        if moved > best:
            x, best = y, moved
    return float(best)


def basic_peeling(tables) -> Finding:
    """The counterexample beside random instances with |I| at least s, all in exact arithmetic."""
    v, v_hat = _quarters([4, 4, 0]), _quarters([4, 0, 0])
    noise = [_quarters([0, 0, 0])] * 3
    counterexample = basic_peeling_sides(v, 2, v_hat, 1, 3, noise, c=Fraction(1))
    rng, sides = np.random.default_rng(11), []
    for _ in range(150):
        size = int(rng.integers(2, 7))
        s = int(rng.integers(1, size + 1))
        s_hat = int(rng.integers(0, min(s, size - 1) + 1))
        v = _quarters([*rng.integers(-8, 9, size), 0, 0, 0])
        v_hat = [x if j < s_hat else Fraction(0) for j, x in enumerate(v)]
        noise = [_quarters(row) for row in rng.integers(-2, 3, (s, len(v)))]
        c = Fraction(int(rng.integers(1, 9)), 4)
        sides.append((size - s, *basic_peeling_sides(v, size, v_hat, s_hat, s, noise, c=c)))
    climbs = [peeling_ratio(seed, 60) for seed in range(40)]
    numbers = {"climbs": len(climbs), "reached": max(climbs)}
    return _differences("|I| - s", counterexample, sides, numbers)


def _quarters(numerators) -> list[Fraction]:
    return [Fraction(int(x), 4) for x in numerators]


def _differences(x: str, counterexample: tuple, sides: list[tuple], numbers: dict) -> Finding:
    """Left minus right side of an inequality, which must not be positive; repaired: for x >= 0."""
    left, right = counterexample
    places, lefts, rights = zip(*sides, (-1, left, right), strict=True)
    gaps = [float(a - b) for a, b in zip(lefts, rights, strict=True)]
    repaired = [0 if place >= 0 else math.nan for place in places]
    named = {"what": "left minus right side", "x": x, "at": places}
    numbers |= {"at 0": left, "bound at 0": right, "gap at 0": left - right}
    return Finding(numbers=numbers, points=points_of(gaps, at_most=0, repaired=repaired, **named))


def contraction_sides(theta, target, sparsity, noise, release, constants):
    """Left and right side of Lemma D.2; `release` is the noise added to the kept values."""
    c1, c2, c = constants
    kept = selected([abs(x) for x in theta], sparsity, noise)
    output = [Fraction(0)] * len(theta) if isinstance(theta[0], Fraction) else [0.0] * len(theta)
    for j in kept:
        output[j] = theta[j] + release[j]
    left = sum((a - b) ** 2 for a, b in zip(output, target, strict=True))
    true_sparsity = sum(1 for x in target if x != 0)
    share = (1 + 1 / c2) * (1 + 1 / c) * true_sparsity / sparsity
    a = (1 + 1 / c1) * (share + 1 + c2)
    worst = sum(max(abs(w) for w in row) ** 2 for row in noise)
    added = sum(release[j] ** 2 for j in kept)
    b = (1 + c1) * added + 4 * (1 + 1 / c1) * (1 + 1 / c2) * (1 + c) * worst
    return left, a * sum((x - y) ** 2 for x, y in zip(theta, target, strict=True)) + b


def almost_contraction(tables) -> dict[str, Finding]:
    """The counterexample beside random instances with s at least s*, all in exact arithmetic."""
    theta, zeros = _quarters([4, 4, 0]), _quarters([0, 0, 0])
    counterexample = contraction_sides(theta, theta, 1, [zeros], zeros, _quarters([4, 4, 4]))
    rng, sides = np.random.default_rng(12), []
    for _ in range(150):
        true = int(rng.integers(1, 4))
        s = int(rng.integers(true, 6))
        target = [Fraction(int(rng.choice([-1, 1]))) if j < true else Fraction(0) for j in range(9)]
        theta = [Fraction(int(rng.integers(-4, 5)), 4) * (j < s + true) for j in range(9)]
        noise = [_quarters(row) for row in rng.integers(-2, 3, (s, 9))]
        release, c = _quarters(rng.integers(-4, 5, 9)), _quarters(rng.integers(1, 9, 3))
        sides.append((s - true, *contraction_sides(theta, target, s, noise, release, c)))
    printed = _differences("s - s*", counterexample, sides, {})
    allowed = printed.points[printed.points["at"].astype(float) >= 0]
    return {"printed": printed, "s-at-least-s*": Finding("holds", points=allowed)}


def peeling_range(scan: list[tuple]) -> tuple[float, float]:
    """The last eps of the grid up to which Lemma A.2 is proved, the first one that refutes it."""
    verdicts = {e: verdict for e, (verdict, _, _) in zip(EPSILONS, scan, strict=True)}
    proved = itertools.takewhile(lambda e: verdicts[e] == "proved", EPSILONS)
    refuted = (e for e in EPSILONS if verdicts[e] == "violated")
    return max(proved, default=0.0), next(refuted, math.inf)


def _peeling_values(scan: list[tuple], sparsity: int, delta: float):
    """Certified bounds on the true delta in units of the promised one, from 1e-6 of it on.
    An upper bound refutes nothing: it stands against the promise only where it proves it."""
    low = np.maximum([lower(low) / delta for _, low, _ in scan], 1e-6)
    high = np.maximum([as_delta(high) / delta for _, _, high in scan], 1e-6)
    proved = np.where(high <= 1, 1, np.nan)
    named = {"what": "true δ at ε / promised δ (from 1e-6); at least: refuted above 1"}
    named |= {"series": f"s = {sparsity}, δ = {delta:g}", "x": "ε", "at": EPSILONS}
    refuted = points_of(low, at_most=1, **named)
    return refuted, points_of(high, at_most=proved, repaired=proved)


def peeling_is_private(tables) -> Finding:
    grid = tables("lemma_a2")
    counts = grid["verdict"].value_counts()
    pure = grid["s"] <= 4 / 3 * np.log(1 / grid["delta"])
    sides = (grid["verdict"][pure] == "proved").all()
    require_proof(sides and (grid["verdict"] == "violated").any(), "the grid of Lemma A.2")
    s, d, epsilon, delta = 10, 400, 100.0, 0.01
    verdict, low, _ = lemma(s, d, epsilon, delta)
    require_proof(verdict == "violated", "the counterexample to Lemma A.2")
    ranges, found = [], []
    for sparsity, allowed in PEELING:
        scan = [lemma(sparsity, d, float(e), allowed) for e in EPSILONS]
        found += _peeling_values(scan, sparsity, allowed)
        proved, refuted = peeling_range(scan)
        ends = "never refuted" if math.isinf(refuted) else f"refuted from {refuted:g}"
        ranges.append(f"s = {sparsity}, δ = {allowed:g}: proved to {proved:g}, {ends}")
    least, worst = float(low.lower()), grid.loc[grid["delta_at_least"].idxmax()]
    numbers = {"ranges": "; ".join(ranges), "grid end": EPSILONS[-1], "cells": len(grid)}
    numbers |= {"eps": epsilon, "s": s, "d": d, "delta": delta, "least": least}
    most = math.floor(10 * worst["delta_at_least"] / worst["delta"]) / 10  # a lower bound
    numbers |= {"most": most, "most s": worst["s"], "most eps": worst["epsilon"]}
    numbers |= {"beyond": least - delta} | {v: int(counts.get(v, 0)) for v in VERDICTS}
    numbers["pure"] = math.sqrt(18 / (4 * math.log(100)))  # at s = 6, delta = 0.01
    return Finding("violated", numbers, found)
