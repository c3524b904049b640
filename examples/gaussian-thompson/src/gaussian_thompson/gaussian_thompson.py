"""Thompson sampling with Gaussian posteriors, b pre-pulls per arm and variance c.

Of an arm with n pulls a value is drawn from N(sum of rewards/(n + 1), c/(n + 1)); the arm with the
largest value is played. `epsilon` is the mu of Gaussian differential privacy of a whole run: c is
the setting's `variance`, or as much larger as this mu needs.
"""

import math

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.compiled import jit
from dpbandits.core.notions import GDP
from dpbandits.core.trajectories import Trajectories
from dpbandits.core.variates import normal, uniform
from gaussian_thompson.problem import GaussianThompsonSetting
from gaussian_thompson.theory import variance_for


@algorithm(
    "gaussian-thompson",
    setting=GaussianThompsonSetting,
    source="TS, Thompson sampling with pre-pulls and a larger variance",
    claim="TS-GDP",
    notion=GDP,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    arms = len(setting.means)
    variance = max(setting.variance, variance_for(epsilon, horizon, arms, setting.pre_pulls))
    regret, pulls = np.empty((len(streams), len(checkpoints))), np.zeros((len(streams), arms))
    world = (np.array(setting.means), setting.gaps, setting.pre_pulls, variance)
    _simulate(*world, horizon, np.asarray(checkpoints), streams.states(), regret, pulls)
    return Trajectories(regret, extras={"pulls": pulls})


@jit
def _simulate(means, gaps, pre_pulls, variance, horizon, checkpoints, states, regret, pulls):
    arms = len(means)
    for run in range(len(states)):
        stream, count, total = states[run], pulls[run], np.zeros(arms)
        lost, due = 0.0, 0
        for t in range(horizon):
            arm = t % arms if t < arms * pre_pulls else _draw(stream, count, total, variance)
            total[arm] += uniform(stream) < means[arm]
            count[arm] += 1
            lost += gaps[arm]
            if due < len(checkpoints) and t + 1 == checkpoints[due]:
                regret[run, due] = lost
                due += 1


@jit
def _draw(stream, count, total, variance):
    best, arm = -math.inf, 0
    for i in range(len(count)):
        draw = (total[i] + math.sqrt(variance * (count[i] + 1)) * normal(stream)) / (count[i] + 1)
        if draw > best:
            best, arm = draw, i
    return arm
