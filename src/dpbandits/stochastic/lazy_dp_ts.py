"""Lazy-DP-TS (HU Algorithm 3)."""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.noise import beta, binomial, laplace
from dpbandits.core.registry import algorithm
from dpbandits.core.trajectories import Trajectories
from dpbandits.stochastic._play import record
from dpbandits.stochastic.problem import StochasticSetting


@algorithm("lazy-dp-ts", setting=StochasticSetting, source="HU Algorithm 3", claim="HU-T4")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    regret, pulls = _simulate(
        np.array(setting.means), setting.gaps, 1 / epsilon, horizon, streams.states(), checkpoints
    )
    return Trajectories(regret, extras={"pulls": pulls})


@jit
def _simulate(means, gaps, noise, horizon, states, checkpoints):
    regret = np.zeros((len(states), len(checkpoints)))
    pulls = np.zeros((len(states), len(means)), np.int64)
    for run in range(len(states)):
        _one(means, gaps, noise, horizon, states[run], checkpoints, regret[run], pulls[run])
    return regret, pulls


@jit
def _one(means, gaps, noise, horizon, stream, checkpoints, regret, pulls):
    arms = len(means)
    used = np.ones(arms, np.int64)
    fresh = np.zeros(arms, np.int64)
    mean = np.zeros(arms)
    at, lost = 0, 0.0
    for t in range(1, horizon + 1):
        if t <= arms:
            arm = t - 1
            mean[arm] = binomial(stream, 1, means[arm]) + laplace(stream, noise)
        else:
            arm, best = 0, -math.inf
            for j in range(arms):
                centre = mean[j] + 3.0 * math.log(t) * noise / used[j]
                centre = min(max(centre, 0.0), 1.0)
                theta = beta(stream, centre * used[j] + 1.0, (1.0 - centre) * used[j] + 1.0)
                if theta > best:
                    arm, best = j, theta
            fresh[arm] += 1
            if fresh[arm] == 2 * used[arm]:
                used[arm], fresh[arm] = fresh[arm], 0
                total = binomial(stream, used[arm], means[arm]) + laplace(stream, noise)
                mean[arm] = total / used[arm]
        at = record(t, t, lost, gaps[arm], checkpoints, at, regret)
        lost += gaps[arm]
        pulls[arm] += 1
