"""Attacks on Theorem 1 and Proposition 1: three arms, one of which gains or loses a record."""

from functools import partial

import numpy as np

from dpbandits.core.attack import scale, share, whole
from dpbandits.core.divergences import delta_at, log_normalise, pure_epsilon
from dpbandits.offline import theory
from dpbandits.offline.pessimistic_mab import bandit_scores
from dpbandits.reproduction.kl import corollaries
from dpbandits.reproduction.kl.attacks.attack import (
    Attack,
    both_sizes,
    promised_ratio,
    ratio_of_deltas,
)

MOST = 1e5


def decode(x):
    """Instances of rows. `counts` and `sums` include the record of arm 0 that changes, `fewer`
    does not; where `removal`, D is the data set with it, else the one without it."""
    counts = whole(x[:, :3], 1, MOST)
    means = share(x[:, 3:6])
    reward = share(x[:, 6])
    sums = means * counts
    sums[:, 0] = means[:, 0] * (counts[:, 0] - 1) + reward
    reference = np.column_stack([np.zeros(len(x)), np.log(scale(x[:, 7:9], 1e-6, 1e6))])
    one = np.array([1.0, 0.0, 0.0])
    return {
        "counts": counts,
        "sums": sums,
        "reward": reward,
        "fewer": (counts - one, sums - reward[:, None] * one),
        "log_reference": log_normalise(reference),
        "eta": scale(x[:, 9], 1e-2, 10.0),
        "beta0": scale(x[:, 10], 1e-3, 1e3),
        "removal": x[:, 11] > 0,
        "more": scale(x[:, 12], 1.0, 1e4),  # eps over the least that the theorem allows
    }


def _policy(data, counts, sums):
    scores = bandit_scores(counts, sums, data["beta0"][:, None])
    return log_normalise(data["log_reference"] + scores / data["eta"][:, None])


def _pair(data):
    """The policies with the record of arm 0 and without it."""
    return _policy(data, data["counts"], data["sums"]), _policy(data, *data["fewer"])


def _counts(data):
    """Counts of D."""
    return np.where(data["removal"][:, None], data["counts"], data["fewer"][0])


def _pure(x, theorem=theory.corrected_theorem1_pure):
    data = decode(x)
    least = _counts(data).min(axis=1)
    bound = theorem(least, data["eta"], data["beta0"]).epsilon
    return np.where(least > 1, pure_epsilon(*_pair(data)) / bound, 0.0)


def _approx(x, most_delta=1.0):
    data = decode(x)
    counts, eta, beta0 = _counts(data), data["eta"], data["beta0"]
    most, m = counts.max(axis=1), counts.argmax(axis=1)
    log_reference = data["log_reference"]
    ratio = np.exp(log_reference.max(axis=1) - log_reference[np.arange(len(x)), m])
    epsilon = theory.bandit_step(most, eta, beta0) * data["more"]
    bound = theory.corrected_theorem1_approx(most, eta, beta0, epsilon, 1.0, ratio)
    exact = delta_at(*_pair(data), epsilon[:, None])
    return np.where(most > 1, ratio_of_deltas(exact, bound.delta, most_delta), 0.0)


def _instance(row):
    data = {key: value[0] for key, value in decode(row[None]).items() if key != "fewer"}
    counts, means = data["counts"], data["sums"] / data["counts"]
    return {
        "counts": counts.astype(int).tolist(),
        "means": np.round(means, 4).tolist(),
        "pi0": np.exp(data["log_reference"]).tolist(),
        "change": "remove one record of arm 0" if data["removal"] else "add it",
        "reward": float(data["reward"]),
        "eta": float(data["eta"]),
        "beta0": float(data["beta0"]),
        "more": float(data["more"]),
    }


# --- as printed ----------------------------------------------------------------------------------
def _printed_pure(x):
    return _pure(x, theory.theorem1_pure)


def _printed_approx(x, corollary=False):
    """Uniform reference policy; the last variable gives N0 <= max N."""
    data = decode(x)
    data["log_reference"] = np.full((len(x), 3), -np.log(3))
    most, eta, beta0 = _counts(data).max(axis=1), data["eta"], data["beta0"]
    share_of_most = scale(x[:, 13], 1e-5, 1.0)
    if corollary:
        bound = corollaries.corollary1(3, most, eta, beta0, 1 / share_of_most)
    else:
        bound = theory.theorem1_approx(3, most, eta, beta0, most * share_of_most)
    return promised_ratio(delta_at(*_pair(data), bound.epsilon[:, None]), bound.delta)


def _printed_instance(row):
    return _instance(row) | {"further variables": np.round(row[13:], 6).tolist()}


def _swap(x):
    """The record of arm 0 is replaced by one of arm 0 or 1: its loss over twice the larger loss of
    the two steps, a removal and an addition."""
    data = decode(x)
    with_first, without = _pair(data)
    new = np.where(x[:, 13:14] > 0, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    counts, sums = data["fewer"]
    with_second = _policy(data, counts + new, sums + share(x[:, 14:15]) * new)
    steps = pure_epsilon(with_first, without), pure_epsilon(without, with_second)
    return pure_epsilon(with_first, with_second) / (2 * np.maximum(*steps))


CORRECTED = (
    Attack("T1 pure", 13, _pure, _instance),
    *both_sizes("T1 approx", 13, _approx, _instance),
)
PRINTED = (
    Attack("KL-T1-pure", 13, _printed_pure, _printed_instance),
    Attack("KL-T1-approx", 14, _printed_approx, _printed_instance),
    Attack("KL-C1", 14, partial(_printed_approx, corollary=True), _printed_instance),
    Attack("KL-P1a", 15, _swap, _printed_instance),
)
