"""Exact ratios of a quantity to its proved bound, for searches against HU's repaired theorems."""

import numpy as np

from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.hu.noisy_max import selection


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
