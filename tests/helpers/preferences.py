"""Preferences of made-up people, for tests."""

import numpy as np
from scipy.special import expit

from dpbandits.offline.problem import Preferences


def draw_preferences(n, theta, coverage, generator) -> Preferences:
    """Differences of two unit features each, labels by Bradley-Terry with reward theta'phi."""
    deviations = np.sqrt(np.geomspace(1.0, coverage, len(theta)))
    both = [generator.standard_normal((n, len(theta))) * deviations for _ in range(2)]
    first, second = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in both)
    labels = generator.random(n) < expit((first - second) @ theta)
    return Preferences.from_labels(first - second, labels)
