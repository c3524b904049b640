"""dp-signs: private sparse regression by signs, warm-started, in episodes (ours).

N-IHT's gradient must be clipped, and what a record may move it by, x_max R, is many times what a
record says on average. Signs need no clipping: in an episode of n rows

    theta_j <- theta_j + scale sin(pi S_j/(2 n)),   S_j = sum_t sign(x_tj) sign(r_t - centre),

r = y - X theta the residuals of the estimate in force, centre and scale their private quartiles'
middle and spread. For normal contexts sin(pi S/(2 n)) estimates the correlation of x_j and r, so
this is a gradient step of the right length; its noise falls with the residuals, and no bound on
contexts, rewards or beta* is asked for. A replaced record moves S_j by 2 at most. The s largest are
selected and released as by the preset `zcdp`. Each row is used once, for the next estimate: the
sequence of estimates is rho-zCDP, the actions follow from it and their own user's contexts:
docs/proofs/FL.md, Theorem C1.
"""

import math
from functools import partial

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import JOINT
from dpbandits.core.trajectories import Trajectories
from dpbandits.sparse.engine.contexts import Episode, RowContexts
from dpbandits.sparse.engine.iht import peeling
from dpbandits.sparse.engine.selection import Scores, largest_noisy
from dpbandits.sparse.engine.zcdp import largest_rho
from dpbandits.sparse.fliphat import CURVES, run_one
from dpbandits.sparse.problem import SparseSetting

SELECTION, RELEASE, QUARTILE = 0.6, 0.3, 0.05  # shares of rho; there are two quartiles
FOUND = 1 / 3  # correlation of a coordinate with the rewards that the first episode can find
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
    rho = largest_rho(epsilon, setting.delta)
    curves = {name: np.empty((len(streams), len(checkpoints))) for name in CURVES}
    for i in range(len(streams)):
        contexts = RowContexts(setting, streams.child("contexts").generator(i))
        contexts.clip = np.inf  # signs need none
        learn = partial(sign_step, setting, rho, streams.child("privacy").generator(i))
        first = first_episode(setting, rho)
        for name, values in run_one(contexts, learn, horizon, checkpoints, first).items():
            curves[name][i] = values
    return Trajectories(curves.pop("regret"), curves)


def first_episode(setting: SparseSetting, rho: float) -> int:
    """Rounds before the first estimate, from public numbers.

    Statistical noise asks for 2 s ln d rows; to lift a correlation FOUND above the largest of d
    Gumbel noises takes the rest.
    """
    noise = math.sqrt(setting.sparsity / (2 * SELECTION * rho))
    return math.ceil(math.log(setting.d) * (2 * setting.sparsity + math.pi * noise / FOUND))


def sign_step(setting: SparseSetting, rho: float, rng, number: int, episode: Episode, estimate):
    """The next estimate, rho-zCDP in the episode's rows."""
    rows, residuals, n = episode.design, episode.rewards, len(episode.rewards)
    values = np.zeros(setting.d)
    if isinstance(estimate, np.ndarray):
        values += estimate
        residuals = residuals - rows.known @ estimate[rows.where]
    low, high = (quantile(rng, residuals, q, QUARTILE * rho) for q in (0.25, 0.75))
    scale = max(high - low, 0.0) / SPREAD
    signs = np.where(residuals >= 0.5 * (low + high), 1.0, -1.0)
    values += scale * np.sin(0.5 * math.pi / n * rows.sign_sums(signs))
    moved = math.pi * scale / n * math.sqrt(setting.sparsity / 2)  # noise at rho = 1
    select = partial(_select, rng, setting.sparsity, moved / math.sqrt(SELECTION * rho))
    return peeling(Scores(values), moved / math.sqrt(RELEASE * rho), select, rng.standard_normal)


def _select(rng, rounds: int, scale: float, scores: Scores, _) -> np.ndarray:
    return largest_noisy(rng, rounds, scores, scale)


def quantile(rng, values: np.ndarray, q: float, rho: float) -> float:
    """A point of the public grid with about q of the values below: exponential mechanism.

    The rank of a point moves by 1 with a record, so that the weights exp(-a |rank - q n|) have
    bounded range 2 a and cost a^2/2.
    """
    ranks = np.searchsorted(np.sort(values), QUARTILES)
    misses = np.abs(ranks - q * len(values))
    noise = rng.gumbel(size=len(QUARTILES)) / math.sqrt(2 * rho)
    return float(QUARTILES[np.argmax(noise - misses)])
