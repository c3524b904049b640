"""How a rule that stops is simulated: `one_run` plays until it stops, then its answer."""

import numpy as np

from dpbandits.stochastic.engine import simulate_runs


def simulate(one_run, setting, horizon, streams, checkpoints, *parameters):
    """`Trajectories` with `stopped`, the rounds until the end (if it has none yet, the horizon),
    and `answer` (then -1). one_run(bandit, results, stream, end, *parameters, error) writes both
    into `end`."""
    ends = []

    def end():
        ends.append(np.array([horizon, -1]))
        return ends[-1]

    parameters = *parameters, 1 - setting.confidence
    found = simulate_runs(one_run, setting, horizon, streams, checkpoints, end, *parameters)
    found.extras |= {"stopped": np.array(ends)[:, 0], "answer": np.array(ends)[:, 1]}
    return found
