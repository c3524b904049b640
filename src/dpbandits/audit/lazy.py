"""The transcript of a lazy algorithm on a short horizon: its exact privacy loss.

Neighbours: two tables of rewards in {0,1}, one row per round and one column per arm, that differ in
one whole row. Output: the sequence of played arms.

rnm-ftnl. Epochs are independent, and a row enters one selection only: the loss is that of
report-noisy-max on the last and longest epoch whose leader is still seen (`rnm`), for any K.

anytime-lazy-ucb, lazy-dp-ts, K = 2. Given a transcript, the rewards enter through the sums of the
finished epochs only, and a row enters one of them at most. `epochs_of` finds these sums; an engine
gives P(transcript | sums):
* anytime-lazy-ucb: the transcript says that the difference of the two current noisy means lay in an
  interval, stretch by stretch, and a mean is replaced between two stretches. The means form a path,
  and integrating them out one after another is an operation on piecewise exponential polynomials.
* lazy-dp-ts: the same path, with P(arm 1 | both means, t) in place of the intervals; it is smooth
  between the kinks of clipping, where Gauss-Legendre quadrature is exact to rounding.
Then every table and every changed row is enumerated.

That the loss cannot exceed eps at any horizon: a row moves one sum by at most 1, the mean with its
noise is released as by a Laplace mechanism, and all that is played is computed from such releases
of disjoint data (adaptive parallel composition).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Annotated, Literal

import numpy as np
from flint import arb
from pydantic import Field

from dpbandits.audit import rnm
from dpbandits.audit._piecewise import laplace_density
from dpbandits.audit.intervals import precision
from dpbandits.core.divergences import hockey_stick
from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import PrivacyLoss, mechanism
from dpbandits.core.models import Model

MOST_ROUNDS = 8  # for two arms: 2^6 transcripts, 2^14 tables
BITS = 256


class LazyParams(Model):
    algorithm: Literal["anytime-lazy-ucb", "lazy-dp-ts", "rnm-ftnl"]
    epsilon: Annotated[float, Field(gt=0, le=100)]
    arms: Annotated[int, Field(ge=2, le=100)] = 2
    horizon: Annotated[int, Field(ge=2, le=10**9)]
    variant: Literal["printed", "corrected"] = "printed"


# Which sums a transcript reads


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

    The first two rounds are epochs of one round each; after r of them an arm's next one takes 2^r.
    """
    done, open_rounds, next_size = [], ([], []), [1, 1]
    for t, arm in enumerate(transcript, start=1):
        open_rounds[arm].append(t)
        if len(open_rounds[arm]) == next_size[arm]:
            done.append(Epoch(arm, tuple(open_rounds[arm]), t + 1))
            open_rounds[arm].clear()
            next_size[arm] *= 2
    return tuple(e for e in done if e.used_from <= len(transcript))


def transcripts(horizon: int) -> list[tuple[int, ...]]:
    return [(0, 1, *rest)[:horizon] for rest in product((0, 1), repeat=max(0, horizon - 2))]


# Anytime-Lazy-UCB: a path of intervals


def ucb_probability(
    transcript: tuple[int, ...], epochs: tuple[Epoch, ...], sums: tuple[int, ...], epsilon: float,
    noise: float = 1.0,
) -> arb:  # fmt: skip
    """P(transcript | sums of its epochs); means and bonuses are measured in units of noise/eps."""
    unit = arb(epsilon) / arb(noise)
    law = [None, None]
    size, pending = [1, 1], dict(enumerate(zip(epochs, sums, strict=True)))
    low = high = None
    for t in range(3, len(transcript) + 1):
        for key, (epoch, total) in list(pending.items()):
            if epoch.used_from <= t:
                arm = epoch.arm
                if law[arm] is not None:  # its old mean is integrated out
                    law[1 - arm] = law[1 - arm] * _seen_from_other(law[arm], arm, low, high)
                    low = high = None
                law[arm] = laplace_density(unit * total / epoch.size, epoch.size)
                size[arm] = epoch.size
                del pending[key]
        edge = _bonus(t, size[1], epsilon, unit) - _bonus(t, size[0], epsilon, unit)
        if transcript[t - 1] == 0:
            low = edge if low is None or edge > low else low
        else:
            high = edge if high is None or edge < high else high
        if low is not None and high is not None and not low < high:
            return arb(0)
    if law[0] is None or law[1] is None:
        return arb(1)
    return (law[1] * _seen_from_other(law[0], 0, low, high)).total()


def _bonus(t: int, size: int, epsilon: float, unit: arb) -> arb:
    linear = 3 * arb(t).log() / size
    return unit * (linear.sqrt() + linear / arb(epsilon))


def _seen_from_other(law, arm: int, low, high):
    """mean of the other arm -> P(the interval low < mean_0 - mean_1 < high holds)."""
    if arm == 0:
        return law.window(low, high)
    return law.window(None if high is None else -high, None if low is None else -low)


