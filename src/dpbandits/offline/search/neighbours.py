"""The loss of a policy over the neighbours of one data set, for linear bandits and RLHF.

Removals (and label flips) are enumerated. Additions, and swaps, which are a removal and then an
addition, are searched for: what is found is attained by a data set that can be shown, so it is a
lower bound of the loss.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from dpbandits.core.attack import attack, in_ball, share
from dpbandits.core.divergences import delta_at, pure_epsilon
from dpbandits.core.streams import Streams, key_of

ENUMERATED = {"remove", "flip"}
SWAPPED = 4  # removals that lose most, after which additions are searched for
ROUNDS = 3
PARENTS, CHILDREN = 10, 20


class Worst:
    """The worst neighbours seen: the pure loss, and delta at given eps, each with its neighbour.

    `see(log_p, log_q, describe)` compares a policy with those of many neighbours (rows).
    """

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


class Neighbours:
    """What audits of policies (10) and (11) share. They give

    log_pi, the policy at the data; `removed()`, pairs (rows, policies without each of them);
    `added(vectors, shares)`, policies with one record more; `record(vector, share)`, that record as
    a dict; `without(row)` and `with_record(record)`, audits of other data; `directions()`, where
    additions may be bad; EXTRA numbers in [0, 1] beside the vector, LONGEST, INSTANCES of a search.
    """

    def worst(self, kinds, at_epsilon=()) -> Worst:
        """The worst neighbours of these kinds, enumerated or found."""
        worst = Worst(at_epsilon)
        if "remove" in kinds:
            for rows, policies in self.removed():
                worst.see(self.log_pi, policies, lambda i, of=rows: self.removal(of[i]))
        if "flip" in kinds:
            self.flips(worst)
        if "add" in kinds:
            self.additions(worst)
        if "swap" in kinds:
            worst.merge(self.swaps(at_epsilon))
        return worst

    def additions(self, worst: Worst, compared=None, describe=dict) -> None:
        """The worst additions found; `compared` with another policy than that of the data."""
        log_pi = self.log_pi if compared is None else compared

        def decode(rows):
            d = self.dimension
            return self.LONGEST * in_ball(rows[:, :d]), share(rows[:, d:])

        for epsilon in (None, *worst.delta):

            def value(rows, epsilon=epsilon):
                policies = self.added(*decode(rows))
                if epsilon is None:
                    return pure_epsilon(log_pi, policies)
                return delta_at(log_pi, policies, epsilon)

            label = "pure" if epsilon is None else f"delta {epsilon!r}"
            generator = Streams(key_of("kl-search", label), (0,)).generator(0)
            budget = {"parents": PARENTS, "children": CHILDREN}
            size = self.dimension + self.EXTRA
            starts = self.starts()
            row = attack(value, size, self.INSTANCES, generator, starts=starts, **budget).row
            vectors, shares = decode(row[None])
            record = self.record(vectors[0], shares[0])
            worst.see(log_pi, self.added(vectors, shares), lambda _, of=record: describe(of))

    def starts(self) -> np.ndarray:
        """Rows of the search: the directions both ways, at three lengths and extreme rewards."""
        directions = self.directions()
        lengths = np.linalg.norm(directions, axis=1, keepdims=True)
        unit = directions[lengths[:, 0] > 0] / lengths[lengths[:, 0] > 0]
        both = np.concatenate([unit, -unit])
        vectors = np.concatenate([both, 0.3 * both, 0.03 * both])
        if not self.EXTRA:
            return vectors
        ends = np.repeat(ndtri([0.05, 0.95]), len(vectors))
        return np.column_stack([np.tile(vectors, (2, 1)), ends])

    def swaps(self, at_epsilon=()) -> Worst:
        """Additions found for the data are put in the place of every record; where that is worst,
        and after the removals that lose most, additions are searched for again."""
        parts = [(rows, pure_epsilon(self.log_pi, policies)) for rows, policies in self.removed()]
        rows, lost = (np.concatenate(part) for part in zip(*parts, strict=True))
        todo = set(rows[np.argsort(-lost, kind="stable")[:SWAPPED]].tolist())
        worst, additions, searched = Worst(at_epsilon), Worst(at_epsilon), set()
        self.additions(additions)
        self._in_every_place(additions.found(), worst)
        for _ in range(ROUNDS):
            todo |= {found["row"] - 1 for found in worst.found()}
            for row in sorted(todo - searched):

                def describe(record, row=row):
                    return record | {"kind": "swap", "row": row + 1}

                self.without(row).additions(worst, self.log_pi, describe)
            searched |= todo
            self._in_every_place(worst.found(), worst)
        return worst

    def _in_every_place(self, records, worst: Worst) -> None:
        for record in records:
            for rows, policies in self.with_record(record).removed(len(self)):

                def describe(i, rows=rows, record=record):
                    return record | {"kind": "swap", "row": int(rows[i]) + 1}

                worst.see(self.log_pi, policies, describe)
