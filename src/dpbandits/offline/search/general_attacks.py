"""Attacks on the repaired Lemma 1 and Section 4.4: finite distributions, no bandit in them."""

import numpy as np
from scipy.special import gammaln

from dpbandits.core.attack import scale, share
from dpbandits.core.divergences import delta_at, log_normalise, log_ratio, mass_above
from dpbandits.offline import repaired
from dpbandits.offline.search.attack import Attack, both_sizes, ratio_of_deltas
from dpbandits.offline.theory import Bound

ACTIONS = 4


def _lemma1(x, most_delta=1.0):
    """Two actions in I, whose scores move by at most a spread; two that do what they like."""
    before = log_normalise(6 * x[:, :ACTIONS])
    moves = 6 * x[:, ACTIONS : 2 * ACTIONS]
    spread = np.abs(x[:, 2 * ACTIONS])
    moves[:, 1] = moves[:, 0] + spread * np.sign(moves[:, 1])
    after = log_normalise(before + moves)
    rest = [np.exp(p[:, 2:]).sum(axis=1) for p in (before, after)]
    bound = repaired.lemma1(spread, *rest)
    return ratio_of_deltas(delta_at(before, after, bound.epsilon[:, None]), bound.delta, most_delta)


def _lemma1_instance(row):
    return {"before, change, spread": np.round(row, 4).tolist()}


def _draws_decode(x):
    base, spread = 3 * x[:, 0], scale(x[:, 1], 1e-3, 5.0)
    return base, base + spread, spread, np.rint(scale(x[:, 2], 1, 32)), scale(x[:, 3], 1e-30, 0.5)


def _draws(x):
    """Exact eps of T draws of two coins at delta', by bisection, over the bound's eps."""
    base, other, spread, times, slack = _draws_decode(x)
    k = np.arange(33.0)
    heads, tails = k * -np.ones((len(x), 1)), np.maximum(times[:, None] - k, 0.0)
    choose = gammaln(times + 1)[:, None] - gammaln(k + 1) - gammaln(tails + 1)

    def law(logit):
        log_p, log_q = -np.logaddexp(0, -logit), -np.logaddexp(0, logit)
        values = choose - heads * log_p[:, None] + tails * log_q[:, None]
        return np.where(k <= times[:, None], values, -np.inf)

    one, two = law(base), law(other)
    p, q, ratio = np.exp(one), np.exp(two), log_ratio(one, two)
    low, high = np.zeros(len(x)), spread * times
    for _ in range(20):
        middle = (low + high) / 2
        exceeds = mass_above(p, ratio, middle[:, None]) > slack
        exceeds |= mass_above(q, -ratio, middle[:, None]) > slack
        low, high = np.where(exceeds, middle, low), np.where(exceeds, high, middle)
    return low / repaired.draws(spread, times, slack).epsilon


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
        share_of = np.minimum(1.0, error / np.maximum(reach, 1e-300))[:, None]
        rough.append(log_pi + np.log1p(share_of * np.expm1(tilt - log_pi)))  # a mixture
    return exact, error, rough


def _inexact(x, most_delta=1.0):
    exact, _, rough = _inexact_decode(x)
    reach = np.maximum(*(np.abs(r - e).max(axis=1) for r, e in zip(rough, exact, strict=True)))
    epsilon = np.abs(x[:, 13])
    delta = delta_at(*exact, epsilon[:, None])
    bound = repaired.inexact(Bound(epsilon, delta), reach)
    return ratio_of_deltas(delta_at(*rough, bound.epsilon[:, None]), bound.delta, most_delta)


def _inexact_instance(row):
    exact, _, rough = _inexact_decode(row[None])
    plain = [np.round(np.exp(p[0]), 6).tolist() for p in (*exact, *rough)]
    return {"exact at D, D', rough at D, D'": plain, "eps": abs(float(row[13]))}


ATTACKS = (
    *both_sizes("L1 partition", 2 * ACTIONS + 1, _lemma1, _lemma1_instance),
    Attack("T draws", 4, _draws, _draws_instance),
    *both_sizes("inexact", 14, _inexact, _inexact_instance),
)
