"""The exact loss of a program of which few choices are all that is random: all ways are run."""

import math
from typing import NamedTuple

import numpy as np

from dpbandits.audit.engine.outcomes import leaves
from dpbandits.audit.recorded.losses import chances

MOST_CHOICES, MOST_PATHS = 40, 20_000  # of one run, of all: more are not enumerated


class Exact(NamedTuple):
    """The worst pair: its loss, its delta at the claimed epsilon, the output that loses most."""

    epsilon: float
    delta: float
    output: str
    data: list
    neighbour: list


class Choices:
    """Runs a program with each outcome of its choices in turn."""

    def __init__(self, runner):
        self.runner, self.runs, self.known = runner, 0, {}

    def worst(self, tried, claim) -> Exact:
        """Of the pairs that were tried; OverflowError or Diverged where not all ways can be run."""
        worst, where = None, ()
        for data, neighbour, place in tried:
            for pair in ((data, neighbour), (neighbour, data)):
                law, other = (self._law(x, place) for x in pair)
                found = Exact(*_excess(law, other, claim.epsilon), *pair)
                if worst is None or found[:2] > worst[:2]:
                    worst, where = found, place
        if worst is None or not claim.affordable:
            raise OverflowError
        runs, laws = self.runs, [self._law(x, where) for x in (worst.data, worst.neighbour)]
        while self.runs < runs + claim.repeats:  # a generator that is not seen gives others
            for x, law in zip((worst.data, worst.neighbour), laws, strict=True):
                if self._run_all(x, where) != law:
                    raise OverflowError
        return worst

    def _law(self, data, place) -> dict:
        key = repr((data, place))
        if key not in self.known:
            self.known[key] = self._run_all(data, place)
        return self.known[key]

    def _run_all(self, data, place) -> dict:
        """{what is seen of an output: (its probability, in words)}."""
        law, ways, noise = {}, [[]], (repr(data), 0)
        while ways:
            forced, way, chance = ways.pop(), [], 1.0
            tape, output = self.runner.run(data, noise, forced=forced, most=MOST_CHOICES)
            self.runs += 1
            if self.runs > MOST_PATHS or self.runner.unseen:
                raise OverflowError
            for event in tape.events:
                p = chances(event)
                if len(way) >= len(forced):
                    others = np.flatnonzero(p).tolist()
                    ways += [[*way, other] for other in others if other != event.output]
                chance *= p[event.output]
                way.append(event.output)
            key = repr(leaves(self.runner.program.seen(output, place)))
            law[key] = law.get(key, (0.0,))[0] + chance, short(output)
        return law


def _excess(p: dict, q: dict, epsilon: float) -> tuple[float, float, str]:
    """(the largest ln P/P', P - e^epsilon P' of all outputs that have more, the output)."""
    ratios = {k: math.log(x / q[k][0]) if k in q else math.inf for k, (x, _) in p.items()}
    over = (x - math.exp(epsilon) * q.get(k, (0.0,))[0] for k, (x, _) in p.items())
    key = max(ratios, key=ratios.get)
    return ratios[key], math.fsum(max(0.0, x) for x in over), p[key][1]


def short(value) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
