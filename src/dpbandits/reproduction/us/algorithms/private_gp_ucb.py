"""Private linear UCB on quadrature Fourier features, after Dubey 2021; SE kernel only.

Features: Gauss-Hermite quadrature of the spectral density on the full tensor grid of nodes, halved
in the first axis, since cos and sin at -w span the same features as at w.
Privacy: Gaussian tree noise on the Gram matrix of (features, reward) as in Shariff and Sheffet
2018, (eps, DELTA)-JDP. It is released at powers of two and at T only, and the policy is constant in
between, a post-processing of the same tree. |features| = 1 and |reward| <= B give Lt^2 = 1 + B^2.
`printed` has their scale 4 sqrt(levels) Lt^2 ln(4/DELTA)/eps. `exact` divides sqrt(levels) Lt^2 by
the mu of Gaussian privacy that (eps, DELTA) allows (Dong, Roth and Su 2022): the squares aa' and
bb' of two records are at most sqrt(2) Lt^2 apart in each of `levels` nodes, and a node's symmetric
noise has the standard deviation sqrt(2) scale in every direction.
"""

import math
from dataclasses import replace
from functools import lru_cache
from itertools import product

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.bisection import last
from dpbandits.core.errors import InputError
from dpbandits.core.notions import JOINT, gaussian_delta
from dpbandits.kernel.problem import (
    KernelSetting,
    generator_of,
    grid_points,
    problem_of,
    separate_runs,
)
from dpbandits.kernel.usca import exponential_mechanism, first_best
from dpbandits.reproduction.linucb import LinUcb, Width, most_nodes
from dpbandits.reproduction.us.algorithms.exponential_gp import CalibratedSetting

DELTA = 0.01
TOLERANCE = 0.05  # largest error of the features' kernel on the grid
MOST_FEATURES = 3000
PRIVACY = "assumed: proved in docs/proofs/US.md, Section 7"
SOURCE = "Dubey 2021 with the noise of Shariff and Sheffet 2018"


class GpUcbSetting(CalibratedSetting, Width):
    """With how much of the width of the theorem."""


