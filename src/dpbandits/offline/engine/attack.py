"""Attack a bound: random instances, then hill-climbing on true value / bound, all vectorised.

An instance is a row of normal variables that `ratio` decodes; so any row is a legal instance, and
a small move of a row is a small move of the instance.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import ndtr

from dpbandits.core.divergences import delta_at

PARENTS = 100
CHILDREN = 20
CHUNK = 20_000  # instances evaluated at once
GROUPS, ACTIONS = 2, 3  # of a GroupAttack


@dataclass(frozen=True)
class Attack:
    """One bound: `ratio(rows) -> true / bound`, and `told(row)`, the instance for a reader."""

    bound: str
    size: int
    ratio: Callable[[np.ndarray], np.ndarray]
    told: Callable[[np.ndarray], dict]
    cost: int = 1  # the budget is divided by it


SMALL = 0.1  # a delta that promises something: ratios near 1 are easy where the bound is 1
LEAST = 1e-6  # below, differences of probabilities near 1 are rounding


def both_sizes(bound: str, size: int, ratio, told, cost: int = 1) -> tuple[Attack, Attack]:
    """An approximate bound, over all deltas and over small ones; `ratio(rows, most_delta)`."""
    small = partial(ratio, most_delta=SMALL)
    return (
        Attack(bound, size, ratio, told, cost),
        Attack(f"{bound} (small delta)", size, small, told, cost),
    )


def ratio_of_deltas(exact, bound, most_delta):
    return np.where((bound >= LEAST) & (bound <= most_delta), exact / bound, 0.0)


@dataclass(frozen=True)
class Found:
    instances: int
    ratio: float
    crossed: int
    row: np.ndarray


def attack(target: Attack, instances: int, tolerance: float, generator) -> Found:
    """Half the budget at random, half climbing from the best, in steps that shrink."""
    instances //= target.cost
    rows = generator.standard_normal((max(instances // 2, PARENTS), target.size)) * 1.5
    values = _evaluate(target, rows)
    crossed, spent = int((values > 1 + tolerance).sum()), len(rows)
    order = np.argsort(-values)[:PARENTS]
    rows, values = rows[order], values[order]
    rounds = max(1, (instances - spent) // (PARENTS * CHILDREN))
    for width in np.geomspace(1.0, 1e-3, rounds):
        shape = (PARENTS, CHILDREN, target.size)
        moved = generator.random(shape) < generator.choice([0.1, 0.3, 1.0], (PARENTS, CHILDREN, 1))
        sizes = width * generator.choice([1.0, 0.1], (PARENTS, CHILDREN, 1))
        trial = rows[:, None] + moved * sizes * generator.standard_normal(shape)
        found = _evaluate(target, trial.reshape(-1, target.size))
        crossed, spent = crossed + int((found > 1 + tolerance).sum()), spent + len(found)
        found = found.reshape(PARENTS, CHILDREN)
        best = found.argmax(axis=1)
        better = found.max(axis=1) > values
        rows = np.where(better[:, None], trial[np.arange(PARENTS), best], rows)
        values = np.maximum(values, found.max(axis=1))
        worst, lead = int(values.argmin()), int(values.argmax())
        rows[worst], values[worst] = rows[lead], values[lead]  # the best gets more children
    best = int(values.argmax())
    return Found(spent, float(values[best]), crossed, rows[best])


class GroupAttack:
    """A few groups of equal records, three actions, one record changes: see linear, preference."""

    def __init__(self, dimension: int, rest: int):
        self.dimension, self.vectors = dimension, GROUPS + 1 + ACTIONS
        self.size = self.vectors * dimension + 2 * GROUPS + ACTIONS + rest

    def split(self, x):
        """Vectors in the unit ball (the groups', the record's, the actions'), and the rest."""
        vectors, rest = np.split(x, [self.vectors * self.dimension], axis=1)
        return in_ball(vectors.reshape(len(x), -1, self.dimension)), rest

    def told(self, row):
        data = self.decode(row[None])
        plain = {key: np.round(value[0] * 1.0, 6).tolist() for key, value in data.items()}
        plain["log_reference"] = np.round(data["log_reference"][0], 3).tolist()
        return {"d": self.dimension} | plain

    def best(self, pair, bound_of, most_delta):
        """The largest ratio over the sizes of the set of actions that the bound speaks of."""
        best = np.zeros(len(pair[0]))
        for count in range(1, ACTIONS):
            bound = bound_of(count)
            exact = delta_at(*pair, bound.epsilon[:, None])
            best = np.fmax(best, ratio_of_deltas(exact, bound.delta, most_delta))
        return best

    def attacks(self, name: str, cost: int = 1) -> tuple[Attack, ...]:
        approx = both_sizes(f"{name} approx", self.size, self.approx, self.told, cost)
        return Attack(f"{name} pure", self.size, self.pure, self.told, cost), *approx


def widths(actions, inverse):
    return np.sqrt(np.einsum("mad,mde,mae->ma", actions, inverse, actions))


def _evaluate(target, rows):
    with np.errstate(all="ignore"):
        parts = [target.ratio(rows[i : i + CHUNK]) for i in range(0, len(rows), CHUNK)]
    values = np.concatenate(parts)
    return np.where(np.isfinite(values), values, 0.0)  # 0/0: nothing claimed, nothing lost


# --- decoding ---------------------------------------------------------------------------------
def share(x):
    """[0, 1], with both ends reached."""
    return np.clip(1.2 * ndtr(x) - 0.1, 0.0, 1.0)


def scale(x, low, high):
    """Log-uniform on [low, high]."""
    return low * (high / low) ** ndtr(x)


def whole(x, low, high):
    return np.rint(scale(x, low, high))


def in_ball(x):
    """The last axis into the unit ball, its surface included."""
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    return x / np.maximum(length, 1e-300) * np.minimum(length, 1.0)
