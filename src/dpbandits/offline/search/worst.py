"""Keep the worst neighbours seen: the pure loss and delta at given eps, each with its neighbour."""

from collections.abc import Callable

import numpy as np

from dpbandits.core.divergences import delta_at, pure_epsilon


class Worst:
    """`see(log_p, log_q, describe)` compares a policy with those of many neighbours (rows)."""

    def __init__(self, at_epsilon=()):
        self.pure = 0.0
        self.delta = {float(e): 0.0 for e in at_epsilon}
        self.neighbour: dict = {}
        self.neighbour_at: dict[float, dict] = {float(e): {} for e in at_epsilon}

    def see(self, log_p: np.ndarray, log_q: np.ndarray, describe: Callable[[int], dict]) -> None:
        if log_q.size == 0:
            return
        losses = np.atleast_1d(pure_epsilon(log_p, log_q))
        i = int(np.argmax(losses))
        if losses[i] > self.pure or not self.neighbour:
            self.pure, self.neighbour = float(losses[i]), describe(i)
        for epsilon in self.delta:
            deltas = np.atleast_1d(delta_at(log_p, log_q, epsilon))
            i = int(np.argmax(deltas))
            if deltas[i] > self.delta[epsilon] or not self.neighbour_at[epsilon]:
                self.delta[epsilon] = float(deltas[i])
                self.neighbour_at[epsilon] = describe(i)

    def found(self) -> list[dict]:
        """The worst neighbours: of the pure loss, and of delta at each epsilon."""
        return [self.neighbour, *self.neighbour_at.values()]

    def merge(self, other: "Worst") -> None:
        """The worse of each."""
        if other.pure > self.pure or not self.neighbour:
            self.pure, self.neighbour = other.pure, other.neighbour
        for epsilon, value in other.delta.items():
            if value > self.delta[epsilon] or not self.neighbour_at[epsilon]:
                self.delta[epsilon] = value
                self.neighbour_at[epsilon] = other.neighbour_at[epsilon]
