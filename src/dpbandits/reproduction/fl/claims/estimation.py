"""FL's estimation error: Theorem 4.1 with its step (c), and Proposition 5.5."""

import math

import numpy as np

from dpbandits.reproduction.fl.algorithms.fliphat_presets import peeling
from dpbandits.reproduction.fl.presets import PresetSetting
from dpbandits.reproduction.fl.studies.estimation import HIGH, LOW
from dpbandits.reproduction.fl.summaries import listed, powers
from dpbandits.reproduction.fl.theory import (
    corrected_error_bound,
    corrected_estimation_bound,
    estimation_terms,
)
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.statistics import quantile
from dpbandits.sparse.fliphat import project_l1

NOISE_SCALES = (1e-5, 1e-3, 1e-1)  # of the runs of Theorem 4.1, in turn


def from_any_start(tables) -> Finding:
    """kappa = 1, n = 100, b_max = 1: each step halves the distance."""
    steps, starts = math.ceil(28 * math.log(100)), np.array([100.0, 120.0, 140.0, 160.0])
    errors = 100 * 4.0 ** (starts - steps)
    named = {"what": "squared error / (1/n); the printed reading: any start"}
    found = points_of(errors, at_most=2.0, x="log2 of the start", at=starts, **named)
    return Finding(numbers={"error": errors[2], "steps": steps}, points=found)


def from_zero(tables) -> Finding:
    ratios = orthonormal_ratios(runs=12)
    worst = float(ratios.max())
    numbers = {"runs": len(ratios), "worst": worst, "slack": 1 / worst}
    return Finding("holds", numbers, points_of(ratios, at_most=1))


def step_c(u: float) -> tuple[float, float, float]:
    """(left side of (c) squared, its right side, what (d) then allows) for theta^m = (0, u).

    H = [[1, 1/2], [1/2, 1]], theta* = (1, 0), the selected set {1} = I: eta = 1/3, kappa_low = 1/2.
    """
    eta, low = 1 / 3, 0.5
    true = -1 + eta * 1 - eta * 0.5 * u
    return true**2, ((1 - eta) * -1) ** 2, 1 - eta * low / 7


def hessian_columns(tables) -> Finding:
    sizes = np.array([0.0, 0.5, 1.0, 2.0, 4.0])
    left, _, allowed = step_c(2.0)
    lefts = [step_c(u)[0] for u in sizes]
    repaired = lefts + (2 / 3 * sizes + 1 / 6) ** 2  # with the squared step on J less I
    named = {"what": "squared distance after the step", "at": sizes}
    named |= {"x": "θ^m on the coordinate outside of I"}
    found = points_of(lefts, at_most=allowed, repaired=repaired, **named)
    return Finding(numbers={"allowed": allowed, "beyond": left - allowed}, points=found)


class GivenNoise:
    """A port of noise of scale 1 for one peeling: w is s x d, and w_tilde has d entries."""

    def __init__(self, w, w_tilde):
        self.w, self.w_tilde, self.S = w, w_tilde, []

    def argmax(self, scores, scale, **about):
        self.S.append(int(np.argmax(scores + scale * self.w[len(self.S)])))
        return self.S[-1]

    def laplace(self, value, scale, **about):
        return value + scale * self.w_tilde[self.S]


def orthonormal_ratios(runs: int) -> np.ndarray:
    """(squared error)/(bound of Theorem E1) for X'X/n = I, the Hessian being 2 I.
    Then N-IHT needs only the least-squares solution, whose error is N(0, sigma^2/n)."""
    d, s, true, n, sigma = 200, 40, 2, 1000, 0.1
    ratios = []
    for seed in range(runs):
        rng = np.random.Generator(np.random.Philox(key=[41, seed]))
        scale = NOISE_SCALES[seed % 3]
        target = np.zeros(d)
        target[:true] = rng.choice([-1.0, 1.0], true)
        solution = target + sigma / np.sqrt(n) * rng.standard_normal(d)
        theta, worst = np.zeros(d), 0.0
        for _ in range(int(np.ceil(28 * np.log(2 * true**2 * n)))):
            w = rng.laplace(size=(s, d))
            w_tilde = rng.laplace(size=d)
            injected = scale**2 * np.sum(np.max(np.abs(w), axis=1) ** 2)
            half = theta + 0.5 * (solution - theta)  # eta = 1/4, gradient 2 (theta - solution)
            kept = peeling(half, s, scale, GivenNoise(w, w_tilde))
            support = np.flatnonzero(kept)
            worst = max(worst, injected + np.sum((kept - half)[support] ** 2))
            theta = project_l1(kept, float(true))
        gradient = 2 * np.max(np.abs(target - solution))
        bound = corrected_error_bound(1.0, 2.0, worst, gradient, s, true, n=n)
        ratios.append(np.sum((theta - target) ** 2) / bound)
    return np.array(ratios)


POWERS = {  # as printed, up to logarithms, which are hidden
    "statistical": {"n": -1, "sparsity": 1, "d": math.nan},
    "private": {"n": -2, "sparsity": 2, "epsilon": -2},
}


def estimation_control(tables) -> Finding:
    """Fitted powers at 1 - 1e-6 over all of them beside the printed ones."""
    fits = {term: powers(tables("estimation"), term) for term in POWERS}
    z = quantile(sum(map(len, POWERS.values())))
    found = [_noise_floor()]
    for term, fitted in fits.items():
        power, error = np.transpose([*fitted.values()])
        allowed = [POWERS[term].get(name, math.nan) for name in fitted]
        found.append(points_of(power, spread=z * error, at_most=allowed))
    return Finding(numbers={term: listed(fitted) for term, fitted in fits.items()}, points=found)


def _noise_floor():
    """What the last release alone adds, 2 s xi^2, against the printed form as sigma falls.
    The hidden constant is set by equality at sigma = 0.1; both sides are smooth formulas. The
    step size is that of Theorem 4.1, as in the table."""
    n, epsilon, sides = 1024, 1.0, []
    for sigma in (0.1, 0.03, 0.01, 0.003, 0.001, 1e-4):
        setting = PresetSetting(preset="printed", sigma=sigma, step_size=1 / (2 * HIGH))
        scale = setting.tuning(epsilon, n).xi[0]
        printed = sum(estimation_terms(n, 10, 5, 400, epsilon, setting.delta, sigma=sigma))
        true = corrected_estimation_bound(setting, n, epsilon, LOW, HIGH / LOW)
        sides.append((sigma, 2 * setting.sparsity * scale**2, printed, true))
    sigmas, added, printed, true = np.transpose(sides)
    allowed = printed * added[0] / printed[0]
    named = {"what": "squared error of the last release; as σ falls (equal at 0.1)", "x": "σ"}
    return points_of(added, at_most=allowed, repaired=true, at=sigmas, **named)
