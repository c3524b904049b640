"""Adversarial searches against HU's repaired theorems: exact ratios, random draws, climbing."""

import numpy as np

from dpbandits.stochastic import optimal_rate
from dpbandits.stochastic.noisy_max import selection


def wrong_leader(noise: str, arms: np.ndarray, lead: np.ndarray) -> np.ndarray:
    """P(a suboptimal arm is the noisy leader) when the arms - 1 others are identical and `lead`
    noise scales behind the best."""
    others, behind = arms - 1, np.exp(-np.abs(lead))
    if noise == "gumbel":
        ahead = others * np.where(lead >= 0, behind, 1.0)
        return ahead / (ahead + np.where(lead >= 0, 1.0, behind))
    with np.errstate(invalid="ignore", divide="ignore"):
        from_front = -np.expm1(arms * np.log1p(-behind)) / (arms * behind)
    return 1 - np.where(lead >= 0, from_front, behind / arms)


def copies_ratio(noise: str, schedule: str, points: np.ndarray, rounds: int = 256):
    """Exact regret over Theorem O's bound where all other arms are copies of one (to `rounds`).

    A point is (ln K, P(lead grows), P(lead falls), eps) on scales that cover the theorem's cases.
    """
    arms = np.floor(2 * 1000 ** points[:, 0])
    up = points[:, 1]
    down = np.minimum(up, 1 - up) * points[:, 2]
    epsilon = 0.05 * 200 ** points[:, 3]
    weight = optimal_rate.EXACT_WEIGHT[schedule]
    leads = np.arange(-rounds, rounds + 1)
    wrong = wrong_leader(noise, arms[:, None], epsilon[:, None] / 2 * leads)
    law = (leads == 0) * np.ones((len(points), 1))
    total = np.full(len(points), optimal_rate.FIRST[schedule])
    for m in range(1, rounds):
        stay = (1 - up - down)[:, None] * law
        stay[:, 1:] += up[:, None] * law[:, :-1]
        stay[:, :-1] += down[:, None] * law[:, 1:]
        law = stay
        total += weight(m) * (law * wrong).sum(1)
    gap = up - down
    places = zip(arms, gap, epsilon, strict=True)
    bound = [optimal_rate.upper_bound(k, max(g, 1e-12), e, schedule) for k, g, e in places]
    return gap * total / bound


def privacy_ratio(noise: str, arms: int, points: np.ndarray, rounds: int = 12) -> np.ndarray:
    """Privacy loss over eps = 2 eta between two tables of sums that differ in one reward vector."""
    sums = np.floor(points[:, :arms] * (rounds + 1) * (1 - 1e-12))
    moves = np.floor(points[:, arms : 2 * arms] * 3 * (1 - 1e-12)) - 1
    other = np.clip(sums + moves, 0, rounds)
    epsilon = (0.05 * 100 ** points[:, -1])[:, None]
    one, two = selection(noise, epsilon / 2 * sums), selection(noise, epsilon / 2 * other)
    return np.abs(np.log(one / two)).max(1) / epsilon[:, 0]
