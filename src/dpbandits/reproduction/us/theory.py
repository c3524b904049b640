"""US's bounds with their printed constants, the quantities in them, and the corrected bounds.

Notation of the paper: F bounds the eigenfunctions, lambda_j <= C_p j^-beta_p, R is the sub-Gaussian
constant of the noise, B bounds rewards and the RKHS norm, gamma = gamma_T. `grids` stands for |U_T|
of Assumption 2.9, a polynomial in T that the paper does not give: every bound is smallest at 1.
Where two printed forms of a constant differ, both are here.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from dpbandits.kernel.kernels import cosine_frequencies, cosine_spectrum, kernel_matrix
from dpbandits.kernel.problem import KernelSetting, grid_points, problem_of


@dataclass(frozen=True)
class Spectrum:
    """Mercer's decomposition of the kernel under the law of (x, c) on the grid."""

    values: np.ndarray  # lambda_j, descending
    F: float

    def C_p(self, decay: float) -> float:
        """max_j lambda_j j^decay."""
        return float(np.max(self.values * np.arange(1.0, len(self.values) + 1) ** decay))


@lru_cache(maxsize=8)
def spectrum_of(setting: KernelSetting) -> Spectrum:
    """Exact for the cosine kernel with uniform contexts; else by eigendecomposition (slow), with F
    from the eigenfunctions with lambda_j >= 1e-8 lambda_1 only."""
    if setting.kernel == "cosine" and setting.context_law == "uniform":
        frequencies = cosine_frequencies(setting.grid, setting.axes)
        factors = np.count_nonzero(frequencies, axis=1).max()
        return Spectrum(cosine_spectrum(setting), math.sqrt(2.0**factors))
    law = np.sqrt(problem_of(setting).cell_law)
    points = grid_points(setting.grid, setting.axes)
    values, vectors = np.linalg.eigh(law[:, None] * kernel_matrix(setting, points, points) * law)
    large = values >= 1e-8 * values[-1]
    functions = np.abs(vectors[:, large]) / law[:, None]
    return Spectrum(values[::-1].clip(min=0.0), float(functions.max()))


def sub_gaussian(setting: KernelSetting) -> float:
    """R of Uniform(-a, a), which is strictly sub-Gaussian: its standard deviation."""
    return setting.noise / math.sqrt(3.0)


def lipschitz(setting: KernelSetting) -> float:
    """L_f: the norm times the largest slope of the kernel's metric (Cauchy-Schwarz)."""
    if setting.kernel == "cosine":
        frequencies = cosine_frequencies(setting.grid, setting.axes)
        largest = 2.0 ** np.count_nonzero(frequencies, axis=1)
        squared = np.pi**2 * np.sum(frequencies**2, axis=1)
        return setting.norm * math.sqrt(np.sum(cosine_spectrum(setting) * largest * squared))
    slopes = {"se": 1.0, "matern32": math.sqrt(3.0), "matern52": math.sqrt(5.0 / 3.0)}
    return setting.norm / setting.lengthscale * slopes[setting.kernel]


# Lemma 4.4 = 6.1 and its condition on T ---------------------------------------------------------
def n1bar_forms(decay: float, C_p, f_squared, log) -> dict[str, Any]:
    """The three printed forms of N1bar(delta), and Lemma 6.1's if F^2/16 is meant, of floats or of
    balls; log = ln(1/delta)."""
    bases = {
        "main text, ln(1/δ)/(16 C_p F²)": log / (16 * C_p * f_squared),
        "Lemma 6.1, ln(1/δ)/(C_p F^(2/16))": log / (C_p * f_squared ** (1 / 16)),
        "Lemma 6.1 read as C_p F²/16": 16 * log / (C_p * f_squared),
        "proof, ln(1/δ)/(C_p F² 16)": log / (C_p * f_squared * 16),
    }
    return {form: base ** (2 * decay / (decay - 1)) for form, base in bases.items()}


def proof_condition(gamma: float, horizon: int, tau: float, delta: float) -> float:
    """sqrt(gamma ln(1/delta)/(T tau)), which has to be at most 1/4 in the proof for T > N1bar."""
    return math.sqrt(gamma * math.log(1.0 / delta) / (horizon * tau))


