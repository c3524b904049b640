"""The privacy loss of policy (10) at one data set and context, over its neighbours.

Removals are enumerated exactly by rank-one updates of Sigma^-1 and theta. Additions range over the
unit ball x [0, R].
"""

from functools import cached_property

import numpy as np

from dpbandits.core.divergences import log_normalise
from dpbandits.offline.neighbours import Neighbours
from dpbandits.offline.problem import StoredFeatures, log_policy

CELLS = 2_000_000
# Above this leverage 1 - leverage loses digits, so the removal is refitted (leverages sum to <= d).
NEARLY_ALONE = 0.999


class LinearAudit(Neighbours):
    """One data set, one context (its actions), one configuration of (10)."""

    problem, BUDGET = StoredFeatures, 30_000

    def __init__(
        self, features, rewards, actions, *, eta, beta0, penalty, reward_max=1.0, log_reference=None
    ):
        options = {"eta": eta, "beta0": beta0, "penalty": penalty, "reward_max": reward_max}
        super().__init__(actions, features.shape[1], log_reference, **options)
        self.features, self.rewards, self.reward_max = features, rewards, reward_max
        sigma = penalty * np.eye(self.dimension) + features.T @ features
        inverse = np.linalg.inv(sigma)
        self.inverse = (inverse + inverse.T) / 2
        self.theta = np.linalg.solve(sigma, features.T @ rewards)
        self.fitted = actions @ self.theta
        widths = np.sqrt(np.einsum("ad,de,ae->a", actions, self.inverse, actions))
        self.squares = widths**2
        self.log_pi = log_policy(self.fitted - beta0 * widths, self.log_reference, eta)

    def __len__(self) -> int:
        return len(self.features)

    @cached_property
    def lambda_min(self) -> float:
        """lambda_min(D)."""
        return float(1.0 / np.linalg.eigvalsh(self.inverse)[-1])

    def updated(self, features, rewards, sign: float) -> np.ndarray:
        """Policies after adding (sign +1) or removing (-1) one record each: (records, actions)."""
        return log_normalise(self.weights_after(features, rewards, sign))

    def weights_after(self, features, rewards, sign) -> np.ndarray:
        """Their unnormalised logarithms, ln pi0 + score/eta, by rank-one updates."""
        solved = features @ self.inverse
        leverage = np.einsum("nd,nd->n", solved, features)
        denominator = 1.0 + sign * leverage
        overlap = solved @ self.actions.T
        residual = rewards - features @ self.theta
        scores = overlap * (sign * residual / denominator)[:, None]
        scores += self.fitted
        overlap *= overlap
        overlap *= (-sign / denominator)[:, None]
        overlap += self.squares
        scores -= self.beta0 * np.sqrt(np.maximum(overlap, 0.0))
        scores /= self.eta
        scores += self.log_reference
        return scores

    def removed(self, count=None):
        """Pairs (rows, policies without each of them), of the first `count` records."""
        rows = np.arange(len(self) if count is None else count)
        step = max(1, CELLS // len(self.actions))
        for part in (rows[first : first + step] for first in range(0, len(rows), step)):
            features = self.features[part]
            policies = self.updated(features, self.rewards[part], -1.0)
            leverages = np.einsum("nd,de,ne->n", features, self.inverse, features)
            for i in np.flatnonzero(leverages > NEARLY_ALONE):
                policies[i] = self.without(part[i]).log_pi
            yield part, policies

    def removal(self, row: int) -> dict:
        return {"kind": "remove", "row": int(row) + 1, "reward": float(self.rewards[row])}

    def added(self, vectors, rewards) -> np.ndarray:
        return self.updated(vectors, rewards, 1.0)

    def directions(self) -> np.ndarray:
        contrasts = (self.actions - self.actions[:1])[:40]
        return np.concatenate(
            [
                self.actions[:40],
                (self.actions @ self.inverse)[:40],
                contrasts @ self.inverse,
                np.linalg.eigh(self.inverse)[1].T,
                self.theta[None, :],
            ]
        )

    def without(self, row: int) -> "LinearAudit":
        return self._of(np.delete(self.features, row, axis=0), np.delete(self.rewards, row))

    def with_record(self, record: dict) -> "LinearAudit":
        features = np.vstack([self.features, record["x"]])
        return self._of(features, np.append(self.rewards, record["reward"]))

    def _of(self, features, rewards) -> "LinearAudit":
        return LinearAudit(features, rewards, self.actions, **self.options)
