"""The loop that every algorithm of this paper shares: one separate full run per seed and T = t."""

from collections.abc import Callable

import numpy as np

from dpbandits.core.steps import step
from dpbandits.core.streams import Streams
from dpbandits.core.trajectories import Trajectories

TOGETHER = 32


def each_run(
    run: Callable[[np.random.Generator, int], dict[str, float]],
    streams: Streams,
    checkpoints: np.ndarray,
) -> Trajectories:
    """What `run(generator, T)` returns, its regret and other curves, of every seed at every T."""
    return all_runs(lambda rngs, t: [run(rng, t) for rng in rngs], streams, checkpoints, 1)


def all_runs(runs, streams: Streams, checkpoints: np.ndarray, together=TOGETHER) -> Trajectories:
    """The same of `runs(generators, T)`, which returns a list for some seeds at a time.

    A run's stream is named by its T: no other T matters.
    """
    results: dict[str, np.ndarray] = {}
    for column, t in enumerate(int(t) for t in checkpoints):
        fresh_streams = streams.child("run of length", t)
        for first in range(0, len(streams), together):
            step(column * len(streams) + first, len(checkpoints) * len(streams))
            rows = range(first, min(first + together, len(streams)))
            found = runs([fresh_streams.generator(row) for row in rows], t)
            for row, values in zip(rows, found, strict=True):
                for name, value in values.items():
                    if name not in results:
                        results[name] = np.empty((len(streams), len(checkpoints)))
                    results[name][row, column] = value
    return Trajectories(results.pop("regret"), curves=results)
