"""Random streams keyed by the coordinates of a simulation.

The key is a hash of (algorithm, canonical setting, epsilon, horizon); the seed is the upper half of
the counter. Hence a seed's result cannot depend on the block that it is computed in, on the order,
on the number of cores, on how a setting is written, or on the command.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import BaseModel

from dpbandits.core.models import canonical

AT_ONCE = 8  # counters for which core.philox computes the words together
WIDTH = 3 + 2 * AT_ONCE  # length of a state: key, seed, position, two words per counter


def key_of(*coordinates: object) -> int:
    """A hash of 64 bits of names and numbers."""
    text = "\x1f".join(repr(x) if isinstance(x, float) else str(x) for x in coordinates)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


@dataclass(frozen=True)
class Streams:
    """One independent random stream per seed."""

    key: int
    seeds: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.seeds)

    def states(self) -> np.ndarray:
        """States for compiled code: uint64, one row [key, seed, 0, ...] per seed (see philox)."""
        states = np.zeros((len(self.seeds), WIDTH), dtype=np.uint64)
        states[:, 0] = self.key
        states[:, 1] = self.seeds
        return states

    def generator(self, index: int) -> np.random.Generator:
        """The stream of `seeds[index]` as a NumPy generator, for code that is not compiled."""
        key = np.array([self.key, self.seeds[index]], dtype=np.uint64)
        return np.random.Generator(np.random.Philox(key=key))

    def child(self, *labels: object) -> "Streams":
        """Streams for a named part of the same runs (contexts, noise), independent of these."""
        return Streams(key_of(self.key, *labels), self.seeds)


def streams_for(
    algorithm: str, setting: BaseModel, epsilon: float, horizon: int, seeds: Sequence[int]
) -> Streams:
    """The streams of one simulation."""
    key = key_of(algorithm, canonical(setting), float(epsilon), int(horizon))
    return Streams(key, tuple(seeds))
