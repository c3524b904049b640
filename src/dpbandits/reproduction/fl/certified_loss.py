"""Certified lower bounds on FLIPHAT's privacy loss: one pair of data sets, events with known law.

The data sets D and D' differ in one reward. All n records have x = x_max on the first s coordinates
and 0 elsewhere, and y = R; but in one record the second half of these coordinates (s is even) has
the opposite sign, and its reward is R in D and -R in D'. N-IHT's first step v then has, for j in
the first half and j' in the second,

    v_j - v_j' = gap in D, -gap in D',   gap = 4 eta R x_max/n.

The first s coordinates exceed all others by at least `lead`, so that Peeling selects exactly these
but with probability at most s d exp(-lead/(2 xi)). The differences of the released values are
v_j - v_j' plus a difference of two Laplace variates, independent over the s/2 pairs, and the event
is "in at least k pairs the first one is larger". Greedy actions show it: a user with contexts
(e_j, e_j', ...) gets arm 1 iff the estimate of j is the larger one. (The projection on the l1 ball
keeps the order; the probability that it changes values is accounted for.)
"""

import math
from dataclasses import dataclass

from flint import arb

from dpbandits.audit.computed.balls import precision
from dpbandits.sparse.fliphat import FliphatSetting, Tuning

BITS = 128


@dataclass(frozen=True)
class Event:
    """P(event | D) is at least `low`, P(event | D') at most `high`, both proved balls."""

    at_least: int
    low: arb
    high: arb

    @precision(BITS)
    def excess(self, epsilon: float) -> arb:
        """P(E | D) - e^eps P(E | D'): above delta, (eps, delta)-DP is refuted."""
        return self.low - arb(epsilon).exp() * self.high

    @precision(BITS)
    def epsilon(self, delta: float) -> float:
        """The largest eps that this event refutes at `delta`, rounded down; 0 if none."""
        ratio = (self.low - arb(delta)) / self.high
        return math.nextafter(float(ratio.log().lower()), -math.inf) if ratio > 1 else 0.0


@precision(BITS)
def flipped_reward(setting: FliphatSetting, tuning: Tuning, n: int) -> list[Event]:
    """The events for an estimate from n > 2 rows in one step, s even, for k = 1, 2, .., s/2.
    No |x_j| exceeds x_max, so that clipping contexts there changes nothing."""
    pairs = setting.sparsity // 2
    scale = arb(tuning.xi[0])
    unit = 2 * arb(setting.step_size) * arb(tuning.R) * arb(setting.x_max) / n
    wins = 1 - gap_tail(2 * unit / scale)  # the gap is 2 unit
    slip = _slip(setting, tuning, unit, n, scale)
    return [
        Event(k, _at_least(pairs, k, wins) - slip, _at_least(pairs, k, 1 - wins) + slip)
        for k in range(1, pairs + 1)
    ]


@precision(BITS)
def strongest(events: list[Event], delta: float) -> Event:
    return max(events, key=lambda event: event.epsilon(delta))


def gap_tail(g: arb) -> arb:
    """P(w - w' > g) for standard Laplace w, w' and g >= 0."""
    return (1 + g / 2) * (-g).exp() / 2


def _at_least(n: int, k: int, p: arb) -> arb:
    """P(Binomial(n, p) >= k)."""
    return sum((math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1)), arb(0))


def _slip(setting: FliphatSetting, tuning: Tuning, unit: arb, n: int, scale: arb) -> arb:
    """Bounds the probability of another selection or of a projection that changes values."""
    lead = unit * (n - 2)
    wrong = setting.sparsity * setting.d * (-lead / (2 * scale)).exp()
    room = (arb(tuning.C) / setting.sparsity - unit * n) / scale  # per released value
    if not room > 0:
        return arb(1)
    return wrong + setting.sparsity * (-room).exp()
