"""DP-SE, private successive elimination (Sajed and Sheffet 2019), one Binomial per arm and epoch.

Constants after two independent implementations that agree; beta = 1/T. The arms of an epoch are
pulled in turn, which the regret at a checkpoint inside an epoch takes into account.
"""

import math

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.compiled import jit
from dpbandits.core.noise import binomial, laplace
from dpbandits.core.trajectories import Trajectories
from dpbandits.stochastic.engine.play import record
from dpbandits.stochastic.problem import StochasticSetting


@algorithm(
    "dp-se",
    setting=StochasticSetting,
    source="Sajed and Sheffet 2019",
    claim="assumed: every epoch's means are eps-DP and epochs are disjoint",
)
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
def epoch_length(alive, epoch, beta, noise):
    """R_e: enough pulls of each of `alive` arms to see a gap of 2^-epoch."""
    gap = 2.0**-epoch
    sampling = 32.0 * math.log(8.0 * alive * epoch**2 / beta) / gap**2
    privacy = 8.0 * math.log(4.0 * alive * epoch**2 / beta) * noise / gap
    return max(sampling, privacy) + 1.0


@jit
def _one(means, gaps, noise, horizon, stream, checkpoints, regret, pulls):
    alive = np.arange(len(means))
    estimate = np.empty(len(means))
    t, at, lost, epoch = 0, 0, 0.0, 0
    while len(alive) > 1 and t < horizon:
        epoch += 1
        length = epoch_length(len(alive), epoch, 1.0 / horizon, noise)
        cycles = np.int64(math.ceil(min(length, 4.0e18 / len(alive))))
        rounds = min(cycles * len(alive), horizon - t)
        at = _record_cycles(t, rounds, lost, gaps, alive, checkpoints, at, regret)
        for position, arm in enumerate(alive):
            count = rounds // len(alive) + (position < rounds % len(alive))
            pulls[arm] += count
            lost += gaps[arm] * count
            if rounds == cycles * len(alive):
                total = binomial(stream, cycles, means[arm]) + laplace(stream, noise)
                estimate[arm] = total / cycles
        if rounds == cycles * len(alive):
            alive = _survivors(alive, estimate, length, epoch, horizon, noise)
        t += rounds
    if t < horizon:
        arm = alive[0]
        record(t + 1, horizon, lost, gaps[arm], checkpoints, at, regret)
        pulls[arm] += horizon - t


@jit
def _survivors(alive, estimate, length, epoch, horizon, noise):
    sampling = math.sqrt(math.log(8.0 * len(alive) * epoch**2 * horizon) / (2.0 * length))
    privacy = math.log(4.0 * len(alive) * epoch**2 * horizon) * noise / length
    best = estimate[alive].max()
    return alive[best - estimate[alive] <= 2.0 * sampling + 2.0 * privacy]


@jit
def _record_cycles(t, rounds, lost, gaps, alive, checkpoints, at, regret):
    """Like `record` for rounds t+1..t+rounds that go through the arms in turn."""
    arms = len(alive)
    cycle = gaps[alive].sum()
    while at < len(checkpoints) and checkpoints[at] <= t + rounds:
        done = checkpoints[at] - t
        regret[at] = lost + (done // arms) * cycle + gaps[alive[: done % arms]].sum()
        at += 1
    return at
