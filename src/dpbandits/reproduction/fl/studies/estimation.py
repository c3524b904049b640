"""Study: the squared error of N-IHT on Gaussian rows against n, s, d and epsilon (Prop 5.5).

One factor moves at a time. The term `statistical` has epsilon = inf; `private` is the whole error
at the epsilon of the study, where the noise dominates. Constants: eta = 1/(2 kappa_bar),
M = floor(1.6 ln n) and the printed noise scale. Two bounds stand beside the error: `printed`, the
proposition's term of that error with its hidden constants 1, and `repaired`, Theorem F1, which asks
for more steps and a larger s than these runs have.
"""

import math
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.core.models import Model
from dpbandits.core.streams import Streams, key_of
from dpbandits.reproduction.fl.theory import corrected_estimation_bound, estimation_terms
from dpbandits.reproduction.studies import study
from dpbandits.sparse.engine.episodes import play, problem_of
from dpbandits.sparse.engine.fliphat import niht, streams_of
from dpbandits.sparse.presets import tuning_for
from dpbandits.sparse.problem import SparseSetting

Count = Annotated[int, Field(ge=1)]
FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
HIGH, LOW = 3.0, 2 * 0.9 / 1.1  # of the Hessian 2 X'X/n: bounds of Sigma's spectrum at rho = 0.1


class Params(Model):
    n: Count
    d: Count
    sparsity: Count
    true_sparsity: Count
    epsilon: Annotated[float, Field(gt=0)]
    runs: Annotated[int, Field(ge=2)]


@study("fl/estimation", params=Params)
def compute(params: Params) -> pd.DataFrame:
    rows = []
    for term in ("statistical", "private"):
        for name in ("n", "sparsity", "d", "epsilon")[: 3 if term == "statistical" else 4]:
            for factor in FACTORS if name != "sparsity" else FACTORS[1:]:
                value = getattr(params, name) * factor
                value = value if name == "epsilon" else int(value)
                point = params.model_copy(update={name: value})
                errors = squared_errors(point, term == "private")
                sem = errors.std(ddof=1) / np.sqrt(len(errors))
                measured = errors.mean(), sem, len(errors)
                rows.append((term, name, value, *measured, *bounds(point, term == "private")))
    columns = ["term", "varied", "value", "mean", "sem", "runs", "printed", "repaired"]
    return pd.DataFrame(rows, columns=columns)


def setting_of(point: Params) -> SparseSetting:
    sizes = {"d": point.d, "sparsity": point.sparsity, "true_sparsity": point.true_sparsity}
    return SparseSetting(**sizes, preset="printed", step_size=1 / (2 * HIGH))


def bounds(point: Params, private: bool) -> tuple[float, float]:
    setting, epsilon = setting_of(point), point.epsilon if private else np.inf
    statistical, noise = estimation_terms(
        point.n, point.sparsity, point.true_sparsity, point.d, epsilon, setting.delta,
        sigma=setting.sigma, kappa=HIGH / LOW, low=LOW,
    )  # fmt: skip
    corrected = corrected_estimation_bound(setting, point.n, epsilon, LOW, HIGH / LOW)
    return noise if private else statistical, corrected


def squared_errors(point: Params, private: bool) -> np.ndarray:
    """|theta - beta*|^2 of each run."""
    setting = setting_of(point)
    epsilon = point.epsilon if private else np.inf
    streams = Streams(key_of("fl/estimation", point, private), tuple(range(point.runs)))
    return np.array([_one(setting, epsilon, point.n, streams, i) for i in range(point.runs)])


def _one(setting: SparseSetting, epsilon: float, n: int, streams: Streams, index: int) -> float:
    problem, own_streams = problem_of(setting, math.inf), streams_of(streams, index)
    episode = play(own_streams.contexts, problem, np.zeros(setting.d), n, True, False)
    never_reused = np.empty((0, setting.d))
    estimate = niht(own_streams, problem, episode, tuning_for(setting, epsilon, n), never_reused)
    return float(np.sum((estimate - setting.signal) ** 2))
