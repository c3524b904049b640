"""Swaps of a linear audit: a removal, enumerated, then an addition to the records that are left.

For one row i the log-ratio to the neighbour is the one of the removal, known exactly, plus that of
an addition to D - i. All rows get bounds at once, carried over from additions to D; the rows where
they are largest get certificates of their own, until no other can be worse or ROWS are done.
"""

import numpy as np

from dpbandits.offline.engine.certificates import curvature, delta_of_ratios, delta_of_spread
from dpbandits.offline.engine.worst import Worst
from dpbandits.offline.linear.certificate import AdditionCertificate, rounding
from dpbandits.offline.linear.loss import CELLS

ROWS = 16
SEARCHED = 4


def swaps(audit, worst: Worst) -> dict:
    """The worst swaps found go to `worst`; returned: {None: bound of the pure loss, eps: delta}."""
    carried = _Carried(audit).bounds(list(worst.delta))
    order = np.argsort(-carried[:, 0], kind="stable")
    refined, rows = [], []
    for row in order[:ROWS]:
        if refined and np.all(carried[row] <= np.max(refined, axis=0)):
            break
        rest = audit.without(row)
        certificate = AdditionCertificate(rest, seen_from=audit.log_pi, first=8)
        bounds = [certificate.ratios.pure, *map(certificate.delta, worst.delta)]
        refined.append(np.minimum(np.array(bounds) + rounding(audit), carried[row]))
        rows.append((row, rest, certificate.points))
    for i in np.argsort(-np.array(refined)[:, 0], kind="stable")[:SEARCHED]:
        _search(audit, worst, *rows[i])
    worst.in_other_rows(
        lambda found: _in_any_place(audit, worst, found),
        lambda row: _search(audit, worst, row - 1, audit.without(row - 1), None),
    )
    others = np.delete(carried, [row for row, _, _ in rows], axis=0)
    bounds = np.concatenate([refined, others]).max(axis=0)
    return dict(zip([None, *worst.delta], map(float, bounds), strict=True))


def _search(audit, worst, row, rest, points):
    after = Worst(worst.delta)
    rest.log_pi = audit.log_pi  # compare with the policy before the removal
    rest.additions(after, points)
    for found in after.found():
        found.update(kind="swap", row=int(row) + 1)
    worst.merge(after)


