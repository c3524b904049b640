"""What a program lost: the quantities that moved between a recorded run and its replay.

Lap(b) on a value that moves by m loses exactly |m|/b, an argmax of noisy scores at most (max m -
min m)/b, which is attained in the limit of scores far apart (Laplace, exponential and Gumbel noise;
docs/proofs/AUDIT.md); at the scores themselves its loss is computed from the law of the winner.
Quantities compose by adding up.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from dpbandits.audit.balls import lower, max_divergence, precision
from dpbandits.audit.recorded.tape import Diverged, Event
from dpbandits.audit.selection import selection_probabilities, start_bits

MOST_EXACT = 12  # scores of an argmax whose law is computed
SELECTIONS = ("laplace", "exponential", "gumbel")  # whose winner has a known law


@dataclass(frozen=True)
class Loss:
    """What one quantity loses. epsilon: at most, for all values that move so; ratios: the largest
    logarithms of P/P' and P'/P of its output at these values; realized: that of P/P' at the output
    that was recorded. rho: at most, of zCDP; of Gaussian noise (movement/sigma)^2/2 in all.
    declared: by how much the program says that an entry may move; entry: by how much one does."""

    name: str
    law: str
    movement: float  # of an entry, or the range of movement for an argmax
    scale: float
    epsilon: float
    rho: float
    ratios: tuple[float, float]
    realized: float = 0.0
    declared: float | None = None
    entry: float = 0.0


def losses(first: Sequence[Event], second: Sequence[Event]) -> list[Loss]:
    """The losses of the quantities that move between two runs with the same outputs."""
    if len(second) < len(first):
        raise Diverged(f"it does not noise {first[len(second)].name}")
    parts, used = [], {}
    for before, after in _without_repeats(first, second):
        if before.kind == "draw":
            if not np.array_equal(before.value, after.value):
                parts.append(_drawn(before, after))
            continue
        compared = before.compared, after.compared
        if not (len(compared[0]) == len(compared[1]) and all(map(np.array_equal, *compared))):
            raise Diverged(f"{before.name} is compared with several quantities that move")
        if not np.array_equal(before.scale, after.scale):
            text = f"the noise of {before.name} has another scale: it depends on the data"
            raise Diverged(text, refutes=1e-300 if before.kind == "release" else 0.0)
        if np.array_equal(before.value, after.value) and not before.draws:
            continue
        move = np.zeros_like(before.value)
        np.subtract(after.value, before.value, out=move, where=before.value != after.value)
        sure = not before.whole and used.keys().isdisjoint(map(abs, before.draws))
        steps = np.divide(move, before.scale, out=np.zeros_like(move), where=before.scale > 0)
        for draw, step in zip(before.draws, steps.ravel().tolist(), strict=bool(before.draws)):
            step *= 1 if draw > 0 else -1
            if used.setdefault(abs(draw), step) != step:
                raise Diverged(f"{before.name} has noise that has been used before", refutes=1.0)
        loss = _argmax(before, after, move) if before.kind == "argmax" else _release(before, move)
        if loss.entry:
            parts.append(loss if sure else replace(loss, ratios=(0.0, 0.0), realized=0.0))
    return parts


def _drawn(before: Event, after: Event) -> Loss:
    """Of outcomes that are drawn with probabilities: exact."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.nan_to_num(np.log(before.value) - np.log(after.value), nan=0.0,
                             posinf=np.inf, neginf=-np.inf)  # fmt: skip
    move = np.abs(after.value - before.value)
    ratios = float(logs.max()), float((-logs).max())
    epsilon, realized = max(ratios), float(logs[before.output])
    return _loss(before, move, float(move.max()), epsilon, epsilon**2 / 2, ratios, realized)


def chances(event: Event) -> np.ndarray:
    """The probabilities of the outcomes of a choice."""
    if event.kind == "draw":
        return event.value
    scales = set(np.ravel(event.scale).tolist())
    choice = event.kind == "argmax" and event.count is None and event.law in SELECTIONS
    few = event.value.ndim == 1 and len(event.value) <= MOST_EXACT
    if not (choice and few and len(scales) == 1 and 0 not in scales):
        raise OverflowError("no law of a choice is known")
    p, allowed = np.zeros(len(event.value)), np.isfinite(event.value)
    p[allowed] = winners(tuple(event.value[allowed].tolist()), *scales, event.law)
    return p


