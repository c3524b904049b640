"""The exact delta of Gaussian noise (core/gaussian.py; docs/proofs/FL.md, Lemmas A5 and A6)."""

import math
from itertools import product

import numpy as np
import pytest
from flint import arb, ctx

from dpbandits.core import gaussian, zcdp
from dpbandits.core.gaussian import SMOOTH, delta_of, epsilon_of, largest_rho

EPSILONS = [1e-6, 1e-3, 0.1, 1.0, 10.0, 1e4]


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_delta_is_that_of_interval_arithmetic_rounded_up(epsilon):
    """By the formula with two tails; x and y on both sides of where the series ends."""
    old, ctx.prec = ctx.prec, 800
    try:
        for x, power in product([-9.0, -1.0, 0.0, 1.0, 4.9, 5.0, 5.1, 12.0, 37.0], range(-9, 3)):
            step = epsilon * 10.0**power  # mu, at this x or another
            for mu in (step, math.sqrt(x * x + 2 * epsilon) - x):
                rho = mu * mu / 2
                if not 0 < epsilon / mu < 200 or abs(epsilon / mu - mu / 2) > 38:
                    continue
                exact = (2 * arb(rho)).sqrt()
                below, above = (
                    (arb(epsilon) / exact + sign * exact / 2) / arb(2).sqrt() for sign in (-1, 1)
                )
                true = (below.erfc() - arb(epsilon).exp() * above.erfc()) / 2
                found = delta_of(rho, epsilon)
                assert arb(found) >= true
                assert arb(found) <= true * (1 + arb(2) ** -51) or found < 1e-300
    finally:
        ctx.prec = old


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", [1e-300, 1e-9, 1e-2])
def test_the_largest_rho_keeps_the_promise_and_cannot_grow(epsilon, delta):
    rho = largest_rho(epsilon, delta)
    assert zcdp.largest_rho(epsilon, delta) < rho
    assert delta_of(rho, epsilon) <= delta < delta_of(rho * (1 + 1e-11), epsilon)
    if largest_rho(epsilon / 1e6, delta) < rho / 9:
        each = epsilon_of(rho / 9, delta)  # of a person in three rounds
        assert rho / 9 * (1 - 1e-9) < largest_rho(each, delta) <= rho / 9
        assert each <= epsilon / 3  # that loss grows at least in proportion: part L
    assert largest_rho(math.inf, delta) == math.inf


def test_shifts_that_the_past_decides_lose_no_more():
    """A second shift of 0.8 after a positive number, none else: by sums over a fine grid."""
    grid = np.linspace(-9, 9, 1_801)
    mass = np.exp(-(grid**2) / 2)
    mass /= mass.sum()
    for first, epsilon in product((0.6, 0.3), (0.1, 0.5, 1.0, 2.0)):
        later = np.where(grid > 0, math.sqrt(1 - first**2), 0)[:, None]
        ratio = (first**2 + later**2) / 2 - first * grid[:, None] - later * grid
        delta = mass @ np.maximum(-np.expm1(epsilon - ratio), 0) @ mass
        assert 0.01 * delta_of(0.5, epsilon) < delta <= delta_of(0.5, epsilon) * (1 + 1e-4)


@pytest.mark.parametrize("scale", [9.0, 20.0, 100.0])
@pytest.mark.parametrize("shift", [(1, 0), (5, 0), (3, 4)])
def test_discrete_noise_loses_no_more_than_normal_noise_of_a_variance_less_64(scale, shift):
    """Two whole numbers, by sums over the plane; 0.75 of the bound is reached with large ones."""
    reach = np.arange(-round(9 * scale), round(9 * scale) + 1)
    mass = np.exp(-(reach**2) / (2 * scale**2))
    mass /= mass.sum()
    ratio = (shift[0] ** 2 + shift[1] ** 2) / 2 - np.add.outer(shift[0] * reach, shift[1] * reach)
    ratio = ratio / scale**2
    for epsilon in (0.01, 0.05):
        delta = mass @ np.maximum(-np.expm1(epsilon - ratio), 0) @ mass
        rho = math.hypot(*shift) ** 2 / 2 / (scale**2 - SMOOTH**2)
        assert delta <= delta_of(rho, epsilon) * (1 + 1e-9) + 1e-15
        if scale == 100:
            assert delta >= 0.75 * delta_of(rho, epsilon) - 1e-15


def test_the_scale_leaves_room_for_the_grid():
    rho, grid = largest_rho(1.0, 1e-6), 2.0**-16
    scale = gaussian.scale_for(1.3, rho, grid)
    assert 1.3**2 / (scale**2 - (SMOOTH * grid) ** 2) <= 2 * rho * (1 + 1e-12)
    assert gaussian.scale_for(1.3, math.inf, grid) == 0
