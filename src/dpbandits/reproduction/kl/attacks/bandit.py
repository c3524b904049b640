"""Attacks on the repaired Theorem 1: three arms, one of which gains or loses a record."""

import numpy as np

from dpbandits.core.attack import scale, share, whole
from dpbandits.core.divergences import delta_at, log_normalise, pure_epsilon
from dpbandits.offline import theory
from dpbandits.offline.pessimistic_mab import bandit_scores
from dpbandits.reproduction.kl.attacks.search import Attack, both_sizes, ratio_of_deltas

MOST = 1e5


def _decode(x):
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


def _pair(data):
    """The policies with the record of arm 0 and without it."""

    def log_pi(counts, sums):
        scores = bandit_scores(counts, sums, data["beta0"][:, None])
        return log_normalise(data["log_reference"] + scores / data["eta"][:, None])

    return log_pi(data["counts"], data["sums"]), log_pi(*data["fewer"])


def _counts(data):
    """Counts of D."""
    return np.where(data["removal"][:, None], data["counts"], data["fewer"][0])


def _pure(x):
    data = _decode(x)
    least = _counts(data).min(axis=1)
    bound = theory.corrected_theorem1_pure(least, data["eta"], data["beta0"]).epsilon
    return np.where(least > 1, pure_epsilon(*_pair(data)) / bound, 0.0)


def _approx(x, most_delta=1.0):
    data = _decode(x)
    counts, eta, beta0 = _counts(data), data["eta"], data["beta0"]
    most, m = counts.max(axis=1), counts.argmax(axis=1)
    log_reference = data["log_reference"]
    ratio = np.exp(log_reference.max(axis=1) - log_reference[np.arange(len(x)), m])
    epsilon = theory.bandit_step(most, eta, beta0) * data["more"]
    bound = theory.corrected_theorem1_approx(most, eta, beta0, epsilon, 1.0, ratio)
    exact = delta_at(*_pair(data), epsilon[:, None])
    return np.where(most > 1, ratio_of_deltas(exact, bound.delta, most_delta), 0.0)


def _instance(row):
    data = {key: value[0] for key, value in _decode(row[None]).items() if key != "fewer"}
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


ATTACKS = (
    Attack("T1 pure", 13, _pure, _instance),
    *both_sizes("T1 approx", 13, _approx, _instance),
)
