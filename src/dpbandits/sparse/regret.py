"""A regret bound of the form of FL's Theorem 5.6 that is proved: docs/proofs/FL.md, part I."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Contexts:
    """Part I's assumptions on the K arms' contexts, the parameter and the noise of the rewards."""

    arms: int  # K
    orlicz: float  # theta: E exp(<u, x>^2/theta^2) <= 2 for the sparse unit vectors u
    density: float  # xi: P(|<u, x>| <= h) <= xi h
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


def eigenvalues(contexts: Contexts) -> tuple[float, float]:
    """Sparse eigenvalues of an episode's Hessian lie between these (I1)."""
    low = 1 / (32 * (contexts.arms * contexts.density) ** 2)
    return low, 4 * contexts.orlicz**2 * (math.log(2 * contexts.arms) + 1)


def rows_needed(contexts: Contexts, size: Size, rows: float) -> float:
    """I1 holds but for probability 1/rows^2 if `rows` is at least this number."""
    low, high = eigenvalues(contexts)
    q = size.support
    cover = q * math.log(6.2 * size.dimension * math.sqrt(high / low) / q)
    return 8 * (cover + math.log(2) + 2 * math.log(rows))


def first_rows(contexts: Contexts, size: Size) -> int:
    """N_0, the least power of 2 with I1."""
    rows = 2
    while rows < rows_needed(contexts, size, rows):
        rows *= 2
    return rows


def steps(contexts: Contexts, rows: float) -> int:
    low, high = eigenvalues(contexts)
    return max(1, math.ceil(28 * high / low * math.log(contexts.b_max**2 * rows)))


def error_terms(
    contexts: Contexts, size: Size, rows: float, rho: float, high_probability: bool = False
) -> tuple[float, float]:
    """a_N and p_N of I3: the squared error is at most a_N/N + p_N/N^2.

    In the mean over an event of probability 1 - 3/N^2 (ii) or, with `high_probability`, but for
    probability 5/N^2 (i).
    """
    low, _ = eigenvalues(contexts)
    count, d = steps(contexts, rows), size.dimension
    gradient, noise = (math.log(2 * d) + 1) / 2, max(10.0, math.log(3 * d * count)) + 2
    if high_probability:
        gradient = noise = math.log(3 * d * count) + 2 * math.log(rows)
    reach = 2 * contexts.x_max * contexts.b_max + contexts.sigma * math.sqrt(6 * math.log(rows))
    noise_squared = (size.sparsity * noise * contexts.x_max * reach / low) ** 2
    spread = (contexts.sigma * contexts.x_max / low) ** 2
    return 1 + 242 * size.support * spread * gradient, 6.9e4 * count * noise_squared / rho


def regret_bound(contexts: Contexts, size: Size, horizon: int, rho: float) -> float:
    """I4 without margin: a bound on E R(T); the mechanism is rho-zCDP in every user's record."""
    statistical, private = error_terms(contexts, size, horizon, rho)
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
