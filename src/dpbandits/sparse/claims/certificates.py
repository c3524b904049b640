"""FL's refutations as certificates: exact parameters near those of Section 6, data sets, events.

The enclosures are computed with python-flint; certificates/check.py computes them without it.
"""

import math
from fractions import Fraction as F
from functools import partial
from types import SimpleNamespace

from flint import arb

from dpbandits.audit.balls import ball, precisely
from dpbandits.core.certificates import certificate, inequality, promise, text
from dpbandits.sparse.engine.certificates import flipped_reward
from dpbandits.sparse.presets import Tuning

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


_XI = "xi = {} * 2 * sqrt(3 * s * log(1 / delta)) / epsilon  # Algorithm 3"
_TAIL = """
def tail(x, density):  # at most P(N(0, 1) > x), density = e^(-x^2/2)
    return density / sqrt(2 * pi) / x * (1 - 1 / x**2)
"""
_PSI_0 = "psi = m * (m + 1) * (2 * m + 1) / 6  # Psi_0(T), m = floor(ln T) + 1"
BETA = tuple(F(b, 100000) for b in (74843, 63701, 63445, 69641, 71992))  # Section 6, s* = 5
TINY = F(1, 100)  # noise of the lemmas, at most: its rows may hold anything below
NUMERIC = {  # claim: what would have to hold, the step that fails, parameters, both sides
    "FL-LD.1": (
        "left <= right of (8), s = 3 coordinates kept of 3",
        "the hypothesis s <= |I| of Cai et al. 2021, Lemma A.3, was dropped",
        {"v": [1, 1, 0], "v_hat": [1, 0, 0], "inside": [0, 1], "s_hat": 1, "c": 1}
        | {"worst": 3 * TINY**2},
        """
left, size, s = 0, len(inside), len(v)  # all of v is kept
right = (1 + 1 / c) * (size - s) / (size - s_hat) * sum((x - y) ** 2 for x, y in zip(v, v_hat))
right += 4 * (1 + c) * worst
""",
    ),
    "FL-LD.2": (
        "|P_s(theta) - theta*|^2 <= a |theta - theta*|^2 + b, theta = theta*, s = 1",
        "Lemma D.1 is applied with s^ = s*, which must not exceed s",
        {"theta": [1, 1, 0], "release": TINY, "c": 1, "c1": 1, "c2": 1, "worst": TINY**2},
        """
left = sum(x * x for x in theta) - max(x * x for x in theta) + release**2  # one is kept
right = (1 + c1) * release**2 + 4 * (1 + 1 / c1) * (1 + 1 / c2) * (1 + c) * worst
""",
    ),
    "FL-P5.5": (
        "|estimate - beta*|^2 <~ 0 at sigma = 0, though the noise has scale xi > 0",
        "R^2 = (x_max b_max + sigma sqrt(2 ln N))^2 is replaced by sigma^2 in the statement",
        {**NOISE, "eta": ETA, "n": ROWS, "x_max": REACH["x_max"], "b_max": 4, "beta": BETA},
        _XI.format("eta * 2 * x_max * b_max / n") + "\nleft, right = xi, 0  # sigma = 0",
    ),
    "FL-T4.1c": (
        "both sides of step (c) are equal (here: their squares)",
        "the coordinates of theta^m outside of I_m are dropped, but the Hessian moves those inside",
        {"h11": 1, "h12": F(1, 2), "h22": 1, "eta": F(1, 3), "target": 1, "m1": 0, "m2": 2},
        """
left = (m1 - eta * (h11 * (m1 - target) + h12 * m2) - target) ** 2
right = ((1 - eta * h11) * (m1 - target)) ** 2
""",
    ),
    "FL-T4.1": (
        "the squared error after M steps <= 1/n, and as much for noise and gradient: orthonormal "
        "design, kappa = 1, theta* = e_1, theta^0 = start e_1, each step halves the distance",
        "(14): |theta^0 - theta*|^2 <= 2 b_max^2, though theta^0 is any point",
        {"n": 100, "start": 2**140, "M": 129},
        "left, right = ((start - 1) / 2**129) ** 2, 2 / n",
    ),
    "FL-B1": (
        "the psi_2 norm of X = L e_1 is at most sqrt(L/ln 2)",
        "the square root covers L too: the norm is L/sqrt(ln 2)",
        {"L": 4},
        "left, right = L / sqrt(log(2)), sqrt(L / log(2))",
    ),
    "FL-A5.2c": (
        "P(<x, u>^2 <= h) <= 10^6 h for all u in the plane of two coordinates; left is at most the "
        "mean over u of P/h, for every law with x_max = 1 (docs/proofs/FL.md, H3)",
        "no step: the square and the power of h do not fit",
        {"h": F(1, 10**14)},
        "left, right = sqrt(2 * h) / (pi * h), 10**6",
    ),
    "FL-E2": (
        "P(|gradient|_inf > 2 sigma x_max sqrt(ln d/N)) <= 2 e^(-2 ln d), orthogonal columns",
        "the union over the d coordinates takes a factor d, which the bound does not have",
        {"d": 512},
        _TAIL
        + """
m = 2 * d * tail(2 * sqrt(log(d)), 1 / d**2)
left, right = m - m * m / 2, 2 / d**2
""",
    ),
    "FL-E4": (
        "P(max |noise| > sigma sqrt(2 ln N)) <= 1/N, normal noise",
        "N exp(-(sigma sqrt(2 ln N))^2/(2 sigma^2)) is N/N = 1, not 1/N",
        {"N": 4096},
        _TAIL
        + """
m = 2 * N * tail(sqrt(2 * log(N)), 1 / N)
left, right = m - m * m / 2, 1 / N
""",
    ),
    "FL-Crho": (
        "the printed bound on rho_0 is beyond the root: f <= 0 there, f falling once it crosses 0",
        "the root is bounded by an expression that is smaller than it",
        {"epsilon": F(1, 10), "delta": F(1, 100)},
        """
rho = exp(4 * log(20) / 3) * epsilon**2 / log(1 / delta)  # the printed bound on the root of f
left, right = epsilon - sqrt(rho * log(1 / delta)) - rho / 4 + 5 * sqrt(sqrt(rho)), 0
""",
    ),
    "FL-C4b": (
        "D_2 <= 2 rho_0/4 for an (epsilon, delta)-DP mechanism; rho is above rho_0",
        "approximate DP says nothing of Renyi divergences: a mechanism may fail with chance delta",
        {"epsilon": 1, "delta": F(1, 100), "q": F(1, 10**12), "rho": 12},
        """
assert epsilon + 5 * sqrt(sqrt(rho)) < sqrt(rho * log(1 / delta)) + rho / 4  # rho_0 < rho
left, right = log(1 - delta + delta * ((1 - q) ** 2 / q + q**2 / (1 - q))), rho / 2
""",
    ),
    "FL-ABS": (
        "J_0(T) of Theorem 5.6 <= 10^6 s ln d times the private term of Theorem 3.2, s = s*, any T "
        "with floor(ln T) + 1 = m",
        "the ln^3 T of Psi_0 is left out (the list of contributions has it)",
        {"s": 5, "d": 400, "m": 256},
        f"{_PSI_0}\nleft, right = 2 * sqrt(2) * s * psi * log(d) / log(d / s), 10**6 * s * log(d)",
    ),
    "FL-T5.6": (
        "sqrt(T)/12, which every policy regrets on one of two instances (Theorem H1), <= 10^6 ((s "
        "+ s*) ln d + I_0 + J_0): alpha = 0, s = s*, sigma = x_max = b_max = 1, any T with "
        "floor(ln T) + 1 = m; I_0 without its 1/sqrt(T)",
        "E.3.1 has T^((1-alpha)/2) - 1; the statement moved the -1 into the exponent",
        {"s": 1, "d": 400, "m": 64, "epsilon": 1, "delta": F(1, 100)},
        f"""
{_PSI_0}
left = exp((m - 1) / 2) / 12  # at T = e^(m - 1)
private = psi * sqrt((2 * s) ** 3 * log(1 / delta)) * log(d) / epsilon  # J_0
right = 10**6 * (2 * s * log(d) + 2 * s * sqrt(log(d)) + private)
""",
    ),
    "FL-T3.2": (
        "10^-6 times the printed private rate <= 2 T, the largest regret of a policy that ignores "
        "the data and is (0, 0)-JDP, x_max = b_max = 1",
        "the choice of r: it grows like 1/epsilon, and the class then leaves |beta*|_1 <= b_max",
        {"T": 10**4, "s": 5, "d": 400, "epsilon": F(1, 10**12), "delta": F(1, 100)},
        "left, right = sqrt(s * log(1 / delta)) * log(d / s) / epsilon / 10**6, 2 * T",
    ),
    "FL-T3.2.proof": (
        "10^-6 times the printed private rate <= T E|z'beta|, the regret of the worst policy on "
        "the proof's class, d = s 2^bits",
        "(6) takes regret = Omega(1/(r sqrt(s*)) sum E|beta_t - beta*|^2) without the factor "
        "sigma_X = 1/sqrt(ln d)",
        {"bits": 10**8, "s": 5, "epsilon": 1, "delta": F(1, 100), "sigma": F(1, 10)},
        """
L = bits * log(2)  # ln(d/s)
rho = exp(4 * log(20) / 3) * epsilon**2 / (4 * log(1 / delta))
left = sqrt(s * log(1 / delta)) * L / epsilon / 10**6
right = 2 / sqrt(pi) * sqrt(s) * sqrt(sigma**2 * L / (16 * rho))  # 1/sqrt(ln d) and r cancel
""",
    ),
}


@precisely
def _numeric(name: str) -> dict:
    theorem = name.replace(".proof", " proof")
    return inequality(theorem, *NUMERIC[name])


REFUTATIONS = {
    "FL-LA.2": lemma_a2,
    **{claim: partial(first_step, claim) for claim in ("FL-S4", "FL-T5.1", "FL-RDP")},
    **{claim: partial(_numeric, claim) for claim in NUMERIC},
}
