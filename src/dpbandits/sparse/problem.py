"""FL's problem: K arms with Gaussian contexts, a reward linear in a sparse vector.

Contexts are N(0, Sigma) with Sigma_ij = rho^|i-j|, independent over arms and rounds. The reward of
an arm with context x is x'beta* + noise; the regret of a round is the largest x'beta* less that of
the played arm.
"""

import math
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, model_validator

from dpbandits.core.models import Model
from dpbandits.core.problem import Environment

# The signals behind the published curves.
PUBLISHED_BETA = {
    5: (0.74843, 0.63701, 0.63445, 0.69641, 0.71992),
    10: (
        0.59101, 0.68883, -0.82081, 0.67363, -0.95889,
        -0.91288, -0.83546, -0.86713, 0.52937, -0.84754,
    ),
}  # fmt: skip

DELTA = 1e-6  # of the learners that `choose` compares
NUMBERS = 10**7  # of contexts, in an instance of it
Positive = Annotated[float, Field(gt=0, le=1e9)]
Nonzero = Annotated[
    float, Field(description="an entry of beta* on its support; not 0", ge=-1e9, le=1e9)
]


class SparseSetting(Model):
    """The instance, and what a learner is told of it."""

    d: Annotated[int, Field(ge=2, le=10**6)] = 400
    arms: Annotated[int, Field(ge=2, le=10**6)] = 3
    sparsity: Annotated[int, Field(ge=1)] = 10  # s, what a learner keeps
    true_sparsity: Annotated[int, Field(ge=1)] = 5  # s*
    beta: tuple[Nonzero, ...] = ()  # on the first s* coordinates; left out: see `default_beta`
    rho: Annotated[float, Field(gt=-1, lt=1)] = 0.1
    reward_noise: Literal["gaussian", "uniform"] = "gaussian"
    sigma: Annotated[float, Field(ge=0, le=1e9)] = (
        0.1  # standard deviation, or half-width if uniform
    )
    delta: Annotated[float, Field(gt=0, lt=1)] = 0.01
    # A public bound R of the rewards; null: x_max b_max + sigma
    # sqrt(2 ln(1 + n)). Left out of a setting's canonical spelling while it is null, so that older
    # results keep their seeds.
    clip: Annotated[float | None, Field(gt=0, exclude_if=lambda clip: clip is None)] = None
    # The gap between the two best arms: as drawn, or drawn from a law with margin exponent alpha.
    margin: Literal["gaussian", "0", "1", "inf"] = "gaussian"
    gap: Positive = 1.0  # Delta_* of a forced margin

    @model_validator(mode="before")
    @classmethod
    def _fill_beta(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        if data.get("beta"):
            count = len(data["beta"]) if isinstance(data["beta"], list | tuple) else 5
            return {"true_sparsity": count} | data
        count = data.get("true_sparsity", 5)
        if type(count) is int and 1 <= count <= 100_000:
            return data | {"beta": default_beta(count)}
        return data

    @model_validator(mode="after")
    def _sizes_agree(self):
        if len(self.beta) != self.true_sparsity:
            raise ValueError(f"beta has {len(self.beta)} entries; allowed: true_sparsity of them")
        if max(self.true_sparsity, self.sparsity) > self.d:
            raise ValueError(f"sparsity and true_sparsity: allowed: from 1 to d = {self.d}")
        if 0.0 in self.beta:
            raise ValueError("beta: allowed: numbers other than 0 (it lists the support)")
        return self

    @property
    def signal(self) -> np.ndarray:
        """beta* in R^d."""
        signal = np.zeros(self.d)
        signal[: self.true_sparsity] = self.beta
        return signal

    @property
    def b_max(self) -> float:
        return float(np.abs(self.beta).sum())

    @property
    def x_max(self) -> float:
        return math.sqrt(2 * math.log(self.d))


class Contexts(Environment):
    """Independent standard normal contexts, a row for each arm, and a dense signal of length 1."""

    setting = SparseSetting
    beside = "sa-lasso"
    quick, slow = ("dp-linear", "sa-lasso", "random-arm"), ("fliphat",)
    short, most, most_short = 10**4, 15, 15

    @property
    def about(self):
        return f"{self.sizes.dim} numbers a context"

    @property
    def rounds(self):
        numbers = self.sizes.arms * self.sizes.dim  # a round
        return max(1, min(self.sizes.horizon, NUMBERS // numbers))

    def instances(self, count):
        arms, d = self.sizes.arms, self.sizes.dim
        rng = np.random.default_rng([arms, d])
        beta = rng.standard_normal((count, d))
        beta /= np.linalg.norm(beta, axis=1, keepdims=True)
        sizes = {"arms": arms, "d": d, "sparsity": d, "true_sparsity": d}
        return [sizes | {"beta": row, "rho": 0.0, "delta": DELTA} for row in beta.tolist()]

    def play(self, setting, rng):
        while True:
            x = contexts(setting, rng, 1)[0]
            means = x @ setting.signal

            def reward(arm, means=means):
                return float(means[arm] + reward_noise(setting, rng, 1)[0])

            yield x, means, reward

    def random(self, instances, regret):
        return regret("random-arm")


def default_beta(true_sparsity: int) -> tuple[float, ...]:
    """The published beta* for s* = 5 and 10, else one fixed draw of |b_j| in [0.5, 1]."""
    if true_sparsity in PUBLISHED_BETA:
        return PUBLISHED_BETA[true_sparsity]
    rng = np.random.Generator(np.random.Philox(key=[true_sparsity, 0]))
    size = rng.uniform(0.5, 1.0, true_sparsity)
    signs = rng.choice([-1.0, 1.0], true_sparsity)
    return tuple(float(b) for b in np.round(size * signs, 5))


def contexts(setting: SparseSetting, rng: np.random.Generator, n: int) -> np.ndarray:
    """The K contexts of each of n rounds: n x K x d."""
    from scipy.signal import lfilter  # slow to import

    x = rng.standard_normal((n, setting.arms, setting.d))
    x[:, :, 1:] *= math.sqrt(1 - setting.rho**2)
    x = lfilter([1.0], [1.0, -setting.rho], x)  # x_j <- rho x_{j-1} + x_j
    if setting.margin != "gaussian":
        shift = margin_shift(setting, rng, x @ setting.signal)
        # Along the regression of x on x'beta*, so that what is left of x keeps its law.
        support = np.arange(setting.true_sparsity)
        covariance = correlations(setting.rho, np.arange(setting.d), support) @ setting.beta
        x += shift[:, :, None] * (covariance / signal_variance(setting))
    return x


def mean_rewards(setting: SparseSetting, rng: np.random.Generator, n: int) -> np.ndarray:
    """x'beta* of the K arms in n rounds, drawn without their contexts."""
    scores = rng.standard_normal((n, setting.arms))
    scores *= math.sqrt(signal_variance(setting))
    if setting.margin != "gaussian":
        scores += margin_shift(setting, rng, scores)
    return scores


def margin_shift(setting: SparseSetting, rng, scores: np.ndarray) -> np.ndarray:
    """How far each score x'beta* must move so that the gaps follow the law of `margin`."""
    shift, rows = np.zeros_like(scores), np.arange(len(scores))
    second = np.sort(scores, axis=1)[:, -2]
    best = np.argmax(scores, axis=1)
    shift[rows, best] = second + draw_gaps(setting, rng, len(scores)) - scores[rows, best]
    return shift


def signal_variance(setting: SparseSetting) -> float:
    """Variance of x'beta*."""
    support = np.arange(setting.true_sparsity)
    return float(setting.beta @ correlations(setting.rho, support, support) @ setting.beta)


def correlations(rho: float, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The matrix of Sigma_ij, i in `first` and j in `second`."""
    return rho ** np.abs(np.subtract.outer(first, second)).astype(float)


def reward_noise(setting: SparseSetting, rng: np.random.Generator, count: int) -> np.ndarray:
    if setting.reward_noise == "uniform":
        return rng.uniform(-setting.sigma, setting.sigma, count)
    return setting.sigma * rng.standard_normal(count)


def draw_gaps(setting: SparseSetting, rng: np.random.Generator, count: int) -> np.ndarray:
    """Gaps with P(gap <= h) = (h/Delta_*)^alpha for h up to Delta_*.

    For alpha = 0 that would be a gap of 0; ln h is uniform over six decades instead, which meets no
    positive alpha down to 1e-6 Delta_*.
    """
    if setting.margin == "inf":
        return np.full(count, setting.gap)
    u = rng.random(count)
    return setting.gap * (u if setting.margin == "1" else 10.0 ** (-6 * u))
