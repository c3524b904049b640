"""What all compiled engines share: the bandit, the results of a run, and how rounds enter them."""

from typing import NamedTuple

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.trajectories import Trajectories


class Bandit(NamedTuple):
    means: np.ndarray  # of Bernoulli arms
    gaps: np.ndarray
    horizon: int
    checkpoints: np.ndarray  # rounds after which the regret is recorded, ascending


class Results(NamedTuple):
    """Of one run; or of all runs, one row each of `regret` and `pulls`."""

    regret: np.ndarray  # at the checkpoints
    pulls: np.ndarray  # of each arm
    so_far: np.ndarray  # [regret so far] of the current run
    next: np.ndarray  # [index of its next checkpoint]


@jit
def results_of(all_runs, run):
    all_runs.so_far[0], all_runs.next[0] = 0.0, 0
    return Results(all_runs.regret[run], all_runs.pulls[run], all_runs.so_far, all_runs.next)


def simulate_runs(engine, setting, horizon, streams, checkpoints, *parameters) -> Trajectories:
    """Call `engine(bandit, results, states, *parameters)`, a compiled loop over all runs.

    That loop stands in each engine's file: numba does not cache functions that take functions.
    """
    runs, arms = len(streams), len(setting.means)
    bandit = Bandit(np.array(setting.means), setting.gaps, horizon, checkpoints)
    regret, pulls = np.zeros((runs, len(checkpoints))), np.zeros((runs, arms), np.int64)
    results = Results(regret, pulls, np.zeros(1), np.zeros(1, np.int64))
    engine(bandit, results, streams.states(), *parameters)
    return Trajectories(regret, extras={"pulls": pulls})


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
