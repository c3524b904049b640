"""dp-signs: private sparse regression by signs, warm-started, in episodes (ours).

N-IHT's gradient must be clipped, and what a record may move it by, x_max R, is many times what a
record says on average. Signs need no clipping: in an episode of n rows

    theta_j <- theta_j + scale sin(pi S_j/(2 n)),   S_j = sum_t sign(x_tj) sign(r_t - centre),

r = y - X theta the residuals of the current estimate, centre and scale their private quartiles'
middle and spread. For normal contexts sin(pi S/(2 n)) estimates the correlation of x_j and r, so
this is a gradient step of the right length; its noise falls with the residuals, and no bound on
contexts, rewards or beta* is asked for. A replaced record moves S_j by 2 at most. The s largest are
selected and released as by the preset `zcdp`. Each row is used once, for the next estimate: the
sequence of estimates is rho-zCDP, the actions follow from it and their own user's contexts:
docs/proofs/FL.md, Theorem C1.
"""

import math

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import JOINT
from dpbandits.core.trajectories import Trajectories
from dpbandits.sparse.problem import SparseSetting, contexts, reward_noise
from dpbandits.sparse.recorder import Recorder
from dpbandits.sparse.zcdp import largest_rho

SELECTION, RELEASE, QUARTILE = 0.6, 0.3, 0.05  # shares of rho; there are two quartiles
DETECTABLE = 1 / 3  # correlation that the first episode is sized to detect
GRID = 2.0 ** (np.arange(-40, 41) / 4)  # what a quartile may be, with both signs, or 0
QUARTILES = np.concatenate((-GRID[::-1], [0.0], GRID))
SPREAD = 1.349  # between the quartiles of a standard normal


@algorithm(
    "dp-signs",
    setting=SparseSetting,
    source="ours: docs/proofs/FL.md, C",
    claim="assumed: proved in docs/proofs/FL.md, Theorem C1",
    notion=JOINT,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    return in_episodes(play, setting, epsilon, horizon, streams, checkpoints)


def in_episodes(play, setting, epsilon, horizon, streams, checkpoints) -> Trajectories:
    """Each episode is as long as all before it together; `play` simulates one."""
    rho = largest_rho(epsilon, setting.delta)
    recorder = Recorder(setting.signal, len(streams), checkpoints)
    for run in range(len(streams)):
        rng = streams.child("contexts").generator(run)
        private = streams.child("privacy").generator(run)
        recorder.next_run()
        estimate, t, first = None, 0, first_episode(setting, rho)
        while t < horizon:
            n = min(max(t + 1, first), horizon - t)
            rows, rewards, regret = play(setting, rng, estimate, n)
            recorder.add(estimate, regret)
            t += n
            if t < horizon:
                estimate = sign_step(setting, rho, private, estimate, rows, rewards)
    return recorder.trajectories()


class Rows(np.ndarray):
    """n x d contexts."""

    def times(self, theta: np.ndarray) -> np.ndarray:
        return self @ theta

    def sign_sums(self, signs: np.ndarray) -> np.ndarray:
        return signs @ np.where(self >= 0, 1.0, -1.0)


def play(setting: SparseSetting, rng, estimate, n: int):
    """n rounds with the greedy arm, or random ones while there is no estimate."""
    rows, rewards, regret = np.empty((n, setting.d)), np.empty(n), np.empty(n)
    for t in range(n):
        arms = contexts(setting, rng, 1)[0]
        arm = rng.integers(setting.arms) if estimate is None else np.argmax(arms @ estimate)
        mean = arms @ setting.signal
        rows[t], regret[t] = arms[arm], mean.max() - mean[arm]
        rewards[t] = mean[arm] + reward_noise(setting, rng, 1)[0]
    return rows.view(Rows), rewards, regret


def first_episode(setting: SparseSetting, rho: float) -> int:
    """Rounds before the first estimate, from public numbers.

    Statistical noise asks for 2 s ln d rows; to lift a correlation DETECTABLE above the
    largest of d Gumbel noises takes the rest.
    """
    noise = math.sqrt(setting.sparsity / (2 * SELECTION * rho))
    return math.ceil(math.log(setting.d) * (2 * setting.sparsity + math.pi * noise / DETECTABLE))


def sign_step(setting: SparseSetting, rho: float, rng, estimate, rows, rewards) -> np.ndarray:
    """The next estimate, rho-zCDP in the episode's rows."""
    s, n = setting.sparsity, len(rewards)
    theta = np.zeros(setting.d) if estimate is None else estimate
    residuals = rewards - rows.times(theta)
    low, high = (quantile(rng, residuals, q, QUARTILE * rho) for q in (0.25, 0.75))
    scale = max(high - low, 0.0) / SPREAD
    signs = np.where(residuals >= 0.5 * (low + high), 1.0, -1.0)
    v = theta + scale * np.sin(0.5 * math.pi / n * rows.sign_sums(signs))
    moved = math.pi * scale / n * math.sqrt(s / 2)  # noise at rho = 1
    noisy = np.abs(v) + moved / math.sqrt(SELECTION * rho) * rng.gumbel(size=setting.d)
    chosen = np.argsort(-noisy, kind="stable")[:s]
    kept = np.zeros(setting.d)
    kept[chosen] = v[chosen] + moved / math.sqrt(RELEASE * rho) * rng.standard_normal(s)
    return kept


def quantile(rng, values: np.ndarray, q: float, rho: float) -> float:
    """A point of the public grid with about q of the values below: exponential mechanism.

    The rank of a point moves by 1 with a record, so that the weights exp(-a |rank - q n|) have
    bounded range 2 a and cost a^2/2.
    """
    ranks = np.searchsorted(np.sort(values), QUARTILES)
    misses = np.abs(ranks - q * len(values))
    noise = rng.gumbel(size=len(QUARTILES)) / math.sqrt(2 * rho)
    return float(QUARTILES[np.argmax(noise - misses)])
