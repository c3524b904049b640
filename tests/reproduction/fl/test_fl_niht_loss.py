"""N-IHT: the true sensitivity of a step, and bounds from both sides."""

import math

import numpy as np
import plain
import pytest
from flint import arb
from plain import assert_between, seeded

from dpbandits.reproduction.fl.mechanisms import niht


def params(**changes):
    keys = {"x_max": 3.0, "reward_clip": 12.0, "b_max": 3.5, "n": 4096, "d": 40, "steps": 1, "s": 1}
    return niht.NihtParams(**(keys | {"epsilon": 1.0, "delta": 0.01} | changes))


def gradient_part(x, y, theta):
    return 2 * (x @ theta - y) * x


def test_sensitivity_of_a_step_by_random_search_and_at_its_worst():
    p, generator = params(), seeded(5)
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


def test_printed_noise_is_refuted_and_corrected_noise_is_certified():
    low, _ = niht.delta_lower(params(), 1.0)
    assert low > 0.01
    audited = niht.audit_niht(params(variant="corrected"), [1.0])
    assert audited.delta_at[1.0] <= 0.01


SMALL = {"x_max": 2.0, "reward_clip": 3.0, "b_max": 1.5, "n": 5000, "d": 30, "steps": 3, "s": 2}


@pytest.mark.parametrize("variant", ["printed", "corrected"])
def test_printed_quantities_of_niht_by_hand(variant):
    """B = R + x C = 6 printed, 4 x B = 48 corrected; xi n/eta = B 2 sqrt(3 s ln(M/delta)) M/eps."""
    used = 6.0 if variant == "printed" else 48.0
    root = 2 * math.sqrt(3 * 2 * math.log(3 / 0.01)) * 3
    loss = niht.audit_niht(params(**SMALL, variant=variant), (0.7,))
    worst = loss.worst_neighbour
    assert worst["scale_times_n_over_eta"] == pytest.approx(used * root)
    assert worst["sensitivity_over_noise_parameter"] == pytest.approx(48 / used)
    assert worst["the_same_in_the_first_step"] == pytest.approx(24 / used)
    first, later = 24 / (used * root), 48 / (used * root)
    assert loss.pure_epsilon == pytest.approx(6 * (first + 2 * later), rel=1e-12)
    assert_between(loss.delta_at[0.7], plain.composed(later, 6, 6, 0.7), slack=1e-9)


@pytest.mark.parametrize("case", range(4))
def test_lower_bound_by_the_sum_of_laplace_variables(case):
    """P(W > t) of W, the sum of M s variables, by convolution; the best threshold of a grid."""
    random = seeded(5, case)
    steps, printed = int(random.integers(1, 4)), random.uniform(2, 6)
    p = params(**SMALL | {"steps": steps, "d": 2, "epsilon": printed})
    epsilon, count = 1.0, p.steps * p.s
    ratio = 24 / (6 * 2 * math.sqrt(3 * 2 * math.log(p.steps / 0.01)) * p.steps / p.epsilon)
    h = 2e-3
    x = np.arange(-30, 30 + h / 2, h)
    one = 0.5 * np.exp(-np.abs(x)) * h
    size = count * (len(one) - 1) + 1
    whole = np.fft.irfft(np.fft.rfft(one, size) ** count, size)
    place = h * (np.arange(len(whole)) - len(whole) // 2)
    tail = whole[::-1].cumsum()[::-1] - whole / 2
    shift = count * ratio
    excess = tail - math.exp(epsilon) * np.interp(place + shift, place, tail)
    ours = float(niht.delta_of_sum(p, epsilon))
    assert ours == pytest.approx(max(0.0, excess.max()), abs=2e-3)
    assert ours <= plain.composed(ratio, 0, count, epsilon)[1]


def test_calibrated_niht_by_hand():
    """Pure: 3 s (4 x R + (M - 1) 4 x (R + x C))/eps = 6 (24 + 2 x 48)/0.5 = 1440."""
    sizes = {"x_max": 2.0, "reward_clip": 3.0, "b_max": 1.5, "n": 5000, "d": 30, "steps": 3, "s": 2}
    target = niht.NihtTarget(**sizes)
    assert niht.calibrate_niht(target, 0.5).noise["scale"] == pytest.approx(1440, rel=1e-5)
    scale = niht.calibrate_niht(target, 0.5, 0.02).noise["scale"]  # 6 selections, 6 releases at 48
    assert_between(0.02, plain.composed(48 / scale, 6, 6, 0.5, 2e-4), slack=1e-6)
    assert scale < 1440
