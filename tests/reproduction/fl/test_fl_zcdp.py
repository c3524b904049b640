"""FLIPHAT and dp-signs: against plain references, and privacy on what is executed."""

import math

import designed
import numpy as np
import pytest
from scipy.stats import chisquare

from dpbandits.core.algorithms import run
from dpbandits.core.mechanisms import CALIBRATORS, MECHANISMS
from dpbandits.core.notions import gaussian_delta
from dpbandits.core.port import SimulatedNoise
from dpbandits.core.zcdp import delta_of, largest_rho
from dpbandits.reproduction.fl.algorithms.fliphat_presets import Preset
from dpbandits.reproduction.fl.presets import PresetSetting
from dpbandits.sparse import dp_signs, fliphat
from dpbandits.sparse.fliphat import FliphatSetting
from dpbandits.sparse.mechanisms.fliphat import setting_of
from dpbandits.sparse.problem import SparseSetting


def rng(seed):
    return np.random.Generator(np.random.Philox(key=seed))


# Tools, docs/proofs/FL.md, part A


def renyi(p, q, order):
    return math.log(np.sum(q * (p / q) ** order)) / (order - 1)


def test_a1_2_the_constant_of_the_conversion():
    x = np.linspace(0, 60, 400_001)
    for order in (1.01, 1.5, 2.0, 7.0, 100.0):
        grid = np.max(-np.expm1(-x) * np.exp(-(order - 1) * x))
        constant = (1 - 1 / order) ** order / (order - 1)
        assert 0.999 * constant < grid <= constant * (1 + 1e-12)


def test_a1_attacked_by_random_laws():
    """10^5 pairs of laws with the divergence that they really have at a random order."""
    random, worst = np.random.default_rng((1,)), 0.0
    for _ in range(25_000):
        size = int(random.integers(2, 6))
        p, q = random.dirichlet(np.full(size, 0.4), 2) + 1e-9
        p, q = p / p.sum(), q / q.sum()
        order = 1 + math.exp(random.uniform(-2, 3))
        divergence = renyi(p, q, order)
        for epsilon in random.uniform(0, 3, 4):
            log = (order - 1) * (divergence - epsilon) + order * math.log(1 - 1 / order)
            bound = math.exp(log) / (order - 1)
            worst = max(worst, np.maximum(p - math.exp(epsilon) * q, 0).sum() / bound)
    assert 0.95 < worst <= 1 + 1e-9


def test_a2_attacked_and_attained():
    """Exponential mechanisms with scores that move by at most Delta: 10^5 of them."""
    random, worst = np.random.default_rng((2,)), 0.0
    for _ in range(25_000):
        size, delta = int(random.integers(2, 12)), math.exp(random.uniform(-4, 1.5))
        score = random.uniform(-2, 2, size)
        moved = score + delta * random.choice([-1.0, 1.0, random.uniform(-1, 1)], size)
        p, q = (np.exp(x - x.max()) / np.exp(x - x.max()).sum() for x in (score, moved))
        for order in 1 + np.exp(random.uniform(-3, 4, 4)):
            worst = max(worst, renyi(p, q, order) / (order * delta**2 / 2))
    assert 0.9 < worst <= 1 + 1e-9
    for delta in (0.1, 0.01):  # A2.5
        p = np.array([1.0, math.exp(-delta)])
        p /= p.sum()
        assert renyi(p, p[::-1], 1.5) / (1.5 * delta**2 / 2) > 1 - delta


# Conversion


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 1.0, 5.0, 40.0])
@pytest.mark.parametrize("delta", [0.3, 0.01, 1e-8])
def test_the_largest_rho_is_proved_and_cannot_grow(epsilon, delta):
    assert largest_rho(math.inf, delta) == math.inf
    rho = largest_rho(epsilon, delta)
    assert delta_of(rho, epsilon) <= delta
    orders = 1 + np.exp(np.linspace(-12, 25, 100_001))
    above = orders - 1
    with np.errstate(over="ignore"):
        log = above * (orders * rho - epsilon) - above * np.log1p(1 / above) - np.log(orders)
    assert abs(log.min() - math.log(delta)) < 1e-5  # no order of a fine grid gives less
    assert not delta_of(rho * (1 + 1e-9), epsilon) <= delta


