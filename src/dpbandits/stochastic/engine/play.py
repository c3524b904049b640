"""A run of an engine: what it knows of its world, and the diary that it keeps.

Named tuples that numba understands: engines take a `World`, a `Diary` and their own parameters.
"""

from typing import NamedTuple

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.trajectories import Trajectories


class World(NamedTuple):
    means: np.ndarray  # of Bernoulli arms
    gaps: np.ndarray
    horizon: int
    checkpoints: np.ndarray  # rounds after which the regret is wanted, ascending


class Diary(NamedTuple):
    """Of one run; or of all runs, one row each."""

    regret: np.ndarray  # at the checkpoints
    pulls: np.ndarray  # of every arm
    lost: np.ndarray  # [regret so far] of the run under way
    next: np.ndarray  # [its next checkpoint to fill]


@jit
def diary_of(all_runs, run):
    all_runs.lost[0], all_runs.next[0] = 0.0, 0
    return Diary(all_runs.regret[run], all_runs.pulls[run], all_runs.lost, all_runs.next)


def run_all(engine, setting, horizon, streams, checkpoints, *parameters) -> Trajectories:
    """Run `engine(world, diaries, states, *parameters)`, a compiled loop over all runs.

    That loop stands in each engine's file: numba does not cache functions that take functions.
    """
    states, arms = streams.states(), len(setting.means)
    runs = len(states)
    world = World(np.array(setting.means), setting.gaps, horizon, checkpoints)
    regret, pulls = np.zeros((runs, len(checkpoints))), np.zeros((runs, arms), np.int64)
    diaries = Diary(regret, pulls, np.zeros(1), np.zeros(1, np.int64))
    engine(world, diaries, states, *parameters)
    return Trajectories(regret, extras={"pulls": pulls})


@jit
def play(world, diary, arm, t, last):
    """Write down rounds t + 1 to `last`, all on one arm."""
    gap, lost, at = world.gaps[arm], diary.lost[0], diary.next[0]
    checkpoints, regret = world.checkpoints, diary.regret
    while at < len(checkpoints) and checkpoints[at] <= last:
        regret[at] = lost + gap * (checkpoints[at] - t)
        at += 1
    diary.next[0] = at
    diary.lost[0] = lost + gap * (last - t)
    diary.pulls[arm] += last - t
