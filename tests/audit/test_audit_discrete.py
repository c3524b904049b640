"""HU's guarantees again with discrete noise, without samples (docs/proofs/HU.md, Section 7)."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from discrete_laws import (
    at_most,
    decay,
    loss_between,
    mass,
    noisy_max,
    transcripts,
)
from flint import arb

from dpbandits.audit.computed.balls import precision, upper
from dpbandits.core.algorithms import get_algorithm


def test_the_law_of_discrete_laplace_noise():
    q = decay(Fraction(3, 2))
    assert all((at_most(q, k) - at_most(q, k - 1) - mass(q, k)).contains(0) for k in range(-4, 5))
    assert abs(float(sum((mass(q, k) for k in range(-99, 100)), arb(0))) - 1) < 1e-13
    assert abs(float(mass(q, 2) / mass(q, 1)) - math.exp(-2 / 3)) < 1e-15


@pytest.mark.parametrize("parts", [1, 2, 8])  # of a reward: the grid
@pytest.mark.parametrize(("times", "claimed"), [(2, 1), (1, 2)])
def test_report_noisy_max_with_discrete_laplace_noise(parts, times, claimed):
    """Two arms and up to 6 rounds, three arms and one, every change of one round's rewards: scale
    2/eps loses at most eps; the printed 1/eps loses more than eps, up to 2 eps (Theorem P, HU-T8).
    """
    epsilon = Fraction(1)
    with precision(160):
        q = decay(times / epsilon, Fraction(1, parts))
        worst, reach = arb(0), 120 * parts
        for arms, rounds in ((2, 6), (3, 1)):
            laws = {
                counts: noisy_max([parts * c for c in counts], q, reach)
                for counts in product(range(rounds + 1), repeat=arms)
            }
            for a, b in product(laws, repeat=2):
                if a < b and max(abs(x - y) for x, y in zip(a, b, strict=True)) == 1:
                    for p, other in zip(laws[a], laws[b], strict=True):
                        worst = worst.max(abs((p / other).log()))
        assert worst <= arb(claimed) + arb("1e-15")
        ends = {1: (0.775, 0.835), 2: (1.575, 1.795)}[claimed]  # "0.78 to 0.83", "1.58 to 1.79"
        assert ends[0] < worst < ends[1]


def started(name, epsilon, **options):
    cls = get_algorithm(name).learner
    return lambda port: cls(2, epsilon, port, None, 100, **options)


@pytest.mark.parametrize(("name", "rounds", "options"), [
    ("anytime-lazy-ucb", 5, {}), ("adap-ucb", 4, {"alpha": 3.1}),
])  # fmt: skip
def test_what_the_classes_play_with_discrete_noise(name, rounds, options):
    """All that is played on 8 pairs of tables with rewards 0 and 1, by the algorithm's own class;
    noise beyond 11 steps has a probability below 1e-9."""
    epsilon, q = 2.0, decay(Fraction(1, 2))
    start, losses = started(name, epsilon, **options), []
    for table in (np.zeros((rounds, 2)), np.ones((rounds, 2))):
        whole = transcripts(start, table, q, 11)
        assert upper(whole[1]) < 1e-9
        for changed in range(4):
            other = table.copy()
            other[changed] = 1 - other[changed]
            low, high = loss_between(whole, transcripts(start, other, q, 11))
            assert low <= high <= epsilon * (1 + 1e-6)
            losses.append(low)
    assert 0.25 * epsilon < max(losses)


def test_a_learner_that_reads_a_reward_twice_is_seen():
    """Attack: the first reward enters the next epoch too, three times; more than eps is lost."""
    cls = get_algorithm("anytime-lazy-ucb").learner

    class Twice(cls):
        def update(self, J, X):
            super().update(J, X)
            if self.t <= self.K:
                self.total[J] += 3 * X

    def start(port):
        return Twice(2, 0.5, port, None, 100)

    table, other = np.ones((5, 2)), np.ones((5, 2))
    other[0] = 0
    q = decay(Fraction(2))
    low, _ = loss_between(transcripts(start, table, q, 14), transcripts(start, other, q, 14))
    assert low > 0.5
