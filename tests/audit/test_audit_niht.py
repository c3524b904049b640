"""N-IHT: the true sensitivity of a step, and bounds from both sides."""

import numpy as np
import pytest
from flint import arb

from dpbandits.audit import laplace, niht, peeling
from dpbandits.audit.balls import lower, upper
from dpbandits.core.errors import InputError
from dpbandits.core.models import parse

KEYS = {"x_max": 3.0, "reward_clip": 12.0, "b_max": 3.5, "n": 4096, "d": 40, "steps": 1, "s": 1}
GUARANTEE = {"epsilon": 1.0, "delta": 0.01}


def params(**changes):
    return niht.NihtParams(**(KEYS | GUARANTEE | changes))


def gradient_part(x, y, theta):
    return 2 * (x @ theta - y) * x


def test_sensitivity_of_a_step_by_random_search_and_at_its_worst():
    p, generator = params(), np.random.Generator(np.random.Philox(5))
    d, bound, first = 6, float(niht.true_b(p)), float(niht.true_b(p, first=True))
    worst = worst_first = 0.0
    for _ in range(4000):
        theta = generator.dirichlet(np.ones(d)) * p.b_max * generator.choice([-1, 1], size=d)
        x, z = generator.choice([-1, 1], size=(2, d)) * p.x_max
        y, w = generator.choice([-1, 1], size=2) * p.reward_clip
        moved = gradient_part(x, y, theta) - gradient_part(z, w, theta)
        worst = max(worst, np.abs(moved).max())
        zero = np.zeros(d)
        moved = gradient_part(x, y, zero) - gradient_part(z, w, zero)
        worst_first = max(worst_first, np.abs(moved).max())
    assert worst <= bound * (1 + 1e-12)
    assert worst_first == pytest.approx(first)
    corner, ones = p.b_max * np.eye(d)[0], p.x_max * np.ones(d)
    flipped = ones * np.r_[-1, np.ones(d - 1)]
    up = gradient_part(ones, -p.reward_clip, corner)
    down = gradient_part(flipped, p.reward_clip, corner)
    assert np.abs(up - down)[1:] == pytest.approx(bound)
    assert bound == pytest.approx(4 * p.x_max * float(niht.printed_b(p)))


def test_tail_of_a_sum_of_laplaces():
    assert float(niht.sum_tail(1, arb(2))) == pytest.approx(np.exp(-2) / 2, rel=1e-12)
    assert float(niht.sum_tail(2, arb(0))) == pytest.approx(0.5, rel=1e-12)
    assert float(niht.sum_tail(2, arb(1.5))) == pytest.approx(np.exp(-1.5) * 3.5 / 4, rel=1e-12)
    # 2e5 draws of a sum of 7, 5 standard errors, fixed seed (3 shares: flake rate 2e-6)
    draws = np.random.Generator(np.random.Philox(9)).laplace(size=(200_000, 7)).sum(axis=1)
    for t in (-1.0, 0.5, 4.0):
        p = float(niht.sum_tail(7, arb(t)))
        assert abs(np.mean(draws > t) - p) < 5 * np.sqrt(p * (1 - p) / len(draws))


def test_sum_test_is_below_the_exact_composition():
    """The sum is post-processing of the releases: its delta cannot exceed theirs."""
    p = params(steps=4, d=1, n=10**9)
    ratio = niht.step_ratio(p, first=True)
    for epsilon in (0.0, 0.1):
        low = niht.delta_of_sum(p, epsilon)
        assert lower(low) <= upper(laplace.composed_delta(ratio, 4, epsilon))
        assert low > 0


@pytest.mark.parametrize("steps", [1, 6])
def test_bounds_nest(steps):
    for variant in ("printed", "corrected"):
        p = params(steps=steps, s=3, variant=variant)
        for epsilon in (0.0, 0.5, 1.0):
            low, _ = niht.delta_lower(p, epsilon)
            assert lower(low) <= upper(niht.delta_upper(p, epsilon))


def test_printed_noise_is_refuted_and_corrected_noise_is_certified():
    low, _ = niht.delta_lower(params(), 1.0)
    assert low > 0.01
    audited = niht.audit_niht(params(variant="corrected"), [1.0])
    assert audited.delta_at[1.0] <= 0.01


def test_renyi_bound_is_sound():
    for epsilon in (0.5, 1.5):
        exact = peeling.composed_upper(arb(0.1), 20, 20, epsilon)
        renyi = peeling.renyi_upper(arb(0.1), 20, 20, epsilon)
        assert upper(exact) <= lower(renyi) <= 12 * upper(exact) + 1e-9


def test_wrong_keys():
    with pytest.raises(InputError):
        niht.audit_niht(params(s=50), [])
    with pytest.raises(InputError, match="variant"):
        parse(niht.NihtParams, KEYS | GUARANTEE | {"variant": "fixed"}, "audit")


def test_vanishing_noise_is_told_at_once():
    """A ratio of 1e12 would ask for 1e13 bits."""
    huge = niht.NihtParams(
        **(KEYS | GUARANTEE | {"x_max": 1e12, "reward_clip": 1e12, "b_max": 1e12, "steps": 2})
    )
    assert niht.audit_niht(huge, [1.0]).delta_at[1.0] == 1.0


def test_the_other_records_must_be_able_to_make_the_gap():
    """Of n - 1 others each moves a coordinate by half of what one replacement does: (n - 1) r/2
    must exceed gap + r, else the sum's test is what remains."""
    keys = {"epsilon": 6.0, "d": 4, "s": 2}
    ratio = niht.step_ratio(params(**keys), first=True)
    low, gap = peeling.delta_lower(ratio, 2, 4, 0.5)
    edge = int(2 * (gap / float(ratio) + 1) + 1)  # the largest n that is too few
    few, enough = (niht.delta_lower(params(**keys, n=n), 0.5) for n in (edge, edge + 1))
    assert "sum" in few[1]
    assert "lose and are selected" in enough[1]
    assert float(enough[0]) == pytest.approx(float(low))
    assert low > few[0]
