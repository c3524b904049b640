"""US's problem: a function of known RKHS norm on a grid of (action, context) cells.

The cube is divided into `grid` equal cells per axis, each represented by its midpoint. Suprema,
integrals and sampling are then exact for the discretised problem. (On midpoints the cosines of the
finite Mercer kernel are exactly orthonormal.) Cell number = action * contexts + context.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from dpbandits.core.models import Model, canonical
from dpbandits.core.streams import Streams, key_of
from dpbandits.core.trajectories import Trajectories
from dpbandits.kernel.kernels import (
    MOST_PIVOTS,
    Factor,
    cosine_rows,
    factor_of,
    finest_grid,
    kernel_matrix,
)

MOST_CELLS = 100_000
CENTRES = 20  # kernel sections summed into the unknown function

Positive = Annotated[float, Field(ge=1e-9, le=1e9)]  # nothing overflows in this range
Axes = Annotated[int, Field(ge=1, le=2)]


class KernelSetting(Model):
    """Defaults: the unit ball of an RKHS over [0,1]^dim x [0,1]^context_dim."""

    kernel: Literal["se", "matern32", "matern52", "cosine"] = "se"
    lengthscale: Positive = 0.2  # not used by the cosine kernel
    decay: Annotated[float, Field(gt=1)] = 2.0  # beta_p of the cosine kernel; unused by the others
    dim: Axes = 1
    context_dim: Axes = 1
    context_law: Literal["uniform", "beta"] = "uniform"
    norm: Positive = 1.0  # RKHS norm of the unknown function
    noise: Annotated[float, Field(ge=0, le=1e9)] = 0.1  # rewards carry Uniform(-noise, noise)
    tau: Positive = 1.0
    grid: Annotated[int, Field(ge=2)] = 101  # cells per axis; 15 if dim + context_dim > 2
    function_seed: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="before")
    @classmethod
    def _fewer_cells_in_more_axes(cls, data):
        return cls.usual_grid(data) | data if isinstance(data, dict) else data

    @classmethod
    def usual_grid(cls, data: dict) -> dict[str, int]:
        """The grid of a setting that does not say one, if it is not the default."""
        return {"grid": 15} if 2 in (data.get("dim"), data.get("context_dim")) else {}

    @model_validator(mode="after")
    def _not_too_fine(self):
        if self.cells > MOST_CELLS:
            raise ValueError(f"grid ** (dim + context_dim) = {self.cells}: at most {MOST_CELLS}")
        return self

    @property
    def axes(self) -> int:
        return self.dim + self.context_dim

    @property
    def cells(self) -> int:
        return self.grid**self.axes

    @property
    def actions(self) -> int:
        return self.grid**self.dim

    @property
    def contexts(self) -> int:
        return self.grid**self.context_dim

    @property
    def bound(self) -> float:
        """B of Assumption 2.7: |f| <= norm because k(w,w) <= 1, and the noise is bounded."""
        return self.norm + self.noise


class UscaSetting(KernelSetting):
    """calibration: of the scale of the mechanism's noise, the paper's, or the least with the same
    privacy, which is the default, on the finest grid that it can use."""

    calibration: Literal["printed", "exact"] = "exact"

    @classmethod
    def usual_grid(cls, data):
        if data.get("calibration", "exact") != "exact":
            return super().usual_grid(data)
        axes = sum(2 if data.get(key) == 2 else 1 for key in ("dim", "context_dim"))
        return {"grid": finest_grid(MOST_PIVOTS, axes)}

    @model_validator(mode="after")
    def _exact_needs_few_cells(self):
        if self.calibration == "exact" and self.cells > MOST_PIVOTS:
            grid = finest_grid(MOST_PIVOTS, self.axes)
            raise ValueError(f"calibration exact, {self.cells} cells: allowed: grid at most {grid}")
        return self


@dataclass(frozen=True)
class Instance:
    """The problem of a setting, as arrays."""

    setting: KernelSetting
    points: np.ndarray  # (cells, axes)
    values: np.ndarray  # (actions, contexts), f
    context_law: np.ndarray  # (contexts,), kappa

    @property
    def cell_law(self) -> np.ndarray:
        """(cells,), the law of (x, c): uniform action, context from kappa."""
        return np.tile(self.context_law / self.setting.actions, self.setting.actions)

    @property
    def gaps(self) -> np.ndarray:
        """(actions, contexts): sup_x f(x, c) - f(x, c)."""
        return self.values.max(axis=0) - self.values

    def observe(self, rng: np.random.Generator, rounds: int) -> tuple[np.ndarray, np.ndarray]:
        """The cells of `rounds` uniform queries and their rewards."""
        actions = rng.integers(self.setting.actions, size=rounds)
        contexts = rng.choice(self.setting.contexts, size=rounds, p=self.context_law)
        cells = actions * self.setting.contexts + contexts
        return cells, self.rewards(rng, cells)

    def rewards(self, rng: np.random.Generator, cells: np.ndarray) -> np.ndarray:
        noise = self.setting.noise * (2.0 * rng.random(len(cells)) - 1.0)
        return self.values.reshape(-1)[cells] + noise

    def error_rate(self, output: np.ndarray) -> float:
        """Eq. (1) averaged exactly over the context and the distribution of the output.

        output: (actions, contexts), the probability of each action at each context.
        """
        return float(np.sum(output * self.gaps, axis=0) @ self.context_law)


def setting_of_kernel(setting: KernelSetting) -> KernelSetting:
    """The setting with the default of every key that does not change the kernel or gamma_T."""
    keys = ("kernel", "lengthscale", "decay", "dim", "context_dim", "tau", "grid")
    return KernelSetting(**{key: getattr(setting, key) for key in keys})


def grid_points(grid: int, axes: int) -> np.ndarray:
    """Midpoints of the cells, last axis fastest."""
    midpoints = (np.arange(grid) + 0.5) / grid
    mesh = np.meshgrid(*[midpoints] * axes, indexing="ij")
    return np.stack(mesh, axis=-1).reshape(-1, axes)


def grid_factor(setting: KernelSetting) -> Factor:
    """The factor of the kernel on the whole grid."""
    return _grid_factor(setting_of_kernel(setting))


@lru_cache(maxsize=4)
def _grid_factor(setting: KernelSetting) -> Factor:
    return factor_of(setting, grid_points(setting.grid, setting.axes))


def problem_of(setting: KernelSetting) -> Instance:
    """The problem does not depend on what is an algorithm's own: calibration of noise, width."""
    return _problem_of(KernelSetting(**setting.model_dump(include={*KernelSetting.model_fields})))


