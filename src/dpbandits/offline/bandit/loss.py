"""The exact privacy loss of policy (8) at one data set, over all its neighbours.

Adding or removing a record changes the score of one arm only. So D and its neighbour give that arm
probabilities p and q and scale all others by (1 - q)/(1 - p): every divergence is the one of two
coins. It grows as q moves away from p on either side, and q is monotone in the reward that is
added or removed; hence only the arm's smallest and largest reward (removal), and 0 and R
(addition), can be worst: at most four neighbours per arm, whatever n is, and exactly the supremum.
A swap between two arms changes two scores, and for each event the probability is monotone in each
of them, so again only these vertices matter. Without records on arms that pi0 allows, the policy
is pi0 itself.
"""

from functools import lru_cache

import numpy as np

from dpbandits.core.divergences import log_sum
from dpbandits.offline.engine.worst import Worst
from dpbandits.offline.problem import BanditData, bandit_scores, uniform_reference

KINDS = ("remove", "add", "swap")


def exact_loss(
    data: BanditData,
    eta: float,
    beta0: float,
    reward_max: float = 1.0,
    kinds=("remove", "add"),
    at_epsilon=(),
    log_reference=None,
) -> Worst:
    """Pure loss and delta(eps) of (8) at this data set over the asked kinds of neighbours."""
    if log_reference is None:
        log_reference = uniform_reference(data.arms)
    bandit = _Bandit(data, eta, beta0, reward_max, log_reference)
    worst = Worst(at_epsilon)
    if "remove" in kinds:
        bandit.see_changes(worst, "remove", *bandit.removals())
    if "add" in kinds:
        bandit.see_changes(worst, "add", *bandit.additions())
    if "swap" in kinds:
        bandit.see_swaps(worst)
    return worst


