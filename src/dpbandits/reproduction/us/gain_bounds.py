"""The information gain gamma_T between two bounds, from the greedy picks.

The gain is concave in the (relaxed) counts n of the cells: with s the posterior variance after the
T greedy picks, gamma_T <= gain(n) + (T max_w s(w) - sum_w n_w s(w))/(2 tau) over all cells.
"""

import numpy as np

from dpbandits.kernel.estimator import SurrogateCovariance
from dpbandits.kernel.information import greedy_picks
from dpbandits.kernel.problem import KernelSetting


def gain_bounds(setting: KernelSetting, horizon: int) -> tuple[float, float]:
    """Lower and upper bounds on gamma_T on the whole grid; the lower one is the greedy value."""
    gains, picks = greedy_picks(setting, horizon)
    counts = np.bincount(picks[:horizon], minlength=setting.cells).astype(float)
    covariance = SurrogateCovariance(setting, counts)
    spread = covariance.variance()
    variance = setting.tau * (spread + covariance.variance_error(spread))
    slack = (horizon * variance.max() - counts @ variance) / (2.0 * setting.tau)
    return float(gains[horizon - 1]), float(gains[horizon - 1] + slack)
