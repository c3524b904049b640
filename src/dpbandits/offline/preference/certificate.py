"""A proven upper bound of the loss of any addition to an RLHF audit, in any dimension.

Let y be the move of the MLE over the ball when z (|z| <= 2) is added, H minus the Hessian at theta,
and Hbar its mean over the move. Optimality before and after, with the multiplier nu of the ball,
gives y'(Hbar + nu/2) y <= tau z'y for a tau in [0, sigma(-z'theta)]; and (Hbar) y = tau z if both
MLEs are inside. Write G = (H + nu/2)^-1. Logistic curvature changes at most by e^s while margins
move by s, so with zeta = max_j |z_j|_G and Q >= tau |z|_G: |y|_(1/G) <= Q s/(1 - e^-s) for
s = zeta |y|_(1/G), hence s <= -ln(1 - zeta Q). Then for every contrast v,

    v'y <= tau (near v'G z + far |v|_G |z|_G),

near and far from s: to first order (1, s/2) inside, (1, about s) on the surface if the MLE stays
there (`_on_the_ball`), (1/2, 1/2) if it may come or go. Where zeta Q >= 1 only
|theta + y| <= B is left. The ball of z is cut into slabs of z'theta: in each, v'G z and tau have
their maxima in closed form. Widths shrink at most by `narrower`, for all actions at once.
"""

import numpy as np

from dpbandits.offline.engine.certificates import Ratios, curvature, delta_of_spread, pairwise
from dpbandits.offline.engine.quadratic_ratio import UNIT

REACH = 2.0  # the largest norm of a feature difference
SLABS = 96
CELLS = 2_000_000
TILTS = 3