# All tables


@dataclass(frozen=True)
class Law:
    """P(transcript | table) for all of them; a table's bits 2(t - 1) + arm are its rewards."""

    horizon: int
    transcripts: list[tuple[int, ...]]
    log_p: np.ndarray  # tables x transcripts

    def worst(self, epsilons) -> tuple[float, dict, dict[float, float]]:
        """(pure loss, its neighbours, deltas) over every table and every changed row."""
        pure, where, deltas = 0.0, {}, dict.fromkeys(epsilons, 0.0)
        tables = np.arange(len(self.log_p))
        for t in range(self.horizon - 1):  # the last row is never used
            for change in (1, 2, 3):
                other = self.log_p[tables ^ (change << 2 * t)]
                with np.errstate(invalid="ignore"):
                    loss = np.where(np.isneginf(self.log_p), -np.inf, self.log_p - other)
                table, output = np.unravel_index(loss.argmax(), loss.shape)
                if loss[table, output] > pure + 1e-12:
                    pure = float(loss[table, output])
                    where = self._describe(table, t, change, output)
                for e in epsilons:
                    deltas[e] = max(deltas[e], float(hockey_stick(self.log_p, other, e).max()))
        return pure, where, deltas

    def _describe(self, table: int, row: int, change: int, output: int) -> dict:
        def rows(bits):
            return [[bits >> 2 * t & 1, bits >> 2 * t + 1 & 1] for t in range(self.horizon)]

        return {
            "rewards": rows(int(table)),
            "neighbour": rows(int(table) ^ change << 2 * row),
            "changed_round": row + 1,
            "played": [arm + 1 for arm in self.transcripts[output]],
        }


Engine = Callable[[tuple[int, ...], tuple[Epoch, ...], tuple[int, ...]], float]


def law_of(horizon: int, log_probability: Engine, epochs=epochs_of) -> Law:
    """Tabulate an engine's ln P(transcript | sums) over all tables of rewards."""
    outputs = transcripts(horizon)
    tables = np.arange(4 ** (horizon - 1))
    log_p = np.empty((len(tables), len(outputs)))
    for column, transcript in enumerate(outputs):
        read = epochs(transcript)
        shape = tuple(e.size + 1 for e in read)
        values = np.empty(shape)
        for sums in product(*map(range, shape)):
            values[sums] = log_probability(transcript, read, sums)
        sums = [sum(tables >> 2 * (t - 1) + e.arm & 1 for t in e.rounds) for e in read]
        log_p[:, column] = values[tuple(sums)]
    return Law(horizon, outputs, log_p)


def ucb_law(horizon: int, epsilon: float, noise: float = 1.0, epochs=epochs_of) -> Law:
    """Anytime-Lazy-UCB with Lap(noise/eps): noise = 1 is the printed algorithm.

    Other `epochs` (the zoo's) may read other rounds than the printed ones.
    """

    @cache
    def log_probability(transcript, read, sums):
        with precision(BITS):
            p = ucb_probability(transcript, read, sums, epsilon, noise)
            return float(p.log()) if p > 0 else -math.inf

    return law_of(horizon, log_probability, epochs)


# The mechanism


@mechanism("lazy", params=LazyParams)
def audit_lazy(params: LazyParams, at_epsilon) -> PrivacyLoss:
    """Worst over all tables of rewards and all changes of one row."""
    if params.algorithm == "rnm-ftnl":
        return audit_rnm_ftnl(params, at_epsilon)
    if params.variant != "printed":
        raise InputError(f"audit lazy: variant = {params.variant}: only rnm-ftnl has a correction")
    if params.arms != 2:
        raise InputError(f"audit lazy: arms = {params.arms}: {params.algorithm} allows 2 arms")
    if not 2 <= params.horizon <= MOST_ROUNDS:
        raise InputError(f"audit lazy: horizon = {params.horizon}: allowed: 2 to {MOST_ROUNDS}")
    if params.algorithm == "anytime-lazy-ucb":
        law = ucb_law(params.horizon, params.epsilon)
    else:
        from dpbandits.audit._lazy_ts import ts_law

        law = ts_law(params.horizon, params.epsilon)
    pure, where, deltas = law.worst(list(at_epsilon))
    return PrivacyLoss(pure, deltas, where, "exact")


def audit_rnm_ftnl(params: LazyParams, at_epsilon) -> PrivacyLoss:
    """Epoch s has 2^s rounds and ends with round 2^(s+1) - 1; its leader is seen right after."""
    epoch = params.horizon.bit_length() - 2
    scale = (2 if params.variant == "corrected" else 1) / params.epsilon
    keys = {"scale": scale, "arms": params.arms, "rounds": 2**epoch, "adjacency": "replace"}
    loss = rnm.audit_rnm(rnm.RnmParams(**keys), at_epsilon)
    loss.worst_neighbour["epoch"] = epoch
    return loss
