"""Study: the squared error of N-IHT on Gaussian rows against n, s, d and epsilon (Prop 5.5).

One factor moves at a time. The term `statistical` has epsilon = inf; `private` is the whole error
at the epsilon of the study, where the noise dominates. Constants: eta = 1/(2 kappa_bar),
M = floor(1.6 ln n) and the printed noise scale. Two bounds stand beside the error: `printed`, the
proposition's term of that error with its hidden constants 1, and `repaired`, Theorem F1, which asks
for more steps and a larger s than these runs have.
"""

import math

import numpy as np
import pandas as pd

from dpbandits.core.models import Count, Model, Several
from dpbandits.core.streams import Streams, key_of
from dpbandits.reproduction.fl.theory import corrected_estimation_bound, estimation_terms
from dpbandits.reproduction.series import Positive
from dpbandits.reproduction.studies import study
from dpbandits.sparse.engine.episodes import play, problem_of
from dpbandits.sparse.engine.fliphat import niht, streams_of
from dpbandits.sparse.presets import tuning_for
from dpbandits.sparse.problem import SparseSetting

FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
HIGH, LOW = 3.0, 2 * 0.9 / 1.1  # of the Hessian 2 X'X/n: bounds of Sigma's spectrum at rho = 0.1


class Params(Model):
    n: Count
    d: Count
    sparsity: Count
    true_sparsity: Count
    epsilon: Positive
    runs: Several


@study("fl/estimation", params=Params)
def compute(params: Params) -> pd.DataFrame:
    rows, factors = [], ("n", "sparsity", "d", "epsilon")
    for term, moved in (("statistical", factors[:3]), ("private", factors)):
        for name in moved:
            for factor in FACTORS[name == "sparsity" :]:
                value = getattr(params, name) * factor
                value = value if name == "epsilon" else int(value)
                point = params.model_copy(update={name: value})
                rows.append((term, name, value, *_measured(point, term == "private")))
    columns = ["term", "varied", "value", "mean", "sem", "runs", "printed", "repaired"]
    return pd.DataFrame(rows, columns=columns)


def _measured(point: Params, private: bool) -> tuple[float, ...]:
    """Mean, standard error and number of |theta - beta*|^2 over the runs, and the two bounds."""
    sizes = {"d": point.d, "sparsity": point.sparsity, "true_sparsity": point.true_sparsity}
    setting = SparseSetting(**sizes, preset="printed", step_size=1 / (2 * HIGH))
    epsilon = point.epsilon if private else math.inf
    streams = Streams(key_of("fl/estimation", point, private), tuple(range(point.runs)))
    errors = np.array([_one(setting, epsilon, point.n, streams, i) for i in range(point.runs)])
    statistical, noise = estimation_terms(
        point.n, point.sparsity, point.true_sparsity, point.d, epsilon, setting.delta,
        sigma=setting.sigma, kappa=HIGH / LOW, low=LOW,
    )  # fmt: skip
    repaired = corrected_estimation_bound(setting, point.n, epsilon, LOW, HIGH / LOW)
    sem = errors.std(ddof=1) / np.sqrt(len(errors))
    printed = noise if private else statistical
    return errors.mean(), sem, len(errors), printed, repaired


def _one(setting: SparseSetting, epsilon: float, n: int, streams: Streams, index: int) -> float:
    problem, own_streams = problem_of(setting, math.inf), streams_of(streams, index)
    episode = play(own_streams.contexts, problem, np.zeros(setting.d), n, True, False)
    never_reused = np.empty((0, setting.d))
    estimate = niht(own_streams, problem, episode, tuning_for(setting, epsilon, n), never_reused)
    return float(np.sum((estimate - setting.signal) ** 2))
