"""Who comes and what is learnt from them: engines that play an episode, equal in law.

Each has `play(estimate, n)`, which lets n users come, plays the greedy arm (the first one while
there is no estimate, a random one in round 1) and returns the chosen rows as a design, the rewards
and the regret of each round.

- DenseContexts draws all K d-vectors of each round.
- LazyContexts draws the 2 K scores of each round, and products with the chosen rows when asked.
- RowContexts draws the coordinates that scores read, and the chosen rows in full when asked:
  O(n d), without the factor K.
- ClippedContexts (in `_clipped`) is for one step of N-IHT on clipped contexts, whose sums have no
  law to draw from at once: of the chosen rows it draws only the columns that can win.
"""

import math
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.generators import borrowed, normals
from dpbandits.sparse.engine import descent
from dpbandits.sparse.engine.autoregressive import (
    at_coordinates,
    colour,
    colour_transposed,
    covariance_times,
    pins,
)
from dpbandits.sparse.engine.dense import World, add_signs, clipped_rows, play_dense
from dpbandits.sparse.engine.iht import Design, Matrix
from dpbandits.sparse.engine.known import adopted, powers
from dpbandits.sparse.engine.lazy import LazyGaussian
from dpbandits.sparse.engine.selection import Fresh, Scores
from dpbandits.sparse.problem import SparseSetting, draw_gaps

RANDOM = "random"  # in place of an estimate: play a random arm


@dataclass(frozen=True)
class Episode:
    design: Design
    rewards: np.ndarray
    regret: np.ndarray  # of each round


class Contexts:
    """What the engines share: the signal, its scores and the choice of the arm."""

    def __init__(self, setting: SparseSetting, rng: np.random.Generator):
        self.setting, self.rng = setting, rng
        self.signal = setting.signal
        self.white_signal = colour_transposed(self.signal, setting.rho)
        self.scale = float(np.linalg.norm(self.white_signal))  # sd of x'beta*
        self.clip = setting.x_max if setting.bounded else np.inf  # of the contexts
        self.noise = setting.sigma, setting.reward_noise == "uniform"

    def force_margin(self, scores: np.ndarray) -> np.ndarray:
        """How far each score x'beta* must move so that the gaps follow the asked-for law."""
        n = len(scores)
        shift = np.zeros_like(scores)
        if self.setting.margin != "gaussian":
            ranked = np.sort(scores, axis=1)
            best = np.argmax(scores, axis=1)
            gaps = draw_gaps(self.setting, self.rng, n)
            shift[np.arange(n), best] = ranked[:, -2] + gaps - ranked[:, -1]
        return shift

    def signal_scores(self, n: int) -> np.ndarray:
        """x'beta* of every arm in n rounds."""
        scores = normals(self.rng, (n, self.setting.arms))
        scores *= self.scale
        if self.setting.margin != "gaussian":
            scores += self.force_margin(scores)
        return scores

    def regression(self, white: np.ndarray) -> tuple[float, float]:
        """Of x'estimate on x'beta*: slope and standard deviation of what is left."""
        slope = float(white @ self.white_signal) / self.scale**2
        rest = white - slope * self.white_signal
        return slope, math.sqrt(rest @ rest)

    def choose(self, estimate, learner_scores, n: int) -> np.ndarray:
        if estimate is None:
            return np.zeros(n, np.int64)
        if estimate is RANDOM:
            return self.rng.integers(0, self.setting.arms, n)
        return _leaders(learner_scores)

    def episode(self, design: Design, scores: np.ndarray, arms: np.ndarray) -> Episode:
        """Rewards and regret of the chosen arms."""
        with borrowed(self.rng) as rng:
            _, rewards, regret = _outcome(rng, scores, arms, *self.noise)
        return Episode(design, rewards, regret)


@jit
def _leaders(scores):
    """The argmax of every row. (NumPy's is slow along a short last axis.)"""
    n, arms = scores.shape
    leaders = np.empty(n, np.int64)
    for t in range(n):
        best, leader = scores[t, 0], 0
        for k in range(1, arms):
            leader = k if scores[t, k] > best else leader  # no branch: none could foresee it
            best = max(best, scores[t, k])
        leaders[t] = leader
    return leaders