@lru_cache(maxsize=100_000)
def winners(scores: tuple, scale: float, law: str) -> list[float]:
    with precision(start_bits(len(scores))):
        return [float(p) for p in selection_probabilities(scores, scale, law)]


def _without_repeats(first, second):
    """Pairs of events. An argmax of noise that is released, too, counts as a release of all of it,
    and the release of some of it as a part of that."""
    released = {draw for event in first if event.kind == "release" for draw in event.draws}
    whole = {}
    for event in first:
        if event.kind == "argmax" and released & set(event.draws):
            whole |= dict(zip(event.draws, event.value.tolist(), strict=True))
    for before, after in zip(first, second, strict=True):
        if before.kind == "argmax" and released & set(before.draws):
            yield replace(before, kind="release", whole=True), replace(after, kind="release")
            continue
        own = dict(zip(before.draws, before.value.ravel().tolist(), strict=bool(before.draws)))
        if not own or not own.items() <= whole.items():
            yield before, after


def _loss(event: Event, move, movement, epsilon, rho, ratios, realized=0.0) -> Loss:
    scale, entry = float(event.scale.max(initial=0.0)), float(np.abs(move).max(initial=0.0))
    about = (event.sensitivity, entry)
    return Loss(event.name, event.law, movement, scale, epsilon, rho, ratios, realized, *about)


def _release(event: Event, move: np.ndarray) -> Loss:
    largest = float(np.abs(move).max(initial=0.0))
    with np.errstate(divide="ignore"):
        steps = np.abs(move)[move != 0] / event.scale[move != 0]
    squares = float((steps**2).sum())
    if event.law == "laplace" or not largest:
        epsilon, realized = math.fsum(steps.tolist()), 0.0
        if largest and np.shape(event.output) == move.shape:  # else: the place of an argmax
            noise = event.output - event.value
            ratios = (np.abs(noise - move) - np.abs(noise))[move != 0] / event.scale[move != 0]
            realized = math.fsum(ratios.tolist())
        return _loss(event, move, largest, epsilon, squares / 2, (epsilon, epsilon), realized)
    # exponential and Gumbel noise on a value that is seen give it away
    rho = squares / 2 if event.law == "gaussian" else math.inf
    return _loss(event, move, largest, math.inf, rho, (math.inf, math.inf))


def _argmax(before: Event, after: Event, move: np.ndarray) -> Loss:
    if move.ndim == 2:  # one of the rows is shown
        first, second = (
            [
                replace(event, value=value, scale=scale, output=output)
                for value, scale, output in zip(event.value, event.scale, event.output, strict=True)
            ]
            for event in (before, after)
        )
        return max(map(_argmax, first, second, move), key=lambda loss: loss.epsilon)
    allowed = np.isfinite(before.value)
    if not np.array_equal(allowed, np.isfinite(after.value)):
        raise Diverged(f"which scores of {before.name} are allowed depends on the data")
    scale, k = before.scale[0] if before.scale.size else 0.0, before.count or 1
    if before.law not in SELECTIONS or np.ptp(before.scale) > 0:
        return _release(replace(before, kind="release"), move)
    move = move[allowed]
    most = float(np.ptp(move))
    if most == 0 or scale == 0:
        lost = math.inf if most else 0.0
        return _loss(before, move, most, lost, lost, (lost, lost))
    behind = [np.sort(x)[::-1][:k].sum() for x in (move.max() - move, move - move.min())]
    epsilon, ratios, realized = float(max(behind) / scale), (0.0, 0.0), 0.0
    rho = k * (most / scale) ** 2 / 8 if before.law == "gumbel" else epsilon**2 / 2
    if before.count is None and len(move) <= MOST_EXACT:
        scores = (x.value[allowed] - x.value[allowed].min() for x in (before, after))
        ratios, logs = winner_loss(*(tuple(x.tolist()) for x in scores), float(scale), before.law)
        realized = logs[int(allowed[: before.output].sum())]
    return _loss(before, move, most, epsilon, float(rho), ratios, realized)


@lru_cache(maxsize=100_000)
def winner_loss(before: tuple, after: tuple, scale: float, law: str):
    """((the largest ln P/P' and ln P'/P of the winner at these scores, rounded down), ln P/P' of
    each winner)."""
    with precision(start_bits(len(before))):
        p, q = (selection_probabilities(x, scale, law) for x in (before, after))
        most = lower(max_divergence(p, q)), lower(max_divergence(q, p))
        return most, [float(a.log() - b.log()) for a, b in zip(p, q, strict=True)]
