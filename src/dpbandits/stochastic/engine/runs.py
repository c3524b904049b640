"""What all compiled engines share: the bandit, the results of a run, and how rounds enter them."""

from typing import NamedTuple

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.trajectories import Trajectories
from dpbandits.core.variates import binomial, laplace


class BernoulliBandit(NamedTuple):
    means: np.ndarray  # of Bernoulli arms
    gaps: np.ndarray
    horizon: int
    checkpoints: np.ndarray  # rounds after which the regret is recorded, ascending


class Results(NamedTuple):
    """The results of one run, which `record` fills in."""

    regret: np.ndarray  # at the checkpoints
    pulls: np.ndarray  # of each arm
    so_far: np.ndarray  # one number: the regret so far
    next: np.ndarray  # one number: the index of the next checkpoint


def simulate_runs(one_run, setting, horizon, streams, checkpoints, *parameters) -> Trajectories:
    """Call `one_run(bandit, results, stream, *parameters)`, which is compiled, for every run; a
    parameter that is a function gives that of a run."""
    runs, arms = len(streams), len(setting.means)
    bandit = BernoulliBandit(np.array(setting.means), setting.gaps, horizon, checkpoints)
    regret, pulls = np.zeros((runs, len(checkpoints))), np.zeros((runs, arms), np.int64)
    for run, stream in enumerate(streams.states()):
        results = Results(regret[run], pulls[run], np.zeros(1), np.zeros(1, np.int64))
        one_run(bandit, results, stream, *(p() if callable(p) else p for p in parameters))
    return Trajectories(regret, extras={"pulls": pulls})


@jit
def private_mean(stream, count, mean, noise):
    """The mean of `count` rewards with one Laplace variable of scale `noise` in their sum."""
    return (binomial(stream, count, mean) + laplace(stream, noise)) / count


@jit
def record(bandit, results, arm, t, last):
    """Record that rounds t + 1 to `last` all pulled one arm."""
    gap, so_far, at = bandit.gaps[arm], results.so_far[0], results.next[0]
    checkpoints, regret = bandit.checkpoints, results.regret
    while at < len(checkpoints) and checkpoints[at] <= last:
        regret[at] = so_far + gap * (checkpoints[at] - t)
        at += 1
    results.next[0] = at
    results.so_far[0] = so_far + gap * (last - t)
    results.pulls[arm] += last - t