@algorithm(
    "private-gp-ucb",
    setting=GpUcbSetting,
    source=SOURCE,
    claim=PRIVACY,
    notion=replace(JOINT, delta=DELTA),
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    if setting.kernel != "se":
        raise InputError(
            f"setting: kernel = \"{setting.kernel}\": 'private-gp-ucb' needs a kernel with a "
            'Gaussian spectrum; allowed: "se"'
        )
    problem = problem_of(setting)
    points = grid_points(setting.grid, setting.axes)
    rows = fourier_rows(points, setting.lengthscale, nodes_needed(setting))
    exact = setting.calibration == "exact"
    mu = gaussian_mu(epsilon) if exact else epsilon / (4.0 * math.log(4.0 / DELTA))

    def run(seed, t):
        rng = generator_of("private-gp-ucb", problem, t, seed)
        mean = GpLearner(problem, rows, mu, t, rng, setting.width).learn()
        output = exponential_mechanism(mean.reshape(problem.values.shape), np.inf, 1.0)
        return {"regret": problem.error_rate(output)}

    return separate_runs(run, streams, checkpoints)


def gaussian_mu(epsilon: float, delta: float = DELTA) -> float:
    """The largest mu for which mu-Gaussian privacy implies (epsilon, delta)."""
    if math.isinf(epsilon):
        return math.inf

    most = 20.0 + 2.0 * epsilon
    return last(lambda mu: gaussian_delta(mu, epsilon) <= delta, 1e-3 * delta, most)


def nodes_needed(setting: KernelSetting) -> int:
    """The smallest even number of nodes per axis that meets the tolerance.

    Both kernels are products over the axes with factors in [-1, 1], so errors of the axes add up.
    """
    distance = np.arange(setting.grid)[:, None] / setting.grid
    for nodes in range(2, 64, 2):
        rows = fourier_rows(distance, setting.lengthscale, nodes)
        exact = np.exp(-(distance[:, 0] ** 2) / (2.0 * setting.lengthscale**2))
        error = setting.axes * np.abs(rows @ rows[0] - exact).max()
        if error <= TOLERANCE and nodes**setting.axes <= MOST_FEATURES:
            return nodes
    raise InputError(
        f"setting: lengthscale = {setting.lengthscale:g}: 'private-gp-ucb' would need more than "
        f"{MOST_FEATURES} Fourier features in {setting.axes} axes; allowed: longer ones"
    )


@lru_cache(maxsize=8)
def quadrature(nodes: int, axes: int) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies times the lengthscale, positive in the first axis, and weights that sum to 1."""
    u, weight = np.polynomial.hermite.hermgauss(nodes)
    frequency, weight = math.sqrt(2.0) * u, weight / math.sqrt(math.pi)
    half = range(nodes // 2, nodes)
    grid = list(product(half, *[range(nodes)] * (axes - 1)))
    frequencies = np.array([[frequency[i] for i in index] for index in grid])
    weights = np.array([2.0 * math.prod(weight[i] for i in index) for index in grid])
    return frequencies, weights


def fourier_rows(points: np.ndarray, lengthscale: float, nodes: int) -> np.ndarray:
    """Rows of norm 1 with rows rows' close to exp(-|x-y|^2/(2 lengthscale^2))."""
    frequencies, weights = quadrature(nodes, points.shape[1])
    phase = points @ frequencies.T / lengthscale
    return np.hstack([np.cos(phase) * np.sqrt(weights), np.sin(phase) * np.sqrt(weights)])


class GpLearner:
    """One run of T rounds; the policy is constant between two releases.

    The width has ln(2/alpha) = ln 2T: alpha = 1/T throughout (that of jdp-linucb has ln 4T).
    """

    def __init__(self, problem, rows, mu, rounds, rng, width=1):
        self.problem, self.rows, self.rounds, self.rng = problem, rows, rounds, rng
        own = problem.setting
        scale = math.sqrt(most_nodes(rounds)) * (1.0 + own.bound**2) / mu  # with Lt^2
        size, failure = rows.shape[1], math.log(2.0 * rounds)
        own = {"norm": own.norm, "sigma": own.noise, "tau": own.tau, "width": width}
        self.linucb = LinUcb(size, scale, rounds, log_failure=failure, **own)
        self.latest: tuple = (None, None)  # a tree node, as (end, level), and its noise

    def learn(self) -> np.ndarray:
        """Theta's prediction on all cells after the last release."""
        done = 0
        for end in [2**k for k in range(self.rounds.bit_length())] + [self.rounds]:
            if end > done:
                self.linucb.refit(self.tree_noise(done))
                self.play(self.linucb.index(self.rows), end - done)
                done = end
        self.linucb.refit(self.tree_noise(done))
        return self.rows @ self.linucb.theta

    def tree_noise(self, t: int):
        """Sum of the noise of the tree's nodes that cover 1..t, one per binary digit of t."""
        total, end = 0.0, 0
        for k in reversed(range(t.bit_length())):
            if t >> k & 1:
                end += 2**k
                total = total + self.node((end, k))
        return total

    def node(self, name: tuple[int, int]) -> np.ndarray:
        """Noise of one node; only the latest is stored, as no earlier one is released again."""
        if self.latest[0] != name:
            self.latest = name, self.linucb.node_noise(self.rng)
        return self.latest[1]

    def play(self, index: np.ndarray, rounds: int) -> None:
        """`rounds` rounds of the policy that is greedy for `index`."""
        setting = self.problem.setting
        policy = first_best(index.reshape(self.problem.values.shape))
        contexts = self.rng.choice(setting.contexts, size=rounds, p=self.problem.context_law)
        cells = policy[contexts] * setting.contexts + contexts
        rewards = self.problem.rewards(self.rng, cells)
        visited, which = np.unique(cells, return_inverse=True)
        features = self.rows[visited]
        self.linucb.sums[:-1, :-1] += (features.T * np.bincount(which)) @ features
        self.linucb.sums[:-1, -1] += features.T @ np.bincount(which, weights=rewards)
