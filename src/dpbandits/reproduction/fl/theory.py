"""FL's bounds as functions, with the printed constants; hidden ones are 1.

Those named `corrected_...` and the floors, which are ours, are proved in docs/proofs/FL.md.
"""

import math
from dataclasses import dataclass

import numpy as np


def proof_constants(kappa: float) -> tuple[float, float]:
    """b1 and b2 of the proof of Theorem 4.1 with its c1, c2, c: the factors of the two noises."""
    b1 = 56 * kappa - 2
    return b1, 8 * b1 * (112 * kappa - 7) / (56 * kappa - 3)


def corrected_error_bound(kappa, kappa_low, noise, gradient, sparsity, true_sparsity, *, n):
    """Theorem E1 of docs/proofs/FL.md: Theorem 4.1 with its constants."""
    statistical = 15.1 * (2 * sparsity + true_sparsity) * (gradient / kappa_low) ** 2
    return 1 / n + 28 * kappa * proof_constants(kappa)[1] * noise + statistical


def estimation_terms(n, sparsity, true_sparsity, d, epsilon, delta, *, sigma, kappa=1.0, low=1.0):
    """Proposition 5.5: (non-private, private) terms of the squared error."""
    scale = sigma**2 * kappa**2
    statistical = scale * (sparsity + true_sparsity) * math.log(d) / (low**2 * n)
    logs = math.log(math.log(n) / delta) * math.log(n) ** 3
    return statistical, scale * (sparsity * math.log(d)) ** 2 * logs / (n * epsilon) ** 2


def corrected_estimation_bound(setting, n, epsilon, kappa_low, kappa):
    """Theorem F1 of docs/proofs/FL.md: Proposition 5.5 with constants; epsilon = inf: no noise."""
    s, true, x_max, b_max = setting.sparsity, setting.true_sparsity, setting.x_max, setting.b_max
    log, steps = math.log(setting.d), max(1, math.ceil(28 * kappa * math.log(b_max**2 * n)))
    clip = x_max * b_max + 2 * setting.sigma * math.sqrt(math.log(n))
    moved = (clip + x_max * b_max) * steps * s * log / (kappa * kappa_low * n * epsilon)
    noise = 486 * moved**2 * math.log(steps / setting.delta)
    gradient = 4 * setting.sigma * x_max * math.sqrt(log / n)
    return corrected_error_bound(kappa, kappa_low, noise, gradient, s, true, n=n)


def psi(alpha: float, horizon: int) -> float:
    """Psi_alpha(T) of Theorem 5.6, the sum itself; here and below Delta_* = 1."""
    n = np.arange(1.0, math.floor(math.log(horizon)) + 2)  # the term n = 0 is 0
    terms = np.exp((2 * alpha + 2) * np.log(n) - n * alpha * math.log(2))
    return float(np.sum(terms))


def regret_terms(alpha, horizon, d, sparsity, true_sparsity, epsilon, *, delta):
    """Theorem 5.6: (I_alpha, J_alpha). I_alpha as in its proof: T^((1-alpha)/2) - 1.
    The statement prints T^((1-alpha)/2 - 1)/(1 - alpha), which falls in T for every alpha below 1
    and is infinite at alpha = 1."""
    total = sparsity + true_sparsity
    non_private = total**2 * math.log(d)
    private = total**3 * math.log(d) ** 2 * math.log(1 / delta) / epsilon**2
    if math.isinf(alpha):
        return non_private, private
    power = (1 + alpha) / 2
    if alpha == 1:
        growth = 0.5 * math.log(horizon)
    else:
        growth = (horizon ** ((1 - alpha) / 2) - 1) / (1 - alpha)
    return growth * non_private**power, psi(alpha, horizon) * private**power


def printed_non_private(alpha, horizon, d, sparsity, true_sparsity) -> float:
    """I_alpha exactly as the statement of Theorem 5.6 prints it, alpha other than 1."""
    growth = horizon ** ((1 - alpha) / 2 - 1) / (1 - alpha)
    non_private = (sparsity + true_sparsity) ** 2 * math.log(d)
    return growth * non_private ** ((1 + alpha) / 2)


def privacy_threshold(alpha, horizon, d, sparsity, true_sparsity, delta) -> float:
    """Remarks 2 and 3 after Theorem 5.6, of alpha = 0 and inf: below this epsilon privacy costs
    more than learning."""
    total = (sparsity + true_sparsity) * math.log(d) * math.log(1 / delta)
    return math.sqrt(total / horizon) * math.log(horizon) ** 3 if alpha == 0 else math.sqrt(total)


def lower_bound(horizon, d, true_sparsity, epsilon, delta) -> tuple[float, float]:
    """Theorem 3.2: (private, non-private) terms; delta = 0 gives the second part's private term."""
    log = math.log(d / true_sparsity)
    non_private = math.sqrt(true_sparsity * horizon * log)
    if delta == 0:
        return true_sparsity * log**1.5 / epsilon, non_private
    return math.sqrt(true_sparsity * math.log(1 / delta)) * log / epsilon, non_private


