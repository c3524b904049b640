"""dp-signs: private sparse regression on signs, in episodes (ours).

N-IHT must clip its gradient, and its noise is set for what one record may move the gradient by,
which is many times what a record moves it by on average. Signs need no clipping. After an episode
of n rows

    theta_j <- theta_j + scale sin(pi S_j/(2 n)),   S_j = sum_t sign(x_tj) sign(r_t - centre),

where r = y - X theta are the residuals of the current estimate, and centre and scale are the middle
of their private quartiles and the distance between them, over that of a standard normal law. For
normal contexts sin(pi S_j/(2 n)) estimates the correlation of x_j and r, so that this is a gradient
step of the right length. Its noise falls with the residuals, and no bound on contexts, rewards or
beta* is needed. A replaced record moves S_j by 2 at most. The s largest |theta_j| are selected and
released as by FLIPHAT. Each row is used once, for the next estimate: the sequence of
estimates is rho-zCDP, and an action depends on it and on the user's own contexts alone
(docs/proofs/FL.md, Theorem C1).
"""

import math

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import JOINT
from dpbandits.core.port import SimulatedNoise
from dpbandits.core.zcdp import largest_rho
from dpbandits.sparse.problem import SparseSetting
from dpbandits.sparse.rounds import Sparse, play_rounds

SELECTION, RELEASE, QUARTILE = 0.6, 0.3, 0.05  # shares of rho; there are two quartiles
DETECTABLE = 1 / 3  # correlation that the first episode is sized to detect
GRID = 2.0 ** (np.arange(-40, 41) / 4)  # what a quartile may be, with both signs, or 0
QUARTILES = np.concatenate((-GRID[::-1], [0.0], GRID))
SPREAD = 1.349  # distance between the quartiles of a standard normal law


class KeptRows:
    """The played contexts, n x d. engine/dp_signs.py answers the same without keeping them."""

    def __init__(self, x: np.ndarray):
        self.x = x

    def times(self, theta: np.ndarray) -> np.ndarray:
        """X theta."""
        return self.x @ theta

    def sign_sums(self, signs: np.ndarray) -> np.ndarray:
        """The sums over the rows of signs_t sign(x_tj), for every coordinate j."""
        return signs @ np.where(self.x >= 0, 1.0, -1.0)


def first_episode(setting: SparseSetting, rho: float) -> int:
    """Rounds before the first estimate, from public numbers.

    Statistical noise asks for 2 s ln d rows; to lift a correlation DETECTABLE above the
    largest of d Gumbel noises takes the rest.
    """
    noise = math.sqrt(setting.sparsity / (2 * SELECTION * rho))
    return math.ceil(math.log(setting.d) * (2 * setting.sparsity + math.pi * noise / DETECTABLE))


def sign_step(setting, rho: float, noise, theta, rows, rewards) -> np.ndarray:
    """The next estimate, rho-zCDP in the episode's rows; `noise` is a port."""
    s, n = setting.sparsity, len(rewards)
    residuals = rewards - rows.times(theta)
    q1, q3 = (quantile(noise, residuals, q, QUARTILE * rho) for q in (0.25, 0.75))
    scale = max(q3 - q1, 0.0) / SPREAD
    signs = np.where(residuals >= 0.5 * (q1 + q3), 1.0, -1.0)
    v = theta + scale * np.sin(0.5 * math.pi / n * rows.sign_sums(signs))
    moved = {"sensitivity": math.pi * scale / n}  # of v_j by a record
    unit = math.pi * scale / n * math.sqrt(s / 2)  # the scale at rho = 1, for this sensitivity
    select, release = unit / math.sqrt(SELECTION * rho), unit / math.sqrt(RELEASE * rho)
    selected = noise.argmax(np.abs(v), select, "gumbel", count=s, name="abs(v)", **moved)
    released = np.zeros(setting.d)
    released[selected] = noise.gaussian(v[selected], release, name="v", **moved)
    return released


def quantile(noise, values: np.ndarray, q: float, rho: float) -> float:
    """A point of the public grid with about q of the values below it, by an exponential mechanism.

    A replaced record moves the rank of a point by 1 at most, so that the weights
    exp(-a |rank - q n|) have bounded range 2 a and cost a^2/2 = rho.
    """
    ranks = np.searchsorted(np.sort(values), QUARTILES)
    misses = np.abs(ranks - q * len(values))
    chosen = noise.exponential_mechanism(-misses, 1 / math.sqrt(2 * rho), name="ranks")
    return float(QUARTILES[chosen])


class DpSigns(Sparse):
    """An episode is as long as all before it together; the first one plays random arms."""

    not_covered = (
        "accuracy for rewards beyond 1024 in size: they are private and not clipped, but only the "
        "signs of residuals are used, and quartiles are searched between -1024 and 1024",
    )

    state = ("t", "length")

    def start(self):
        self.rho = largest_rho(self.epsilon, self.setting.delta)
        self.t, self.length = 0, first_episode(self.setting, self.rho)

    def update(self, a, r, x):
        self.t += 1
        self.X.append(x[a])
        self.y.append(r)
        if len(self.y) == self.length:
            rows, rewards = KeptRows(np.array(self.X)), np.array(self.y)
            self.theta = sign_step(self.setting, self.rho, self.noise, self.theta, rows, rewards)
            self.episode, self.length = self.episode + 1, self.t + 1
            self.X, self.y = [], []


@algorithm(
    "dp-signs",
    setting=SparseSetting,
    source="ours: docs/proofs/FL.md, C",
    claim="assumed: proved in docs/proofs/FL.md, Theorem C1",
    notion=JOINT,
    learner=DpSigns,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    def learner_of(run, rng):
        private = SimulatedNoise(streams.child("privacy").generator(run))
        return DpSigns(setting, epsilon, private, rng)

    return play_rounds(learner_of, setting, horizon, streams, checkpoints)