@jit
def _outcome(rng, scores, arms, sigma, uniform):
    """What the chosen arms score, their rewards (noise as in `reward_noise`) and their regret."""
    n = len(arms)
    played, regret = np.empty(n), np.empty(n)
    rewards = np.empty(n) if uniform else rng.standard_normal(n)
    for t in range(n):
        best, played[t] = scores[t, 0], scores[t, arms[t]]
        for k in range(1, scores.shape[1]):
            best = max(best, scores[t, k])
        noise = -sigma + (sigma + sigma) * rng.random() if uniform else sigma * rewards[t]
        rewards[t], regret[t] = played[t] + noise, best - played[t]
    return played, rewards, regret


@jit
def _play(rng, scores, slope, spread, arms, greedy, sigma, uniform):
    """The chosen arms' x'estimate = slope x'beta* + spread normal, and what comes of them.

    With `greedy` they are those where it is largest; else nobody asks for it.
    """
    largest = np.empty(len(arms))
    if greedy:
        rest = rng.standard_normal(scores.size).reshape(scores.shape)
        for t in range(len(arms)):
            best, leader = -np.inf, 0
            for k in range(scores.shape[1]):
                score = slope * scores[t, k] + spread * rest[t, k]
                leader = k if score > best else leader  # as in `_leaders`
                best = max(best, score)
            largest[t], arms[t] = best, leader
    return largest, _outcome(rng, scores, arms, sigma, uniform)


class DenseContexts(Contexts):
    """Every coordinate of every context, by a compiled loop."""

    def play(self, estimate, n: int) -> Episode:
        s = self.setting
        greedy = isinstance(estimate, np.ndarray)
        arms = self.choose(None if greedy else estimate, None, n)
        gaps = np.zeros(n) if s.margin == "gaussian" else draw_gaps(s, self.rng, n)
        direction = covariance_times(self.signal, s.rho) / self.scale**2
        theta = estimate if greedy else np.zeros(s.d)
        world = World(s.arms, s.rho, self.clip, self.signal, s.margin != "gaussian", direction)
        with borrowed(self.rng) as rng:
            rows, scores = play_dense(rng, world, theta, greedy, arms, gaps)
        return self.episode(Matrix(rows), scores, arms)


class LazyContexts(Contexts):
    """Scores only; the rest of a chosen row is Gaussian given its two scores."""

    def play(self, estimate, n: int) -> Episode:
        scores, slope, spread = self.signal_scores(n), 0.0, 0.0
        greedy = isinstance(estimate, np.ndarray)
        if greedy:
            slope, spread = self.regression(colour_transposed(estimate, self.setting.rho))
        arms = self.choose(None if greedy else estimate, None, n)
        with borrowed(self.rng) as rng:
            found = _play(rng, scores, slope, spread, arms, greedy, *self.noise)
        other, (played, rewards, regret) = found
        design = LazyRows(n, self.setting, self.rng)
        design.reveal(self.signal, played)
        if greedy:
            design.reveal(estimate, other)
        return Episode(design, rewards, regret)


