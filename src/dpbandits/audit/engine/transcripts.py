"""Transcripts of lazy algorithms: which sums of rewards they read, and their laws on all tables.

Neighbours: two tables of rewards in {0,1}, one row per round and one column per arm, that differ in
one whole row. Output: the sequence of played arms.
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
    done: list[Epoch] = []
    open_rounds: dict[int, list[int]] = {arm: [] for arm in transcript}
    next_size = dict.fromkeys(transcript, 1)
    for t, arm in enumerate(transcript, start=1):
        open_rounds[arm].append(t)
        if len(open_rounds[arm]) == next_size[arm]:
            done.append(Epoch(arm, tuple(open_rounds[arm]), t + 1))
            open_rounds[arm].clear()
            next_size[arm] *= 2
    return tuple(e for e in done if e.used_from <= len(transcript))


def transcripts(horizon: int, arms: int = 2) -> list[tuple[int, ...]]:
    """Every arm is played once, in order; then anything goes."""
    first = tuple(range(arms))[:horizon]
    return [first + rest for rest in product(range(arms), repeat=max(0, horizon - arms))]


@dataclass(frozen=True)
class Law:
    """ln P(transcript | table) for all of them; bit arms (t - 1) + arm of a table is a reward."""

    arms: int
    horizon: int
    transcripts: list[tuple[int, ...]]
    log_p: np.ndarray  # tables x transcripts
    read: int  # the bits that some transcript reads; the others change nothing

    def worst(self, epsilons) -> tuple[float, dict, dict[float, float]]:
        """(pure loss, its neighbours, deltas) over every table and every changed row."""
        pure, where, deltas = 0.0, {}, dict.fromkeys(epsilons, 0.0)
        possible = ~np.isneginf(self.log_p).all(axis=0)
        log_p = self.log_p[:, possible]
        outputs = np.flatnonzero(possible)
        tables = np.arange(len(log_p))
        tables = tables[tables & ~self.read == 0]
        for row, change in self._changes():
            here, other = log_p[tables], log_p[tables ^ change]
            with np.errstate(invalid="ignore"):
                loss = np.where(np.isneginf(here), -np.inf, here - other)
            table, output = np.unravel_index(loss.argmax(), loss.shape)
            if loss[table, output] > pure + 1e-12:
                pure = float(loss[table, output])
                where = self._describe(int(tables[table]), row, change, outputs[output])
            for e in epsilons:
                deltas[e] = max(deltas[e], float(hockey_stick(here, other, e).max()))
        return pure, where, deltas

    def _changes(self) -> list[tuple[int, int]]:
        """(row from 0, bits that change): every change of one row that something reads."""
        every = {
            (row, (bits << self.arms * row) & self.read)
            for row in range(self.horizon)
            for bits in range(1, 2**self.arms)
        }
        return sorted((row, change) for row, change in every if change)

    def _describe(self, table: int, row: int, change: int, output: int) -> dict:
        return {
            "rewards": self._rows(table),
            "neighbour": self._rows(table ^ change),
            "changed_round": row + 1,
            "played": [arm + 1 for arm in self.transcripts[output]],
        }

    def _rows(self, table: int) -> list[list[int]]:
        bits = [table >> i & 1 for i in range(self.arms * self.horizon)]
        return [bits[i : i + self.arms] for i in range(0, len(bits), self.arms)]


Engine = Callable[[tuple[int, ...], tuple[Epoch, ...], tuple[int, ...]], float]


def law_of(horizon: int, log_probability: Engine, epochs=epochs_of, arms: int = 2) -> Law:
    """Tabulate an engine's ln P(transcript | sums) over all tables of rewards."""
    outputs = transcripts(horizon, arms)
    tables = np.arange(2 ** (arms * (horizon - 1)))
    log_p = np.empty((len(tables), len(outputs)))
    used = 0
    for column, transcript in enumerate(outputs):
        read = epochs(transcript)
        shape = tuple(e.size + 1 for e in read)
        values = np.empty(shape)
        for sums in product(*map(range, shape)):
            values[sums] = log_probability(transcript, read, sums)
        sums = [sum(tables >> arms * (t - 1) + e.arm & 1 for t in e.rounds) for e in read]
        log_p[:, column] = values[tuple(sums)]
        used |= sum({1 << arms * (t - 1) + e.arm for e in read for t in e.rounds})
    return Law(arms, horizon, outputs, log_p, used)
