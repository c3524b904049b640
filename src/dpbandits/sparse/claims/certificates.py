"""FL's refutations as certificates: exact parameters near those of Section 6, data sets, events.

The enclosures are computed with python-flint; certificates/check.py computes them without it.
"""

import math
from fractions import Fraction as F
from functools import partial
from types import SimpleNamespace

from flint import arb

from dpbandits.audit.balls import ball, precisely
from dpbandits.core.certificates import certificate, enclosure, promise, text

NOISE = {"s": 10, "epsilon": 10, "delta": F(1, 100)}
REACH = {"x_max": F(173, 50), "b_max": F(343839, 100000), "R": F(123, 10)}  # about Section 6's
DIMENSION, ROWS, ETA = 400, 4096, F(1, 10000)


def _scale(sensitivity, s, epsilon, delta) -> arb:
    """xi of Algorithm 3."""
    return ball(sensitivity) * 2 * (3 * ball(s) * -ball(delta).log()).sqrt() / ball(epsilon)


@precisely
def lemma_a2() -> dict:
    """s coordinates a little above one other, all the rest far below: selected, released high."""
    s, epsilon, delta = 10, 300, F(1, 100)
    high, other, level = F(100023, 100), F(1000), F(100005, 100)
    data = [[high, s], [other, 1], [F(0), DIMENSION - s - 1]]
    moved = [[high - 1, s], [other + 1, 1], [F(0), DIMENSION - s - 1]]
    xi = _scale(1, s, epsilon, delta)
    rest = (DIMENSION - s - 1) * _gap_tail(ball(high) / xi)
    selected = (1 - _gap_tail(ball(high - other) / xi) - rest) ** s
    missed = math.factorial(s) * _gap_tail(ball(other + 2 - high) / xi) ** s
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


def _gap_tail(x: arb) -> arb:
    """P(W - W' > x) of standard Laplace variables, x >= 0."""
    return (1 + x / 2) * (-x).exp() / 2


@precisely
def first_step(claim: str) -> dict:
    """FL-S4, FL-T5.1, FL-RDP: one record's reward turns the order of five pairs of estimates."""
    from dpbandits.sparse.engine.certificates import flipped_reward
    from dpbandits.sparse.engine.presets import Plan

    s, half = NOISE["s"], NOISE["s"] // 2
    reach = REACH["R"] + REACH["x_max"] * REACH["b_max"]
    xi = _scale(ETA * reach / ROWS, **NOISE)
    sizes = {"sparsity": s, "d": DIMENSION, "step_size": ball(ETA), "x_max": ball(REACH["x_max"])}
    plan = Plan(ball(REACH["R"]), ball(REACH["b_max"]), (xi,))
    events = flipped_reward(SimpleNamespace(**sizes), plan, ROWS)
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


TINY = F(1, 100)  # noise of the lemmas: different in each coordinate, so that nothing is a tie


def _noise(rounds: int, size: int) -> tuple[list, F]:
    """The rows of W, and the sum of |w_i|_inf^2."""
    return [[TINY * (j + 1) for j in range(size)] for _ in range(rounds)], rounds * (
        size * TINY
    ) ** 2


def lemma_d1() -> dict:
    """All three coordinates are kept, so nothing is lost: 0; but (|I| - s)/(|I| - s^) = -1."""
    (noise, largest), c = _noise(3, 3), 1
    right = (1 + F(1, c)) * F(2 - 3, 2 - 1) * 1 + 4 * (1 + c) * largest
    given = {"v": [1, 1, 0], "inside": [0, 1], "v_hat": [1, 0, 0], "s_hat": 1, "s": 3, "young": c}
    return certificate(
        "FL-LD.1",
        fails="left <= right of (8)",
        step="the hypothesis s <= |I| of Cai et al. 2021, Lemma A.3, was dropped",
        given={**given, "noise": noise},
        enclosures={"left": enclosure(arb(0)), "right": enclosure(ball(right))},
    )


def lemma_d2() -> dict:
    """theta = theta* = (1, 1, 0): the second coordinate, kept alone, leaves the first one's 1."""
    (noise, largest), release = _noise(1, 3), TINY
    right = 2 * release**2 + 4 * 2 * 2 * 2 * largest
    given = {"theta": [1, 1, 0], "target": [1, 1, 0], "s": 1, "s_star": 2, "young": [1, 1, 1]}
    return certificate(
        "FL-LD.2",
        fails="|P_s(theta) - theta*|^2 <= a |theta - theta*|^2 + b",
        step="Lemma D.1 is applied with s^ = s*, which must not exceed s",
        given={**given, "noise": noise, "release": [release] * 3},
        enclosures={"left": enclosure(ball(1 + release**2)), "right": enclosure(ball(right))},
    )


@precisely
def proposition_5_5() -> dict:
    x_max, b_max = REACH["x_max"], F(4)
    beta = [F(b, 100000) for b in (74843, 63701, 63445, 69641, 71992)]
    xi = _scale(ETA * 2 * x_max * b_max / ROWS, **NOISE)
    given = {**NOISE, "eta": ETA, "n": ROWS, "x_max": x_max, "b_max": b_max, "beta": beta}
    return certificate(
        "FL-P5.5",
        fails="|estimate - beta*|^2 <~ 0 at sigma = 0, though the noise has scale xi > 0",
        step="R^2 = (x_max b_max + sigma sqrt(2 ln N))^2 is replaced by sigma^2 in the statement",
        given=given,
        enclosures={"left": enclosure(xi), "right": enclosure(arb(0))},
    )


REFUTATIONS = {
    "FL-LA.2": lemma_a2,
    "FL-LD.1": lemma_d1,
    "FL-LD.2": lemma_d2,
    "FL-P5.5": proposition_5_5,
    **{claim: partial(first_step, claim) for claim in ("FL-S4", "FL-T5.1", "FL-RDP")},
}
