"""FL's privacy claims: certified counterexamples to N-IHT's noise, and what holds instead."""

import math
from functools import cache

import numpy as np
from flint import arb
from scipy.optimize import brentq

from dpbandits.audit import peeling
from dpbandits.audit.balls import lower, precision
from dpbandits.audit.niht import NihtParams, delta_of_sum, from_above, step_ratio
from dpbandits.core.notions import gaussian_delta
from dpbandits.core.zcdp import largest_rho
from dpbandits.reproduction.fl.certified_loss import flipped_reward, strongest
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points
from dpbandits.reproduction.proofs import require_proof
from dpbandits.sparse.dp_linear import DELTA as DELTA_OF_SUMS
from dpbandits.sparse.dp_linear import WEIGHT
from dpbandits.sparse.presets import from_text, tuning_for
from dpbandits.sparse.problem import SparseSetting

ROUNDING = 1e-9  # of lengths below, relative
ROWS, DELTA, PROMISED = 4096, 0.01, (1.0, 2.0, 5.0, 10.0)
STEPS = (1, 2, 3, 4, 8, 13)  # the last is floor(1.6 ln N), Appendix F.1
REACHES = ((None, 5.0), (None, 10.0), (7.0, 10.0), (15.0, 1.0))  # x_max (None: F.1's), epsilon


@cache
def one_step(epsilon: float):
    """The strongest certified event for one N-IHT step with the printed B = R + x_max b_max."""
    setting = SparseSetting(preset="printed")
    clip = tuning_for(setting, epsilon, ROWS).R
    events = flipped_reward(setting, from_text(setting, epsilon, ROWS, 1, clip), ROWS)
    return strongest(events, DELTA)


def with_steps(x_max: float | None, epsilon: float, steps: int) -> NihtParams:
    """Printed N-IHT on ROWS records at F.1's constants, but for x_max and the number of steps."""
    setting = SparseSetting(preset="printed")
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
    numbers = {f"real at {e:g}": x for e, x in real.items()}
    factors = {e: x / e for e, x in real.items()}
    numbers |= {f"factor at {e:g}": factor for e, factor in factors.items()}
    numbers |= {"least factor": min(factors.values()), "most factor": max(factors.values())}
    numbers |= {f"share at {e:g}": _spent(e, e) / DELTA for e in (0.5, 1.0, 10.0)}
    for (x, e, m), low in more_steps().items():
        numbers[f"x_max {x or 3.46:g}, eps {e:g}, M {m}"] = low
    return numbers | {"proved at 3": proved_at_13_steps()}


def _one_step_plots(delta: bool = False, panel: str = ""):
    """The real epsilon at delta or, if `delta`, the real delta at the promised epsilon."""
    what = "δ at that ε" if delta else f"ε at δ = {DELTA}"
    look = {"axes": ("promised ε", f"certified lower bound on the real {what}"), "log": "xy"}
    look |= {"panel": panel}
    if delta:
        real = [float(one_step(e).excess(e).lower()) for e in PROMISED]
        repaired = [_spent(e, e) for e in PROMISED]
    else:
        real = [one_step(e).epsilon(DELTA) for e in PROMISED]
        repaired = [_gaussian_epsilon(e) for e in PROMISED]
    allowed = [DELTA] * len(PROMISED) if delta else PROMISED
    yield points(PROMISED, real, at_most=allowed, series="as printed", **look)
    series = "Gaussian release of the repair"  # exact: the sensitivity is attained
    yield points(PROMISED, repaired, repaired=allowed, series=series, **look)


def _step_plots():
    axes = ("M", "certified lower bound on δ at ε / promised δ (from 1e-3)")
    look = {"panel": "M steps (the last is the printed M)", "axes": axes, "log": "xy"}
    for x_max, epsilon in REACHES:
        shares = [max(more_steps()[x_max, epsilon, m] / DELTA, 1e-3) for m in STEPS]
        series = f"xₘₐₓ = {x_max or 3.46:g}, ε = {epsilon:g}"
        yield points(STEPS, shares, at_most=1, series=series, **look)


