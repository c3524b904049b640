"""The factor L of Sigma = L L', Sigma_ij = rho^|i-j|: white noise in, AR(1) out.

x = L g means x_1 = g_1 and x_j = rho x_{j-1} + sqrt(1 - rho^2) g_j; L and L' cost O(d).
"""

import math

import numpy as np
from scipy.signal import lfilter


def colour(g: np.ndarray, rho: float) -> np.ndarray:
    """L g along the last axis."""
    if rho == 0:
        return g
    driven = math.sqrt(1 - rho * rho) * g
    driven[..., 0] = g[..., 0]
    return lfilter([1.0], [1.0, -rho], driven)


def colour_transposed(v: np.ndarray, rho: float) -> np.ndarray:
    """L'v."""
    if rho == 0:
        return v
    out = lfilter([1.0], [1.0, -rho], v[::-1])[::-1].copy()
    out[1:] *= math.sqrt(1 - rho * rho)
    return out


def covariance_times(v: np.ndarray, rho: float) -> np.ndarray:
    """Sigma v."""
    return colour(colour_transposed(v, rho), rho)


def at_coordinates(rng: np.random.Generator, where: np.ndarray, shape: tuple, rho: float):
    """Draws of an N(0, Sigma) vector at the sorted coordinates `where` only: shape x len(where)."""
    x = rng.standard_normal((*shape, len(where)))
    for k in range(1, len(where)):
        r = rho ** float(where[k] - where[k - 1])
        x[..., k] = r * x[..., k - 1] + math.sqrt(1 - r * r) * x[..., k]
    return x


def pin(x: np.ndarray, where: np.ndarray, values: np.ndarray, rho: float) -> None:
    """Turn draws x ~ N(0, Sigma) (rows) into draws given x[where] = values, in place.

    Kriging: add the regression of x on x[where], times what the pinned values miss. By the Markov
    property a coordinate depends on its two pinned neighbours only.
    """
    d = x.shape[1]
    missing = values - x[:, where]
    if rho == 0:
        x[:, where] = values
        return
    reach = math.ceil(math.log(1e-18) / math.log(abs(rho)))  # rho^reach is below rounding
    for k, j in enumerate(where):
        lower = where[k - 1] if k else -1
        upper = where[k + 1] if k + 1 < len(where) else d
        for i in range(max(lower + 1, j - reach), min(upper, j + reach + 1)):
            weight = _weight(i, j, lower if k else None, upper if upper < d else None, rho)
            x[:, i] += weight * missing[:, k]
    x[:, where] = values


def _weight(i: int, j: int, lower: int | None, upper: int | None, rho: float) -> float:
    """The coefficient of x_j in E(x_i | x at the pinned coordinates around i)."""
    near = rho ** abs(i - j)
    other = lower if i < j else upper
    if other is None or i == j:
        return near
    far, span = rho ** abs(i - other), rho ** abs(j - other)
    return (near - far * span) / (1 - span * span)
