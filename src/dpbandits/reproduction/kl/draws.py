"""How the data of KL's three problems are drawn."""

import numpy as np
from scipy.special import expit

from dpbandits.offline.problem import BanditData, Preferences


def draw_bandit(n: int, means: np.ndarray, coverage: float, generator) -> BanditData:
    """Bernoulli rewards of the given means; the arms have records in geometric proportion, the
    rarest one `coverage` x those of the commonest."""
    shares = np.geomspace(1.0, coverage, len(means))
    counts = np.floor(n * shares / shares.sum()).astype(int)
    counts[0] += n - counts.sum()
    return data_of_wins(counts, generator.binomial(counts, means))


def data_of_wins(counts: np.ndarray, wins: np.ndarray) -> BanditData:
    """Rewards 0 and 1, `wins` of them 1; leading axes, if any: data sets."""
    lowest = np.where(counts == 0, np.inf, np.where(wins < counts, 0.0, 1.0))
    highest = np.where(counts == 0, -np.inf, np.where(wins > 0, 1.0, 0.0))
    return BanditData(counts, wins.astype(float), lowest, highest)


def draw_directions(n: int, dimension: int, coverage: float, generator) -> np.ndarray:
    """Unit vectors; `coverage`: smallest over largest variance before they are normalised."""
    deviations = np.sqrt(np.geomspace(1.0, coverage, dimension))
    vectors = generator.standard_normal((n, dimension)) * deviations
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def draw_linear(n, theta, coverage, generator) -> tuple[np.ndarray, np.ndarray]:
    """Features and Bernoulli rewards of mean (1 + theta'phi)/2, for ||theta|| <= 1."""
    features = draw_directions(n, len(theta), coverage, generator)
    means = (1.0 + features @ theta) / 2.0
    return features, (generator.random(n) < means).astype(float)


def draw_preferences(n: int, theta: np.ndarray, coverage: float, generator) -> Preferences:
    """Differences of two unit features each, labels by Bradley-Terry with reward theta'phi."""
    first = draw_directions(n, len(theta), coverage, generator)
    second = draw_directions(n, len(theta), coverage, generator)
    differences = first - second
    labels = generator.random(n) < expit(differences @ theta)
    return Preferences.from_labels(differences, labels)


def circle(points: int) -> tuple[np.ndarray, np.ndarray]:
    """Angles and unit vectors, all round the plane."""
    angles = 2 * np.pi * np.arange(points) / points
    return angles, np.stack([np.cos(angles), np.sin(angles)], axis=1)
