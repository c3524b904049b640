"""Anytime-Lazy-UCB (HU Algorithm 1), as a plain compiled loop over rounds."""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.noise import laplace, uniform
from dpbandits.core.registry import algorithm
from dpbandits.core.trajectories import Trajectories
from dpbandits.stochastic.problem import StochasticSetting


@algorithm("anytime-lazy-ucb", setting=StochasticSetting, source="HU Algorithm 1", claim="HU-T2")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    regret, pulls = _simulate(
        np.array(setting.means), setting.gaps, epsilon, horizon, streams.states(), checkpoints
    )
    return Trajectories(regret, extras={"pulls": pulls})


@jit
def _simulate(means, gaps, epsilon, horizon, states, checkpoints):
    runs, arms = len(states), len(means)
    regret = np.zeros((runs, len(checkpoints)))
    pulls = np.zeros((runs, arms), np.int64)
    for run in range(runs):
        _one(means, gaps, epsilon, horizon, states[run], checkpoints, regret[run], pulls[run])
    return regret, pulls


@jit
def _one(means, gaps, epsilon, horizon, stream, checkpoints, regret, pulls):
    arms = len(means)
    used = np.ones(arms)  # O_j, observations behind the private mean
    fresh = np.zeros(arms)  # N_j
    total = np.zeros(arms)  # Phi_j
    mean = np.zeros(arms)
    lost = 0.0
    at = 0
    for t in range(1, horizon + 1):
        if t <= arms:
            arm = t - 1
        else:
            log_t = math.log(t)
            arm, best = 0, -math.inf
            for j in range(arms):
                index = mean[j] + math.sqrt(3 * log_t / used[j]) + 3 * log_t / (epsilon * used[j])
                if index > best:
                    arm, best = j, index
        reward = 1.0 if uniform(stream) < means[arm] else 0.0
        pulls[arm] += 1
        lost += gaps[arm]
        if t <= arms:
            mean[arm] = reward + laplace(stream, 1 / epsilon)
        else:
            fresh[arm] += 1
            total[arm] += reward
            if fresh[arm] == 2 * used[arm]:
                used[arm] = fresh[arm]
                mean[arm] = (total[arm] + laplace(stream, 1 / epsilon)) / used[arm]
                fresh[arm] = total[arm] = 0
        if at < len(checkpoints) and checkpoints[at] == t:
            regret[at] = lost
            at += 1
