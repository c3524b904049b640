"""A proven upper bound of the loss of any addition to a linear audit, in any dimension.

Adding (x, r) changes theta by P x t with P = Sigma^-1, t = (r - theta'x)/(1 + v), v = x'P x, and
the squared width s_b by -(phi_b'P x)^2/(1 + v). So the score of b over eta changes by

    D_b = [phi_b'P x (r - theta'x)/(1 + v) + beta0 gain_b]/eta, with
    p_b = phi_b'P x; gain_b (1 + v) from p_b^2/(2 sqrt(s_b)) to p_b^2/(sqrt(s_b) + least width).

Every difference of averages of D is at most a ratio of quadratics, (x'Q x + r l'x)/(1 + x'P x). It
is at most kappa on the unit ball if kappa (1 + x'P x) - x'Q x - r l'x - nu (1 - x'x) is never
negative, for some nu >= 0: kappa is the largest eigenvalue of a matrix of side d + 1, and by the
S-lemma the least kappa over nu is exactly the maximum over the ball.

Let z = D - E_q D for a distribution q over actions. All log-ratios, of an action or of an event S
(pi_S: pi within S), are at most ln E_p e^z + KL for some p and q, by Gibbs' ln E_pi e^D >= E_q D -
KL(q, pi): ln pi/pi'(S) with p = pi, q on S; ln pi'/pi(S) with p = pi_S, q anywhere. We tilt q to
the worst x. And ln E_p e^z <= ln(1 + E_p[z + h z^2]) (`curvature`). All of it is convex in r:
r = 0 and r = R suffice.
"""

from functools import cached_property

import numpy as np

from dpbandits.offline.engine.certificates import Ratios, curvature, delta_of_spread, pairwise
from dpbandits.offline.engine.quadratic_ratio import UNIT, ratio_maximum

PAIRS = 1024  # up to so many pairs of actions each gets its own bound by eigenvalues
EVENTS = 8  # up to so many actions delta is bounded event by event
TILTS = 3
FIRST = 32  # actions refined before all whose cheap bound is still above the best refined one


