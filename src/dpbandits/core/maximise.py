"""A search for the largest value of a function: random draws, then climbing from the best.

An instance is a row of normal variables, which the function decodes: every row is a legal instance,
and a small move of a row is a small move of the instance.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

CHUNK = 20_000  # rows evaluated at once


@dataclass(frozen=True)
class Found:
    instances: int
    value: float
    crossed: int  # instances above 1 + tolerance
    row: np.ndarray
    drawn: np.ndarray  # values at random rows
    climbed: np.ndarray  # values on the way up from the best of these


def maximise(
    value: Callable[[np.ndarray], np.ndarray],
    size: int,
    instances: int,
    generator: np.random.Generator,
    *,
    tolerance: float = 0.0,
    starts: np.ndarray | None = None,
    parents: int = 100,
    children: int = 20,
) -> Found:
    """Half of the instances at random (and from `starts`), half climbing in steps that shrink.

    parents: rows that are climbed from. children: trials of each per round.
    """
    rows = generator.standard_normal((max(instances // 2, parents), size)) * 1.5
    if starts is not None:
        rows = np.concatenate([starts, rows])
    drawn = values = _evaluate(value, rows)
    crossed, spent, climbed = int((values > 1 + tolerance).sum()), len(rows), []
    order = np.argsort(-values)[:parents]
    rows, values = rows[order], values[order]
    rounds = max(1, (instances - spent) // (parents * children))
    for width in np.geomspace(1.0, 1e-3, rounds):
        shape = (parents, children, size)
        moved = generator.random(shape) < generator.choice([0.1, 0.3, 1.0], (parents, children, 1))
        sizes = width * generator.choice([1.0, 0.1], (parents, children, 1))
        trial = rows[:, None] + moved * sizes * generator.standard_normal(shape)
        found = _evaluate(value, trial.reshape(-1, size))
        crossed, spent = crossed + int((found > 1 + tolerance).sum()), spent + len(found)
        climbed.append(found)
        found = found.reshape(parents, children)
        best = found.argmax(axis=1)
        better = found.max(axis=1) > values
        rows = np.where(better[:, None], trial[np.arange(parents), best], rows)
        values = np.maximum(values, found.max(axis=1))
        worst, lead = int(values.argmin()), int(values.argmax())
        rows[worst], values[worst] = rows[lead], values[lead]  # the best gets more children
    best = int(values.argmax())
    return Found(
        spent, float(values[best]), crossed, rows[best], drawn, np.concatenate(climbed, axis=None)
    )


def _evaluate(value, rows):
    with np.errstate(all="ignore"):
        parts = [value(rows[i : i + CHUNK]) for i in range(0, len(rows), CHUNK)]
    values = np.concatenate(parts)
    return np.where(np.isnan(values), 0.0, values)  # 0/0: nothing is claimed, nothing is lost


# --- decoding normal variables ------------------------------------------------------------------
def normal_cdf(x):
    from scipy.special import ndtr  # here: learners and policies do without SciPy

    return ndtr(x)


def share(x):
    """[0, 1], with both ends reached."""
    return np.clip(1.2 * normal_cdf(x) - 0.1, 0.0, 1.0)


def scale(x, low, high):
    """Log-uniform on [low, high]."""
    return low * (high / low) ** normal_cdf(x)


def in_ball(x):
    """The last axis into the unit ball, its surface included."""
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    return x / np.maximum(length, 1e-300) * np.minimum(length, 1.0)
