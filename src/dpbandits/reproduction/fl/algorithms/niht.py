"""One estimate of N-IHT from rounds with random arms (FL Algorithm 1): its squared error.

The noise is the printed one at `noise_epsilon`, which is no promise of privacy.
"""

import math

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.models import Epsilon
from dpbandits.core.trajectories import Trajectories
from dpbandits.reproduction.fl.algorithms.compiled.fliphat import (
    fliphat_problem,
    niht,
    streams_of,
)
from dpbandits.reproduction.fl.presets import PresetSetting
from dpbandits.sparse.engine import play_episode


class NihtSetting(PresetSetting):
    noise_epsilon: Epsilon = math.inf


@algorithm("niht", setting=NihtSetting, source="FL Algorithm 1")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    problem, tuning = fliphat_problem(setting), setting.tuning(setting.noise_epsilon, horizon)
    clipped, nothing = math.isfinite(setting.context_clip), np.zeros(setting.d)
    regrets, errors = [], []
    for run in range(len(streams)):
        own = streams_of(streams, run)
        episode = play_episode(own.contexts, problem.rounds, nothing, horizon, True, clipped)
        estimate = niht(own, problem, episode, tuning, np.empty((0, setting.d)))
        regrets.append(np.cumsum(episode.regret)[checkpoints - 1])
        errors.append(np.sum((estimate - setting.signal) ** 2))
    return Trajectories(np.array(regrets), extras={"squared_error": np.array(errors)})
