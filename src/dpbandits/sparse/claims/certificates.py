"""FL's refutations as certificates: exact parameters near those of Section 6, data sets, events.

The enclosures are computed with python-flint; certificates/check.py computes them without it.
"""

import math
from fractions import Fraction as F
from functools import partial
from types import SimpleNamespace

from flint import arb

from dpbandits.audit.balls import ball, precisely
from dpbandits.core.certificates import certificate, numeric, promise, text

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


TINY = F(1, 100)  # noise of the lemmas, at most: its rows may hold anything below


def _normal_tail(x: arb, density: arb) -> arb:
    """At most P(N(0, 1) > x), e^(-x^2/2) = density."""
    return density / (2 * arb.pi()).sqrt() / x * (1 - 1 / x**2)


def _union(m: arb) -> arb:
    """At most the probability of one of independent events of small equal chances, m their sum."""
    return m * (1 - m / 2)


def _crho(g) -> tuple:
    rho = (4 * arb(20).log() / 3).exp() * g.epsilon**2 / -g.delta.log()
    root = rho.sqrt()
    return g.epsilon - (rho * -g.delta.log()).sqrt() - rho / 4 + 5 * root.sqrt(), 0


NUMERIC = {
    "FL-LD.1": (
        "left <= right of (8), s = 3 coordinates kept of 3",
        "the hypothesis s <= |I| of Cai et al. 2021, Lemma A.3, was dropped",
        {"v": [1, 1, 0], "v_hat": [1, 0, 0], "inside": [0, 1], "s_hat": 1, "c": 1}
        | {"worst": 3 * TINY**2},
        lambda g: (0, (1 + 1 / g.c) * -1 / (2 - g.s_hat) * 1 + 4 * (1 + g.c) * g.worst),
    ),
    "FL-LD.2": (
        "|P_s(theta) - theta*|^2 <= a |theta - theta*|^2 + b, theta = theta*, s = 1",
        "Lemma D.1 is applied with s^ = s*, which must not exceed s",
        {"theta": [1, 1, 0], "release": TINY, "c": 1, "c1": 1, "c2": 1, "worst": TINY**2},
        lambda g: (1 + g.release**2, (1 + g.c1) * g.release**2 + 4 * 2 * 2 * (1 + g.c) * g.worst),
    ),
    "FL-P5.5": (
        "|estimate - beta*|^2 <~ 0 at sigma = 0, though the noise has scale xi > 0",
        "R^2 = (x_max b_max + sigma sqrt(2 ln N))^2 is replaced by sigma^2 in the statement",
        {**NOISE, "eta": ETA, "n": ROWS, "x_max": REACH["x_max"], "b_max": 4}
        | {"beta": [F(b, 100000) for b in (74843, 63701, 63445, 69641, 71992)]},
        lambda g: (_scale(ETA * 2 * REACH["x_max"] * 4 / ROWS, **NOISE), 0),
    ),
    "FL-T4.1c": (
        "both sides of step (c) are equal (here: their squares)",
        "the coordinates of theta^m outside of I_m are dropped, but the Hessian moves those inside",
        {"h11": 1, "h12": F(1, 2), "h22": 1, "eta": F(1, 3), "target": 1, "m1": 0, "m2": 2},
        lambda g: (
            (g.m1 - g.eta * (g.h11 * (g.m1 - g.target) + g.h12 * g.m2) - g.target) ** 2,
            ((1 - g.eta * g.h11) * (g.m1 - g.target)) ** 2,
        ),
    ),
    "FL-B1": (
        "the psi_2 norm of X = L e_1 is at most sqrt(L/ln 2)",
        "the square root covers L too: the norm is L/sqrt(ln 2)",
        {"L": 4},
        lambda g: (g.L / arb(2).log().sqrt(), (g.L / arb(2).log()).sqrt()),
    ),
    "FL-E2": (
        "P(|gradient|_inf > 2 sigma x_max sqrt(ln d/N)) <= 2 e^(-2 ln d), orthogonal columns",
        "the union over the d coordinates takes a factor d, which the bound does not have",
        {"d": 512},
        lambda g: (_union(2 * g.d * _normal_tail(2 * g.d.log().sqrt(), 1 / g.d**2)), 2 / g.d**2),
    ),
    "FL-E4": (
        "P(max |noise| > sigma sqrt(2 ln N)) <= 1/N, normal noise",
        "N exp(-(sigma sqrt(2 ln N))^2/(2 sigma^2)) is N/N = 1, not 1/N",
        {"N": 4096},
        lambda g: (_union(2 * g.N * _normal_tail((2 * g.N.log()).sqrt(), 1 / g.N)), 1 / g.N),
    ),
    "FL-Crho": (
        "the printed bound on rho_0 is beyond the root: f <= 0 there, f falling once it crosses 0",
        "the root is bounded by an expression that is smaller than it",
        {"epsilon": F(1, 10), "delta": F(1, 100)},
        _crho,
    ),
    "FL-C4b": (
        "D_2 <= 2 rho_0/4 for an (epsilon, delta)-DP mechanism; rho is above rho_0",
        "approximate DP says nothing of Renyi divergences: a mechanism may fail with chance delta",
        {"epsilon": 1, "delta": F(1, 100), "q": F(1, 10**12), "rho": 12},
        lambda g: (
            (1 - g.delta + g.delta * ((1 - g.q) ** 2 / g.q + g.q**2 / (1 - g.q))).log(),
            g.rho / 2,
        ),
    ),
}


@precisely
def _numeric(claim: str) -> dict:
    fails, step, given, sides = NUMERIC[claim]
    return numeric(claim, fails, step, given, sides)


REFUTATIONS = {
    "FL-LA.2": lemma_a2,
    **{claim: partial(first_step, claim) for claim in ("FL-S4", "FL-T5.1", "FL-RDP")},
    **{claim: partial(_numeric, claim) for claim in NUMERIC},
}