class LazyRows(Design):
    """The chosen rows X = G L' with G lazy."""

    def __init__(self, n: int, setting: SparseSetting, rng: np.random.Generator):
        self.shape, self.rho, self.rng = (n, setting.d), setting.rho, rng
        self.asked: list[tuple] = []  # all v, and X v
        self.told = 0  # of these, how many `unseen` knows

    @cached_property
    def unseen(self) -> LazyGaussian:
        return LazyGaussian(*self.shape, self.rng)

    @property
    def white(self) -> LazyGaussian:
        """G, with all that is known of it."""
        for v, image in self.asked[self.told :]:
            self.unseen.reveal(colour_transposed(v, self.rho), image)
        self.told = len(self.asked)
        return self.unseen

    def reveal(self, v: np.ndarray, image: np.ndarray) -> None:
        """X v."""
        self.asked.append((v, image))

    def matvec(self, v: np.ndarray) -> np.ndarray:
        image = self.white.matvec(colour_transposed(v, self.rho))
        self.reveal(v, image)
        self.told += 1
        return image

    def rmatvec(self, u: np.ndarray) -> np.ndarray:
        return colour(self.white.rmatvec(u), self.rho)

    def only_product(self, u: np.ndarray) -> Scores:
        with borrowed(self.rng) as rng:
            return Scores(descent.only_product(rng, *self.known(u)))

    def descend(self, target, rate, tuning, select, release) -> np.ndarray:
        if not isinstance(select, Fresh):
            turned = self.white.rotated(target, tuning.steps) if tuning.steps > 1 else target
            return super().descend(turned, rate, tuning, select, release)
        noise = release(tuning.steps * select.rounds).reshape(tuning.steps, -1)
        with (
            borrowed(self.rng) as rng,
            nullcontext(rng) if self.rng is select.rng else borrowed(select.rng) as selection,
        ):
            rest = (rate, tuning.radius, np.array(tuning.scales), noise)
            if self.told:  # to `white`, whose arithmetic is kept
                target = self.white.rotated(target, tuning.steps)
                begun = adopted(powers(self.rho, self.shape[1]), self.white, self.asked, noise)
                return descent.go_on(begun, rng, selection, target, *rest)
            return descent.descend(rng, selection, *self.known(target), *rest)

    def known(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What compiled code is told of the rows, with an n-vector to be used with them."""
        asked, images = zip(*self.asked, strict=True)
        return powers(self.rho, self.shape[1]), np.array(asked), np.array([*images, u])


class RowContexts(Contexts):
    """Arms chosen from the coordinates that scores read; the chosen rows in full when asked."""

    def play(self, estimate, n: int) -> Episode:
        s = self.setting
        greedy = isinstance(estimate, np.ndarray)
        read = self.signal != 0
        where = np.flatnonzero(read | (estimate != 0) if greedy else read)
        x = at_coordinates(self.rng, where, (n, s.arms), s.rho)
        scores = x @ self.signal[where]
        if s.margin != "gaussian":
            shift = self.force_margin(scores)
            along = covariance_times(self.signal, s.rho)[where] / self.scale**2
            x += shift[:, :, None] * along
            scores += shift
        seen = x if self.clip == np.inf else np.clip(x, -self.clip, self.clip)
        other = seen @ estimate[where] if greedy else None
        arms = self.choose(estimate, other, n)
        seed = int(self.rng.integers(0, 2**63))
        design = Rows(s, self.clip, where, x[np.arange(n), arms], seed)
        return self.episode(design, scores, arms)


class Rows(Design):
    """clip(X) for rows with some known coordinates, drawn again in blocks for every product.

    The blocks have generators of their own, SFC64: these are most of a run's random numbers.
    """

    ENTRIES = 2**16  # per block: what a processor keeps near

    def __init__(self, setting: SparseSetting, clip: float, where, known: np.ndarray, seed: int):
        self.setting, self.clip, self.seed = setting, clip, seed
        self.where, self.known = where, known

    def blocks(self):
        """Slices of the rows, and their clipped contexts."""
        s, n = self.setting, len(self.known)
        size = min(n, max(1, self.ENTRIES // s.d))
        fixed = pins(self.where, s.d, s.rho)
        for number, start in enumerate(range(0, n, size)):
            part = slice(start, min(n, start + size))
            rng = np.random.Generator(np.random.SFC64([self.seed, number]))
            with borrowed(rng) as fast:
                rows = clipped_rows(fast, s.d, s.rho, self.clip, self.known[part], fixed)
            yield part, rows

    def matvec(self, v: np.ndarray) -> np.ndarray:
        return np.concatenate([x @ v for _, x in self.blocks()])

    def rmatvec(self, u: np.ndarray) -> np.ndarray:
        return sum(u[part] @ x for part, x in self.blocks())

    def sign_sums(self, u: np.ndarray) -> np.ndarray:
        """sign(X)'u for rows that are asked for this once."""
        s, out = self.setting, np.zeros(self.setting.d)
        rng = np.random.Generator(np.random.SFC64(self.seed))
        with borrowed(rng) as fast:
            add_signs(fast, out, s.rho, u, self.known, pins(self.where, s.d, s.rho))
        return out
