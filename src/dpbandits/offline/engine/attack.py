"""Attack a bound: random instances, then hill-climbing on true value / bound, all vectorised.

An instance is a row of normal variables that `ratio` decodes; so any row is a legal instance, and
a small move of a row is a small move of the instance.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import ndtr

PARENTS = 100
CHILDREN = 20
CHUNK = 20_000  # instances evaluated at once


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


def in_ball(x, radius=1.0):
    """The last axis into a ball, its surface included: length as of the first coordinates' norm."""
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    return x / np.maximum(length, 1e-300) * radius * np.minimum(length, 1.0)
