"""Peeling's selections: s noisy maxima, from noise that is kept or drawn only where it can win.

A Laplace number exceeds x with a known probability, and by how much is exponential. So in a round
the entries above a level are found by jumping from one to the next (a Poisson process over the
columns, thinned to one point per column); if one of them may win, the rest of the round is never
drawn. The cost is O(d + rounds) instead of O(d rounds).
"""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.generators import borrowed

RESERVE = 8.0  # expected entries above the level besides the columns already taken
FREE, DOUBTFUL, TAKEN = 0, 1, 2


class Scores:
    """v of peeling; its entries may be off by `slack` until they are refined."""

    def __init__(self, values: np.ndarray, slack: float = 0.0, exact=None):
        self.values, self.slack, self.exact = values, slack, exact

    def times(self, factor: float) -> "Scores":
        exact = self.exact and (lambda columns: factor * self.exact(columns))
        return Scores(factor * self.values, factor * self.slack, exact)

    def refine(self, columns: np.ndarray) -> None:
        """Make v exact at the sorted `columns`; it stays inexact at the others."""
        if self.exact is not None:
            self.values[columns] = self.exact(columns)


def kept_winners(noise: Sequence[np.ndarray], scores: Scores, scale: float) -> list[int]:
    """The winners with given standard Laplace noise, a d-vector per round."""
    return _winners(np.asarray(noise), np.abs(scores.values), scale).tolist()


@jit
def _winners(noise, sizes, scale):
    taken, chosen = np.zeros(len(sizes), np.bool_), np.full(len(noise), -1)
    for i in range(len(noise)):
        best = -np.inf
        for j in range(len(sizes)):
            noisy = scale * noise[i, j] + sizes[j]
            if noisy > best and not taken[j]:
                best, chosen[i] = noisy, j
        taken[chosen[i]] = True
    return chosen


class OneShot:
    """The s largest of |v| plus Gumbel noise: s exponential mechanisms in turn."""

    def __init__(self, rng: np.random.Generator, rounds: int):
        self.rng, self.rounds = rng, rounds

    def __call__(self, step: int):
        return partial(largest_noisy, self.rng, self.rounds)


def largest_noisy(
    rng: np.random.Generator, rounds: int, scores: Scores, scale: float
) -> np.ndarray:
    """The columns of the `rounds` largest |v| + scale Gumbel, where v is exact on return."""
    noise = scale * rng.gumbel(size=len(scores.values))
    noisy = np.abs(scores.values) + noise
    if scores.slack > 0:
        bar = np.partition(noisy, -rounds)[-rounds] - scores.slack  # the true one is not lower
        columns = np.flatnonzero(noisy >= bar - scores.slack)
        scores.refine(columns)
        noisy[columns] = np.abs(scores.values[columns]) + noise[columns]
        return columns[np.argsort(-noisy[columns], kind="stable")[:rounds]]
    return np.argsort(-noisy, kind="stable")[:rounds]


class Fresh:
    """Selection with fresh noise in every round of every step."""

    def __init__(self, rng: np.random.Generator, rounds: int):
        self.rng, self.rounds = rng, rounds

    def __call__(self, step: int):
        return partial(drawn_winners, self.rng, self.rounds)


def drawn_winners(
    rng: np.random.Generator, rounds: int, scores: Scores, scale: float
) -> np.ndarray:
    """The winners with fresh noise. On return v is exact at every one of them."""
    with borrowed(rng) as fast:
        found = contenders(fast, rounds, np.abs(scores.values), scores.slack, scale, RESERVE)
    number, columns, noisy = found
    if scores.slack == 0:
        return columns
    noisy -= np.abs(scores.values[columns])
    scores.refine(np.array(sorted(set(columns.tolist()))))
    noisy += np.abs(scores.values[columns])
    return _settle(number, columns, noisy, rounds)


@jit
def contenders(rng, rounds, sizes, slack, scale, reserve):
    """(round, column, noisy size) of all that can win, in the order of the rounds."""
    if scale == 0:
        return _play_off(rng, sizes, 0.0, rounds, slack, -np.inf, np.empty(0))
    level, tails = _level(sizes, scale, rounds, reserve)
    level -= 2 * slack
    total, ends = 0.0, np.empty(len(sizes))
    for j in range(len(sizes)):
        height = (level - sizes[j]) / scale
        total += _mass(height, tails[j] if slack == 0 else 0.5 * math.exp(-max(height, 0.0)))
        ends[j] = total
    return _play_off(rng, sizes, scale, rounds, slack, level, ends)


@jit
def _mass(height, tail):
    """At least -ln P(L <= height), the Poisson mass that makes a column hit; equal below 0.

    `tail` = exp(-height)/2 is P(L > height) at height >= 0.
    """
    return tail * (1 + tail) if height >= 0 else math.log(2) - height


@jit
def _level(sizes, scale, rounds, reserve):
    """At least `reserve` entries per round exceed it on average without the `rounds` largest sizes.

    (Where it lies above all of those sizes; else there are fewer, which costs time only.)
    Also exp((sizes - level)/scale)/2, for sizes below the level.
    """
    powers, top = np.empty(len(sizes)), _at_rank(sizes, 0)
    rest = _powers(sizes, top, scale, powers) - rounds  # none of the largest counts more than 1
    if rest < rounds:
        if rounds == len(sizes):
            return _at_rank(sizes, rounds - 1) - 40 * scale, powers  # below all, all but surely
        top = _at_rank(sizes, rounds)
        rest = _powers(sizes, top, scale, powers) - rounds
    factor = reserve / rest
    for j in range(len(powers)):
        powers[j] *= factor
    return top + scale * math.log(rest / (2 * reserve)), powers


