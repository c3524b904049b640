"""The privacy loss of policy (10) at one data set and context, over all its neighbours.

Removals are enumerated exactly by rank-one updates of Sigma^-1 and theta. Additions range over the
unit ball x [0, R]: `search` gives the largest loss attained, `linear_certificate` (any dimension)
and `boxes` (few) a proven upper bound. If that bound is below the worst removal, the supremum is
attained by a removal and the answer is exact.
"""

import numpy as np

from dpbandits.core.divergences import delta_at, log_normalise, pure_epsilon
from dpbandits.offline.engine.search import maximise, starts_in_ball
from dpbandits.offline.engine.worst import Worst
from dpbandits.offline.problem import Ridge, linear_policy, uniform_reference

KINDS = ("remove", "add", "swap")
CELLS = 2_000_000
NEARLY_ALONE = 0.999  # leverage whose removal is refitted: 1 - it cancels (they sum to <= d)


class LinearAudit:
    """One data set, one context (its actions), one configuration of (10)."""

    def __init__(
        self, features, rewards, actions, *, eta, beta0, penalty, reward_max=1.0, log_reference=None
    ):
        self.features, self.rewards, self.actions = features, rewards, actions
        self.eta, self.beta0, self.penalty = eta, beta0, penalty
        self.reward_max = reward_max
        if log_reference is None:
            log_reference = uniform_reference(len(actions))
        self.log_reference = log_reference
        self.options = {"eta": eta, "beta0": beta0, "penalty": penalty, "reward_max": reward_max}
        self.options["log_reference"] = log_reference
        self.ridge = Ridge.fit(features, rewards, penalty)
        self.log_pi = linear_policy(self.ridge, actions, eta, beta0, self.log_reference)
        self.fitted = actions @ self.ridge.theta
        self.squares = self.ridge.widths(actions) ** 2

    def updated(self, features, rewards, sign: float) -> np.ndarray:
        """Policies after adding (sign +1) or removing (-1) one record each: (records, actions)."""
        return log_normalise(self.weights_after(features, rewards, sign))

    def weights_after(self, features, rewards, sign) -> np.ndarray:
        """Their unnormalised logarithms, ln pi0 + score/eta, by rank-one updates."""
        solved = features @ self.ridge.inverse
        leverage = np.einsum("nd,nd->n", solved, features)
        denominator = 1.0 + sign * leverage
        overlap = solved @ self.actions.T
        residual = rewards - features @ self.ridge.theta
        scores = overlap * (sign * residual / denominator)[:, None]
        scores += self.fitted
        overlap *= overlap
        overlap *= (-sign / denominator)[:, None]
        overlap += self.squares
        scores -= self.beta0 * np.sqrt(np.maximum(overlap, 0.0))
        scores /= self.eta
        scores += self.log_reference
        return scores

    def removals(self, worst: Worst) -> None:
        chunk = max(1, CELLS // len(self.actions))
        for first in range(0, len(self.features), chunk):
            part = slice(first, first + chunk)
            policies = self.updated(self.features[part], self.rewards[part], -1.0)
            for i in np.flatnonzero(self.leverages(self.features[part]) > NEARLY_ALONE):
                policies[i] = self.without(first + i).log_pi
            worst.see(self.log_pi, policies, lambda i, first=first: self.removed(first + i))

    def leverages(self, features):
        return np.einsum("nd,de,ne->n", features, self.ridge.inverse, features)

    def removed(self, row: int) -> dict:
        return {"kind": "remove", "row": int(row) + 1, "reward": float(self.rewards[row])}

    def additions(self, worst: Worst, starts: np.ndarray | None = None) -> None:
        """The worst additions found, per quantity asked for; rows of starts: (x, share of R)."""
        points = self.starting_points()
        if starts is not None:
            points = np.concatenate([points, starts])

        def policies(points):
            return self.updated(points[:, :-1], points[:, -1] * self.reward_max, 1.0)

        def see(point):
            worst.see(self.log_pi, policies(point[None, :]), lambda _: self.added(point))

        def search(objective, label):
            radius = (self.features.shape[1], 1.0)
            see(maximise(lambda p: objective(policies(p)), points, radius, label)[0])

        search(lambda q: pure_epsilon(self.log_pi, q), "pure")
        for epsilon in worst.delta:
            search(lambda q, e=epsilon: delta_at(self.log_pi, q, e), f"delta {epsilon!r}")

    def starting_points(self) -> np.ndarray:
        dimension = self.features.shape[1]
        generator = np.random.Generator(np.random.Philox(key=[0, dimension]))
        contrasts = (self.actions - self.actions[:1])[:40]
        directions = np.concatenate(
            [
                self.actions[:40],
                (self.actions @ self.ridge.inverse)[:40],
                contrasts @ self.ridge.inverse,
                np.linalg.eigh(self.ridge.inverse)[1].T,
                self.ridge.theta[None, :],
            ]
        )
        ball = starts_in_ball(dimension, 1.0, directions, 64, generator)
        shares = np.repeat([0.0, 0.5, 1.0], len(ball))
        return np.column_stack([np.tile(ball, (3, 1)), shares])

    def added(self, point) -> dict:
        x = [float(v) for v in point[:-1]]
        return {"kind": "add", "x": x, "reward": float(point[-1] * self.reward_max)}

    def without(self, row: int) -> "LinearAudit":
        kept = np.arange(len(self.features)) != row
        return self.with_records(self.features[kept], self.rewards[kept])

    def with_records(self, features, rewards) -> "LinearAudit":
        return LinearAudit(features, rewards, self.actions, **self.options)
