"""FLIPHAT as Algorithms 1 to 3 say it, round by round in plain NumPy, against ours.

Shares no code with the package but the setting's defaults.
"""

import math

import numpy as np
import pytest
from scipy.stats import ks_2samp

from dpbandits.core.algorithms import run
from dpbandits.sparse.problem import SparseSetting

T, AT, RUNS = 600, np.array([40, 200, 600]), 150


def reference(random, s: SparseSetting, epsilon: float) -> np.ndarray:
    """The regret of one run at AT."""
    signal = np.append(s.beta, np.zeros(s.d - len(s.beta)))
    factor = np.linalg.cholesky([[s.rho ** abs(i - j) for j in range(s.d)] for i in range(s.d)])
    tape, rows, rewards, regret, theta, estimates = [], [], [], [], None, 0
    for t in range(1, T + 1):
        if t > 1 and t & (t - 1) == 0:  # an episode starts at 2, 4, 8, ...
            theta = niht(random, s, epsilon, np.array(rows), np.array(rewards), tape, estimates)
            rows, rewards, estimates = [], [], estimates + 1
        contexts = random.standard_normal((s.arms, s.d)) @ factor.T
        arm = random.integers(s.arms) if t == 1 else int(np.argmax(contexts @ theta))
        means = contexts @ signal
        noise = random.standard_normal() if s.reward_noise == "gaussian" else random.uniform(-1, 1)
        rows.append(contexts[arm])
        rewards.append(means[arm] + s.sigma * noise)
        regret.append(means.max() - means[arm])
    return np.cumsum(regret)[AT - 1]


def niht(random, s, epsilon, x, y, tape, m):
    n, b, bound = len(y), sum(map(abs, s.beta)), math.sqrt(2 * math.log(s.d))
    if s.preset == "printed":
        steps = math.floor(1.6 * math.log(n))
        clip = bound * b + s.sigma * math.sqrt(2 * math.log(n))
    else:
        steps = math.floor(s.steps_factor * math.log(1 + n * b * b))
        clip = bound * b + math.sqrt(2 * math.log(1 + n))
    theta = np.zeros(s.d)
    for k in range(steps):
        sensitivity = s.step_size * (clip + bound * b) / n
        log = math.log(steps / s.delta)
        xi = sensitivity * 2 * math.sqrt(3 * s.sparsity * log) / (epsilon / steps)
        v = theta - s.step_size * 2 / n * x.T @ (x @ theta - np.clip(y, -clip, clip))
        theta, left = np.zeros(s.d), list(range(s.d))
        for i in range(s.sparsity):
            while len(tape) <= m + k + i:
                tape.append(random.laplace(size=s.d))
            reused = s.preset == "released" and s.peeling_noise == "reused"
            noise = tape[m + k + i] if reused else random.laplace(size=s.d)
            left.remove(max(left, key=lambda j: abs(v[j]) + xi * noise[j]))
        kept = [j for j in range(s.d) if j not in left]
        theta[kept] = v[kept] + xi * random.laplace(size=len(kept))
        low, high = 0.0, np.abs(theta).max()  # the soft threshold, by bisection
        while np.abs(theta).sum() > b and high - low > 1e-13 * high:
            middle = (low + high) / 2
            inside = np.maximum(np.abs(theta) - middle, 0).sum() <= b
            low, high = (low, middle) if inside else (middle, high)
        if np.abs(theta).sum() > b:
            theta = np.sign(theta) * np.maximum(np.abs(theta) - high, 0)
    return theta


@pytest.mark.parametrize(
    ("epsilon", "setting"),
    [
        (5.0, {"preset": "printed", "rho": 0.0, "reward_noise": "uniform", "sigma": 1.0}),
        (np.inf, {"preset": "printed", "rho": 0.9, "arms": 2, "sparsity": 3}),
        (2.0, {"arms": 12, "sparsity": 8, "rho": -0.4}),
        (20.0, {"peeling_noise": "fresh", "steps_factor": 1.0, "arms": 5, "delta": 0.3}),
        (20.0, {"steps_factor": 1.0, "step_size": 0.01, "sparsity": 7}),
    ],
)
def test_regret_has_the_law_of_the_plain_algorithm(epsilon, setting):
    """15 KS tests at 1e-5: flake rate 2e-4, and the seeds are fixed."""
    s = SparseSetting(**{"d": 20, "true_sparsity": 5} | setting)
    plain = np.array([reference(np.random.default_rng([7, r]), s, epsilon) for r in range(RUNS)])
    ours = run("fliphat", s.model_dump(), epsilon, T, range(RUNS), AT).regret
    for a, b in zip(plain.T, ours.T, strict=True):
        assert ks_2samp(a, b).pvalue > 1e-5
