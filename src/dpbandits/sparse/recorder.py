"""What FL's learners report at the checkpoints: regret, and the quality of the estimate."""

import numpy as np

from dpbandits.core.trajectories import Trajectories

CURVES = ("error", "cosine", "support")


class Recorder:
    """Collects the results of all runs: `next_run`, then `add` for each of its episodes."""

    def __init__(self, signal: np.ndarray, runs: int, checkpoints: np.ndarray):
        self.signal, self.checkpoints = signal, np.asarray(checkpoints)
        self.regret = np.empty((runs, len(checkpoints)))
        self.curves = {name: np.empty((runs, len(checkpoints))) for name in CURVES}
        self.run = -1

    def next_run(self) -> None:
        self.run, self.rounds, self.total = self.run + 1, 0, 0.0

    def add(self, estimate: np.ndarray, regret: np.ndarray) -> None:
        """The regret of each round of an episode, which was played with this estimate."""
        after = self.checkpoints - self.rounds
        inside = (after >= 1) & (after <= len(regret))
        summed = self.total + np.cumsum(regret)
        self.regret[self.run, inside] = summed[after[inside] - 1]
        if inside.any():
            for name, value in zip(CURVES, quality(estimate, self.signal), strict=True):
                self.curves[name][self.run, inside] = value
        self.rounds, self.total = self.rounds + len(regret), summed[-1]

    def trajectories(self) -> Trajectories:
        return Trajectories(self.regret, self.curves)


def quality(estimate: np.ndarray, signal: np.ndarray) -> tuple[float, float, float]:
    """Distance to beta*, cosine with it (of 0: 0), share of its support that is not 0."""
    sizes = float(np.linalg.norm(signal) * np.linalg.norm(estimate))
    cosine = float(estimate @ signal) / sizes if sizes else 0.0
    held = np.count_nonzero(estimate[signal != 0]) / np.count_nonzero(signal)
    return float(np.linalg.norm(estimate - signal)), cosine, held


def cumulative(regret_of_run, streams, checkpoints) -> Trajectories:
    """The regret of runs, of each of which `regret_of_run(generator)` gives that of every round."""
    regret = np.empty((len(streams), len(checkpoints)))
    for run in range(len(streams)):
        regret[run] = np.cumsum(regret_of_run(streams.generator(run)))[checkpoints - 1]
    return Trajectories(regret)