def _in_any_place(audit, worst, found):
    features = np.vstack([audit.features, found["x"]])
    more = audit.with_records(features, np.append(audit.rewards, found["reward"]))
    chunk = max(1, CELLS // len(audit.actions))
    for first in range(0, len(audit.features), chunk):
        part = slice(first, first + chunk)
        policies = more.updated(audit.features[part], audit.rewards[part], -1.0)
        worst.see(audit.log_pi, policies, lambda i, at=first: found | {"row": int(at + i) + 1})


class _Carried:
    """Bounds for every row from additions to D itself, and how far those to D - i can differ.

    With left = 1 - x_i'P x_i: P_i = P + P x_i x_i'P/left, theta_i = theta - P x_i miss_i/left. For
    any x of the ball, x'P_i x - x'P x <= |P x_i|^2/left, and phi'P_i x moves by at most
    |phi'P x_i| |P x_i|/left.
    """

    def __init__(self, audit):
        self.audit, self.used = audit, np.isfinite(audit.log_reference)
        self.certificate = AdditionCertificate(audit, first=len(audit.actions))
        inverse, eta = audit.ridge.inverse, audit.eta
        solved = audit.features @ inverse
        self.left = 1.0 - np.einsum("nd,nd->n", solved, audit.features)
        self.length = np.linalg.norm(solved, axis=1)
        misses = np.abs(audit.rewards - audit.features @ audit.ridge.theta)
        self.drift = self.length * misses / self.left  # of theta
        self.reach = self.certificate.reach + self.drift.max()
        actions = audit.actions[self.used]
        self.pulls = np.linalg.norm(actions @ inverse, axis=1)
        self.apart = np.array([np.linalg.norm((actions - a) @ inverse, axis=1) for a in actions])
        self.most = self.certificate.gain_most / eta**2  # of p^2/(1 + v), over eta
        self.least = self.certificate.gain_least / eta**2
        self.solved = solved @ actions.T

    def bounds(self, epsilons) -> np.ndarray:
        """(rows, 1 + epsilons): pure loss and deltas of all swaps of a row."""
        chunk = max(1, CELLS // len(self.audit.actions))
        parts = [
            self._part(slice(first, first + chunk), epsilons)
            for first in range(0, len(self.left), chunk)
        ]
        slack = 2.0 * self.certificate.slack / self.left.min() ** 2
        return np.concatenate(parts) * (1.0 + 1e-12) + slack

    def _error(self, part):
        """How much a difference of scores over eta can change by more than it does from D."""
        audit, left, length = self.audit, self.left[part], self.length[part]
        solved = np.abs(self.solved[part])
        spread = self.solved[part].max(axis=1) - self.solved[part].min(axis=1)
        taller = length**2 / left
        moved = self.reach * length * spread / left
        moved += self.apart.max() * (self.drift[part] + self.reach * taller)
        shift = solved * (length / left)[:, None]
        more = (2 * self.pulls * shift + shift**2) * self.most
        shrink = 1.0 - np.sqrt(left) / (1.0 + taller)
        less = (2 * self.pulls * shift + self.pulls**2 * shrink[:, None]) * self.least
        return moved / audit.eta + more.max(axis=1) + less.max(axis=1)

    def _part(self, part, epsilons):
        audit, certificate = self.audit, self.certificate
        after = audit.updated(audit.features[part], audit.rewards[part], -1.0)[:, self.used]
        before, error = audit.log_pi[self.used], self._error(part)
        removed = after - before
        rest, pi = np.exp(after), np.exp(before)
        # E over pi_i instead of pi: E z moves by TV x range, E h z^2 by the largest ratio.
        apart = np.abs(rest - pi).sum(axis=1) / 2
        change = certificate.change
        ranges = change.max(axis=1) + change.max(axis=0)
        with np.errstate(invalid="ignore", over="ignore"):
            bent = (pi * curvature(change) * change**2).sum(axis=1)
            moment = np.expm1(certificate.forth_moment)
            forth = moment + apart[:, None] * ranges
            forth = forth + np.expm1(removed.max(axis=1))[:, None] * bent
        forth = np.log1p(forth) + error[:, None] - removed
        # KL(q, pi_i) = KL(q, pi) - E_q ln(pi_i/pi)
        back = certificate.back_moment - removed @ certificate.tilt.T + error[:, None] + removed
        # or through all pairs of actions:
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            pairs = np.log(rest @ np.exp(change).T), -np.log(rest @ np.exp(-change))
        forth = np.fmin(forth, pairs[0] + error[:, None] - removed)  # 0 x inf claims nothing
        back = np.fmin(back, pairs[1] + error[:, None] + removed)
        forth, back = (np.where(np.isnan(side), np.inf, side) for side in (forth, back))
        pure = np.maximum(np.maximum(forth, back).max(axis=1), 0.0)
        deltas = [self._deltas(removed, error, forth, back, epsilon) for epsilon in epsilons]
        return np.column_stack([pure, *deltas])

    def _deltas(self, removed, error, forth, back, epsilon):
        """By ratios, and by the deviations of both steps, which add up at most."""
        before = self.audit.log_pi[self.used]
        pi, change = np.exp(before), self.certificate.change
        by_ratios = delta_of_ratios(before, forth, back, epsilon)
        own = np.sqrt(((removed - (removed @ pi)[:, None]) ** 2) @ pi)
        deviation = own + self.certificate.spread[0] + error
        most = change.max() + error + (removed.max(axis=1) - removed.min(axis=1))
        mean = deviation**2 * curvature(most)
        pure = np.maximum(forth, back).max(axis=1)
        return np.minimum(by_ratios, delta_of_spread(deviation, mean, pure, epsilon))
