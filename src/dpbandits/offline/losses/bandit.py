"""The exact privacy loss of policy (8) at one data set, over all its neighbours.

Adding or removing a record changes the score of one arm only. So D and its neighbour give that arm
probabilities p and q and scale all others by (1 - q)/(1 - p): every divergence is that of Bernoulli
distributions. It grows as q moves away from p on either side, and q is monotone in the reward that
is added or removed; hence only the arm's smallest and largest reward (removal), and 0 and R
(addition), can be worst: at most four neighbours per arm, whatever n is, and exactly the supremum.
A swap between two arms changes two scores, and for each event the probability is monotone in each
of them, so again only these vertices matter. Without records on arms that pi0 allows, the policy
is pi0 itself.
"""

import numpy as np

from dpbandits.offline.neighbours import Worst
from dpbandits.offline.problem import BanditData, StoredBandit, bandit_scores, uniform_reference


def exact_loss(
    data: BanditData,
    eta: float,
    beta0: float,
    reward_max: float = 1.0,
    kinds=("remove", "add"),
    at_epsilon=(),
    *,
    log_reference=None,
) -> Worst:
    """Pure loss and delta(eps) of (8) at this data set over these kinds of neighbours."""
    worst = Worst(at_epsilon)
    for group in Candidates(data, eta, beta0, reward_max, log_reference).changes(kinds):
        exists, before, after, change = group
        rows = np.flatnonzero(np.broadcast_to(exists, before.shape[:-1]))

        def describe(i, change=change, rows=rows):
            return {key: _entry(value, rows[i]) for key, value in change.items()}

        worst.update(before[rows], after[rows], describe)
    return worst


def _entry(values, i: int):
    """Entry i of an array, or the one value for all i, as a Python object."""
    values = np.asarray(values)
    return (values[i] if values.ndim else values).item()


class Candidates:
    """Neighbours that can be worst: per arm one record of its smallest and one of its largest
    reward (one of 0 and one of R, if it is added). Last axis: 2K candidates, all smallest first;
    a leading axis, if any: data sets.
    """

    def __init__(self, data, eta, beta0, reward_max=1.0, log_reference=None):
        self.data, self.reward_max = data, reward_max
        self.eta, self.beta0 = np.asarray(eta)[..., None], np.asarray(beta0)[..., None]
        every = np.arange(np.shape(data.counts)[-1])
        if log_reference is None:
            log_reference = uniform_reference(len(every))
        self.log_reference = np.asarray(log_reference, float)
        self.log_weights = self._weights(every, data.counts, data.sums)
        self.log_rest = log_of_rest(self.log_weights)
        self.pi0 = np.stack([self.log_reference, log_of_rest(self.log_reference)], axis=-1)
        self.arms = np.tile(every, 2)
        self.counts, self.sums = data.counts[..., self.arms], data.sums[..., self.arms]

    def _weights(self, arms, counts, sums):
        return self.log_reference[arms] + bandit_scores(counts, sums, self.beta0) / self.eta

    def changes(self, kinds):
        """(does such a record exist?, policies before, after, what is changed) of neighbours.

        Policies of groups of arms: those whose scores change, each, and all others together.
        """
        if "remove" in kinds:
            exists, rewards, weights = self._removals()
            change = {"kind": "remove", "arm": self.arms, "reward": rewards}
            yield exists, *self._bernoulli(self.arms, weights), change
        if "add" in kinds:
            rewards, weights = self._additions()
            change = {"kind": "add", "arm": self.arms, "reward": rewards}
            yield True, *self._bernoulli(self.arms, weights), change
        if "swap" in kinds:
            yield from self._swaps_between_arms()
            yield self._swaps_within_arms()

    def _removals(self):
        """(is there a record?, reward removed, weight of its arm afterwards) of the candidates."""
        exists = self.counts > 0
        rewards = np.concatenate([self.data.lowest, self.data.highest], axis=-1)
        rewards = np.where(exists, rewards, 0.0)
        return exists, rewards, self._weights(self.arms, self.counts - 1, self.sums - rewards)

    def _additions(self):
        """(reward added, weight of its arm afterwards) of the candidates."""
        rewards = np.repeat(StoredBandit.records(self).values, len(self.log_reference))
        return rewards, self._weights(self.arms, self.counts + 1, self.sums + rewards)

    def _bernoulli(self, arms, weights):
        """Policies (arm, all others) before and after the arms get these weights."""
        rest, pi0 = self.log_rest[..., arms], self.pi0[arms]
        before = np.stack([self.log_weights[..., arms], rest], axis=-1)
        return _policies(before, pi0), _policies(np.stack([weights, rest], axis=-1), pi0)

    def _swaps_between_arms(self):
        """Replace a record (a, r) by (b, s), b another arm: arm a, arm b, all others together."""
        exists, reward_out, weight_out = self._removals()
        reward_in, weight_in = self._additions()
        for i, a in enumerate(self.arms):
            others = self.arms != a
            b = self.arms[others]
            pi0, weights = _groups(self.log_reference, a, b), _groups(self.log_weights, a, b)
            after = weights.copy()
            after[..., 0], after[..., 1] = weight_out[..., i, None], weight_in[..., others]
            change = {"kind": "swap", "arm": a, "reward": reward_out[..., i]}
            change |= {"to_arm": b, "to_reward": reward_in[others]}
            yield exists[..., i, None], _policies(weights, pi0), _policies(after, pi0), change

    def _swaps_within_arms(self):
        """Replace a record (a, r) by (a, s)."""
        exists, reward_out, _ = self._removals()
        arms, reward_out = np.tile(self.arms, 2), np.tile(reward_out, 2)
        reward_in = np.repeat(self._additions()[0], 2)
        sums = np.tile(self.sums, 2) - reward_out + reward_in
        weights = self._weights(arms, np.tile(self.counts, 2), sums)
        change = {"kind": "swap", "arm": arms, "reward": reward_out}
        change |= {"to_arm": arms, "to_reward": reward_in}
        return np.tile(exists, 2), *self._bernoulli(arms, weights), change


def _groups(log_weights, a: int, b: np.ndarray) -> np.ndarray:
    """Weights of arm a, of each arm of b, and of all others together, on a last axis."""
    others = log_weights.copy()
    others[..., a] = -np.inf
    rest = log_of_rest(others)[..., b]
    of_a = np.broadcast_to(log_weights[..., a, None], rest.shape)
    return np.stack([of_a, log_weights[..., b], rest], axis=-1)


def log_of_rest(log_weights: np.ndarray) -> np.ndarray:
    """ln of the sum of all weights but one, for each one: without cancellation."""
    nothing = np.full((*np.shape(log_weights)[:-1], 1), -np.inf)
    padded = np.concatenate([nothing, log_weights, nothing], axis=-1)
    before = np.logaddexp.accumulate(padded[..., :-2], axis=-1)
    after = np.logaddexp.accumulate(padded[..., :1:-1], axis=-1)[..., ::-1]
    return np.logaddexp(before, after)


def _policies(log_weights: np.ndarray, log_reference: np.ndarray) -> np.ndarray:
    """Log-probabilities of groups of arms, one row per policy; pi0 where none has weight.

    As problem.log_policy, but logaddexp is faster than scipy's logsumexp on two or three groups.
    """
    empty = (log_weights == -np.inf).all(axis=-1, keepdims=True)
    log_weights = np.where(empty, log_reference, log_weights) if empty.any() else log_weights
    return log_weights - np.logaddexp.reduce(log_weights, axis=-1, keepdims=True)
