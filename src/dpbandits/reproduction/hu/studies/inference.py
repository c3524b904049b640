"""Intervals and the best arm from releases: how few plays are needed at least, and how often what
is said is wrong when the rule that plays does its worst."""

import math

import numpy as np
import pandas as pd
from scipy.stats import norm

from dpbandits.core.models import Count, Model
from dpbandits.inference.evidence import KEPT, mixture
from dpbandits.reproduction.hu.sample_complexity import fewest_plays
from dpbandits.reproduction.series import Positives, Share
from dpbandits.reproduction.statistics import bands
from dpbandits.reproduction.studies import study
from dpbandits.stochastic.problem import Mean


class Bound(Model):
    settings: dict[str, tuple[Mean, ...]]
    epsilon: Positives
    error: Share


@study("hu/stopping_bound", params=Bound)
def stopping_bound(params: Bound) -> pd.DataFrame:
    """The plays that no private rule can do without, on average."""
    return pd.DataFrame([
        {"setting": name, "epsilon": epsilon, "plays": fewest_plays(means, epsilon, params.error)}
        for name, means in params.settings.items() for epsilon in params.epsilon
    ])  # fmt: skip


class Coverage(Model):
    means: tuple[Mean, ...]
    rewards: tuple[str, ...]
    epsilon: Positives
    confidence: Share
    releases: Count
    runs: Count


@study("hu/coverage", params=Coverage)
def coverage(params: Coverage) -> pd.DataFrame:
    """The share of runs in which a statement is ever wrong, for each rule that plays: `intervals`
    of some arm, `difference` of some pair and `best` (all at least as often as in the library,
    where evidence is an infimum that is taken at the truth here), and `usual`, the noisy mean of
    some arm +- its standard deviation times the quantile for K arms."""
    cells = [(r, x, e) for r in RULES for x in params.rewards for e in params.epsilon]
    rows = []
    for number, (rule, rewards, epsilon) in enumerate(cells):
        rng = np.random.default_rng([7, number])
        wrong = misses(rule, rewards, epsilon, params, rng)
        for what, found in wrong.items():
            share, n = found.mean(), params.runs
            sem = math.sqrt(max(share * (1 - share), 1 / n) / n)
            rows.append({"rule": rule, "rewards": rewards, "epsilon": epsilon, "statement": what,
                         "runs": n, "mean": share, "sem": sem})  # fmt: skip
    table = pd.DataFrame(rows)
    table["low"], table["high"] = bands(table["mean"], table["sem"], table["runs"], 0)
    return table


class Runs:
    """Many runs at once: of each run and arm the sum S, rewards N, releases m, last mean."""

    def __init__(self, means, epsilon, runs):
        self.mu, self.epsilon, self.runs = np.array(means), epsilon, runs
        self.first = math.ceil(8 / epsilon)
        self.S, self.N, self.m, self.last = np.zeros((4, runs, len(means)))
        self.up, self.down = np.zeros((2, runs, len(means)))  # ln of both mixtures at the truth

    def release(self, arm, size, rewards, rng):
        """A batch of each run: its arm, its length, the law of its rewards."""
        at, mu = (np.arange(self.runs), arm), self.mu[arm]
        if rewards == "0, 1/2, 1":
            half = rng.binomial(size, 2 * np.minimum(mu, 1 - mu))
            total = half / 2 + np.where(mu <= 0.5, 0, size - half)
        elif rewards == "constant":
            total = size * mu
        else:
            total = rng.binomial(size, mu)
        total = total + rng.laplace(scale=1 / self.epsilon, size=self.runs)
        self.S[at] += total
        self.N[at] += size
        self.m[at] += 1
        self.last[at] = total / size
        S, N, m = self.S[at], self.N[at], self.m[at]
        self.up[at] = log_evidence(S, N, m, mu, self.epsilon)
        self.down[at] = log_evidence(N - S, N, m, 1 - mu, self.epsilon)