def spectral_bound(gamma: float, horizon: int, tau: float, delta: float) -> float:
    """Lemma 4.4 on the operator norm of Z~^-1 Z - Id."""
    return 28.0 / 17.0 * proof_condition(gamma, horizon, tau, delta)


# Lemmas 6.2, 6.3, 7.1 and Theorem 8.2 -----------------------------------------------------------
@dataclass(frozen=True)
class Constants:
    """What Lemmas 6.2, 6.3 and Theorem 8.2 know of the problem; `printed`: of two printed forms of
    beta_1, that of Lemma 6.2's `statement` or that at the end of its `proof`."""

    B: float
    F: float
    R: float
    tau: float
    grids: float = 1.0
    printed: str = "statement"


def beta_1(delta: float, known: Constants) -> float:
    """Lemma 6.2: its `statement` has ln(4/delta)/tau, its `proof` ends with the square root."""
    f2, B = known.F**2, known.B
    spectral = math.log(4.0 / delta) / known.tau
    return (
        (math.sqrt(162.0 * B**3 / (13.0 * f2)) + 81.0 * f2 / 52.0) * math.log(8.0 / delta)
        + 28.0 / 17.0 * (spectral if known.printed == "statement" else math.sqrt(spectral))
        + 2.0 * B * math.sqrt(108.0 * f2 * known.tau / 13.0)
        + 4.0 * known.R * math.log(4.0 / delta) * math.sqrt(243.0 * f2 / 26.0)
    )


def beta(delta: float, known: Constants) -> float:
    """Lemma 6.3."""
    root = math.sqrt(108.0 * known.F**2 / 13.0)
    return 2.0 * known.R / known.tau * math.log(1.0 / delta) * root


def _both_betas(delta: float, known: Constants) -> float:
    return beta_1(delta, known) + beta(delta, known)


def _small_term(gamma, horizon, delta, known: Constants) -> float:
    """(11/3 B + 3 R sqrt(gamma 81 F^2/13 ln(1/delta)))/T of Lemma 6.3 and Theorem 8.2."""
    root = math.sqrt(gamma * 81.0 * known.F**2 / 13.0 * math.log(1.0 / delta))
    return (11.0 / 3.0 * known.B + 3.0 * known.R * root) / horizon


def uniform_error_bound(gamma, horizon, delta, known: Constants) -> float:
    """Lemma 6.3 on sup |mubar - f|."""
    betas = _both_betas(delta / (4.0 * known.grids), known)
    return _small_term(gamma, horizon, delta / 2.0, known) + betas * math.sqrt(gamma / horizon)


def variance_bound(gamma: float, horizon: int, F: float) -> float:
    """Lemma 7.1 on sup sigmabar^2."""
    return 81.0 * F**2 * gamma / (13.0 * horizon)


def error_rate_bound(
    setting: KernelSetting, gamma, horizon, epsilon, delta, F, *, grids=1.0, printed="statement"
) -> tuple[float, float]:
    """The two terms of Theorem 8.2, in sqrt(gamma/T) and in gamma/(T eps), whose sum bounds the
    error rate with probability 1 - delta; D_0 = sqrt(dim)."""
    B = setting.bound
    known = Constants(B, F, sub_gaussian(setting), setting.tau, grids, printed)
    betas = _both_betas(delta / (12.0 * grids), known)
    small = _small_term(gamma, horizon, delta / 6.0, known)
    first = 10.0 * (small + betas * math.sqrt(gamma / horizon))
    if math.isinf(epsilon):
        return first, 0.0
    slope = lipschitz(setting) * math.sqrt(setting.dim)
    inside = 2592.0 * B * F**2 * horizon * slope * epsilon / (13.0 * gamma)
    logs = setting.dim * math.log(inside) + math.log(3.0 / delta)
    return first, gamma / (horizon * epsilon) * 648.0 * B * F**2 / 13.0 * logs