class PreferenceCertificate:
    """Bounds over all additions, rounding included. Actions that pi0 excludes play no part."""

    def __init__(self, audit, seen_from=None):
        self.audit = audit
        used = np.isfinite(audit.log_reference)
        self.used, self.log_pi, self.actions = used, audit.log_pi[used], audit.actions[used]
        self.narrower = audit.beta0 / audit.eta * _narrowing(audit)[used]
        self._bound_move()
        self.change = self._change()
        self.ratios = self._ratios()
        if seen_from is not None:
            self.ratios = self.ratios.seen_from(seen_from)
        self.alone = seen_from is None

    def _bound_move(self):
        """near, far, extra, root and project of `_largest`; near = inf if only the ball is left.

        moved: the most that the MLE moves.
        """
        audit = self.audit
        theta, size = audit.theta, np.linalg.norm(audit.theta)
        gradient, hessian = audit.gradient_and_hessian()
        inside = size < audit.radius * (1 - 1e-9)
        nu = 0.0 if inside else max(0.0, gradient @ theta / size**2)
        self.theta, self.near, self.moved = theta, np.inf, np.inf
        self.slack = self._rounding_of_scores()
        values, vectors = np.linalg.eigh(hessian + nu / 2 * np.eye(len(theta)))
        if values[0] <= 1e-12 * max(values[-1], 1e-300):
            return  # flat: no curvature to rely on
        root = vectors / np.sqrt(values)  # root root' = G
        residual = np.linalg.norm(gradient - nu * theta) + 16 * UNIT * len(audit.data.signed)
        zeta = np.linalg.norm(audit.rows @ root, axis=1).max()
        self.widest = REACH / np.sqrt(values[0])  # of |z|_G
        reached = zeta * self.widest / (1.0 + np.exp(-REACH * size)) * (1 + 1e-9)
        if reached >= 1:
            return
        s = -np.log1p(-reached)
        high, low = s / -np.expm1(-s), s / np.expm1(s)
        moved = self.moved = s / zeta / np.sqrt(values[0])
        self.root, self.project, self.extra = root, np.eye(len(theta)), 0.0
        self.near, self.far = (high + low) / 2, (high - low) / 2
        self.slack += self._rounding(residual / values[0], values[-1] / values[0])
        if not inside:
            self._on_the_ball(hessian, nu, moved, high, low)
        elif size + moved >= audit.radius:
            self.near, self.far = self.near / 2, (self.far + high) / 2

    def _on_the_ball(self, hessian, nu, moved, high, low):
        """If the new MLE stays on the surface: y = tau Pi z + (|y|^2/2) K theta'/|theta'|_K^2.

        K = (Hbar + nu)^-1 and Pi is K less its part along theta' = theta + y (from Hbar y = tau z +
        nu theta - nu' theta' and theta''y = |y|^2/2). Against theta and H + nu, the direction that
        is projected out turns by at most `turn`, and K is off by far. The new MLE could only be
        inside if nu |theta|_(1/Hbar) < tau |z|_(1/Hbar).
        """
        theta = self.theta
        inner = np.linalg.eigvalsh(hessian)[0]
        values, vectors = np.linalg.eigh(hessian + nu * np.eye(len(theta)))
        root = vectors / np.sqrt(values)
        along = theta @ root
        length, shift = np.linalg.norm(along), moved / np.sqrt(values[0])
        stays = inner > 1e-12 * values[-1] and nu * np.sqrt(
            low * theta @ np.linalg.solve(hessian, theta)
        ) > REACH * np.sqrt(high / inner) / (1.0 + np.exp(-REACH * np.linalg.norm(theta)))
        if not stays or shift >= 0.9 * length:
            self.near, self.far = self.near / 2, (self.far + high) / 2
            return
        turn = shift / length
        self.root, self.widest = root, REACH / np.sqrt(values[0])
        self.project = np.eye(len(theta)) - np.outer(along, along) / length**2
        self.far += self.near * turn
        self.extra = np.sqrt(high / low) * moved**2 / (2 * (length - shift))

    def _rounding(self, error, condition):
        """Scores move with theta (by its residual) and the widths; each enters log-ratios twice."""
        audit = self.audit
        covariance = audit.data.covariance(audit.penalty)
        norm = np.linalg.norm(audit.inverse, 2)
        sums = (len(audit.data.signed) + 8 * len(covariance)) * UNIT * np.trace(covariance)
        rho = np.linalg.norm(np.eye(len(covariance)) - covariance @ audit.inverse)
        rho += 2 * sums * norm
        widths = audit.beta0 * rho * norm * np.sqrt(np.linalg.norm(covariance, 2))
        scores = 4 * error + 2 * widths + 64 * UNIT * condition
        return float(8 * scores / audit.eta)

    def _rounding_of_scores(self):
        """Of a score over eta, and of the logarithm of a sum of probabilities."""
        audit = self.audit
        size = np.linalg.norm(audit.theta) + audit.beta0 * np.sqrt(np.linalg.norm(audit.inverse, 2))
        return float(128 * UNIT * (1.0 + len(self.log_pi) / 8 + size / audit.eta))

    # --- contrasts --------------------------------------------------------------------------------
    def _largest(self, contrasts):
        """max of contrasts'y over all additions, and z where it is about reached."""
        size = np.linalg.norm(self.theta)
        lengths = np.linalg.norm(contrasts, axis=1)
        some = np.where(lengths > 0, lengths, 1.0)  # 0 x inf without a ball
        capped = np.where(lengths > 0, self.audit.radius * some - contrasts @ self.theta, 0.0)
        if np.isinf(self.near):
            return capped, np.zeros_like(contrasts)
        half = contrasts @ self.root
        linear = half @ self.project @ self.root.T * self.near
        rest = self.far * np.linalg.norm(half, axis=1) * self.widest
        extra = self.extra * np.linalg.norm(half, axis=1)
        axis = self.theta / size if size > 0 else np.eye(len(self.theta))[0]
        along = linear @ axis
        across = linear - along[:, None] * axis
        length = np.linalg.norm(across, axis=1)
        edges = np.linspace(-REACH, REACH, SLABS + 1)
        best = REACH * along / np.maximum(np.hypot(along, length), 1e-300)
        at = np.clip(best[:, None], edges[:-1], edges[1:])
        value = along[:, None] * at + length[:, None] * np.sqrt(np.maximum(REACH**2 - at**2, 0.0))
        value = (np.maximum(value, 0.0) + rest[:, None]) / (1.0 + np.exp(size * edges[:-1]))
        slab = value.argmax(axis=1)
        rows = np.arange(len(value))
        at = at[rows, slab]
        unit = across / np.maximum(length, 1e-300)[:, None]
        z = at[:, None] * axis + np.sqrt(np.maximum(REACH**2 - at**2, 0.0))[:, None] * unit
        return np.minimum(value[rows, slab] + extra, capped), z

    def _change(self):
        """u[a, b] >= D_b - D_a, over eta."""
        step = max(1, CELLS // (SLABS * len(self.actions)))
        parts = []
        for first in range(0, len(self.actions), step):
            some = self.actions[None, :, :] - self.actions[first : first + step, None, :]
            bound, _ = self._largest(some.reshape(-1, some.shape[2]))
            parts.append(bound.reshape(some.shape[:2]))
        change = np.concatenate(parts) / self.audit.eta + self.narrower
        np.fill_diagonal(change, 0.0)
        return change

    # --- log-ratios and delta ---------------------------------------------------------------------
    def _ratios(self) -> Ratios:
        bounds = pairwise(self.log_pi, self.change)
        if np.isfinite(self.near):
            bounds = bounds.least(Ratios(self.log_pi, self._forth(), self._back()))
        forth, back = np.full(len(self.used), -np.inf), np.full(len(self.used), -np.inf)
        forth[self.used] = bounds.forth * (1 + 1e-12) + self.slack
        back[self.used] = bounds.back * (1 + 1e-12) + self.slack
        return Ratios(self.audit.log_pi, forth, back)

    def _forth(self):
        """ln E_pi e^z <= ln(1 + E_pi z + h E_pi z^2), z = D - D_a; E_pi z^2 by Minkowski."""
        pi = np.exp(self.log_pi)
        first, _ = self._largest(pi @ self.actions - self.actions)
        first = np.maximum(first, 0.0) / self.audit.eta + pi @ self.narrower
        apart = self.actions[None, :, :] - self.actions[:, None, :]
        size = self._deviation(np.einsum("b,abi,abj->aij", pi, apart, apart))
        widths = np.sqrt(np.maximum(self.narrower, self.narrower[:, None]) ** 2 @ pi)
        second = curvature(self.change.max(axis=1)) * (size + widths) ** 2
        return np.log1p(first + second)

    def _back(self):
        """-ln E_pi e^z <= -E_q z + KL(q, pi), with q tilted to the worst z."""
        best, log_q = np.full(len(self.log_pi), np.inf), np.tile(self.log_pi, (len(self.log_pi), 1))
        for _ in range(TILTS):
            q = np.exp(log_q)
            worst, z = self._largest(self.actions - q @ self.actions)
            away = (q * (log_q - self.log_pi)).sum(axis=1)
            bound = np.maximum(worst, 0.0) / self.audit.eta + self.narrower + np.maximum(away, 0.0)
            best = np.minimum(best, bound)
            tau = 1.0 / (1.0 + np.exp(z @ self.theta))
            move = tau[:, None] * (z @ self.root) @ self.project @ self.root.T
            log_q = self.log_pi + move @ self.actions.T / self.audit.eta
            log_q = log_q - np.logaddexp.reduce(log_q, axis=1, keepdims=True)
        return best

    def _deviation(self, forms):
        """sqrt of the largest y'form y/eta^2."""
        inner = self.root.T @ forms @ self.root
        mapped = self.root @ self.project @ inner @ self.project @ self.root.T
        along = REACH * np.sqrt(np.maximum(np.linalg.eigvalsh(mapped)[..., -1], 0.0))
        ragged = np.sqrt(np.maximum(np.linalg.eigvalsh(inner)[..., -1], 0.0))
        tau = 1.0 / (1.0 + np.exp(-REACH * np.linalg.norm(self.theta)))
        most = tau * (self.near * along + self.far * self.widest * ragged) + self.extra * ragged
        return most * (1 + 1e-9) / self.audit.eta

    def delta(self, epsilon: float) -> float:
        bounds = [self.ratios.delta(epsilon)]
        if self.alone and np.isfinite(self.near):
            deviation, mean = self.spread
            bounds.append(float(delta_of_spread(deviation, mean, self.ratios.pure, epsilon)))
            bounds[-1] = bounds[-1] * (1 + 1e-12) + self.slack
        return min(bounds)

    @property
    def spread(self):
        """Upper bounds of the standard deviation of D under pi, and of ln E_pi e^(D - E_pi D)."""
        pi = np.exp(self.log_pi)
        centred = self.actions - pi @ self.actions
        deviation = float(self._deviation((centred.T * pi) @ centred))
        deviation += float(np.sqrt(pi @ self.narrower**2))
        most = (pi @ self.change).max()
        return deviation, float(np.log1p(curvature(most) * deviation**2))


def _narrowing(audit):
    """How much any added record can shrink each action's width, at most."""
    solved = audit.actions @ audit.inverse
    shrunk = np.linalg.inv(np.eye(len(audit.inverse)) / REACH**2 + audit.inverse)
    most = np.einsum("ad,de,ae->a", solved, shrunk, solved)
    return np.sqrt(audit.squares) - np.sqrt(np.maximum(audit.squares - most, 0.0))