def two_point_floor(horizon, sigma: float):
    """Theorem H1 of docs/proofs/FL.md: the worse of two instances, for every policy."""
    return sigma * np.sqrt(horizon) / 12


def private_floor(horizon: int, epsilon: float, delta: float) -> float:
    """Theorem H2: the worse of two instances, for every JDP policy, over x_max b_max."""
    return math.fsum(private_errors(n, epsilon, delta) for n in range(horizon))


def private_errors(n: int, epsilon: float, delta: float) -> float:
    """Step H2.2: the two probabilities of error after n records, together, are at least this."""
    half = (n + 1) // 2
    leaked = 2 * delta * -math.expm1(-half * epsilon) / math.expm1(epsilon)
    return max(0.0, math.exp(-half * epsilon) - leaked)


# --- Corrected Theorem 5.6: part I of docs/proofs/FL.md ------------------------------------------
@dataclass(frozen=True)
class Contexts:
    """Part I's assumptions on the K arms' contexts, the parameter and the noise of the rewards."""

    arms: int  # K
    orlicz: float  # theta: E exp(<u, x>^2/theta^2) <= 2 for the sparse unit vectors u
    xi: float  # P(<u, x>^2 <= h) <= xi h at h = 1/(2 K xi)
    x_max: float
    b_max: float
    sigma: float


@dataclass(frozen=True)
class Size:
    dimension: int
    sparsity: int  # s
    true_sparsity: int

    @property
    def support(self) -> int:  # q
        return min(self.dimension, 2 * self.sparsity + self.true_sparsity)


def sparse_eigenvalues(contexts: Contexts) -> tuple[float, float]:
    """Sparse eigenvalues of an episode's Hessian lie between these (I1)."""
    low = 1 / (16 * contexts.arms * contexts.xi)
    return low, 4 * contexts.orlicz**2 * (math.log(2 * contexts.arms) + 1)


def rows_needed(contexts: Contexts, size: Size, rows: float) -> float:
    """I1 holds but for probability 1/rows^2 if `rows` is at least this number."""
    low, high = sparse_eigenvalues(contexts)
    q = size.support
    cover = q * math.log(6.2 * size.dimension * math.sqrt(high / low) / q)
    return 8 * (cover + math.log(2) + 2 * math.log(rows))


def first_rows(contexts: Contexts, size: Size) -> int:
    """N_0, the least power of 2 with I1."""
    rows = 2
    while rows < rows_needed(contexts, size, rows):
        rows *= 2
    return rows


def niht_steps(contexts: Contexts, rows: float) -> int:
    low, high = sparse_eigenvalues(contexts)
    return max(1, math.ceil(28 * high / low * math.log(contexts.b_max**2 * rows)))


def corrected_error_terms(
    contexts: Contexts, size: Size, rows: float, rho: float, high_probability: bool = False
) -> tuple[float, float]:
    """a_N and p_N of I3: the squared error is at most a_N/N + p_N/N^2.
    In the mean over an event of probability 1 - 3/N^2 (ii) or, with `high_probability`, but for
    probability 5/N^2 (i)."""
    low, _ = sparse_eigenvalues(contexts)
    count, d = niht_steps(contexts, rows), size.dimension
    gradient, noise = (math.log(2 * d) + 1) / 2, max(10.0, math.log(3 * d * count)) + 2
    if high_probability:
        gradient = noise = math.log(3 * d * count) + 2 * math.log(rows)
    reach = 2 * contexts.x_max * contexts.b_max + contexts.sigma * math.sqrt(6 * math.log(rows))
    noise_squared = (size.sparsity * noise * contexts.x_max * reach / low) ** 2
    spread = (contexts.sigma * contexts.x_max / low) ** 2
    return 1 + 242 * size.support * spread * gradient, 6.9e4 * count * noise_squared / rho


def corrected_regret_bound(contexts: Contexts, size: Size, horizon: int, rho: float) -> float:
    """I4 without margin: a bound on E R(T); the mechanism is rho-zCDP in every user's record."""
    statistical, private = corrected_error_terms(contexts, size, horizon, rho)
    both = size.sparsity + size.true_sparsity
    start = (4 * first_rows(contexts, size) + 1) * contexts.x_max * contexts.b_max
    start = min(start, 2 * contexts.x_max * contexts.b_max * horizon)
    learned = 9.66 * math.sqrt(both * statistical * horizon)
    learned += 4 * math.sqrt(both * private) * math.log2(horizon)
    return start + contexts.x_max * learned


def rho_of(epsilon: float, delta: float) -> float:
    """The largest rho with rho + 2 sqrt(rho ln(1/delta)) <= epsilon (Bun and Steinke 2016)."""
    log = math.log(1 / delta)
    return (math.sqrt(log + epsilon) - math.sqrt(log)) ** 2