@lru_cache(maxsize=8)
def first_useful_horizon(setting: KernelSetting, epsilon: float, delta: float) -> float:
    """The smallest T (to 1%) whose Theorem 8.2 bound is below the trivial one, 2 norm.
    gamma_T is replaced by a lower bound, so that the true horizon is larger: floor(T rho_w) points
    at each cell w of mass rho_w are at least T rho_w/2 once T rho_w >= 1, their gain is at least
    sum_j ln(1 + T lambda_j/(2 tau))/2, and ln(1 + x/2) >= ln(1 + x)/2."""
    spectrum = spectrum_of(setting)
    low, high = 0.0, 40.0  # ln T
    while high - low > 0.01:
        middle = (low + high) / 2.0
        horizon = math.exp(middle)
        gamma = 0.25 * float(np.log1p(horizon * spectrum.values / setting.tau).sum())
        bound = sum(error_rate_bound(setting, gamma, horizon, epsilon, delta, spectrum.F))
        low, high = (low, middle) if bound < 2.0 * setting.norm else (middle, high)
    return math.exp(high)


# Corrected (docs/proofs/US.md) ------------------------------------------------------------------
@dataclass(frozen=True)
class Effective:
    """The quantities of the kernel, its law, T and tau on which the corrected bounds depend."""

    largest: float  # L = sup of phi' Z^-1 phi
    dimension: float  # N = tr(T Lambda Z^-1)
    share: float  # s = T lambda_1/(T lambda_1 + tau)
    horizon: int
    tau: float


def effective_of(setting: KernelSetting, horizon: int) -> Effective:
    """The effective quantities of the kernel and the law of (x, c) on the grid."""
    from dpbandits.kernel.estimator import SurrogateCovariance

    shares = horizon * spectrum_of(setting).values
    shares = shares / (shares + setting.tau)
    expected = SurrogateCovariance(setting, horizon * problem_of(setting).cell_law)
    variance = expected.variance()
    largest = float(variance.max()) + expected.variance_error(variance)
    return Effective(largest, shares.sum(), shares.max(), horizon, setting.tau)


def corrected_spectral_bound(e: Effective, K: int, delta: float) -> float:
    """b(delta) on |Z^-1/2 Z~ Z^-1/2 - Id|, in place of Lemma 4.4 (Section 2): by Bernstein's
    inequality, the b with b^2/2 = exponent (variance + most b/3)."""
    exponent = math.log(2.0 * e.dimension / (e.share * delta))
    most, variance = e.largest / K, e.largest * e.share / K
    linear = most * exponent / 3.0
    return linear + math.sqrt(linear**2 + 2.0 * variance * exponent)


def corrected_variance_bound(e: Effective, K: int, delta: float) -> float:
    """On sup sigmabar^2, in place of Lemma 7.1 (Section 4); infinite if b >= 1."""
    b = corrected_spectral_bound(e, K, delta)
    return e.largest / (1.0 - b) if b < 1.0 else math.inf


def corrected_uniform_error(
    e: Effective, K: int, delta: float, *, points: int, norm: float, R: float
) -> float:
    """eta on |mubar - f| at `points` points, in place of Lemma 6.3 (Section 5); |f|_H = norm."""
    b, b_1 = (corrected_spectral_bound(e, k, delta / 5.0) for k in (K, 1))
    if b >= 1.0:
        return math.inf
    logs, squared = math.log(10.0 * points / delta), e.largest / (1.0 - b)
    sigma = math.sqrt(squared)
    random = sigma * math.sqrt(2.0 * logs / (1.0 - b)) * (R * math.sqrt(1.0 + b_1) + norm)
    surrogate = e.largest * logs / K
    quadratic = math.sqrt(e.largest * (e.horizon + e.tau)) * b**2 / (1.0 - b)
    return (
        random
        + 2.0 / 3.0 * norm * squared * logs
        + math.sqrt(e.tau) * norm * sigma
        + norm * (math.sqrt(2.0 * surrogate) + 2.0 / 3.0 * surrogate)
        + quadratic * norm
    )


def corrected_difference(
    e: Effective, K: int, delta: float, *, points: int, norm: float, R: float
) -> float:
    """On |mu_T - mubar|, with probability 1 - 6 delta/5, in place of Lemma 6.2 (Section 5)."""
    b_1 = corrected_spectral_bound(e, 1, delta / 5.0)
    if b_1 >= 1.0:
        return math.inf
    logs = math.log(10.0 * points / delta)
    posterior = math.sqrt(e.largest / (1.0 - b_1))
    eta = corrected_uniform_error(e, K, delta, points=points, norm=norm, R=R)
    return eta + (math.sqrt(e.tau) * norm + R * math.sqrt(2.0 * logs)) * posterior
