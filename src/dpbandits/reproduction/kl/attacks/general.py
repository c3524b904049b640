"""Attacks on Lemma 1 and Section 4.4, which are about finite distributions."""

import numpy as np
from scipy.special import gammaln

from dpbandits.core.divergences import delta_at, log_normalise, log_ratio, mass_above
from dpbandits.core.maximise import scale, share
from dpbandits.offline.theory import Bound
from dpbandits.reproduction.kl import corollaries
from dpbandits.reproduction.kl.attacks.attack import Attack, both_sizes, ratio_of_deltas

SCORES = 4


def _lemma1(x, most_delta=1.0):
    """Two actions in I, whose scores move by at most a spread; two outside, which move freely."""
    before = log_normalise(6 * x[:, :SCORES])
    moves = 6 * x[:, SCORES : 2 * SCORES]
    spread = np.abs(x[:, 2 * SCORES])
    moves[:, 1] = moves[:, 0] + spread * np.sign(moves[:, 1])
    after = log_normalise(before + moves)
    rest = [np.exp(p[:, 2:]).sum(axis=1) for p in (before, after)]
    bound = corollaries.corrected_lemma1(spread, *rest)
    return ratio_of_deltas(delta_at(before, after, bound.epsilon[:, None]), bound.delta, most_delta)


def _lemma1_instance(row):
    return {"before, change, spread": np.round(row, 4).tolist()}


def _draws_decode(x):
    base, spread = 3 * x[:, 0], scale(x[:, 1], 1e-3, 5.0)
    return base, base + spread, spread, np.rint(scale(x[:, 2], 1, 32)), scale(x[:, 3], 1e-30, 0.5)


def _draws(x):
    """Exact eps of T draws of two Bernoulli laws at delta', by bisection, over the bound's eps."""
    base, other, spread, times, slack = _draws_decode(x)
    k = np.arange(33.0)
    tails = np.maximum(times[:, None] - k, 0.0)
    choose = gammaln(times + 1)[:, None] - gammaln(k + 1) - gammaln(tails + 1)

    def law(logit):
        """ln of the binomial law of the heads."""
        log_head, log_tail = -np.logaddexp(0, -logit), -np.logaddexp(0, logit)
        values = choose + k * log_head[:, None] + tails * log_tail[:, None]
        return np.where(k <= times[:, None], values, -np.inf)

    log_p, log_q = law(base), law(other)
    p, q, ratio = np.exp(log_p), np.exp(log_q), log_ratio(log_p, log_q)
    low, high = np.zeros(len(x)), spread * times
    for _ in range(20):
        middle = (low + high) / 2
        exceeds = mass_above(p, ratio, middle[:, None]) > slack
        exceeds |= mass_above(q, -ratio, middle[:, None]) > slack
        low, high = np.where(exceeds, middle, low), np.where(exceeds, high, middle)
    return low / corollaries.corrected_draws(spread, times, slack).epsilon


def _draws_instance(row):
    base, other, _, times, slack = (float(v[0]) for v in _draws_decode(row[None]))
    return {"logits": [round(base, 6), round(other, 6)], "T": int(times), "slack": slack}


def _inexact_decode(x):
    """Exact policies of three outcomes, and rough ones within e^(+-error) of each."""
    exact = [log_normalise(np.log(share(x[:, i : i + 3]) + 1e-12)) for i in (0, 3)]
    error = np.abs(x[:, 6])
    rough = []
    for i, log_pi in zip((7, 10), exact, strict=True):
        tilt = log_normalise(log_pi + 3 * x[:, i : i + 3])
        reach = np.abs(tilt - log_pi).max(axis=1)
        weight = np.minimum(1.0, error / np.maximum(reach, 1e-300))[:, None]
        rough.append(log_pi + np.log1p(weight * np.expm1(tilt - log_pi)))  # a mixture
    return exact, rough


def _inexact(x, most_delta=1.0):
    exact, rough = _inexact_decode(x)
    error = np.maximum(*(np.abs(r - e).max(axis=1) for r, e in zip(rough, exact, strict=True)))
    epsilon = np.abs(x[:, 13])
    delta = delta_at(*exact, epsilon[:, None])
    bound = corollaries.corrected_inexact(Bound(epsilon, delta), error)
    return ratio_of_deltas(delta_at(*rough, bound.epsilon[:, None]), bound.delta, most_delta)


def _inexact_instance(row):
    exact, rough = _inexact_decode(row[None])
    policies = [np.round(np.exp(p[0]), 6).tolist() for p in (*exact, *rough)]
    return {"exact at D, D', rough at D, D'": policies, "eps": abs(float(row[13]))}


CORRECTED = (
    *both_sizes("L1 partition", 2 * SCORES + 1, _lemma1, _lemma1_instance),
    Attack("T draws", 4, _draws, _draws_instance),
    *both_sizes("inexact", 14, _inexact, _inexact_instance),
)
