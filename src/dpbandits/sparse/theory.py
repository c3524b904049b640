"""FL's bounds as functions, with the printed constants; hidden ones are 1."""

import math

import numpy as np


def proof_constants(kappa: float) -> tuple[float, float]:
    """b1 and b2 of the proof of Theorem 4.1 with its c1, c2, c: the factors of the two noises."""
    b1 = 56 * kappa - 2
    return b1, 8 * b1 * (112 * kappa - 7) / (56 * kappa - 3)


def repaired_error_bound(kappa, kappa_low, noise, gradient, sparsity, true_sparsity, *, n):
    """Theorem E1 of docs/proofs/FL.md: Theorem 4.1 with its constants."""
    statistical = 15.1 * (2 * sparsity + true_sparsity) * (gradient / kappa_low) ** 2
    return 1 / n + 28 * kappa * proof_constants(kappa)[1] * noise + statistical


def estimation_terms(n, sparsity, true_sparsity, d, epsilon, delta, *, sigma, kappa=1.0, low=1.0):
    """Proposition 5.5: (non-private, private) terms of the squared error."""
    scale = sigma**2 * kappa**2
    statistical = scale * (sparsity + true_sparsity) * math.log(d) / (low**2 * n)
    logs = math.log(math.log(n) / delta) * math.log(n) ** 3
    return statistical, scale * (sparsity * math.log(d)) ** 2 * logs / (n * epsilon) ** 2


def repaired_estimation_bound(setting, n, epsilon, kappa_low, kappa):
    """Theorem F1 of docs/proofs/FL.md: Proposition 5.5 with constants; epsilon = inf: no noise."""
    s, true, x_max, b_max = setting.sparsity, setting.true_sparsity, setting.x_max, setting.b_max
    log, steps = math.log(setting.d), max(1, math.ceil(28 * kappa * math.log(b_max**2 * n)))
    clip = x_max * b_max + 2 * setting.sigma * math.sqrt(math.log(n))
    moved = (clip + x_max * b_max) * steps * s * log / (kappa * kappa_low * n * epsilon)
    noise = 486 * moved**2 * math.log(steps / setting.delta)
    gradient = 4 * setting.sigma * x_max * math.sqrt(log / n)
    return repaired_error_bound(kappa, kappa_low, noise, gradient, s, true, n=n)


def psi(alpha: float, horizon: int, gap: float = 1.0) -> float:
    """Psi_alpha(T) of Theorem 5.6, the sum itself."""
    n = np.arange(1.0, math.floor(math.log(horizon)) + 2)  # the term n = 0 is 0
    terms = np.exp((2 * alpha + 2) * np.log(n) - n * alpha * math.log(2))
    return float(np.sum(terms)) / gap**alpha


def regret_terms(alpha, horizon, d, sparsity, true_sparsity, epsilon, *, delta, gap=1.0):
    """Theorem 5.6: (I_alpha, J_alpha). I_alpha as in its proof: T^((1-alpha)/2) - 1.

    The statement prints T^((1-alpha)/2 - 1)/(1 - alpha), which falls in T for every alpha below 1
    and is infinite at alpha = 1.
    """
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
    return growth * non_private**power / gap**alpha, psi(alpha, horizon, gap) * private**power


def printed_non_private(alpha, horizon, d, sparsity, true_sparsity, gap=1.0) -> float:
    """I_alpha exactly as the statement of Theorem 5.6 prints it, alpha other than 1."""
    growth = horizon ** ((1 - alpha) / 2 - 1) / (1 - alpha)
    non_private = (sparsity + true_sparsity) ** 2 * math.log(d)
    return growth * non_private ** ((1 + alpha) / 2) / gap**alpha


def privacy_threshold(alpha, horizon, d, sparsity, true_sparsity, delta) -> float:
    """Remarks 2 and 3 after Theorem 5.6: below this epsilon privacy costs more than learning."""
    total = (sparsity + true_sparsity) * math.log(d) * math.log(1 / delta)
    if math.isinf(alpha):
        return math.sqrt(total)
    if alpha == 0:
        return math.log(horizon) ** 3 * math.sqrt(total / horizon)
    raise ValueError("the remarks speak of alpha = 0 and infinity")


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


def private_floor(horizon: int, epsilon: float, delta: float, reach: float = 1.0) -> float:
    """Theorem H2: the worse of two instances, for every JDP policy; reach = x_max b_max."""
    return reach * math.fsum(private_errors(n, epsilon, delta) for n in range(horizon))


def private_errors(n: int, epsilon: float, delta: float) -> float:
    """Step H2.2: the two probabilities of error after n records, together, are at least this."""
    half = (n + 1) // 2
    leaked = 2 * delta * -math.expm1(-half * epsilon) / math.expm1(epsilon)
    return max(0.0, math.exp(-half * epsilon) - leaked)