def test_a_gaussian_of_that_rho_keeps_the_promise():
    """Its exact delta (Balle and Wang 2018) is below what the conversion grants, by little."""
    for epsilon in (0.5, 1.0, 5.0):
        rho = largest_rho(epsilon, 0.01)
        exact = gaussian_delta(math.sqrt(2 * rho), epsilon)
        assert 0.002 < exact <= delta_of(rho, epsilon) <= 0.01


def test_the_preset_zcdp_is_the_fliphat_of_the_library():
    """The same estimates from the same rows and noise."""
    keys, world = {"d": 8, "sparsity": 3, "steps_factor": 0.6, "step_size": 0.3}, rng(7)
    one, two = (
        cls(setting(**keys), 50.0, SimulatedNoise(rng(5)), rng(6))
        for cls, setting in ((fliphat.Fliphat, FliphatSetting), (Preset, PresetSetting))
    )
    for _ in range(200):
        x = 3 * world.standard_normal((3, 8))
        arm = one.act(x)
        assert two.act(x) == arm
        for each in (one, two):
            each.update(arm, float(x[arm, 0]), x)
    assert np.count_nonzero(one.theta) == 3
    np.testing.assert_array_equal(one.theta, two.theta)


# Privacy, on what is executed


def neighbours(random, n, s, clip):
    """Two data sets that differ in their first record, most of them at the corners."""
    x = random.choice([-1.0, 1.0], (n, s.d)) * s.x_max
    y = random.choice([-1.0, 1.0], n) * clip * 10 ** random.uniform(-0.3, 0.3)
    x2, y2 = x.copy(), y.copy()
    x2[0], y2[0] = random.choice([-1.0, 1.0], s.d) * s.x_max, -y[0]
    return (x, y), (x2, y2)


def test_zcdp_spends_rho_on_the_executed_steps(monkeypatch):
    """Steps of neighbouring data move by as much as the noise was set for, and never by more."""
    s = FliphatSetting(d=8, sparsity=3, clip=1.5, steps_factor=0.6, step_size=0.3)
    n, epsilon, random, worst, seen = 60, 2.0, rng(4), 0.0, []
    tuning, rho = s.tuning(epsilon, n), largest_rho(epsilon, s.delta)
    given = [np.eye(8)[k] * s.b_max for k in range(tuning.M)]  # the same for both data sets

    def peeling(v, rounds, xi, *_):
        seen.append((v, xi))
        return given[len(seen) % tuning.M]

    monkeypatch.setattr(fliphat, "peeling", peeling)
    for _ in range(400):
        seen.clear()
        for x, y in neighbours(random, n, s, tuning.R):
            fliphat.niht(x, y, s, tuning, None)
        cost = 0.0
        for (v, xi), (v2, _) in zip(seen[: tuning.M], seen[tuning.M :], strict=True):
            moved = np.max(np.abs(v - v2)) / xi
            cost += s.sparsity * moved**2 / 2 + s.sparsity * moved**2 / 2  # A3 and A4
        worst = max(worst, cost / rho)
    assert tuning.M == 2
    assert 0.95 < worst <= 1 + 1e-9


def test_dp_signs_spends_rho_on_the_executed_step(monkeypatch):
    """All coordinates are kept (s = d), so that what is released shows the step and its noise."""
    s, n, random = SparseSetting(d=8, sparsity=8), 40, rng(5)
    rho, worst = largest_rho(2.0, s.delta), 0.0
    monkeypatch.setattr(dp_signs, "quantile", lambda port, r, q, share: 2 * q * share)

    def released(x, y, noise):
        stub = SimulatedNoise(None)
        stub.argmax = lambda scores, scale, *law, **about: np.arange(8)
        stub.gaussian = lambda value, scale, **about: value + scale * noise(8)
        return dp_signs.sign_step(s, rho, stub, np.full(8, 0.01), dp_signs.KeptRows(x), y)

    for _ in range(300):
        v, v2 = (released(x, y, np.zeros) for x, y in neighbours(random, n, s, 1.0))
        one, none = (released(np.ones((n, 8)), np.ones(n), draw) for draw in (np.ones, np.zeros))
        release = np.max(np.abs(one - none))  # the deviation of the noise
        select = release * math.sqrt(dp_signs.RELEASE / dp_signs.SELECTION)
        moved = np.max(np.abs(v - v2))
        cost = s.sparsity * moved**2 / 2 * (1 / release**2 + 1 / select**2)
        worst = max(worst, cost / (rho * (1 - 2 * dp_signs.QUARTILE)))
    assert 0.9 < worst <= 1 + 1e-9  # sin is a little flatter than its tangent


