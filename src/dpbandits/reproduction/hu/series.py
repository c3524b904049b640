"""Regret of a series per seed."""

import numpy as np

from dpbandits.reproduction.series import Series


def regret_of(
    series: Series, means, epsilon: float, horizon: int, seeds: int, first: int = 0
) -> np.ndarray:
    """Regret at the horizon of the seeds from `first` on; without privacy epsilon is ignored."""
    setting, seeds = {"means": [*map(float, means)]}, range(first, first + seeds)
    return series.run(setting, epsilon, horizon, seeds, [horizon]).regret[:, 0]
