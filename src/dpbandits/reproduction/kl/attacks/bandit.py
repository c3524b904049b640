"""Attacks on Theorem 1 and Proposition 1: three arms, one of which gains or loses a record."""

from functools import partial

import numpy as np

from dpbandits.core.divergences import delta_at, log_normalise, pure_epsilon
from dpbandits.core.maximise import scale, share
from dpbandits.offline.problem import bandit_scores
from dpbandits.reproduction.kl import corollaries
from dpbandits.reproduction.kl import theory as claimed
from dpbandits.reproduction.kl.attacks.attack import (
    Attack,
    both_sizes,
    promised_ratio,
    ratio_of_deltas,
    whole,
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


def _compared(x, **changed):
    """An instance with some parts changed, the policies with the record of arm 0 and without it,
    and the counts of D."""
    data = decode(x) | changed
    pair = _policy(data, data["counts"], data["sums"]), _policy(data, *data["fewer"])
    return data, pair, np.where(data["removal"][:, None], data["counts"], data["fewer"][0])


def _pure(x, theorem=corollaries.corrected_theorem1_pure):
    data, pair, counts = _compared(x)
    least = counts.min(axis=1)
    bound = theorem(least, data["eta"], data["beta0"]).epsilon
    return np.where(least > 1, pure_epsilon(*pair) / bound, 0.0)


def _approx(x, most_delta=1.0):
    data, pair, counts = _compared(x)
    eta, beta0 = data["eta"], data["beta0"]
    most, m = counts.max(axis=1), counts.argmax(axis=1)
    log_reference = data["log_reference"]
    ratio = np.exp(log_reference.max(axis=1) - log_reference[np.arange(len(x)), m])
    epsilon = corollaries.bandit_step(most, eta, beta0) * data["more"]
    bound = corollaries.corrected_theorem1_approx(most, eta, beta0, epsilon, 1.0, ratio)
    exact = delta_at(*pair, epsilon[:, None])
    return np.where(most > 1, ratio_of_deltas(exact, bound.delta, most_delta), 0.0)


def _instance(row):
    data = {key: value[0] for key, value in decode(row[None]).items() if key != "fewer"}
    return {
        "counts": data["counts"].astype(int).tolist(),
        "means": np.round(data["sums"] / data["counts"], 4).tolist(),
        "pi0": np.exp(data["log_reference"]).tolist(),
        "change": "remove one record of arm 0" if data["removal"] else "add it",
    } | {key: float(data[key]) for key in ("reward", "eta", "beta0", "more")}


# --- as printed ----------------------------------------------------------------------------------
def _printed_approx(x, corollary=False):
    """Uniform reference policy; the last variable gives N0 <= max N."""
    data, pair, counts = _compared(x, log_reference=np.full((len(x), 3), -np.log(3)))
    known, part = (3, counts.max(axis=1), data["eta"], data["beta0"]), scale(x[:, 13], 1e-5, 1.0)
    if corollary:
        bound = corollaries.corollary1(*known, 1 / part)
    else:
        bound = claimed.theorem1_approx(*known, known[1] * part)
    return promised_ratio(delta_at(*pair, bound.epsilon[:, None]), bound.delta)


def _printed_instance(row):
    return _instance(row) | {"further variables": np.round(row[13:], 6).tolist()}


def _swap(x):
    """The record of arm 0 is replaced by one of arm 0 or 1: its loss over twice the larger loss of
    the two steps, a removal and an addition."""
    data, (with_first, without), _ = _compared(x)
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
    Attack("KL-T1-pure", 13, partial(_pure, theorem=claimed.theorem1_pure), _printed_instance),
    Attack("KL-T1-approx", 14, _printed_approx, _printed_instance),
    Attack("KL-C1", 14, partial(_printed_approx, corollary=True), _printed_instance),
    Attack("KL-P1a", 15, _swap, _printed_instance),
)