def log_evidence(S, N, m, p, epsilon):
    """inference.evidence.log_mixture, with one set of t for all runs."""
    t, weight = mixture(epsilon, N.max())
    terms = t * S[:, None] - N[:, None] * np.log1p(p[:, None] * np.expm1(t))
    terms += m[:, None] * np.log1p(-((t / epsilon) ** 2)) + weight
    top = terms.max(axis=1)
    return top + np.log(np.exp(terms - top[:, None]).sum(axis=1))


def grown(runs, arm, share):
    n = runs.N[np.arange(runs.runs), arm]
    return np.maximum(runs.first, np.ceil(share * n)).astype(int)


def in_turn(runs, step, rng):
    arm = np.full(runs.runs, step % len(runs.mu))
    return arm, grown(runs, arm, 0.5)


def leader(runs, step, rng):
    """Greedy: always the largest noisy mean, so that an arm with a bad start is left alone."""
    arm = (runs.S / runs.N).argmax(axis=1)
    return arm, grown(runs, arm, 0.5)


def single(runs, step, rng):
    """Batches of one reward, as private as can be: noise alone."""
    arm = np.full(runs.runs, step % len(runs.mu))
    return arm, np.ones(runs.runs, int)


def lucky(runs, step, rng):
    """After a release above its arm's mean a short batch of the same arm, else a long one."""
    arm = (runs.last - runs.mu).argmax(axis=1)
    good = runs.last.max(axis=1) > runs.mu.max()
    return arm, np.where(good, runs.first, grown(runs, arm, 1.0))


def furthest(runs, step, rng):
    """It knows the means: the arm whose evidence against the truth is largest, by short batches."""
    arm = np.maximum(runs.up, runs.down).argmax(axis=1)
    return arm, grown(runs, arm, 0.1)


def wrong_arm(runs, step, rng):
    """It knows the means: plays until a worse arm seems better than the best."""
    best = runs.mu.argmax()
    worse = np.where(np.arange(len(runs.mu)) == best, -np.inf, runs.up).argmax(axis=1)
    arm = np.where(runs.down[:, best] < runs.up[np.arange(runs.runs), worse], best, worse)
    return arm, grown(runs, arm, 0.2)


RULES = {f.__name__: f for f in (in_turn, leader, single, lucky, furthest, wrong_arm)}


def misses(rule, rewards, epsilon, params, rng) -> dict[str, np.ndarray]:
    """What is ever wrong, in each run."""
    runs, K, alpha = (
        Runs(params.means, epsilon, params.runs),
        len(params.means),
        1 - params.confidence,
    )
    quantile = norm.ppf(1 - alpha / (2 * K))
    names = ("intervals", "difference", "best", "usual")
    wrong = {name: np.zeros(params.runs, bool) for name in names}
    best = int(np.argmax(params.means))
    others = [a for a in range(K) if params.means[a] < params.means[best]]
    for step in range(params.releases):
        if step < K:
            arm, size = np.full(params.runs, step), np.full(params.runs, runs.first)
        else:
            arm, size = RULES[rule](runs, step, rng)
        runs.release(arm, size, rewards, rng)
        both = np.logaddexp(runs.up, runs.down) - math.log(2)
        wrong["intervals"] |= (both >= math.log(K / alpha)).any(axis=1)
        up, down = (
            np.logaddexp(math.log(KEPT), math.log1p(-KEPT) + x) for x in (runs.up, runs.down)
        )
        pairs = [up[:, a] + down[:, b] for a in range(K) for b in range(K) if a != b]
        wrong["difference"] |= np.max(pairs, axis=0) >= math.log(K * (K - 1) / alpha)
        claims = np.max([up[:, a] + down[:, best] for a in others], axis=0)
        wrong["best"] |= claims >= math.log((K - 1) / alpha)
        wrong["usual"] |= usual_misses(runs, quantile).any(axis=1)
    return wrong


def usual_misses(runs, quantile):
    n = np.maximum(runs.N, 1)
    mean = np.clip(runs.S / n, 0.5 / n, 1 - 0.5 / n)
    error = np.sqrt(mean * (1 - mean) / n + 2 * runs.m / (runs.epsilon * n) ** 2)
    return (runs.m > 0) & (np.abs(runs.S / n - runs.mu) > quantile * error)