class AdditionCertificate:
    """Bounds over all additions, rounding included.

    Coordinates y with x'P x = |y|^2; then x'x = stiff'y^2, and p_b = eta moves_b'y. Actions that
    pi0 excludes play no part.
    """

    def __init__(self, audit, seen_from=None, first=FIRST):
        self.audit, self.first = audit, first
        self.seen_from = audit.log_pi if seen_from is None else seen_from
        used = np.isfinite(audit.log_reference)
        self.used, self.log_pi = used, audit.log_pi[used]
        values, vectors = np.linalg.eigh(audit.ridge.inverse)
        self.stiff = 1.0 / values
        actions, scale = audit.actions[used], np.sqrt(values)
        self.moves = (actions @ vectors) * scale / audit.eta
        self.squares = np.einsum("bi,bj->bij", self.moves, self.moves).reshape(len(actions), -1)
        self.theta = (vectors.T @ audit.ridge.theta) / scale
        self.reward_max = audit.reward_max
        self.reach = audit.reward_max + np.linalg.norm(audit.ridge.theta)
        widths = np.sqrt(audit.squares[used])
        narrowed = np.sqrt(np.maximum(widths**2 - _most_shrinking(audit)[used], 0.0))
        self.narrower = audit.beta0 / audit.eta * (widths - narrowed)
        # gains (over eta, times beta0) as multiples of (moves_b'y)^2/(1 + v)
        safe, scale = np.where(widths > 0, widths, np.inf), audit.beta0 * audit.eta
        self.gain_most, self.gain_least = scale / (safe + narrowed), scale / (2.0 * safe)
        self.slack = rounding(audit)
        self.to_x = (vectors / np.sqrt(values)).T
        self.found = []  # additions that look worst: where to search
        self.change = self._change()
        self.ratios = self._ratios().seen_from(self.seen_from)

    @property
    def points(self) -> np.ndarray:
        """Rows (x, share of the reward) near the maxima of the bounds made so far."""
        return np.concatenate(self.found)

    # --- the pure loss ----------------------------------------------------------------------------
    def _ratios(self) -> Ratios:
        """Log-ratios of every action: by all pairs, and by moments where that may matter."""
        bounds = pairwise(self.log_pi, self.change)
        count = len(self.log_pi)
        self.forth_moment, self.back_moment = np.full(count, np.inf), np.full(count, np.inf)
        self.tilt = np.tile(np.exp(self.log_pi), (count, 1))
        best, rows = 0.0, np.argsort(-np.maximum(bounds.forth, bounds.back))[: self.first]
        todo = np.ones(count, bool)
        while len(rows):
            todo[rows] = False
            self._refine(bounds, rows)
            best = max(best, bounds.forth[rows].max(), bounds.back[rows].max())
            rows = np.flatnonzero(todo & (np.maximum(bounds.forth, bounds.back) > best))
        forth, back = np.full(len(self.used), -np.inf), np.full(len(self.used), -np.inf)
        forth[self.used], back[self.used] = self._rounded(bounds.forth), self._rounded(bounds.back)
        return Ratios(self.audit.log_pi, forth, back)

    def _refine(self, bounds, rows):
        one = np.eye(len(self.log_pi))[rows]
        pi = np.broadcast_to(np.exp(self.log_pi), one.shape)
        self.forth_moment[rows] = self._log_moment(pi, one)
        self._keep()
        self.back_moment[rows], self.tilt[rows] = self._tilted(one, pi)
        self._keep()
        bounds.forth[rows] = np.minimum(bounds.forth[rows], self.forth_moment[rows])
        bounds.back[rows] = np.minimum(bounds.back[rows], self.back_moment[rows])

    def _keep(self):
        y, rewards = self.at
        self.found.append(np.column_stack([y @ self.to_x, rewards / self.reward_max]))

    def _rounded(self, bound):
        return bound * (1.0 + 1e-12) + self.slack

    def _change(self):
        """u[a, b] >= D_b - D_a, by Cauchy-Schwarz; by eigenvalues if the pairs are few."""
        apart = np.array([self._lengths(self.moves - one) for one in self.moves])
        change = self.reach * apart + self.narrower[None, :]
        count = len(self.log_pi)
        if count**2 <= PAIRS:
            one = np.eye(count)
            first, second = np.repeat(one, count, axis=0), np.tile(one, (count, 1))
            worst = self._largest(second - first).reshape(count, count)
            change = np.minimum(change, np.maximum(worst, 0.0))
        np.fill_diagonal(change, 0.0)
        return change

    def _lengths(self, moves):
        """The largest moves'y over the ball."""
        return np.sqrt((moves**2 / self.stiff).sum(axis=1))

    def _tilted(self, p, q):
        """The least of ln E_p e^(D - E_q' D) + KL(q', q) over a few q' on q's support, and q'."""
        base = np.where(q > 0, np.log(np.where(q > 0, q, 1.0)), -np.inf)
        best, tilt, best_tilt = np.full(len(q), np.inf), q, q
        for _ in range(TILTS):
            ratio = np.where(tilt > 0, np.log(np.where(tilt > 0, tilt, 1.0)) - base, 0.0)
            away = np.maximum((tilt * ratio).sum(axis=1), 0.0)
            bound = self._log_moment(p, tilt) + away
            best_tilt = np.where((bound < best)[:, None], tilt, best_tilt)
            best = np.minimum(best, bound)
            log_tilt = base + self._changes_at(*self.at)
            tilt = np.exp(log_tilt - np.logaddexp.reduce(log_tilt, axis=1, keepdims=True))
        return best, best_tilt

    def _log_moment(self, p, q):
        """Upper bounds of ln E_p exp(D - E_q D), one per row of p and q; at least 0."""
        sure = (p > 0).sum(axis=1) == 1  # then it is E_p D - E_q D, and no curvature enters
        with np.errstate(invalid="ignore"):  # 0 x inf is not trusted
            bent = np.where(sure[:, None], 0.0, p * curvature(q @ self.change))
        trusted = np.isfinite(bent).all(axis=1)
        bent = np.where(trusted[:, None], bent, 0.0)
        worst = np.maximum(self._largest(p - q, self._second(bent, q)), 0.0)
        return np.where(sure, worst, np.where(trusted, np.log1p(worst), np.inf))

    def _largest(self, weights, more=0.0):
        """max of [sum_b weights_b D_b + y'(more)y/(1 + v)]; rows of weights sum to 0."""
        gains = np.maximum(weights, 0.0) * self.gain_most
        gains -= np.maximum(-weights, 0.0) * self.gain_least
        linear, quadratic = weights @ self.moves, self._square(gains) + more
        quadratic = quadratic - np.einsum("ki,j->kij", linear, self.theta)
        quadratic = (quadratic + quadratic.transpose(0, 2, 1)) / 2
        low, at_low = ratio_maximum(quadratic, np.zeros_like(linear), self.stiff)
        high, at_high = ratio_maximum(quadratic, self.reward_max * linear, self.stiff)
        first = (low > high)[:, None]
        self.at = np.where(first, at_low, at_high), np.where(first[:, 0], 0.0, self.reward_max)
        return np.maximum(low, high)

    def _second(self, bent, q):
        """E.g. sum_b bent_b z_b^2 <= y'(this)y/(1 + v).

        z^2 <= (1 + s) move^2 + (1 + 1/s) (gain_b - E_q gain)^2 for any s > 0, with move^2 at most
        reach^2 [(moves_b - E_q moves)'y]^2/(1 + v), and the gains' part at most
        narrower_b gain_b + E_q[narrower gain].
        """
        split = self.narrower.max() / np.maximum((q @ self.change).max(axis=1), 1e-300)
        moving = ((1.0 + split) * self.reach**2)[:, None] * bent
        centre, pulled = q @ self.moves, moving @ self.moves
        cross = np.einsum("ai,aj->aij", pulled, centre)
        cross -= np.einsum("a,ai,aj->aij", moving.sum(axis=1) / 2, centre, centre)
        quadratic = self._square(moving) - cross - cross.transpose(0, 2, 1)
        if self.narrower.max() == 0.0:
            return quadratic
        gaining = (1.0 + 1.0 / np.maximum(split, 1e-300))[:, None] * bent
        gaining = gaining + gaining.sum(axis=1, keepdims=True) * q
        return quadratic + self._square(gaining * self.narrower * self.gain_most)

    def _square(self, weights):
        """sum_b weights[k, b] moves_b moves_b'."""
        side = len(self.stiff)
        return (weights @ self.squares).reshape(-1, side, side)

    def _changes_at(self, y, rewards):
        """About the change of all scores at the additions y (only to choose q and to search)."""
        step = (rewards - y @ self.theta)[:, None]
        moves = y @ self.moves.T
        return (moves * step + self.gain_least * moves**2) / (1.0 + (y**2).sum(axis=1))[:, None]

    # --- delta ------------------------------------------------------------------------------------
    def delta(self, epsilon: float) -> float:
        """An upper bound of delta(eps): by events if they are few, else by the variance of D."""
        bounds = [self.ratios.delta(epsilon)]
        if self.seen_from is self.audit.log_pi:
            bounds.append(self._delta_by_variance(epsilon))
        if 1 < len(self.log_pi) <= EVENTS:
            bounds.append(self._delta_by_events(epsilon))
        return min(bounds)

    def _delta_by_events(self, epsilon):
        """max over S of pi(S) - e^eps pi'(S), and of pi'(S) - e^eps pi(S)."""
        mass, forth, back = self._events
        lost = mass * -np.expm1(np.minimum(epsilon - forth, 0.0))
        with np.errstate(over="ignore"):
            gained = mass * (np.exp(np.maximum(back, epsilon)) - np.exp(epsilon))
        return float(max(lost.max(), gained.max()))

    @cached_property
    def _events(self):
        count, pi = len(self.log_pi), np.exp(self.log_pi)
        inside = (np.arange(1, 2**count - 1)[:, None] >> np.arange(count)) & 1
        inside = inside[inside @ pi > 0]
        mass = inside @ pi
        within = inside * pi / mass[:, None]
        within = np.where(inside.sum(axis=1, keepdims=True) == 1, inside, within)
        all_ = np.broadcast_to(pi, within.shape)
        forth = self._rounded(self._tilted(all_, within)[0])
        self._keep()
        back = self._rounded(self._tilted(within, all_)[0])
        self._keep()
        mass_seen = inside @ np.exp(self.seen_from[self.used])
        with np.errstate(divide="ignore"):
            shift = np.log(mass_seen) - np.log(mass)
        return mass_seen, forth + shift, back - shift

    def _delta_by_variance(self, epsilon):
        bound = delta_of_spread(*self.spread, self.ratios.pure, epsilon)
        return float(bound) * (1.0 + 1e-12) + self.slack

    @cached_property
    def spread(self):
        """Upper bounds of the standard deviation of D under pi, and of ln E_pi e^(D - E_pi D).

        |r - theta'x| root/(1 + v), with root^2 = y'(covariance of the moves)y, is at most
        [(r - theta'x)^2/c + c root^2]/(2 + 2v) for any c > 0.
        """
        pi = np.exp(self.log_pi)[None, :]
        mean = float(self._log_moment(pi, pi)[0])
        centred = self.moves - pi @ self.moves
        covariance = (centred.T * pi) @ centred
        deviation = np.sqrt(np.max(np.diag(covariance) / self.stiff)) + 1e-300
        c = (self.reach / deviation * np.geomspace(0.1, 10.0, 16))[:, None]
        square = np.outer(self.theta, self.theta) / c[:, :, None] + covariance * c[:, :, None]
        worst = 0.0
        for r in (0.0, self.reward_max):
            linear, constant = -2.0 * r * self.theta / c, r**2 / c[:, 0]
            most, y = ratio_maximum(square / 2, linear / 2, self.stiff, constant / 2)
            self.at = y, np.full(len(y), r)
            self._keep()
            worst = max(worst, most.min())
        widths = np.sqrt(pi[0] @ self.narrower**2)
        return worst + widths, mean


