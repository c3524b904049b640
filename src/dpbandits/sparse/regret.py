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


@dataclass(frozen=True)
class Margin:
    """5.3(b): P(gap of the two best arms <= h) <= (h/gap)^alpha, A sqrt(ln d/T) <= h <= gap."""

    alpha: float  # infinite: no gap is below `gap`
    gap: float  # Delta_*
    lowest: float = 0.0  # A


def episodes(contexts: Contexts, size: Size, horizon: float) -> list[float]:
    """The rows N that decide an episode, from N_0 to T/2."""
    rows = [float(first_rows(contexts, size))]
    while 2 * rows[-1] <= horizon / 2:
        rows.append(2 * rows[-1])
    return rows if rows[0] <= horizon / 2 else []


def margin_regret_bound(
    contexts: Contexts, size: Size, horizon: float, rho: float, margin: Margin
) -> float:
    """I4 with a margin: a bound on E R(T) for every alpha; that of 1 too holds if alpha > 1."""
    alpha, d = margin.alpha, size.dimension
    squared = 4 * contexts.x_max**2 * (size.sparsity + size.true_sparsity)  # G^2
    start = (4 * first_rows(contexts, size) + 1) * contexts.x_max * contexts.b_max
    rows = episodes(contexts, size, horizon)
    terms = [error_terms(contexts, size, n, rho, alpha > 1) for n in rows]
    if math.isinf(alpha):
        late = [
            a for n, (a, _) in zip(rows, terms, strict=True) if n * margin.gap**2 <= 2 * squared * a
        ]
        private = 4 * sum(p / n for n, (_, p) in zip(rows, terms, strict=True))
        return start + squared / margin.gap * (13.7 * max(late, default=0.0) + private)
    r = (1 + alpha) / 2
    total = sum(n * ((a / n) ** r + (p / n**2) ** r) for n, (a, p) in zip(rows, terms, strict=True))
    learned = 2 * max(1, 2 ** (r - 1)) * squared**r * total
    unseen = 2 * (margin.lowest**2 * math.log(d)) ** r * horizon ** (1 - r)
    return start + (learned + unseen) / margin.gap**alpha


def informative_from(contexts: Contexts, size: Size, rho: float) -> float:
    """The least power of 2 from which I4 without margin is below 2 x_max b_max T."""
    horizon = 2
    while (
        regret_bound(contexts, size, horizon, rho) >= 2 * contexts.x_max * contexts.b_max * horizon
    ):
        horizon *= 2
    return horizon


def rho_of(epsilon: float, delta: float) -> float:
    """The largest rho with rho + 2 sqrt(rho ln(1/delta)) <= epsilon (Bun and Steinke 2016)."""
    log = math.log(1 / delta)
    return (math.sqrt(log + epsilon) - math.sqrt(log)) ** 2