@jit
def _powers(sizes, top, scale, powers):
    """powers <- exp((sizes - top)/scale), and their sum where none counts more than 1."""
    total = 0.0
    for j in range(len(sizes)):
        powers[j] = math.exp(min((sizes[j] - top) / scale, 700.0))
        total += min(powers[j], 1.0)
    return total


@jit
def _at_rank(sizes, rank):
    """The size that `rank` others exceed."""
    best = np.full(rank + 1, -np.inf)  # ascending
    for size in sizes:
        if size > best[0]:
            place = 0
            while place < rank and best[place + 1] < size:
                best[place] = best[place + 1]
                place += 1
            best[place] = size
    return best[0]


@jit
def _play_off(rng, sizes, scale, rounds, slack, level, ends):
    """Contenders, given the level and the cumulated Poisson mass of the columns.

    A column is taken if it is the only contender of a round, doubtful if one of several. The winner
    of a round has at least the best noisy size of the other columns less 2 slack.
    """
    d = len(sizes)
    hits, noisy = np.arange(d), sizes.copy()  # a round's listed columns, and their noisy sizes
    state = np.zeros(d, np.int8)
    number, columns, heard = [0][:0], [0][:0], [0.0][:0]
    for i in range(rounds):
        count = d
        if scale > 0:
            count = _above_level(rng, sizes, scale, level, ends, state, hits, noisy)
        bar = _best_free(hits, noisy, count, state)
        if bar <= level + 2 * slack and count < d:
            count = _and_below(rng, sizes, scale, level, hits, noisy, count)
            bar = _best_free(hits, noisy, count, state)
        first = len(columns)
        for m in range(count):
            if state[hits[m]] != TAKEN and noisy[m] >= bar - 2 * slack:
                number.append(i)
                columns.append(hits[m])
                heard.append(noisy[m])
        kind = TAKEN if len(columns) == first + 1 else DOUBTFUL
        for m in range(first, len(columns)):
            state[columns[m]] = kind
    return np.array(number), np.array(columns), np.array(heard)


@jit
def _above_level(rng, sizes, scale, level, ends, state, hits, noisy):
    """List the columns whose noisy size exceeds the level, and draw these sizes if not taken."""
    count, rounding = 0, 1e-14 * (1 + ends[-1])
    place = rng.standard_exponential()
    while place < ends[-1]:
        j = _column_at(ends, place)
        place = ends[j] + rng.standard_exponential()
        height = (level - sizes[j]) / scale
        if height < 0:
            hits[count], u = j, rng.random()
            if state[j] != TAKEN:  # else nobody asks how high
                noisy[count] = sizes[j] + scale * _above(u, height)
            count += 1
            continue
        u, mass = rng.random(), ends[j] - (ends[j - 1] if j > 0 else 0.0)
        if u < 1 - mass - rounding or _exceeds(u, height):
            hits[count], noisy[count] = j, level + scale * rng.standard_exponential()
            count += 1
    return count


@jit
def _column_at(ends, place):
    """The first of the ascending `ends` beyond `place`. (No branch: none could foresee it.)"""
    first, count = 0, len(ends)
    while count > 1:
        half = count // 2
        first = first + half if ends[first + half - 1] <= place else first
        count -= half
    return first


@jit
def _exceeds(u, height):
    """Whether a hit column exceeds the level, `u` uniform: sure below 1 - tail (1 + tail)."""
    tail = 0.5 * math.exp(-height)
    return u * -math.expm1(-tail * (1 + tail)) < tail


@jit
def _and_below(rng, sizes, scale, level, hits, noisy, count):
    """List all other columns too, whose noisy sizes lie below the level."""
    listed = np.zeros(len(sizes), np.bool_)
    for m in range(count):
        listed[hits[m]] = True
    for j in range(len(sizes)):
        if not listed[j]:
            hits[count] = j
            noisy[count] = sizes[j] + scale * _below(rng.random(), (level - sizes[j]) / scale)
            count += 1
    return count


@jit
def _best_free(hits, noisy, count, state):
    best = -np.inf
    for m in range(count):
        if state[hits[m]] == FREE:
            best = max(best, noisy[m])
    return best


@jit
def _above(u, x):
    """A Laplace number given that it exceeds x < 0, from a uniform one."""
    low = 0.5 * math.exp(x)
    return _quantile(low + (1 - low) * u, (1 - low) * (1 - u))


@jit
def _below(u, x):
    """A Laplace number given that it does not exceed x, from a uniform one."""
    tail = 0.5 * math.exp(-abs(x))
    low, high = (1 - tail, tail) if x >= 0 else (tail, 1 - tail)
    return _quantile(low * (1 - u), high + low * u)


@jit
def _quantile(left, right):
    """The point with Laplace mass `left` on its left and `right` = 1 - left on its right."""
    return math.log(2 * left) if left < 0.5 else -math.log(2 * right)


@jit
def _settle(number, columns, noisy, rounds):
    """Round by round the best contender that has not won before."""
    chosen, best = np.full(rounds, -1), np.full(rounds, -np.inf)
    for k in range(len(number)):
        i, new = number[k], True
        for before in range(i):
            new = new and chosen[before] != columns[k]
        if new and noisy[k] > best[i]:
            best[i], chosen[i] = noisy[k], columns[k]
    return chosen
