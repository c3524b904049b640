"""Exact losses: by all ways of a few choices, and by derivatives where the output shows all noise.

Enumeration: each way of the draws is a run with forced outcomes; its probability is known.
Derivatives: each draw is perturbed in turn. Where the output is numbers that determine all noise,
one shift gives the neighbour's run the same output, and its cost is the loss itself. The shift is
solved for and run again.
"""

import math
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from dpbandits.audit.replayed.align import Loss, cost
from dpbandits.audit.replayed.pairs import Pair, Replays, words
from dpbandits.audit.sampled.processes import sample
from dpbandits.core.mechanisms import ROUNDING

MOST_WAYS, MOST_ALL = 3000, 12_000  # of one data set, of all
MOST_DRAWS = 40  # of an output that is differentiated
STEP = 1e-3


class TooMany(Exception):
    """There are too many ways, or not all are choices."""


@dataclass
class Enumeration:
    replays: Replays
    laws: dict = field(default_factory=dict)
    ways: int = 0

    def worst(self, pairs: list[Pair]):
        """(delta at the claimed epsilon, the log-ratio of an output, the output, the pair); if not
        all pairs can be done, of the first ones, if these break the claim."""
        claim, found = self.replays.claim, []
        for pair in pairs:
            try:
                found.append(self._loss(pair))
            except TooMany:
                if not any(x[0] > claim.delta * ROUNDING for x in found):
                    raise
                break
        return max(found, key=lambda x: x[:2])

    def _loss(self, pair: Pair):
        laws = [self.law(x, pair.place) for x in (pair.data, pair.neighbour)]
        epsilon, best = self.replays.claim.epsilon, (0.0, 0.0, "", pair)
        for p, q in (laws, laws[::-1]):
            ratios = {k: math.log(x[0] / q[k][0]) if k in q else math.inf for k, x in p.items()}
            key = max(ratios, key=ratios.get)
            excess = (max(0.0, x[0] - math.exp(epsilon) * q.get(k, (0.0,))[0])
                      for k, x in p.items())  # fmt: skip
            over = math.fsum(excess) if ratios[key] > epsilon * ROUNDING else 0.0
            best = max(best, (over, ratios[key], p[key][1], pair), key=lambda x: x[:2])
        return best

    def law(self, data, place) -> dict:
        """{output: (its probability, in words)}, by all ways of the draws."""
        key = repr((data, place))
        if key not in self.laws:
            self.laws[key] = self._law(data, place)
        return self.laws[key]

    def _law(self, data, place) -> dict:
        law, ways = {}, [[]]
        while ways:
            way = ways.pop()
            tape, output = self.replays.record(data, (repr(data), 0), forced=list(way))
            self.ways += 1
            if self.ways > MOST_ALL or tape.laws or tape.unseen:
                raise TooMany
            outs = [event.out for event in tape.events]
            for k, event in list(enumerate(tape.events))[len(way) :]:
                others = set(np.flatnonzero(event.chances).tolist()) - {event.out}
                ways += [[*outs[:k], other] for other in sorted(others)]
            if len(ways) > MOST_WAYS:
                raise TooMany
            seen = self.replays.program.seen(output, place)
            chance = math.prod(float(event.chances[event.out]) for event in tape.events)
            before = law.get(repr(seen), (0.0,))[0]
            law[repr(seen)] = before + chance, words(seen)
        return law

    def agrees(self, pair: Pair) -> bool:
        """Whether the unmodified program has outputs as often, in 8 processes of 50 runs."""
        p, seed = self.replays.program, self.replays.seed
        for data in (pair.data, pair.neighbour):
            law = sorted((x[0] for x in self.law(data, None).values()), reverse=True)
            seen = [x for i in range(8) for x in sample(p.run, p.function, data, 50, seed + i)]
            counts = sorted(Counter(map(repr, seen)).values(), reverse=True)
            errors = (
                abs(n / len(seen) - q) / math.sqrt(max(q, 1e-3) / len(seen))
                for n, q in zip(counts, law, strict=False)
            )
            if len(counts) > len(law) or max(errors) > 6:
                return False
        return True


@dataclass(frozen=True)
class Slopes:
    laws: list
    form: list  # names of all leaves, and those that are no numbers
    numbers: np.ndarray
    slopes: np.ndarray  # (draws, numbers)


def by_derivatives(replays: Replays, pair: Pair) -> tuple[Loss, bool] | None:
    """(the loss of a pair whose outputs are numbers that determine all noise, whether it is one
    number), by all transcripts; None if they do not."""
    worst, forms = None, []
    for transcript in range(replays.transcripts):
        noise = repr(pair.data), transcript
        a, b = (_slopes(replays, data, noise) for data in (pair.data, pair.neighbour))
        if a is None or b is None or (a.laws, a.form) != (b.laws, b.form):
            return None
        loss = _shifted(replays, pair, noise, a, b)
        forms.append(a.form)
        if loss is None or forms[0] != a.form:
            return None
        epsilon = replays.claim.epsilon
        worst = max(filter(None, (worst, loss)), key=lambda x: (x.delta(epsilon), x.epsilon))
    return worst, len(a.numbers) == 1


def _shifted(replays, pair, noise, a: Slopes, b: Slopes) -> Loss | None:
    if not np.allclose(a.slopes, b.slopes, rtol=1e-5, atol=1e-7):
        return None
    s = np.linalg.lstsq(b.slopes.T, a.numbers - b.numbers, rcond=None)[0]
    shift = dict(enumerate(np.where(np.abs(s) < 1e-9, 0.0, s).tolist()))
    again = _numbers(replays.record(pair.neighbour, noise, shift=shift)[1])
    same = len(again) == len(a.numbers) and np.allclose(again, a.numbers, rtol=1e-9, atol=1e-12)
    return cost(shift, a.laws) if same else None


def _slopes(replays, data, noise) -> Slopes | None:
    tape, output = replays.record(data, noise)
    base, draws = _numbers(output), len(tape.units)
    if tape.unseen or any(event.kind in ("draw", "blind", "order") for event in tape.events):
        return None
    if not (0 < draws <= min(MOST_DRAWS, len(base))):
        return None
    moved = [_numbers(replays.record(data, noise, shift={i: STEP})[1]) for i in range(draws)]
    if any(len(x) != len(base) for x in moved):
        return None
    slopes = (np.array(moved) - base) / STEP
    if not np.isfinite(slopes).all() or np.linalg.matrix_rank(slopes, tol=1e-7) < draws:
        return None
    form = [(name, None if isinstance(x, float) else x) for name, x in output]
    return Slopes(tape.laws, form, base, slopes)


def _numbers(output) -> np.ndarray:
    return np.array([x for _, x in output if isinstance(x, float)])
