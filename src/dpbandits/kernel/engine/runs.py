"""The loop that every algorithm of this paper shares: one separate full run per seed and T = t."""

from collections.abc import Callable

import numpy as np

from dpbandits.core.steps import step
from dpbandits.core.streams import Streams
from dpbandits.core.trajectories import Trajectories


def each_run(
    run: Callable[[np.random.Generator, int], dict[str, float]],
    streams: Streams,
    checkpoints: np.ndarray,
) -> Trajectories:
    """What `run(generator, T)` returns, its regret and other curves, of every seed at every T.

    A run's stream is named by its T: no other T matters.
    """
    results: dict[str, np.ndarray] = {}
    for column, t in enumerate(int(t) for t in checkpoints):
        fresh_streams = streams.child("run of length", t)
        for row in range(len(streams)):
            step(column * len(streams) + row, len(checkpoints) * len(streams))
            for name, value in run(fresh_streams.generator(row), t).items():
                if name not in results:
                    results[name] = np.empty((len(streams), len(checkpoints)))
                results[name][row, column] = value
    return Trajectories(results.pop("regret"), curves=results)
