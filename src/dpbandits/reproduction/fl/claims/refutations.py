"""FL's refutations as certificates: exact parameters near those of Section 6, data sets, events.

The enclosures are computed with python-flint; certificates/check.py computes them without it.
"""

import math
from fractions import Fraction as F
from functools import partial
from types import SimpleNamespace

from flint import arb

from dpbandits.audit.computed.balls import ball
from dpbandits.reproduction.fl.certified_loss import flipped_reward, gap_tail
from dpbandits.reproduction.ledger.certificates import certificate, promise, text
from dpbandits.reproduction.proofs import at_certificate_precision
from dpbandits.sparse.fliphat import Tuning

NOISE = {"s": 10, "epsilon": 10, "delta": F(1, 100)}
REACH = {"x_max": F(173, 50), "b_max": F(343839, 100000), "R": F(123, 10)}  # about Section 6's
DIMENSION, ROWS, ETA = 400, 4096, F(1, 10000)


def _scale(sensitivity, s, epsilon, delta) -> arb:
    """xi of Algorithm 3."""
    return ball(sensitivity) * 2 * (3 * ball(s) * -ball(delta).log()).sqrt() / ball(epsilon)


@at_certificate_precision
def lemma_a2() -> dict:
    """s coordinates a little above one other, all the rest far below: selected, released high."""
    s, epsilon, delta = 10, 300, F(1, 100)
    high, other, level = F(100023, 100), F(1000), F(100005, 100)
    data = [[high, s], [other, 1], [F(0), DIMENSION - s - 1]]
    moved = [[high - 1, s], [other + 1, 1], [F(0), DIMENSION - s - 1]]
    xi = _scale(1, s, epsilon, delta)
    rest = (DIMENSION - s - 1) * gap_tail(ball(high) / xi)
    selected = (1 - gap_tail(ball(high - other) / xi) - rest) ** s
    missed = math.factorial(s) * gap_tail(ball(other + 2 - high) / xi) ** s
    kept = (1 - (ball(level - high) / xi).exp() / 2) ** s
    lost = ((ball(high - 1 - level) / xi).exp() / 2) ** s
    return certificate(
        "FL-LA.2",
        fails="P(E; v) <= e^epsilon P(E; v') + delta, E: the first s coordinates are selected and "
        "released at the level or above",
        step="advanced composition is used beyond the epsilon for which its second-order term is "
        "small",
        given={"s": s, "epsilon": epsilon, "delta": delta, "sensitivity": 1},
        data=[[text(x), n] for x, n in data],
        neighbour=[[text(x), n] for x, n in moved],
        event=text(level),
        enclosures=promise(selected * kept, missed * lost, ball(epsilon), ball(delta)),
    )


@at_certificate_precision
def first_step(claim: str) -> dict:
    """FL-S4, FL-T5.1, FL-RDP: one record's reward turns the order of five pairs of estimates."""
    s, half = NOISE["s"], NOISE["s"] // 2
    reach = REACH["R"] + REACH["x_max"] * REACH["b_max"]
    xi = _scale(ETA * reach / ROWS, **NOISE)
    sizes = {"sparsity": s, "d": DIMENSION, "step_size": ball(ETA), "x_max": ball(REACH["x_max"])}
    tuning = Tuning(ball(REACH["R"]), ball(REACH["b_max"]), (xi,))
    events = flipped_reward(SimpleNamespace(**sizes), tuning, ROWS)
    delta, growth = ball(NOISE["delta"]), ball(NOISE["epsilon"]).exp()
    event = max(events, key=lambda e: float((e.low - growth * e.high).mid()))
    x, zeros = text(REACH["x_max"]), ["0", DIMENSION - s]
    crowd = [[[x, s], zeros], text(REACH["R"]), ROWS - 1]
    turned = [[x, half], ["-" + x, half], zeros]
    return certificate(
        claim,
        fails="P(E; D) <= e^epsilon P(E; D') + delta, E: at least so many of the pairs of "
        "estimates (shown by as many actions) are in this order",
        step="the gradient 2 (x'theta - y) x of a replaced record moves by 4 x_max (R + C x_max), "
        "and B drops the factor 4 x_max",
        given={**NOISE, **REACH, "eta": ETA},
        data=[crowd, [turned, text(REACH["R"]), 1]],
        neighbour=[crowd, [turned, text(-REACH["R"]), 1]],
        event=[event.at_least, [[j, j + half] for j in range(half)]],
        enclosures=promise(event.low, event.high, ball(NOISE["epsilon"]), delta),
    )


REFUTATIONS = {
    "FL-LA.2": lemma_a2,
    **{claim: partial(first_step, claim) for claim in ("FL-S4", "FL-T5.1", "FL-RDP")},
}

EXPLAINED = {  # beginning of a claim's id -> what a row of its data says, and what its event is
    "FL-LA.2": (
        "[value, number of coordinates with that value]",
        "the first s coordinates are selected, all released above this value",
    ),
    "FL": (
        "[context as [value, number of coordinates], reward, number of such users]",
        "[k, pairs]: at least k of these pairs of estimates are in this order",
    ),
}