def test_a_quartile_costs_what_it_may():
    """Exact Renyi divergence of the executed exponential mechanism over replaced values."""
    random, rho, worst = rng(6), 0.3, 0.0
    grid = dp_signs.QUARTILES

    def law(values, q):
        weights = -math.sqrt(2 * rho) * np.abs(
            np.searchsorted(np.sort(values), grid) - q * len(values)
        )
        weights = np.exp(weights - weights.max())
        return weights / weights.sum()

    for _ in range(3000):
        n = int(random.integers(1, 9))
        values = random.choice(grid, n) * 1.01
        other = np.append(values[1:], random.choice([-1e9, 1e9, 0.0]))
        p, q = law(values, 0.25), law(other, 0.25)
        for order in (1.5, 3.0, 10.0):
            worst = max(worst, renyi(p, q, order) / (order * rho))
    assert 0.5 < worst <= 1
    port = SimulatedNoise(random)
    draws = [dp_signs.quantile(port, values, 0.25, rho) for _ in range(4000)]
    cells = law(values, 0.25)
    counts = np.array([np.sum(np.array(draws) == g) for g in grid])
    big = cells * 4000 > 5
    counts, expected = (np.append(x[big], x[~big].sum()) for x in (counts, 4000 * cells))
    assert (
        chisquare(counts, expected).pvalue > 1e-6
    )  # a true law fails by chance for one seed in a million


@pytest.mark.parametrize("keys", [{}, {"d": 4}, {"algorithm": "dp-signs"}, {"n": 10**6, "clip": 3}])
def test_the_audit_of_the_executed_noise_meets_its_promise(keys):
    """And the calibrated scale is the one that FLIPHAT sets."""
    for epsilon, delta in ((0.5, 0.01), (1.0, 1e-6), (10.0, 0.1)):
        entry, target = MECHANISMS.all()["fliphat"], CALIBRATORS.all()["fliphat"]
        params = entry.params(**keys, epsilon=epsilon, delta=delta)
        assert 0.9999 * delta < entry.compute(params, (epsilon,)).delta_at[epsilon] <= delta
        found = target.compute(target.params(**keys), epsilon, delta)
        assert found.audited.delta_at[epsilon] <= delta
        if "algorithm" not in keys:
            s = setting_of(params, delta)
            tuning = s.tuning(epsilon, params.n)
            moved = 4 * s.step_size * s.x_max * tuning.R / params.n
            assert tuning.xi[0] == pytest.approx(found.noise["scale"] * moved)


FRESH = {"instances": 2, "horizon": 100, "d": 30, "epsilon": [2.0]}


def test_fresh_instances_again_by_hand():
    """One cell of the table by plain calls, on a signal that is drawn, not typed in."""
    released = {
        "id": "fliphat",
        "name": "fliphat-presets",
        "with": {"preset": "released"},
    }  # not private
    algorithms = ["dp-signs", released, "random-arm"]
    made = designed.experiment("fl/fresh_instances", algorithms, 2, **FRESH)
    settings, table = designed.settings(made), designed.table(made)
    table = table.set_index(["kind", "algorithm"])
    assert len({tuple(setting["beta"]) for setting in settings}) == 6  # two of each kind
    shares = []
    for beta in {tuple(setting["beta"]) for setting in settings if setting.get("sigma") == 1.0}:
        setting = {"d": 30, "beta": list(beta), "sigma": 1.0, "rho": 0.5}
        ours, idle = (
            run(name, setting, epsilon, 100, range(2), [100]).regret.mean()
            for name, epsilon in (("dp-signs", 2.0), ("random-arm", np.inf))
        )
        shares.append(ours / idle)
    row = table.loc["noisy", "dp-signs"]
    assert (row["mean"], row["worst"]) == pytest.approx((np.mean(shares), max(shares)))
    assert (table.xs("dp-signs", level="algorithm")["best"] == 1).all()  # of the private ones