class _Bandit:
    def __init__(self, data, eta, beta0, reward_max, log_reference):
        self.data, self.eta, self.beta0, self.reward_max = data, eta, beta0, reward_max
        self.log_reference = np.asarray(log_reference, float)
        self.log_weights = log_reference + self.scores(data.counts, data.sums) / eta
        self.log_rest = log_of_rest(self.log_weights)
        self.reference_rest = _rest_of_reference(self.log_reference.tobytes())

    def scores(self, counts, sums):
        return bandit_scores(counts, sums, self.beta0)

    def removals(self):
        """(arm, reward removed, count, sum afterwards) of the candidates."""
        arms = np.flatnonzero(self.data.counts > 0)
        arms = np.concatenate([arms, arms])
        half = len(arms) // 2
        rewards = np.concatenate([self.data.lowest[arms[:half]], self.data.highest[arms[half:]]])
        return arms, rewards, self.data.counts[arms] - 1, self.data.sums[arms] - rewards

    def additions(self):
        arms = np.tile(np.arange(self.data.arms), 2)
        rewards = np.repeat([0.0, self.reward_max], self.data.arms)
        return arms, rewards, self.data.counts[arms] + 1, self.data.sums[arms] + rewards

    def see_changes(self, worst, kind, arms, rewards, counts, sums):
        def describe(i):
            return {"kind": kind, "arm": int(arms[i]), "reward": float(rewards[i])}

        self._see_coins(worst, arms, self.scores(counts, sums), describe)

    def _see_coins(self, worst, arms, scores, describe):
        """Policies before and after the arms get these scores, as coins (arm, all others)."""
        rest, unseen = self.log_rest[arms], self.log_reference[arms]
        pi0 = np.stack([unseen, self.reference_rest[arms]], axis=-1)
        before = np.stack([self.log_weights[arms], rest], axis=-1)
        after = np.stack([unseen + scores / self.eta, rest], axis=-1)
        worst.see(_policies(before, pi0), _policies(after, pi0), describe)

    def see_swaps(self, worst):
        """Replace a record (a, r) by (b, s), all a and b: arm a, arm b, all others together."""
        out, gone, counts, sums = self.removals()
        into, got, counts_in, sums_in = self.additions()
        left = self.log_reference[out] + self.scores(counts, sums) / self.eta
        came = self.log_reference[into] + self.scores(counts_in, sums_in) / self.eta
        known = {}  # each arm stands twice in `out`, with its lowest and its highest reward
        for i, a in enumerate(out):
            others = into != a
            b = into[others]
            if a not in known:
                unseen = _rest_of_reference(self.log_reference.tobytes(), int(a))[b]
                pi0 = _groups(self.log_reference[a], self.log_reference[b], unseen)
                rest = log_of_rest(_without(self.log_weights, a))[b]
                before = _groups(self.log_weights[a], self.log_weights[b], rest)
                known[a] = pi0, _policies(before, pi0), rest
            pi0, before, rest = known[a]
            after = _groups(left[i], came[others], rest)
            describe = _swap(a, gone[i], b, got[others])
            worst.see(before, _policies(after, pi0), describe)
        self._see_swaps_in_place(worst, out, gone)

    def _see_swaps_in_place(self, worst, out, gone):
        out, gone = np.tile(out, 2), np.tile(gone, 2)
        got = np.repeat([0.0, self.reward_max], len(out) // 2)
        scores = self.scores(self.data.counts[out], self.data.sums[out] - gone + got)

        def describe(i):
            return _swap(out[i], gone[i], out[i : i + 1], got[i : i + 1])(0)

        self._see_coins(worst, out, scores, describe)


def _swap(a, gone, into, got):
    def describe(i):
        return {
            "kind": "swap",
            "arm": int(a),
            "reward": float(gone),
            "to_arm": int(into[i]),
            "to_reward": float(got[i]),
        }

    return describe


@lru_cache(maxsize=1024)
def _rest_of_reference(log_reference: bytes, arm: int | None = None) -> np.ndarray:
    """`log_of_rest` of a reference policy, perhaps without an arm: the same for many data sets."""
    known = np.frombuffer(log_reference)
    return log_of_rest(known if arm is None else _without(known, arm))


def _without(log_weights: np.ndarray, arm: int) -> np.ndarray:
    others = log_weights.copy()
    others[arm] = -np.inf
    return others


def _groups(of_a: float, of_arms: np.ndarray, of_rest: np.ndarray) -> np.ndarray:
    return np.stack([np.full(len(of_arms), of_a), of_arms, of_rest], axis=-1)


def log_of_rest(log_weights: np.ndarray) -> np.ndarray:
    """ln of the sum of all weights but one, for each one: without cancellation."""
    top = np.max(log_weights)
    if top == -np.inf:
        return np.full(len(log_weights), -np.inf)
    weights = np.exp(log_weights - top)
    before = np.concatenate([[0.0], np.cumsum(weights)[:-1]])
    after = np.concatenate([np.cumsum(weights[::-1])[::-1][1:], [0.0]])
    with np.errstate(divide="ignore"):
        rest = top + np.log(before + after)
    leader = int(np.argmax(log_weights))  # without it the scale is another one
    others = np.delete(log_weights, leader)
    rest[leader] = log_sum(others) if len(others) else -np.inf
    return rest


def coin(log_weight: np.ndarray, log_rest: np.ndarray) -> np.ndarray:
    """Log-probabilities (arm, all others), one row per pair of weights."""
    return _normalise(np.stack([log_weight, log_rest], axis=-1))


def _policies(log_weights: np.ndarray, log_reference: np.ndarray) -> np.ndarray:
    """Log-probabilities of groups of arms, one row per policy; pi0 where none has weight."""
    empty = (log_weights == -np.inf).all(axis=-1, keepdims=True)
    return _normalise(np.where(empty, log_reference, log_weights) if empty.any() else log_weights)


def _normalise(log_weights: np.ndarray) -> np.ndarray:
    return log_weights - np.logaddexp.reduce(log_weights, axis=-1, keepdims=True)
