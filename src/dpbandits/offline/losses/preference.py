"""The privacy loss of policy (11) at one data set and context, over its neighbours.

Removals and label flips are enumerated: each neighbour's MLE is solved by Newton's method from the
MLE of the data, many at once, once per distinct record. Additions range over feature differences
of norm at most 2 (the label is a sign of the difference).
"""

from functools import cached_property

import numpy as np

from dpbandits.offline.mle import SeparableData, fit, fit_many, separating_direction
from dpbandits.offline.neighbours import Neighbours, Worst
from dpbandits.offline.problem import Preferences, StoredPreferences, log_policy

SUSPICIOUS = 20.0  # |theta| from which a fit without a ball is checked for existence


class PreferenceAudit(Neighbours):
    """One data set, one context (its actions), one configuration of (11)."""

    problem, BUDGET = StoredPreferences, 3_000

    def __init__(
        self, data: Preferences, actions, *, eta, beta0, penalty, radius, log_reference=None
    ):
        options = {"eta": eta, "beta0": beta0, "penalty": penalty, "radius": radius}
        super().__init__(actions, data.signed.shape[1], log_reference, **options)
        self.data, self.radius = data, radius
        self.rows, self.first, counts = np.unique(
            data.signed, axis=0, return_index=True, return_counts=True
        )
        self.weights = counts.astype(float)
        self.theta = fit(data.signed, self.radius)
        self.inverse = np.linalg.inv(data.covariance(self.penalty))
        self.squares = np.einsum("ad,de,ae->a", actions, self.inverse, actions)
        self.fitted = actions @ self.theta
        self.log_pi = self.policies(self.theta[None, :], self.squares)[0]

    def __len__(self) -> int:
        return len(self.data.signed)

    @cached_property
    def lambda_min(self) -> float:
        """lambda_min(D)."""
        return float(np.linalg.eigvalsh(self.data.covariance(self.penalty))[0])

    def policies(self, theta: np.ndarray, squares: np.ndarray) -> np.ndarray:
        scores = theta @ self.actions.T - self.beta0 * np.sqrt(np.maximum(squares, 0.0))
        return log_policy(scores, self.log_reference, self.eta)

    def changed(self, records: np.ndarray, signs: np.ndarray, squares=None) -> np.ndarray:
        """Policies after adding (+1) or removing (-1) records (m, k, d), relative to the data.

        `squares`: the squared widths then, if they are known.
        """
        theta = fit_many(self.rows, self.weights, records, signs, self.radius, self.theta)
        if np.isinf(self.radius):
            self._refuse_separable(theta, records, signs)
        if squares is None:
            squares = self.squares_after(records, signs)
        return self.policies(theta, squares)

    def _refuse_separable(self, theta, records, signs) -> None:
        """Without a ball a neighbour may have no MLE (Newton's iterates then diverge): say so."""
        for i in np.flatnonzero(np.linalg.norm(theta, axis=1) > SUSPICIOUS):
            removed, added = records[i][signs[i] < 0], records[i][signs[i] > 0]
            weights = self.weights.copy()
            for z in removed:
                weights[np.all(self.rows == z, axis=1)] -= 1
            neighbour = np.concatenate([self.rows[weights > 0], added])
            if separating_direction(neighbour) is not None:
                values = ", ".join(f"{value:g}" for value in removed.ravel())
                raise SeparableData(
                    f"without a ball a neighbour has no MLE: changing the record ({values}) leaves "
                    "labels that a direction separates; give a finite B"
                )

    def squares_after(self, records, signs):
        """Squared widths after rank-one updates of Sigma, one per changed record."""
        inverse = np.broadcast_to(self.inverse, (len(records), *self.inverse.shape))
        for k in range(records.shape[1]):
            z, sign = records[:, k], signs[:, k]
            solved = np.einsum("mde,me->md", inverse, z)
            scale = sign / (1.0 + sign * np.einsum("md,md->m", solved, z))
            inverse = inverse - scale[:, None, None] * solved[:, :, None] * solved[:, None, :]
        return np.einsum("ad,mde,ae->ma", self.actions, inverse, self.actions)

    def removed(self, count=None):
        """One pair (rows, policies without each of them), of the first `count` records."""
        distinct = np.flatnonzero(self.first < (len(self) if count is None else count))
        records = self.rows[distinct][:, None, :]
        yield self.first[distinct], self.changed(records, np.full((len(records), 1), -1.0))

    def removal(self, row: int) -> dict:
        return {"kind": "remove", "row": int(row) + 1}

    def flips(self, worst: Worst) -> None:
        """Label flips: the widths do not change, only the MLE does."""
        records = np.stack([self.rows, -self.rows], axis=1)
        signs = np.tile([-1.0, 1.0], (len(records), 1))
        policies = self.changed(records, signs, squares=self.squares[None, :])
        first = self.first
        worst.update(self.log_pi, policies, lambda i: {"kind": "flip", "row": int(first[i]) + 1})

    def added(self, vectors, rewards) -> np.ndarray:
        return self.changed(vectors[:, None, :], np.ones((len(vectors), 1)))

    def directions(self) -> np.ndarray:
        axes = np.linalg.eigh(self.inverse)[1].T
        return np.concatenate([self.actions[:20], self.theta[None, :], axes])

    def without(self, row: int) -> "PreferenceAudit":
        return self._of(np.delete(self.data.signed, row, axis=0))

    def with_record(self, record: dict) -> "PreferenceAudit":
        return self._of(np.vstack([self.data.signed, record["x"]]))

    def _of(self, signed) -> "PreferenceAudit":
        return PreferenceAudit(Preferences(signed), self.actions, **self.options)
