"""FL's privacy claims: certified counterexamples to N-IHT's noise, and what holds instead."""

import math
from functools import cache

from flint import arb
from scipy.optimize import brentq

from dpbandits.audit.computed.balls import lower, precision
from dpbandits.core.notions import gaussian_delta
from dpbandits.core.zcdp import largest_rho
from dpbandits.reproduction.fl.certified_loss import flipped_reward, strongest
from dpbandits.reproduction.fl.mechanisms import peeling
from dpbandits.reproduction.fl.mechanisms.niht import (
    NihtParams,
    delta_of_sum,
    from_above,
    step_ratio,
)
from dpbandits.reproduction.fl.presets import PresetSetting, from_text
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.proofs import require_proof

ROUNDING = 1e-9  # of lengths below, relative
ROWS, DELTA, PROMISED = 4096, 0.01, (1.0, 2.0, 5.0, 10.0)
STEPS = (1, 2, 3, 4, 8, 13)  # the last is floor(1.6 ln N), Appendix F.1
REACHES = ((None, 5.0), (None, 10.0), (7.0, 10.0), (15.0, 1.0))  # x_max (None: F.1's), epsilon


@cache
def one_step(epsilon: float):
    """The strongest certified event for one N-IHT step with the printed B = R + x_max b_max."""
    setting = PresetSetting(preset="printed")
    clip = setting.tuning(epsilon, ROWS).R
    events = flipped_reward(setting, from_text(setting, epsilon, ROWS, 1, clip), ROWS)
    return strongest(events, DELTA)


def with_steps(x_max: float | None, epsilon: float, steps: int) -> NihtParams:
    """Printed N-IHT on ROWS records at F.1's constants, but for x_max and the number of steps."""
    setting = PresetSetting(preset="printed")
    x_max = x_max or setting.x_max
    clip = x_max * setting.b_max + setting.sigma * math.sqrt(2 * math.log(ROWS))
    sizes = {"n": ROWS, "d": setting.d, "s": setting.sparsity, "steps": steps}
    noise = {"x_max": x_max, "reward_clip": clip, "b_max": setting.b_max}
    return NihtParams(**sizes, **noise, epsilon=epsilon, delta=DELTA)


def delta_at_promise(x_max: float | None, epsilon: float, steps: int) -> float:
    """Certified lower bound on delta at the promised epsilon."""
    with precision(512):
        return max(0.0, lower(delta_of_sum(with_steps(x_max, epsilon, steps), epsilon)))


@cache
def more_steps() -> dict[tuple, float]:
    """(x_max, eps, M): certified lower bound on delta at eps of printed N-IHT with M steps."""
    return {(x, e, m): delta_at_promise(x, e, m) for x, e in REACHES for m in STEPS}


@cache
def proved_at_13_steps() -> float:
    """Certified upper bound on delta at epsilon = 3 where 1 is promised, F.1's x_max and steps."""
    params = with_steps(None, 1.0, 13)
    _, deltas = from_above(params, step_ratio(params, first=True), step_ratio(params), (3.0,))
    return float(deltas[3.0])


def _numbers() -> dict[str, float]:
    """For all rows of the claims; refused unless each promised eps is refuted."""
    for epsilon in PROMISED:
        require_proof(one_step(epsilon).excess(epsilon) > DELTA, f"violation at eps = {epsilon:g}")
    real = {e: one_step(e).epsilon(DELTA) for e in PROMISED}
    factors = {e: x / e for e, x in real.items()}
    return {
        **{f"real at {e:g}": x for e, x in real.items()},
        **{f"factor at {e:g}": factor for e, factor in factors.items()},
        "least factor": min(factors.values()),
        "most factor": max(factors.values()),
        **{f"share at {e:g}": _spent(e, e) / DELTA for e in (0.5, 1.0, 10.0)},
        **{f"x_max {x or 3.46:g}, eps {e:g}, M {m}": d for (x, e, m), d in more_steps().items()},
        "proved at 3": proved_at_13_steps(),
    }


def printed_noise(tables, shown: str) -> Finding:
    """shown: the real `epsilon` at delta, the real `delta` at the promised epsilon; or the former,
    and the delta of more `steps`."""
    what = "δ at that ε" if shown == "delta" else f"ε at δ = {DELTA}"
    named = {"what": f"certified lower bound on the real {what}"}
    named |= {"x": "promised ε", "at": PROMISED}
    if shown == "delta":
        real = [float(one_step(e).excess(e).lower()) for e in PROMISED]
        repaired, allowed = [_spent(e, e) for e in PROMISED], [DELTA] * len(PROMISED)
    else:
        real = [one_step(e).epsilon(DELTA) for e in PROMISED]
        repaired = [brentq(lambda at, e=e: _spent(e, at) - DELTA, 0, e) for e in PROMISED]
        allowed = PROMISED
    series = "Gaussian release of the repair"  # exact: the sensitivity is attained
    found = [
        points_of(real, at_most=allowed, series="as printed", **named),
        points_of(repaired, repaired=allowed, series=series, **named),
    ]
    named = {"what": "certified lower bound on δ at ε / promised δ (from 1e-3); "
             "M steps (the last is the printed M)", "x": "M", "at": STEPS}  # fmt: skip
    for x_max, epsilon in REACHES if shown == "steps" else ():
        shares = [max(more_steps()[x_max, epsilon, m] / DELTA, 1e-3) for m in STEPS]
        series = f"xₘₐₓ = {x_max or 3.46:g}, ε = {epsilon:g}"
        found.append(points_of(shares, at_most=1, series=series, **named))
    return Finding("violated", _numbers(), found)


def _spent(promised: float, at: float) -> float:
    """delta at eps = `at` of a Gaussian release that spends all of the rho of (promised, DELTA)."""
    return gaussian_delta(math.sqrt(2 * largest_rho(promised, DELTA)), at)


def many_steps(tables) -> Finding:
    """Theorem B5 at the least M that it names, F.1's sizes and the ends of epsilon."""
    steps = math.ceil(19.5 * PresetSetting().x_max ** 2)
    epsilons = (0.5, -math.log(DELTA) * (1 - ROUNDING))
    deltas = [delta_of_steps(epsilon, steps) for epsilon in epsilons]
    numbers = {"steps": steps, "most": max(deltas)}
    return Finding("holds", numbers, points_of(deltas, at_most=DELTA))


@cache
def delta_of_steps(epsilon: float, steps: int) -> float:
    """The certified delta of all printed steps, from the exact losses of their parts."""
    setting = PresetSetting(preset="printed")
    noise = (3 * setting.sparsity * arb(steps / DELTA).log()).sqrt()
    ratio = 2 * setting.x_max * epsilon / (steps * noise)  # B5.1
    return float(peeling.delta_upper(ratio, setting.sparsity, setting.d, epsilon, steps))
