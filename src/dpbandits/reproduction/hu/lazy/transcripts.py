"""Transcripts of lazy algorithms: which sums of rewards they read, and their laws on all tables.

Neighbours are two tables of rewards in {0,1}, with a row per round and a column for each of two
arms, that differ in one row. The output is the sequence of played arms.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

from dpbandits.core.divergences import hockey_stick


@dataclass(frozen=True)
class Epoch:
    """A finished epoch: its arm, its rounds (from 1), and the round from which its mean is used."""

    arm: int
    rounds: tuple[int, ...]
    used_from: int

    @property
    def size(self) -> int:
        return len(self.rounds)


def epochs_of(transcript: tuple[int, ...]) -> tuple[Epoch, ...]:
    """Finished epochs whose mean takes part in some decision, in the order of their end.

    An arm's epochs have 1, 2, 4, 8, .. rounds.
    """
    finished: list[Epoch] = []
    open_rounds, next_size = ([], []), [1, 1]
    for t, arm in enumerate(transcript, start=1):
        open_rounds[arm].append(t)
        if len(open_rounds[arm]) == next_size[arm]:
            finished.append(Epoch(arm, tuple(open_rounds[arm]), t + 1))
            open_rounds[arm].clear()
            next_size[arm] *= 2
    return tuple(e for e in finished if e.used_from <= len(transcript))


def transcripts(horizon: int) -> list[tuple[int, ...]]:
    """All sequences of arms in which the first two rounds play arm 0 and arm 1."""
    return [(0, 1)[:horizon] + rest for rest in product((0, 1), repeat=max(0, horizon - 2))]


@dataclass(frozen=True)
class Law:
    """ln P(transcript | table) of all tables. A table is an integer: its bit 2 (t - 1) + arm is the
    reward of that arm in round t."""

    horizon: int
    transcripts: list[tuple[int, ...]]
    log_p: np.ndarray  # (tables, transcripts)
    read: int  # the bits that some transcript reads; the others change nothing

    def worst(self, epsilons) -> tuple[float, dict, dict[float, float]]:
        """(pure loss, its neighbours, {epsilon: delta}) over all tables and changes of a row."""
        pure, neighbours, deltas = 0.0, {}, dict.fromkeys(epsilons, 0.0)
        possible = ~np.isneginf(self.log_p).all(axis=0)
        log_p, outputs = self.log_p[:, possible], np.flatnonzero(possible)
        tables = np.arange(len(log_p))
        tables = tables[tables & ~self.read == 0]
        for row, change in self._changes():
            before, after = log_p[tables], log_p[tables ^ change]
            with np.errstate(invalid="ignore"):
                loss = np.where(np.isneginf(before), -np.inf, before - after)
            at, output = np.unravel_index(loss.argmax(), loss.shape)
            if loss[at, output] > pure + 1e-12:
                pure, table = float(loss[at, output]), int(tables[at])
                neighbours = {
                    "rewards": self._rewards(table),
                    "neighbour": self._rewards(table ^ change),
                    "changed_round": row + 1,
                    "played": [arm + 1 for arm in self.transcripts[outputs[output]]],
                }
            for e in epsilons:
                deltas[e] = max(deltas[e], float(hockey_stick(before, after, e).max()))
        return pure, neighbours, deltas

    def _changes(self) -> list[tuple[int, int]]:
        """(row from 0, bits that change) of all changes of a row that some transcript reads."""
        changes = {
            (row, (bits << 2 * row) & self.read)
            for row in range(self.horizon)
            for bits in (1, 2, 3)
        }
        return sorted((row, change) for row, change in changes if change)

    def _rewards(self, table: int) -> list[list[int]]:
        return [[table >> 2 * t & 1, table >> 2 * t + 1 & 1] for t in range(self.horizon)]


LogProbability = Callable[[tuple[int, ...], tuple[Epoch, ...], tuple[int, ...]], float]


def law_of(horizon: int, log_probability: LogProbability) -> Law:
    """The law on all tables of rewards, from ln P(transcript | sums of its epochs)."""
    outputs = transcripts(horizon)
    tables = np.arange(4 ** (horizon - 1))
    log_p = np.empty((len(tables), len(outputs)))
    read = 0
    for column, transcript in enumerate(outputs):
        finished = epochs_of(transcript)
        shape = tuple(e.size + 1 for e in finished)
        values = np.empty(shape)
        for sums in product(*map(range, shape)):
            values[sums] = log_probability(transcript, finished, sums)
        sums = [sum(tables >> 2 * (t - 1) + e.arm & 1 for t in e.rounds) for e in finished]
        log_p[:, column] = values[tuple(sums)]
        read |= sum({1 << 2 * (t - 1) + e.arm for e in finished for t in e.rounds})
    return Law(horizon, outputs, log_p, read)