def _most_shrinking(audit):
    """The largest (phi'P x)^2/(1 + x'P x) over the ball: w'(I + P)^-1 w with w = P phi."""
    inverse = audit.ridge.inverse
    solved = audit.actions @ inverse
    return np.einsum("ad,de,ae->a", solved, np.linalg.inv(np.eye(len(inverse)) + inverse), solved)


def rounding(audit) -> float:
    """How much floating point can have moved a bound: from the inverse, theta, and all scores.

    Sigma is a sum of n products, off by at most n UNIT tr Sigma; with the residual of its inverse
    this gives the relative error rho of P, and the error of theta. Scores follow by Cauchy-Schwarz
    (widths: the smallest positive one is at least |phi|/sqrt(lambda_max)); the reference policy
    and the changed one each enter a log-ratio twice, hence the factor 8, generously. A sum over the
    actions of probabilities adds its own.
    """
    ridge, features, rewards = audit.ridge, audit.features, audit.rewards
    count, side = features.shape
    sigma = audit.penalty * np.eye(side) + features.T @ features
    norm, top = np.linalg.norm(ridge.inverse, 2), np.linalg.norm(sigma, 2)
    sums = (count + 8 * side) * UNIT * np.trace(sigma)
    rho = np.linalg.norm(np.eye(side) - sigma @ ridge.inverse) + 2 * sums * norm
    if not rho < 0.1:
        return np.inf
    total = features.T @ rewards
    residual = np.linalg.norm(total - sigma @ ridge.theta) + sums * np.linalg.norm(ridge.theta)
    residual += (count + 8) * UNIT * (np.linalg.norm(features, axis=1) @ np.abs(rewards))
    theta = 2 * norm * residual + 8 * side * UNIT * np.linalg.norm(ridge.theta)
    reach = audit.reward_max + np.linalg.norm(ridge.theta)
    scores = theta * (1 + norm) + 2 * rho * norm * (reach + audit.beta0 * np.sqrt(top))
    scores += 16 * UNIT * (reach + audit.beta0 * np.sqrt(norm))
    return float(8 * scores / audit.eta + 16 * (8 + len(audit.actions)) * UNIT)
