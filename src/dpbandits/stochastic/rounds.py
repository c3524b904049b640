"""How an algorithm's own file is run: round by round, one run after the other.

An algorithm is written as a generator. `X = yield J` plays arm J in the next round and receives its
reward X (with full information: the rewards of all arms). So an algorithm sees nothing of the
bandit but these rewards, and needs to know the horizon only if the paper says so.
"""

from functools import partial

import numpy as np

from dpbandits.core.trajectories import Trajectories


def play_rounds(learner, setting, horizon, streams, checkpoints, full_information=False):
    """The `Trajectories` of one run per stream; `learner(rng)` starts the generator of a run."""
    means, gaps = np.array(setting.means), setting.gaps
    regret = np.empty((len(streams), len(checkpoints)))
    pulls = np.empty((len(streams), len(means)), np.int64)
    for run in range(len(streams)):
        rng = streams.generator(run)
        reward = partial(all_rewards if full_information else one_reward, means, rng)
        played = decisions(learner(rng), reward, horizon)
        regret[run] = np.cumsum(gaps[played])[np.asarray(checkpoints) - 1]
        pulls[run] = np.bincount(played, minlength=len(means))
    return Trajectories(regret, extras={"pulls": pulls})


def decisions(learner, reward, horizon) -> np.ndarray:
    """The arms played in rounds 1 to `horizon`; the learner receives `reward(J)` for arm J."""
    played = np.empty(horizon, np.int64)
    J = next(learner)
    for t in range(horizon):
        played[t] = J
        J = learner.send(reward(J))
    return played


def one_reward(means, rng, J):
    return rng.random() < means[J]


def all_rewards(means, rng, J):
    return rng.random(len(means)) < means
