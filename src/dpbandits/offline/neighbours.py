"""The loss of a policy over the neighbours of one data set, for linear bandits and RLHF.

Removals (and label flips) are enumerated. Additions, and swaps, which are a removal and then an
addition, are searched for: what is found is attained by a data set that can be shown, so it is a
lower bound of the loss.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from dpbandits.core.divergences import delta_at, pure_epsilon
from dpbandits.core.maximise import maximise
from dpbandits.core.streams import Streams, key_of
from dpbandits.offline.problem import StoredFeatures, uniform_reference

ENUMERATED = {"remove", "flip"}
SWAPPED = 4  # removals that lose most, after which additions are searched for
ROUNDS = 3
PARENTS, CHILDREN = 10, 20


class Worst:
    """The worst neighbours so far: the pure loss, and delta at given eps, each with its neighbour.

    `update(log_p, log_q, describe)` compares a policy with those of many neighbours (rows).
    """

    def __init__(self, at_epsilon=()):
        self.pure = 0.0
        self.delta = {float(e): 0.0 for e in at_epsilon}
        self.neighbour: dict = {}
        self.neighbour_at: dict[float, dict] = {float(e): {} for e in at_epsilon}

    def update(self, log_p: np.ndarray, log_q: np.ndarray, describe: Callable[[int], dict]) -> None:
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
    """What audits of policies (10) and (11) share. Each of them has

    - `log_pi`, the policy at the data; `len`, the number of its records;
    - `removed(count)`: pairs (rows, policies without each of them), of the first `count` records;
    - `removal(row)`: this removal as a dict;
    - `flips(worst)`: update `worst` by all label flips (preferences only);
    - `added(vectors, rewards)`: policies with one record more;
    - `without(row)`, `with_record(record)`: audits of other data;
    - `directions()`: vectors along which additions may be bad;
    - its `problem`, which says what a record may be, and BUDGET, how many additions a search
      evaluates.
    """

    problem: type[StoredFeatures]

    def __init__(self, actions, dimension: int, log_reference, **options):
        """`options`: eta, beta0, penalty and what else `without` and `with_record` pass on."""
        if log_reference is None:
            log_reference = uniform_reference(len(actions))
        self.actions, self.dimension, self.log_reference = actions, dimension, log_reference
        self.eta, self.beta0, self.penalty = (options[k] for k in ("eta", "beta0", "penalty"))
        self.options = options | {"log_reference": log_reference}

    def worst(self, kinds, at_epsilon=()) -> Worst:
        """The worst neighbours of these kinds, enumerated or found."""
        worst = Worst(at_epsilon)
        if "remove" in kinds:
            for rows, policies in self.removed():
                worst.update(self.log_pi, policies, lambda i, of=rows: self.removal(of[i]))
        if "flip" in kinds:
            self.flips(worst)
        if "add" in kinds:
            self.additions(worst)
        if "swap" in kinds:
            worst.merge(self.swaps(at_epsilon))
        return worst

    def additions(self, worst: Worst, log_pi=None, describe=dict) -> None:
        """Update `worst` by the worst additions found, compared with `log_pi` (default: the
        policy of this data); `describe` completes the description of a record.
        """
        log_pi = self.log_pi if log_pi is None else log_pi
        records = self.problem.records(self)
        starts = self.starts(records.width)
        for epsilon in (None, *worst.delta):

            def value(rows, epsilon=epsilon):
                policies = self.added(*records.decode(rows))
                if epsilon is None:
                    return pure_epsilon(log_pi, policies)
                return delta_at(log_pi, policies, epsilon)

            label = "pure" if epsilon is None else f"delta {epsilon!r}"
            generator = Streams(key_of("kl-search", label), (0,)).generator(0)
            options = {"starts": starts, "parents": PARENTS, "children": CHILDREN}
            row = maximise(value, starts.shape[1], self.BUDGET, generator, **options).row
            vectors, rewards = records.decode(row[None])
            record = describe(self.record(vectors[0], rewards[0]))
            worst.update(log_pi, self.added(vectors, rewards), lambda _, record=record: record)

    def record(self, vector, reward) -> dict:
        """This addition, in words."""
        came = self.problem.columns[1]
        return {"kind": "add", "x": [float(v) for v in vector], came: reward.item()}

    def starts(self, width: int) -> np.ndarray:
        """Rows of the search: the directions both ways, at three lengths and extreme rewards."""
        directions = self.directions()
        lengths = np.linalg.norm(directions, axis=1, keepdims=True)
        unit = directions[lengths[:, 0] > 0] / lengths[lengths[:, 0] > 0]
        both = np.concatenate([unit, -unit])
        vectors = np.concatenate([both, 0.3 * both, 0.03 * both])
        if width == self.dimension:
            return vectors
        from scipy.special import ndtri

        ends = np.repeat(ndtri([0.05, 0.95]), len(vectors))
        return np.column_stack([np.tile(vectors, (2, 1)), ends])

    def swaps(self, at_epsilon=()) -> Worst:
        """The worst swaps found, in two steps that are repeated.

        Additions found for the data are put in the place of every record. Where that is worst, and
        after the removals that lose most, additions are searched for again.
        """
        parts = [(rows, pure_epsilon(self.log_pi, policies)) for rows, policies in self.removed()]
        rows, losses = (np.concatenate(part) for part in zip(*parts, strict=True))
        todo = set(rows[np.argsort(-losses, kind="stable")[:SWAPPED]].tolist())
        worst, additions, searched = Worst(at_epsilon), Worst(at_epsilon), set()
        self.additions(additions)
        self._in_every_place(additions.found(), worst)
        for _ in range(ROUNDS):
            todo |= {neighbour["row"] - 1 for neighbour in worst.found()}
            for row in sorted(todo - searched):
                describe = partial(_swap, row)
                self.without(row).additions(worst, self.log_pi, describe)
            searched |= todo
            self._in_every_place(worst.found(), worst)
        return worst

    def _in_every_place(self, records, worst: Worst) -> None:
        """Update `worst` by the swaps of every record of the data for each of these."""
        for record in records:
            for rows, policies in self.with_record(record).removed(len(self)):

                def describe(i, rows=rows, record=record):
                    return _swap(rows[i], record)

                worst.update(self.log_pi, policies, describe)


def _swap(row: int, record: dict) -> dict:
    return record | {"kind": "swap", "row": int(row) + 1}
