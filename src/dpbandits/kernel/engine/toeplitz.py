"""Products with the exact kernel matrix G of all cells, which is never formed.

The kernels are stationary and the grid is regular: G is block Toeplitz, a convolution, hence a few
FFTs on a grid of twice the side. The cosine kernel is not stationary, but its features are few.
"""

from functools import lru_cache

import numpy as np
import scipy.fft

from dpbandits.kernel.kernels import cosine_rows, kernel_matrix
from dpbandits.kernel.problem import KernelSetting, grid_points, setting_of_kernel

CHUNK = 2**19  # numbers transformed at a time


def kernel_product(setting: KernelSetting):
    """x -> G x, for each row of x; rounding apart exact."""
    return _kernel_product(setting_of_kernel(setting))


@lru_cache(maxsize=8)
def _kernel_product(setting: KernelSetting):
    if setting.kernel == "cosine":
        rows = cosine_rows(setting, grid_points(setting.grid, setting.axes))
        return lambda x: (x @ rows) @ rows.T
    return Convolution(setting)


class Convolution:
    def __init__(self, setting: KernelSetting):
        self.side, self.axes = setting.grid, setting.axes
        self.length = scipy.fft.next_fast_len(2 * self.side - 1, real=True)
        steps = np.arange(self.length)
        lags = np.minimum(steps, self.length - steps) / self.side
        mesh = np.meshgrid(*[lags] * self.axes, indexing="ij")
        lags = np.stack(mesh, axis=-1).reshape(-1, self.axes)
        first = kernel_matrix(setting, lags, np.zeros((1, self.axes)))
        # even in every axis: the transform is real
        self.spectrum = scipy.fft.rfftn(first.reshape((self.length,) * self.axes)).real.copy()

    def __call__(self, x: np.ndarray) -> np.ndarray:
        result = np.empty_like(x)
        step = max(1, CHUNK // self.length**self.axes)
        for start in range(0, len(x), step):
            some = x[start : start + step]
            result[start : start + step] = self._convolve(some).reshape(some.shape)
        return result

    def _convolve(self, x: np.ndarray) -> np.ndarray:
        """Axis by axis, so that no padding is transformed in vain."""
        x = x.reshape(-1, *[self.side] * self.axes)
        x = scipy.fft.rfft(x, self.length, axis=-1)
        for axis in range(1, self.axes):
            x = scipy.fft.fft(x, self.length, axis=axis, overwrite_x=True)
        x *= self.spectrum
        for axis in range(1, self.axes):
            x = scipy.fft.ifft(x, axis=axis, overwrite_x=True)
            x = x[(slice(None),) * axis + (slice(self.side),)]
        return scipy.fft.irfft(x, self.length, axis=-1)[..., : self.side]