@lru_cache(maxsize=8)
def _problem_of(setting: KernelSetting) -> Instance:
    points = grid_points(setting.grid, setting.axes)
    values = _draw_function(setting, points).reshape(setting.actions, setting.contexts)
    return Instance(setting, points, values, _context_law(setting))


def _context_law(setting: KernelSetting) -> np.ndarray:
    """The mass of each context cell."""
    edges = np.arange(setting.grid + 1) / setting.grid
    beta = 1 - (1 - edges) ** 5 * (1 + 5 * edges)  # of Beta(2, 5), per axis (our choice)
    cdf = edges if setting.context_law == "uniform" else beta
    mass = np.diff(cdf)
    law = mass if setting.context_dim == 1 else np.outer(mass, mass).reshape(-1)
    return law / law.sum()


def _draw_function(setting: KernelSetting, points: np.ndarray) -> np.ndarray:
    """f = sum of weighted kernel sections (cosine: of all eigenfunctions), scaled to the norm."""
    what = (setting.kernel, setting.lengthscale, setting.decay, setting.dim, setting.context_dim)
    key = key_of("unknown function", *what, setting.function_seed)
    rng = np.random.Generator(np.random.Philox(key=key))
    if setting.kernel == "cosine":
        rows = cosine_rows(setting, points)
        weights = rng.standard_normal(rows.shape[1])
        return setting.norm * (rows @ weights) / np.linalg.norm(weights)
    centres = rng.random((CENTRES, setting.axes))
    weights = rng.standard_normal(CENTRES)
    squared_norm = weights @ kernel_matrix(setting, centres, centres) @ weights
    return setting.norm * (kernel_matrix(setting, points, centres) @ weights) / squared_norm**0.5


def generator_of(name: str, problem: Instance, T: int, seed: int) -> np.random.Generator:
    """The random numbers of one run of T rounds, the same for every epsilon and calibration."""
    return Streams(key_of(name, canonical(problem.setting), T), (seed,)).generator(0)


def separate_runs(run, streams, checkpoints) -> Trajectories:
    """The regret and other curves that `run(seed, T)` returns, for every seed and checkpoint.

    The value at t is that of a separate full run with T = t.
    """
    results: dict[str, np.ndarray] = {}
    for column, t in enumerate(int(t) for t in checkpoints):
        for row, seed in enumerate(streams.seeds):
            for name, value in run(seed, t).items():
                empty = np.empty((len(streams), len(checkpoints)))
                results.setdefault(name, empty)[row, column] = value
    return Trajectories(results.pop("regret"), curves=results)
