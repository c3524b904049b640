"""The privacy loss of policy (11) at one data set and context, over all its neighbours.

Removals and label flips are enumerated: each neighbour's MLE is solved by Newton's method from the
MLE of the data, many at once, once per distinct record. Additions range over feature differences
of norm at most 2 (the label is a sign of the difference): the largest loss found is attained, and
`preference_certificate` (any dimension) and `preference_boxes` (few) give a proven upper bound.
"""

from functools import cached_property

import numpy as np

from dpbandits.core.divergences import delta_at, pure_epsilon
from dpbandits.offline.engine.search import maximise, starts_in_ball
from dpbandits.offline.engine.worst import Worst
from dpbandits.offline.preference.certificate import REACH, PreferenceCertificate
from dpbandits.offline.preference.mle import (
    SeparableData,
    fit,
    fit_many,
    log_sigmoid,
    separating_direction,
)
from dpbandits.offline.problem import Preferences, log_policy, uniform_reference

KINDS = ("remove", "add", "swap", "flip")
SWAPPED = 1000  # up to so many distinct records swaps have certificates
SEARCHED = 4  # records whose swaps are searched first
SUSPICIOUS = 20.0  # |theta| from which a fit without a ball is checked for existence


class PreferenceAudit:
    """One data set, one context (its actions), one configuration of (11)."""

    def __init__(
        self, data: Preferences, actions, *, eta, beta0, penalty, radius, log_reference=None
    ):
        self.data, self.actions, self.eta, self.beta0 = data, actions, eta, beta0
        self.penalty, self.radius = penalty, radius
        if log_reference is None:
            log_reference = uniform_reference(len(actions))
        self.log_reference = log_reference
        self.options = {"eta": eta, "beta0": beta0, "penalty": penalty, "radius": radius}
        self.options["log_reference"] = log_reference
        self.rows, self.first, counts = np.unique(
            data.signed, axis=0, return_index=True, return_counts=True
        )
        self.weights = counts.astype(float)
        self.theta = fit(data.signed, self.radius)
        self.inverse = np.linalg.inv(data.covariance(self.penalty))
        self.squares = np.einsum("ad,de,ae->a", actions, self.inverse, actions)
        self.fitted = actions @ self.theta
        self.log_pi = self.policies(self.theta[None, :], self.squares)[0]

    def policies(self, theta: np.ndarray, squares: np.ndarray) -> np.ndarray:
        scores = theta @ self.actions.T - self.beta0 * np.sqrt(np.maximum(squares, 0.0))
        return log_policy(scores, self.log_reference, self.eta)

    def changed(self, records: np.ndarray, signs: np.ndarray, after=None) -> np.ndarray:
        """Policies after adding (+1) or removing (-1) records (m, k, d), relative to the data."""
        theta = fit_many(self.rows, self.weights, records, signs, self.radius, self.theta)
        if np.isinf(self.radius):
            self._refuse_separable(theta, records, signs)
        if after is not None:
            return self.policies(theta, after)
        return self.policies(theta, self.squares_after(records, signs))

    def _refuse_separable(self, theta, records, signs) -> None:
        """Without a ball a neighbour may have no MLE (Newton then runs away): say so."""
        for i in np.flatnonzero(np.linalg.norm(theta, axis=1) > SUSPICIOUS):
            kept = self.weights.copy()
            for z in records[i][signs[i] < 0]:
                kept[np.all(self.rows == z, axis=1)] -= 1
            left = np.concatenate([self.rows[kept > 0], records[i][signs[i] > 0]])
            if separating_direction(left) is not None:
                gone = ", ".join(f"{value:g}" for value in records[i][signs[i] < 0].ravel())
                raise SeparableData(
                    f"without a ball a neighbour has no MLE: changing the record ({gone}) leaves "
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

    def removals(self, worst: Worst) -> None:
        records = self.rows[:, None, :]
        policies = self.changed(records, np.full((len(records), 1), -1.0))
        worst.see(self.log_pi, policies, lambda i: {"kind": "remove", "row": self.row(i)})

    def flips(self, worst: Worst) -> None:
        """Label flips: the widths do not change, only the MLE does."""
        records = np.stack([self.rows, -self.rows], axis=1)
        signs = np.tile([-1.0, 1.0], (len(records), 1))
        policies = self.changed(records, signs, after=self.squares[None, :])
        worst.see(self.log_pi, policies, lambda i: {"kind": "flip", "row": self.row(i)})

    def row(self, distinct: int) -> int:
        return int(self.first[distinct]) + 1

    def additions(self, worst: Worst, taken: np.ndarray | None = None, note=None) -> None:
        """The worst additions found; after removing the record `taken` if one is given."""

        def policies(points):
            records, signs = points[:, None, :], np.ones((len(points), 1))
            if taken is not None:
                out = np.broadcast_to(taken, records.shape)
                records = np.concatenate([records, out], axis=1)
                signs = np.concatenate([signs, -signs], axis=1)
            return self.changed(records, signs)

        def describe(point):
            found = {"kind": "add", "x": [float(v) for v in point], "label": 1}
            return found | (note or {})

        def search(objective, label):
            point, _ = maximise(
                lambda p: objective(policies(p)), points, REACH, label, rounds=35, keep=3, tries=12
            )
            worst.see(self.log_pi, policies(point[None, :]), lambda _: describe(point))

        points = self.starting_points()
        search(lambda q: pure_epsilon(self.log_pi, q), "pure")
        for epsilon in worst.delta:
            search(lambda q, e=epsilon: delta_at(self.log_pi, q, e), f"delta {epsilon!r}")

    def starting_points(self) -> np.ndarray:
        dimension = self.rows.shape[1]
        generator = np.random.Generator(np.random.Philox(key=[1, dimension]))
        directions = np.concatenate(
            [self.actions[:20], self.theta[None, :], np.linalg.eigh(self.inverse)[1].T]
        )
        ball = starts_in_ball(dimension, REACH, directions, 32, generator)
        return np.concatenate([ball, 0.3 * ball, 0.03 * ball])  # some MLEs jump at short ones

    @cached_property
    def certificate(self) -> PreferenceCertificate:
        return PreferenceCertificate(self)

    def swaps(self, worst: Worst) -> dict:
        """The worst swaps found go to `worst`; returned: {None: bound of the pure loss, eps: ..}.

        Each removal is followed by additions to what is left: certificates for every distinct
        record (up to SWAPPED of them), a search for those that look worst.
        """
        policies = self.changed(self.rows[:, None, :], np.full((len(self.rows), 1), -1.0))
        order = np.argsort(-pure_epsilon(self.log_pi, policies), kind="stable")
        keys = [None, *worst.delta]
        if len(order) > SWAPPED:
            bounds, searched = [[np.inf, *(1.0 for _ in worst.delta)]], order[:SEARCHED]
        else:
            bounds = [self._swap_bounds(i, worst.delta) for i in order]
            searched = order[np.argsort(-np.array(bounds)[:, 0], kind="stable")[:SEARCHED]]
        for i in searched:
            self._swaps_of(worst, self.rows[i], self.row(i))
        if len(order) <= SWAPPED:
            worst.in_other_rows(
                lambda found: self._in_any_place(worst, found),
                lambda row: self._swaps_of(worst, self.data.signed[row - 1], row),
            )
        return dict(zip(keys, map(float, np.max(bounds, axis=0)), strict=True))

    def _swaps_of(self, worst: Worst, taken: np.ndarray, row: int) -> None:
        self.additions(worst, taken, {"kind": "swap", "row": row})

    def _in_any_place(self, worst: Worst, found: dict) -> None:
        x = np.broadcast_to(found["x"], self.rows.shape)
        signs = np.tile([1.0, -1.0], (len(x), 1))
        policies = self.changed(np.stack([x, self.rows], axis=1), signs)
        worst.see(self.log_pi, policies, lambda i: found | {"row": self.row(i)})

    def _swap_bounds(self, i: int, epsilons) -> list[float]:
        kept = np.arange(len(self.data.signed)) != self.first[i]
        rest = PreferenceAudit(Preferences(self.data.signed[kept]), self.actions, **self.options)
        certificate = PreferenceCertificate(rest, seen_from=self.log_pi)
        slack = self.certificate.slack
        return [certificate.ratios.pure + slack, *(certificate.delta(e) + slack for e in epsilons)]

    def addition_bounds(self, epsilons) -> dict:
        """{None: a proven bound of the pure loss of any addition, eps: of delta}; inf if none."""
        bounds = {epsilon: self.certificate.delta(epsilon) for epsilon in epsilons}
        return {None: self.certificate.ratios.pure} | bounds

    def gradient_and_hessian(self):
        """Of the log-likelihood at theta (minus the Hessian)."""
        margins = self.rows @ self.theta
        spread = np.exp(log_sigmoid(margins) + log_sigmoid(-margins)) * self.weights
        gradient = (np.exp(log_sigmoid(-margins)) * self.weights) @ self.rows
        return gradient, (self.rows.T * spread) @ self.rows
