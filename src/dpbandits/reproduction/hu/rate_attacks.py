"""Exact ratios of a quantity to its proved bound, for searches against HU's repaired theorems."""

import numpy as np

from dpbandits.reproduction.hu import theory


def wrong_leader(noise: str, arms: np.ndarray, lead: np.ndarray) -> np.ndarray:
    """P(a suboptimal arm is the noisy leader), where the best arm leads the arms - 1 others, which
    are equal, by `lead` noise scales.
    """
    others, behind = arms - 1, np.exp(-np.abs(lead))
    if noise == "gumbel":
        weight = others * np.where(lead >= 0, behind, 1.0)
        return weight / (weight + np.where(lead >= 0, 1.0, behind))
    with np.errstate(invalid="ignore", divide="ignore"):
        stays_ahead = -np.expm1(arms * np.log1p(-behind)) / (arms * behind)
    return 1 - np.where(lead >= 0, stays_ahead, behind / arms)


def copies_ratio(noise: str, schedule: str, points: np.ndarray, rounds: int = 256):
    """Exact regret of leaders of up to `rounds` rewards over Theorem O's bound, if all suboptimal
    arms have the same rewards.
    A point is (ln K, P(lead grows), P(lead falls), eps), each scaled to [0, 1]."""
    arms = np.floor(2 * 1000 ** points[:, 0])
    up = points[:, 1]
    down = np.minimum(up, 1 - up) * points[:, 2]
    epsilon = 0.05 * 200 ** points[:, 3]
    weight = theory.EXACT_WEIGHT[schedule]
    leads = np.arange(-rounds, rounds + 1)
    wrong = wrong_leader(noise, arms[:, None], epsilon[:, None] / 2 * leads)
    law = (leads == 0) * np.ones((len(points), 1))
    total = np.full(len(points), theory.FIRST[schedule])
    for m in range(1, rounds):
        stay = (1 - up - down)[:, None] * law
        stay[:, 1:] += up[:, None] * law[:, :-1]
        stay[:, :-1] += down[:, None] * law[:, 1:]
        law = stay
        total += weight(m) * (law * wrong).sum(1)
    gap = up - down
    cases = zip(arms, gap, epsilon, strict=True)
    bound = [theory.theorem_o_bound(k, max(g, 1e-12), e, schedule) for k, g, e in cases]
    return gap * total / bound


def privacy_ratio(noise: str, arms: int, points: np.ndarray, rounds: int = 12) -> np.ndarray:
    """Privacy loss over eps = 2 eta between two tables of sums that differ in one reward vector."""
    sums = np.floor(points[:, :arms] * (rounds + 1) * (1 - 1e-12))
    moves = np.floor(points[:, arms : 2 * arms] * 3 * (1 - 1e-12)) - 1
    neighbours = np.clip(sums + moves, 0, rounds)
    epsilon = (0.05 * 100 ** points[:, -1])[:, None]
    ratios = selection(noise, epsilon / 2 * sums) / selection(noise, epsilon / 2 * neighbours)
    return np.abs(np.log(ratios)).max(1) / epsilon[:, 0]


# Exact laws of the noisy leader: argmax of scores plus noise of unit scale. Scores are in units of
# the noise's scale; their last axis is the arms. For Laplace noise see dpbandits.audit.
def selection(noise: str, scores: np.ndarray) -> np.ndarray:
    """P(arm j is the noisy leader).
    Gumbel noise makes the exponential mechanism, exponential noise permute-and-flip: with a_k =
    exp(score_k - highest) arm j wins with probability int_0^1 a_j prod_{k != j} (1 - a_k u) du,
    a polynomial that Gauss-Legendre quadrature integrates exactly."""
    weight = weights(scores)
    if noise == "gumbel":
        return weight / weight.sum(-1, keepdims=True)
    u, mass = nodes(weight.shape[-1])
    others = 1 - weight[..., None, :] * u[:, None]  # never 0: a_k <= 1 and u < 1
    product = others.prod(-1, keepdims=True) / others
    return weight * (mass[:, None] * product).sum(-2)


def weights(scores: np.ndarray) -> np.ndarray:
    return np.exp(scores - scores.max(-1, keepdims=True))


def nodes(degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes and weights on (0, 1), exact up to this degree."""
    x, mass = np.polynomial.legendre.leggauss(degree // 2 + 1)
    return (x + 1) / 2, mass / 2
