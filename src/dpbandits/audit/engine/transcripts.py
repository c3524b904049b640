"""Transcripts of lazy algorithms: which sums of rewards they read, and their laws on all tables.

Neighbours: two tables of rewards in {0,1}, a row per round and a column for each of two arms, that
differ in one whole row. Output: the sequence of played arms.
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
    open_rounds, next_size = ([], []), [1, 1]
    for t, arm in enumerate(transcript, start=1):
        open_rounds[arm].append(t)
        if len(open_rounds[arm]) == next_size[arm]:
            done.append(Epoch(arm, tuple(open_rounds[arm]), t + 1))
            open_rounds[arm].clear()
            next_size[arm] *= 2
    return tuple(e for e in done if e.used_from <= len(transcript))


def transcripts(horizon: int) -> list[tuple[int, ...]]:
    """Each arm is played once, in order; then anything goes."""
    return [(0, 1)[:horizon] + rest for rest in product((0, 1), repeat=max(0, horizon - 2))]


@dataclass(frozen=True)
class Law:
    """ln P(transcript | table) for all of them; bit 2 (t - 1) + arm of a table is a reward."""

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

    def sample(self, rewards, runs: int, generator: np.random.Generator) -> np.ndarray:
        """Played transcripts on one table of rewards, each as its place in `transcripts`."""
        table = sum(
            int(x) << 2 * t + arm for t, row in enumerate(rewards) for arm, x in enumerate(row)
        )
        p = np.exp(self.log_p[table & self.read])
        return generator.choice(len(p), size=runs, p=p / p.sum())

    def _changes(self) -> list[tuple[int, int]]:
        """(row from 0, bits that change): every change of one row that something reads."""
        every = {
            (row, (bits << 2 * row) & self.read)
            for row in range(self.horizon)
            for bits in (1, 2, 3)
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
        return [[table >> 2 * t & 1, table >> 2 * t + 1 & 1] for t in range(self.horizon)]


Engine = Callable[[tuple[int, ...], tuple[Epoch, ...], tuple[int, ...]], float]


def law_of(horizon: int, log_probability: Engine, epochs=epochs_of) -> Law:
    """Tabulate an engine's ln P(transcript | sums) over all tables of rewards."""
    outputs = transcripts(horizon)
    tables = np.arange(4 ** (horizon - 1))
    log_p = np.empty((len(tables), len(outputs)))
    used = 0
    for column, transcript in enumerate(outputs):
        read = epochs(transcript)
        shape = tuple(e.size + 1 for e in read)
        values = np.empty(shape)
        for sums in product(*map(range, shape)):
            values[sums] = log_probability(transcript, read, sums)
        sums = [sum(tables >> 2 * (t - 1) + e.arm & 1 for t in e.rounds) for e in read]
        log_p[:, column] = values[tuple(sums)]
        used |= sum({1 << 2 * (t - 1) + e.arm for e in read for t in e.rounds})
    return Law(horizon, outputs, log_p, used)
