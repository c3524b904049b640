"""What an attack on a bound of KL is: true value over bound, as a function of normal variables.

Printed and corrected bounds are attacked on the same instances, by one search (core/maximise.py):
tables kl/tightness and kl/attacks.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from dpbandits.core.divergences import delta_at, pure_epsilon
from dpbandits.core.maximise import in_ball, scale

GROUPS, ACTIONS = 2, 3  # of a GroupAttack
SMALL = 0.1  # a delta that promises something: ratios near 1 are easy where the bound is 1
LEAST = 1e-6  # below, differences of probabilities near 1 are rounding
TOLERANCE = 1e-6  # scores of size 1e4 and Newton's last step leave this much of a small loss
NEAR = 1e-3  # ratios above 1 - NEAR are computed again where a bound has an `exact`


def whole(x, low, high):
    return np.rint(scale(x, low, high))


@dataclass(frozen=True)
class Attack:
    """One bound: `ratio(rows) -> true / bound`, and `instance(row)`, what a row stands for.
    `exact(rows)`, if there is one, decides in ball arithmetic what crosses: it is at most 1 only
    where that is proved."""

    bound: str  # a claim of the ledger, if the bound is a printed one
    size: int
    ratio: Callable[[np.ndarray], np.ndarray]
    instance: Callable[[np.ndarray], dict]
    cost: int = 1  # the budget is divided by it
    exact: Callable[[np.ndarray], np.ndarray] | None = None

    @property
    def tolerance(self) -> float:
        """What a ratio may exceed 1 by: rounding, where nothing decides exactly."""
        return 0.0 if self.exact else TOLERANCE

    def value(self, rows):
        values = self.ratio(rows)
        if self.exact and (near := values > 1 - NEAR).any():
            values[near] = self.exact(rows[near])
        return values


def both_sizes(bound: str, size: int, ratio, instance, cost: int = 1) -> tuple[Attack, Attack]:
    """An approximate bound, over all deltas and over small ones; `ratio(rows, most_delta)`."""
    small = partial(ratio, most_delta=SMALL)
    return (
        Attack(bound, size, ratio, instance, cost),
        Attack(f"{bound} (small delta)", size, small, instance, cost),
    )


def ratio_of_deltas(exact, bound, most_delta):
    """exact / bound; 0 where the bound is larger than `most_delta`, or below LEAST."""
    return np.where((bound >= LEAST) & (bound <= most_delta), exact / bound, 0.0)


def promised_ratio(exact, printed):
    """exact / printed; 0 where the printed delta promises little, so that the search leaves."""
    return np.where(printed <= SMALL, exact / printed, 0.0)


class GroupAttack:
    """A few groups of equal records, three actions, one record changes.
    LinearAttack and PreferenceAttack add `decode`, `pure`, `approx` and `printed_ratio`."""

    exact: Mapping[str, Callable] = {}  # of claims that have one

    def __init__(self, dimension: int, rest: int):
        self.dimension, self.vectors = dimension, GROUPS + 1 + ACTIONS
        self.size = self.vectors * dimension + 2 * GROUPS + ACTIONS + rest

    def split(self, x):
        """Vectors in the unit ball (the groups', the record's, the actions'), and the rest."""
        vectors, rest = np.split(x[:, : self.size], [self.vectors * self.dimension], axis=1)
        return in_ball(vectors.reshape(len(x), -1, self.dimension)), rest

    def instance(self, row):
        data = self.decode(row[None])
        plain = {key: np.round(value[0] * 1.0, 6).tolist() for key, value in data.items()}
        plain["log_reference"] = np.round(data["log_reference"][0], 3).tolist()
        further = np.round(row[self.size :], 6).tolist()
        return {"d": self.dimension} | plain | ({"further variable": further} if further else {})

    def printed(self, claim: str, cost: int = 1) -> Attack:
        """On the bound of `claim` as printed; one more variable is the theorem's threshold."""
        ratio = partial(self.printed_ratio, claim=claim)
        exact = self.exact.get(claim)
        return Attack(claim, self.size + 1, ratio, self.instance, cost, exact)

    def ratio_to(self, bound, claim, pair):
        if claim.endswith("approx"):
            exact = delta_at(*pair, bound.epsilon[:, None])
            return promised_ratio(exact, bound.delta)
        return pure_epsilon(*pair) / bound.epsilon

    def best(self, pair, bounds, most_delta):
        """The largest ratio over bounds, each of another set of actions."""
        best = np.zeros(len(pair[0]))
        for bound in bounds:
            exact = delta_at(*pair, bound.epsilon[:, None])
            best = np.fmax(best, ratio_of_deltas(exact, bound.delta, most_delta))
        return best

    def attacks(self, name: str, cost: int = 1) -> tuple[Attack, ...]:
        approx = both_sizes(f"{name} approx", self.size, self.approx, self.instance, cost)
        return Attack(f"{name} pure", self.size, self.pure, self.instance, cost), *approx


def widths(actions, inverse):
    return np.sqrt(np.einsum("mad,mde,mae->ma", actions, inverse, actions))
