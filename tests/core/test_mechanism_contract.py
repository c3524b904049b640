"""The contract of every registered mechanism and calibrator.

Each must give small examples of its keys where it registers.
"""

import math

import numpy as np
import pytest

from dpbandits.audit.sampled.blackbox import lower_bound
from dpbandits.core.mechanisms import CALIBRATORS, MECHANISMS, TableText
from dpbandits.core.models import parse

ROUNDING = 1e-9
EXAMPLES = [(n, i) for n, m in MECHANISMS.all().items() for i in range(max(1, len(m.examples)))]
TARGETS = [(n, i) for n, m in CALIBRATORS.all().items() for i in range(max(1, len(m.examples)))]


def params_of(entry, index, folder):
    assert entry.examples, f"{entry.name} ({entry.module}): give it `examples` where it registers"
    keys = dict(entry.examples[index])
    for key, value in keys.items():
        if isinstance(value, TableText):
            path = folder / f"{key}.csv"
            path.write_text(value)
            keys[key] = str(path)
    return parse(entry.params, keys, f"audit {entry.name}")


@pytest.fixture(params=EXAMPLES, ids=lambda x: f"{x[0]}-{x[1]}")
def example(request, tmp_path):
    entry = MECHANISMS.all()[request.param[0]]
    return entry, params_of(entry, request.param[1], tmp_path)


def test_delta_falls_and_is_convex_in_e_to_the_eps(example):
    """delta is a supremum over events of P - e^eps P', so both hold for any mechanism (upper
    bounds with a stated gap fall, but need not be convex)."""
    entry, params = example
    loss = entry.compute(params, (0.0,))
    top = loss.pure_epsilon
    top = 3.0 if math.isinf(top) else top
    grid = [i * top / 8 for i in range(9)]
    delta = np.array([entry.compute(params, grid).delta_at[e] for e in grid])
    assert np.all((delta >= 0) & (delta <= 1))
    assert np.all(np.diff(delta) <= ROUNDING)
    if "gap" in loss.worst_neighbour:
        return
    slopes = np.diff(delta) / np.diff(np.exp(grid))
    assert np.all(np.diff(slopes) >= -ROUNDING * (1 + np.abs(slopes[1:])))


def test_delta_at_the_ends(example):
    """At eps = 0 the total variation, which the pure loss limits; at and beyond that loss, 0."""
    entry, params = example
    loss = entry.compute(params, ())
    assert loss.delta_at == {}
    pure = loss.pure_epsilon
    assert pure >= 0
    found = entry.compute(params, (0.0, math.inf)).delta_at
    assert found[math.inf] == 0.0
    if pure > 0:
        assert found[0.0] > 0
    if math.isfinite(pure):
        assert entry.compute(params, (pure * (1 + 1e-12), pure + 1)).delta_at[pure + 1] == 0.0


def test_pure_loss_bounds_every_delta(example):
    """(e^pure - e^eps)/(1 + e^pure) is the delta of randomized response: no mechanism has more."""
    entry, params = example
    loss = entry.compute(params, (0.0,))
    if loss.method == "bound" or math.isinf(loss.pure_epsilon):
        return
    pure = loss.pure_epsilon
    for e in (0.0, pure / 3, 0.9 * pure):
        allowed = (math.exp(pure) - math.exp(e)) / (1 + math.exp(pure))
        assert entry.compute(params, (e,)).delta_at[e] <= allowed + ROUNDING


@pytest.mark.parametrize("name", [n for n, m in MECHANISMS.all().items() if m.sample])
def test_audit_and_black_box_agree(name, tmp_path):
    """What samples show, at confidence 1 - 1e-6 each, is never more than the audit says (so a false
    alarm has probability below 1e-5 in all), and in some example at least half of it."""
    entry, shares = MECHANISMS.all()[name], []
    for index in range(len(entry.examples)):
        params = params_of(entry, index, tmp_path)
        generator = np.random.Generator(np.random.Philox(index))
        samples = [entry.sample(params, which, 200_000, generator) for which in (0, 1)]
        found, loss = lower_bound(*samples), entry.compute(params, (0.2,))
        assert found.epsilon <= loss.pure_epsilon
        assert lower_bound(*samples, delta=loss.delta_at[0.2]).epsilon <= 0.2
        if math.isfinite(loss.pure_epsilon):  # no share of an infinite loss can be found
            shares.append(found.epsilon / loss.pure_epsilon)
    assert not shares or max(shares) > 0.5


@pytest.mark.parametrize(("name", "index"), TARGETS)
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.0), (0.7, 0.01)])
def test_audit_of_the_calibrated_noise_meets_the_target(name, index, epsilon, delta, tmp_path):
    """Nor more noise than needed: with 1% less, the target is missed."""
    entry = CALIBRATORS.all()[name]
    target = params_of(entry, index, tmp_path)
    found = entry.compute(target, epsilon, delta)
    assert found.audited_epsilon <= epsilon * (1 + ROUNDING)
    assert found.audited_epsilon >= 0.98 * epsilon or found.audited.method == "bound"
    mechanism = MECHANISMS.all()[name]
    keys = target.model_dump(by_alias=True, exclude_none=True) | found.noise
    if not set(keys) <= set(names_of(mechanism.params)):
        return  # audited in other keys: the mechanism's own tests compare the two
    again = mechanism.compute(parse(mechanism.params, keys, name), (epsilon,))
    assert again.delta_at[epsilon] <= delta * (1 + 1e-6) or again.pure_epsilon <= epsilon
    if delta == 0:
        assert again.pure_epsilon <= epsilon * (1 + ROUNDING)


def names_of(model) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]