def _spent(promised: float, at: float) -> float:
    """delta at eps = `at` of a Gaussian release that spends all of the rho of (promised, DELTA)."""
    return gaussian_delta(math.sqrt(2 * largest_rho(promised, DELTA)), at)


def _gaussian_epsilon(promised: float) -> float:
    return brentq(lambda at: _spent(promised, at) - DELTA, 0, promised)


@cache
def many_steps() -> Finding:
    """Theorem B5 at the least M that it names, F.1's sizes and the ends of epsilon: the certified
    delta of all steps, from the exact losses of their parts."""
    setting = SparseSetting(preset="printed")
    steps = math.ceil(19.5 * setting.x_max**2)
    epsilons = (0.5, -math.log(DELTA) * (1 - ROUNDING))
    deltas = [float(_delta_of_steps(setting, e, steps)) for e in epsilons]
    require_proof(max(deltas) <= DELTA, "Theorem B5")
    look = {"axes": ("ε", f"δ of {steps} steps, at most"), "log": "xy"}
    numbers = {"steps": steps, "most": max(deltas)}
    return Finding("holds", numbers, points(epsilons, deltas, at_most=DELTA, **look))


def _delta_of_steps(setting: SparseSetting, epsilon: float, steps: int) -> arb:
    noise = (3 * setting.sparsity * arb(steps / DELTA).log()).sqrt()
    ratio = 2 * setting.x_max * epsilon / (steps * noise)  # B5.1
    return peeling.delta_upper(ratio, setting.sparsity, setting.d, epsilon, steps)


def niht_is_private(tables) -> dict[str, Finding]:
    plots = [*_one_step_plots(panel="one step"), *_step_plots()]
    return {"printed": Finding("violated", _numbers(), plots), "many steps": many_steps()}


def fliphat_is_jointly_private(tables) -> dict[str, Finding]:
    printed = Finding("violated", _numbers(), list(_one_step_plots()))
    forgetful = Finding(points=_forgetful_points())
    ours = {"ours: dp-linear": dp_linear_release()}
    return {"printed": printed, "many steps": many_steps(), "reduction": forgetful} | ours


def dp_linear_release() -> Finding:
    """K1.2: the squared change of a batch's sums, over the angle of two unit features whose rewards
    are as far apart as they can be; and delta at eps of a release with noise for its square root.
    """
    c, y, w = np.linspace(-0.5, 1, 151), 0.5, WEIGHT
    gram, moment = 2 - 2 * c**2, w**2 * (2 * y**2 + 2 * y**2 * c)
    same, other = np.sqrt(gram + moment), math.sqrt(2 + 2 * w**2 * y**2)
    require_proof(np.all(same <= DELTA_OF_SUMS * (1 + ROUNDING)), "Theorem K1, one arm")
    require_proof(other <= DELTA_OF_SUMS, "Theorem K1, two arms")
    require_proof(all(_spent(e, e) <= DELTA for e in PROMISED), "Theorem K1, (eps, delta)")
    at_most = DELTA_OF_SUMS * (1 + ROUNDING)
    axes = ("product of the two features", "what a record moves in a batch's sums")
    return Finding("holds", {"most": same.max()}, points(c, same, at_most=at_most, axes=axes))


def fliphat_is_reward_private(tables) -> dict[str, Finding]:
    printed = Finding("violated", _numbers(), list(_one_step_plots(delta=True)))
    return {"printed": printed, "many steps": many_steps()}


def _forgetful_points():
    """Randomised response in the first of two episodes: delta of the actions at eps, exactly."""
    epsilons = (0.1, 0.5, 1.0, 2.0)
    deltas = []
    for epsilon in epsilons:
        truth = math.exp(epsilon) / (1 + math.exp(epsilon)) + 0.01 / (1 + math.exp(epsilon))
        deltas.append(truth - math.exp(epsilon) * (1 - truth))
    axes = ("ε", "δ of the later actions / δ of the estimate")
    return points(epsilons, [d / 0.01 for d in deltas], at_most=1 + 1e-9, axes=axes)
