"""Exact noise in small instances: the laws of discrete Laplace noise, in balls.

A deployed learner adds discrete noise (core.port). Here are the laws of its decisions for HU's
algorithms, computed without samples: of the noisy maximum, and of what the algorithm's own class
plays on a given table of rewards. With q = e^(-step/scale): P(k) = q^|k| (1 - q)/(1 + q).
"""

from collections import defaultdict
from fractions import Fraction

from flint import arb

from dpbandits.audit.computed.balls import ball, upper


def decay(scale: Fraction, step: Fraction = Fraction(1)) -> arb:
    """q of noise with this scale on the multiples of `step`."""
    return (-ball(step / scale)).exp()


def mass(q: arb, k: int) -> arb:
    return q ** abs(k) * (1 - q) / (1 + q)


def at_most(q: arb, k: int) -> arb:
    """P(noise <= k)."""
    return 1 - q ** (k + 1) / (1 + q) if k >= 0 else q ** (-k) / (1 + q)


def noisy_max(scores: list[int], q: arb, reach: int) -> list[arb]:
    """P(j has the largest score + noise, the first of equals); scores in steps of the grid.

    Noise beyond `reach` steps is enclosed by its probability.
    """
    law, beyond = [], 2 * q ** (reach + 1) / (1 + q)
    for j, score in enumerate(scores):
        total = arb(0)
        for k in range(-reach, reach + 1):
            term = mass(q, k)
            for i, other in enumerate(scores):
                if i != j:  # earlier ones must be smaller, later ones may be equal
                    term *= at_most(q, score + k - other - (i < j))
            total += term
        law.append(total + beyond * arb("0.5 +/- 0.5"))
    return law


class Stopped(Exception):
    """The run needs noise that is not given yet."""


class GivenSteps:
    """A port whose noise is a list of whole steps; it stops where the list ends."""

    def __init__(self, steps: tuple[int, ...], step: float):
        self.steps, self.step = list(steps), step

    def laplace(self, value, scale, *, sensitivity=1, name=""):
        if not self.steps:
            raise Stopped
        return value + self.steps.pop(0) * self.step


def transcripts(start, table, q: arb, reach: int, step: float = 1.0) -> tuple[dict, arb]:
    """P(arms played) for rewards table[round][arm], as lower bounds, and what they miss together.

    `start(port)` makes the algorithm. Its noise is enumerated up to `reach` steps.
    """
    law, todo = defaultdict(lambda: arb(0)), [((), arb(1))]
    masses = {k: mass(q, k) for k in range(-reach, reach + 1)}
    while todo:
        steps, p = todo.pop()
        algorithm, played = start(GivenSteps(steps, step)), []
        try:
            for number, rewards in enumerate(table):
                played.append(algorithm.act())
                if number + 1 < len(table):  # what the last reward releases is not seen
                    algorithm.update(played[-1], rewards[played[-1]])
            law[tuple(played)] += p
        except Stopped:
            todo += [((*steps, k), p * each) for k, each in masses.items()]
    return law, 1 - sum(law.values(), arb(0))


def loss_between(first: tuple[dict, arb], second: tuple[dict, arb]) -> tuple[float, float]:
    """(certified lower, upper) bounds of max ln(p/q) over transcripts, from both enumerations."""
    (p, p_missing), (q, q_missing) = first, second
    lower = higher = arb(0)
    for outcome in p.keys() | q.keys():
        a, b = p.get(outcome, arb(0)), q.get(outcome, arb(0))
        for x, x_more, y, y_more in ((a, p_missing, b, q_missing), (b, q_missing, a, p_missing)):
            if x > 0:
                lower = lower.max((x / (y + y_more)).log())
            higher = higher.max(((x + x_more) / y).log() if y > 0 else arb.pos_inf())
    return -upper(-lower), upper(higher)
