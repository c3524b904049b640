"""FL's printed and repaired formulas at numbers that a pencil can follow: logarithms are whole.

With d = e^2, n = e^2 and the like every term is a product of small numbers, worked out in the
comments from the paper (Theorem and Proposition as named) or from docs/proofs/FL.md, not by us.
"""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb

from dpbandits import sparse
from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import BOUNDS, CALIBRATORS, MECHANISMS
from dpbandits.sparse import presets, problem, theory, zcdp
from dpbandits.sparse.engine import certificates
from dpbandits.sparse.mechanisms import fliphat as mechanism
from dpbandits.sparse.problem import SparseSetting

E = math.e
ROOT = math.sqrt
close = pytest.approx


# Theorem 4.1, Proposition 5.5 (kappa = 2, kappa_low = 1/2, s = 3, s* = 1)


def test_theorem_e1():
    assert theory.proof_constants(1) == (54, close(8 * 54 * 105 / 53))
    assert theory.proof_constants(2) == (110, close(8 * 110 * 217 / 109))
    b2 = 8 * 110 * 217 / 109
    # 1/4 + 28 x 2 x b2 / 1000 + 15.1 x (6 + 1) x (1/2 / 1/2)^2
    found = theory.repaired_error_bound(2, 0.5, 1e-3, 0.5, 3, 1, 4)
    assert found == close(0.25 + 0.056 * b2 + 105.7)


def test_proposition_5_5():
    # sigma^2 kappa^2 = 1: 4 x 2/(n/4) = 32/n; (3 x 2)^2 ln(2/delta) 2^3/(2 n)^2 = 36 x 24/(4 n^2)
    n = E**2
    found = theory.estimation_terms(n, 3, 1, E**2, 2, 2 / E**3, 0.5, 2, 0.5)
    assert found == close((32 / n, 216 / n**2))
    assert theory.estimation_terms(n, 3, 1, E**2, 2, 2 / E**3, 1) == close((8 / n, 216 / n**2))


def test_theorem_f1():
    # ln d = 2, M = 28 x ln(e^4) = 112; R = 2 x 1 + 2 x 0.1 x 2 = 2.4;
    # (R + x b) M s ln d/(kappa low n eps) = 4.4 x 112 x 6/(n); W = 486 (..)^2 ln(112/delta) = 2
    keys = {"sparsity": 3, "true_sparsity": 1, "x_max": 2.0, "b_max": 1.0, "sigma": 0.1}
    own, n = SimpleNamespace(**keys, d=E**2, delta=112 / E**2), E**4
    noise = 486 * (4.4 * 112 * 6 / n) ** 2 * 2
    gradient = 4 * 0.1 * 2 * ROOT(2 / n)
    expected = 1 / n + 28 * (8 * 54 * 105 / 53) * noise + 15.1 * 7 * (gradient / 0.5) ** 2
    assert theory.repaired_estimation_bound(own, n, 2.0, 0.5, 1.0) == close(expected)
    # kappa = 3 takes its part of eps, kappa_low and M: 28 x 3 x 4 = 336
    own.delta = 336 / E**2
    noise = 486 * (4.4 * 336 * 6 / (3 * 0.5 * n * 2)) ** 2 * 2
    b2 = 8 * 166 * (112 * 3 - 7) / (56 * 3 - 3)
    expected = 1 / n + 28 * 3 * b2 * noise + 15.1 * 7 * (gradient / 0.5) ** 2
    assert theory.repaired_estimation_bound(own, n, 2.0, 0.5, 3.0) == close(expected)
    own.b_max, own.delta = 1e-6, 1 / E  # at least one step: clip = 2e-6 + 0.4
    noise = 486 * ((0.4 + 4e-6) * 6 / n) ** 2
    expected = 1 / n + 28 * (8 * 54 * 105 / 53) * noise + 15.1 * 7 * (gradient / 0.5) ** 2
    assert theory.repaired_estimation_bound(own, n, 2.0, 0.5, 1.0) == close(expected)


# Theorem 5.6 (s + s* = 4, ln d = 2: 4^2 x 2 = 32; 4^3 x 2^2 ln(1/delta)/eps^2 = 64 at eps = 2)


def test_psi():
    assert theory.psi(0, E**2.5) == close(1 + 4 + 9)  # n to floor(2.5) + 1
    assert theory.psi(0, E**2.5, 7) == close(14)
    assert theory.psi(1, E**1.5, 2) == close((1 / 2 + 16 / 4) / 2)
    assert theory.psi(2, 2, 3) == close(1 / 4 / 9)


def test_theorem_5_6():
    sizes = (E**2, 3, 1, 2, 1 / E)
    assert theory.regret_terms(math.inf, 9, *sizes) == close((32, 64))
    grown = (E**2 - 1) * ROOT(32)  # alpha = 0, T = e^4: psi = 1 + 4 + 9 + 16 + 25
    assert theory.regret_terms(0, E**4.001, *sizes) == close((grown, 55 * 8), rel=2e-3)
    at_one = theory.regret_terms(1, E**4.5, *sizes, 5)  # ln T/2 x 32/gap
    powers = sum(n**4 / 2**n for n in range(1, 6))
    assert at_one == close((2.25 * 32 / 5, powers / 5 * 64))
    # alpha = 3: (T^-1 - 1)/(-2) x 32^2/gap^3; sum of n^8 2^-3n x 64^2/gap^3
    own, private = theory.regret_terms(3, 4, *sizes, 2)
    assert own == close((1 - 1 / 4) / 2 * 1024 / 8)
    assert private == close((1 / 8 + 256 / 64) * 4096 / 8)
    assert theory.regret_terms(0, 16, E**2, 3, 1, 1, 1 / E)[1] == close(14 * 16)  # eps = 1
    assert theory.regret_terms(math.inf, 9, E**2, 3, 1, 2, E**-3)[1] == close(192)


def test_theorem_5_6_as_printed():
    assert theory.printed_non_private(0, 4, E**2, 3, 1, 7) == close(ROOT(32) / 2)
    # alpha = 3: T^(-2)/(-2) x 32^2/gap^3
    assert theory.printed_non_private(3, 4, E**2, 3, 1, 2) == close(-1024 / 8 / 32)
    assert theory.printed_non_private(0.5, 16, E**2, 3, 1, 4) == close(16**-0.75 * 2 * 32**0.75 / 2)


def test_remarks_2_and_3():
    # (s + s*) ln d ln(1/delta) = 4 x 2 x 3 = 24
    assert theory.privacy_threshold(math.inf, 9, E**2, 3, 1, E**-3) == close(ROOT(24))
    assert theory.privacy_threshold(0, E**2, E**2, 3, 1, E**-3) == close(8 * ROOT(24) / E)
    with pytest.raises(ValueError, match="alpha = 0 and infinity"):
        theory.privacy_threshold(1, 9, E**2, 3, 1, 0.1)


# Theorem 3.2 and what stands in its place (ln(d/s*) = 4)


def test_theorem_3_2():
    assert theory.lower_bound(9, 4 * E**4, 4, 2, 0) == close((4 * 8 / 2, 12))
    assert theory.lower_bound(9, 4 * E**4, 4, 2, E**-9) == close((ROOT(4 * 9) * 4 / 2, 12))


def test_theorems_h1_and_h2():
    assert theory.two_point_floor(16, 0.3) == close(0.1)
    log = math.log(2)  # e^(-m eps) = 2^-m, (e^eps - 1) = 1
    assert theory.private_errors(0, log, 0.1) == 1
    assert theory.private_errors(1, log, 0.01) == close(0.5 - 0.02 * 0.5)
    assert theory.private_errors(4, log, 0.01) == close(0.25 - 0.02 * 0.75)
    assert theory.private_errors(3, log, 0.01) == theory.private_errors(4, log, 0.01)
    assert theory.private_errors(4, log, 0.3) == 0
    assert theory.private_errors(2, 2 * log, 0.01) == close(0.25 - 0.02 * 0.75 / 3)
    assert theory.private_floor(3, log, 0.01, 2.0) == close(2 * (1 + 0.49 + 0.49))
    assert theory.private_floor(3, log, 0.01) == close(1.98)


# The presets: x_max = 2, b_max = 3, sigma = 1/2, eta = 1/10, s = 4


def preset(name, **more):
    keys = {"x_max": 2.0, "b_max": 3.0, "sigma": 0.5, "step_size": 0.1, "sparsity": 4}
    keys |= {"preset": name, "delta": 8 / E**3, "steps_factor": 0.5, "clip": None, "d": 50}
    return SimpleNamespace(**keys | more)


def test_the_printed_scale():
    assert presets.printed_scale(2, E**-3, 4, 1) == close(6)  # 2 sqrt(3 x 4 x 3)/2
    assert presets.printed_scale(math.inf, 0.1, 4, 1) == 0


def test_the_printed_preset():
    # n = e^5: floor(1.6 x 5) = 8 steps, R = 6 + sqrt(10)/2; per step eps/8, ln(8/delta) = 3
    found, n = presets.tuning(preset("printed"), 2.0, E**5), E**5
    clip = 6 + 0.5 * ROOT(10)
    scale = 0.1 * (clip + 6) / n * 2 * 6 / (2 / 8)
    assert (found.clip, found.radius, found.steps) == (close(clip), 3.0, 8)
    assert found.scales == close((scale,) * 8)


def test_the_released_preset():
    # floor(0.5 ln(1 + 9 n)) = 4 at n = (e^9 - 1)/9; R = 6 + sqrt(2 ln(1 + n))
    n = (E**9.01 - 1) / 9
    found = presets.tuning(preset("released", delta=4 / E**3), 2.0, n)
    clip = 6 + ROOT(2 * math.log(1 + n))
    assert (found.clip, found.steps) == (close(clip), 4)
    assert found.scales == close((0.1 * (clip + 6) / n * 2 * 6 / (2 / 4),) * 4)
    assert presets.tuning(preset("released"), 2.0, 0.1).scales == ()


def test_the_private_presets_by_their_sensitivity(monkeypatch):
    """eta/n 4 x_max (R + P): in the first step P = 0, later C x_max = 6."""
    n = E**4.01 - 1  # floor(0.5 x 4.01) = 2 steps; R = 6 + sqrt(2 x 4.01)/2
    clip, asked = 6 + 0.5 * ROOT(8.02), []
    monkeypatch.setattr(presets, "largest_ratio", lambda *given: asked.append(given) or 0.25)
    monkeypatch.setattr(presets, "largest_rho", lambda *given: asked.append(given) or 0.5)
    for name, multiple in (("corrected", 4), ("zcdp", ROOT(2 * 4 / 0.5))):
        found = presets.tuning(preset(name), 2.0, n)
        unit = multiple * 0.1 / n * 8
        assert found.clip == close(clip)
        assert found.scales == close((unit * clip, unit * (clip + 6)))
        clipped = presets.tuning(preset(name, clip=1.5), 2.0, n)
        assert (clipped.clip, clipped.radius) == (1.5, 3.0)
        assert clipped.scales == close((unit * 1.5, unit * 7.5))
        assert presets.tuning(preset(name, steps_factor=0.0), 2.0, n).steps == 1
    delta = 8 / E**3
    assert asked[0] == (2.0, delta, 4, 50, 2)
    assert asked[3] == (2.0, delta)
    assert presets.tuning(preset("corrected"), math.inf, n).scales == (0.0, 0.0)


# Accounts


def test_zcdp_by_hand():
    # order 2: e^(2 rho - eps)/4; order 3: e^(2 (3 rho - eps)) (2/3)^3/2
    assert zcdp.log_delta(0.5, 3, 2) == close(1 - 3 - math.log(4))
    assert zcdp.log_delta(0.5, 3, 3) == close(2 * (1.5 - 3) + math.log(4 / 27))
    for rho, epsilon in ((0.1, 1.0), (2.0, 3.0), (1e-4, 0.5)):
        order = zcdp.best_order(rho, epsilon)
        least = zcdp.log_delta(rho, epsilon, order)
        near = [zcdp.log_delta(rho, epsilon, 1 + (order - 1) * f) for f in (0.999, 1.001, 0.1, 10)]
        assert least < min(near)
        assert float(zcdp.delta_of(rho, epsilon)) == close(math.exp(least))
    assert zcdp.largest_rho(math.inf, 0.1) == math.inf


# Certified events: s = 4, n = 10 rows, eta = 1/2, R = 3, x_max = 2


def flipped(scale=4.0, radius=1e6, **more):
    own = {"sparsity": 4, "d": 50, "step_size": 0.5, "x_max": 2.0}
    tuning = presets.Tuning(3.0, radius, (scale,))
    return certificates.flipped_reward(SimpleNamespace(**own | more), tuning, 10)


def test_certified_events_by_hand():
    """unit = 2 eta R x_max/n = 0.6; D = 2 units: wins = 1 - (1 + g/2) e^-g/2 with g = 1.2/scale.
    Another selection: s d e^(-8 unit/(2 scale)); the ball: s e^-(C/s - 10 unit)/scale."""
    scale, radius = 0.1, 25.0
    g = 1.2 / scale
    wins = 1 - (1 + g / 2) * math.exp(-g) / 2
    slip = 4 * 50 * math.exp(-8 * 0.6 / (2 * scale)) + 4 * math.exp(-(radius / 4 - 6) / scale)
    one, two = flipped(scale, radius)
    assert [(e.pairs, e.at_least) for e in (one, two)] == [(2, 1), (2, 2)]
    found = [float(x) for x in (one.low, one.high, two.low, two.high)]
    lost = 1 - wins
    assert found == close(
        [1 - lost**2 - slip, 1 - wins**2 + slip, wins**2 - slip, lost**2 + slip], rel=1e-9
    )
    assert slip > 0.1
    # a ball that is active for sure: nothing is known
    assert [float(x.high) for x in flipped(scale, 24.0)] == close([2 - wins**2, 1 + lost**2])


@pytest.mark.parametrize(
    ("steps", "sparsity", "n"), [(2, 4, 10), (1, 3, 10), (1, 4, 2)], ids=["steps", "odd", "rows"]
)
def test_certified_events_are_for_one_step_even_s_and_three_rows(steps, sparsity, n):
    own = SimpleNamespace(sparsity=sparsity, d=50, step_size=0.5, x_max=2.0)
    with pytest.raises(ValueError, match="one step, an even sparsity and at least three rows"):
        certificates.flipped_reward(own, presets.Tuning(3.0, 9.0, (0.1,) * steps), n)


def test_the_rows_may_be_three():
    own = SimpleNamespace(sparsity=2, d=50, step_size=0.5, x_max=2.0)
    assert len(certificates.flipped_reward(own, presets.Tuning(3.0, 1e9, (0.1,)), 3)) == 1


def test_what_an_event_refutes():
    """P = 0.5 against 0.1: at delta = 0.1 every eps below ln(0.4/0.1)."""
    event = certificates.Event(2, 1, arb(0.5), arb(0.1))
    assert float(event.excess(math.log(2))) == close(0.3)
    assert event.epsilon(0.1) == close(math.log(4))
    assert event.epsilon(0.1) < math.log(4)
    assert event.epsilon(0.4) == event.epsilon(0.45) == 0
    weak = certificates.Event(2, 2, arb(0.3), arb(0.09))
    assert certificates.strongest([weak, event], 0.1) is event
    assert certificates.strongest([weak, event], 0.01) is event


# The setting


def test_the_setting():
    own = SparseSetting(d=9, sparsity=9, beta=(0.5, -1.5), rho=-0.5)
    assert own.b_max == 2
    assert own.x_max == close(ROOT(2 * math.log(9)))
    assert list(own.signal) == [0.5, -1.5] + [0] * 7
    assert problem.covariance(own)[2, 4:7] == close([0.25, -0.125, 0.0625])
    bounded = [p for p in presets._PRESETS if SparseSetting(preset=p).bounded]
    assert bounded == ["corrected", "zcdp"]


DEFAULTS = {
    "d": 400, "arms": 3, "sparsity": 10, "true_sparsity": 5, "rho": 0.1, "sigma": 0.1,
    "reward_noise": "gaussian", "delta": 0.01, "preset": "released", "peeling_noise": "reused",
    "steps_factor": 0.16, "step_size": 1e-4, "clip": None, "margin": "gaussian", "gap": 1.0,
}  # fmt: skip
ENDS = [  # of what is allowed: a value inside, and one outside
    ({"d": 2, "sparsity": 2, "beta": [1.0]}, {"d": 1, "sparsity": 1, "beta": [1.0]}),
    ({"arms": 2}, {"arms": 1}),
    ({"sparsity": 1}, {"sparsity": 0}),
    ({"sparsity": 400}, {"sparsity": 401}),
    ({"rho": 1 - 1e-9}, {"rho": 1.0}),
    ({"rho": -1 + 1e-9}, {"rho": -1.0}),
    ({"sigma": 0.0}, {"sigma": -1e-9}),
    ({"delta": 1e-9}, {"delta": 0.0}),
    ({"delta": 1 - 1e-9}, {"delta": 1.0}),
    ({"steps_factor": 0.0}, {"steps_factor": -1e-9}),
    *(({key: 1e-9}, {key: 0.0}) for key in ("step_size", "clip", "gap")),
    ({"beta": [1.0, 2.0], "true_sparsity": 2}, {"beta": [1.0, 2.0], "true_sparsity": 3}),
    ({"beta": [1e-9]}, {"beta": [0.0]}),
]


def test_defaults_of_a_setting():
    found = SparseSetting().model_dump()
    assert {key: found.get(key) for key in DEFAULTS} == DEFAULTS
    assert found["beta"] == problem.PUBLISHED_BETA[5]
    assert sum(problem.PUBLISHED_BETA[5]) == close(3.43622)
    assert sum(problem.PUBLISHED_BETA[10]) == close(2.48284 - 5.24271)
    assert sum(map(abs, problem.PUBLISHED_BETA[10])) == close(7.72555)


@pytest.mark.parametrize(("inside", "outside"), ENDS)
def test_ends_of_what_a_setting_allows(inside, outside):
    SparseSetting(**inside)
    with pytest.raises(ValueError, match="validation error"):
        SparseSetting(**outside)


def test_ends_of_what_an_audit_allows():
    for key, low, high in (
        ("d", 2, 10**9), ("sparsity", 1, 10**6), ("n", 1, 10**12), ("clip", 1e-9, 1e6),
        ("epsilon", 1e-9, 1e4), ("delta", 1e-9, 1 - 1e-9),
    ):  # fmt: skip
        small, large = (low - 1, high + 1) if isinstance(low, int) else (0.0, 1.1 * high)
        for value in (low, high):
            mechanism.FliphatParams(**{key: value})
        for value in (small, large):
            with pytest.raises(ValueError, match=key):
                mechanism.FliphatParams(**{key: value})
    usual = mechanism.FliphatParams()
    assert (usual.d, usual.sparsity, usual.n, usual.epsilon, usual.delta) == (
        400,
        10,
        4096,
        1,
        0.01,
    )


def test_the_papers_place_among_the_others():
    assert sparse.PAPER.order == 2
    assert list(sparse.PAPER.looks.values()) == [22, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]


def test_published_and_drawn_signals():
    """Figures of the paper; for other s* numbers of [1/2, 1], five decimals, both signs."""
    assert problem.default_beta(5)[:2] == (0.74843, 0.63701)
    assert problem.default_beta(10)[2] == -0.82081
    drawn = np.array(problem.default_beta(40))
    assert len(set(drawn)) == 40
    assert np.abs(drawn).min() >= 0.5
    assert np.abs(drawn).max() <= 1
    assert {*np.sign(drawn)} == {-1, 1}
    assert np.array_equal(np.round(drawn, 5), drawn)
    assert problem.default_beta(40) == tuple(drawn)
    assert problem.default_beta(41)[:5] != tuple(drawn[:5])
    assert len(SparseSetting(d=200_000, sparsity=1, true_sparsity=100_000).beta) == 100_000
    for wrong in ({"true_sparsity": 0}, {"d": 10**6, "true_sparsity": 100_001}, {"sparsity": 401}):
        with pytest.raises(ValueError, match=r"sparsity|beta"):
            SparseSetting(**wrong)


def test_reward_noise():
    rng = np.random.default_rng(1)
    own = SparseSetting(sigma=0.3, reward_noise="uniform")
    drawn = problem.reward_noise(own, rng, 2000)
    assert -0.3 <= drawn.min() < -0.29
    assert 0.29 < drawn.max() <= 0.3
    plain = problem.reward_noise(SparseSetting(sigma=0.3), np.random.default_rng(2), 5)
    assert plain == close(0.3 * np.random.default_rng(2).standard_normal(5))


# `dpbandits audit`, `calibrate` and `bound`


@pytest.mark.parametrize("keys", [{}, {"n": 10**6, "clip": 3.0, "sparsity": 7}, {"d": 4}])
def test_rho_that_is_spent_is_the_one_that_the_noise_was_set_for(keys):
    params = mechanism.FliphatParams(**{"epsilon": 2.0, "delta": 0.05} | keys)
    if "d" in keys:
        assert mechanism.setting_of(params, 0.05).sparsity == 4
        assert mechanism.setting_of(params, 0.05).true_sparsity == 4
        return
    rho = zcdp.largest_rho(2.0, 0.05)
    assert mechanism.spent(params) == close(rho, rel=1e-12)
    signs = params.model_copy(update={"algorithm": "dp-signs"})
    assert mechanism.spent(signs) == close(rho, rel=1e-12)
    own = mechanism.setting_of(params, 0.05)
    assert (own.preset, own.delta, own.clip) == ("zcdp", 0.05, keys.get("clip"))


def test_what_an_audit_says():
    entry = MECHANISMS.get("fliphat")
    found = entry.compute(entry.params(), (1.0, math.inf))
    assert found.pure_epsilon == math.inf
    assert found.delta_at[math.inf] == 0
    assert 0.0099 < found.delta_at[1.0] <= 0.01
    assert found.method == "bound"
    assert found.worst_neighbour["rho"] >= mechanism.spent(entry.params())
    assert "y = -R" in found.worst_neighbour["record"]
    signs = entry.compute(entry.params(algorithm="dp-signs"), (1.0,))
    assert "signs all turned" in signs.worst_neighbour["record"]


def test_calibrated_scales():
    """sqrt(M s/rho); of dp-signs' selection sqrt(s/(2 x 0.6 rho)); at delta = 0 3 s M/eps."""
    entry = CALIBRATORS.get("fliphat")
    rho, target = zcdp.largest_rho(1.0, 0.01), entry.params(n=10**9, sparsity=7)
    steps = math.floor(0.16 * math.log1p(10**9))
    assert steps == 3
    found = entry.compute(target, 1.0, 0.01)
    assert found.noise["scale"] == close(ROOT(3 * 7 / rho))
    assert found.audited.delta_at[1.0] <= 0.01
    assert found.audited_epsilon == 1.0
    signs = target.model_copy(update={"algorithm": "dp-signs"})
    assert entry.compute(signs, 1.0, 0.01).noise["scale"] == close(ROOT(7 / (1.2 * rho)))
    pure = entry.compute(target, 0.5, 0.0)
    assert pure.noise["scale"] == close(3 * 7 * 3 / 0.5)
    assert pure.audited.pure_epsilon == 0.5
    with pytest.raises(InputError, match="above 0 for dp-signs"):
        entry.compute(signs, 1.0, 0.0)


def test_bounds_of_peeling_and_niht():
    """3 s r with r = eps/(2 sqrt(3 s ln(1/delta))); of N-IHT every step at its sensitivity."""
    entry = BOUNDS.get("peeling")
    params = entry.params(s=4, d=20, epsilon=2.0, delta=E**-3)
    pure = entry.compute(params, ()).pure_epsilon
    assert pure["repaired"] == close(12 * 2 / (2 * 6))
    assert pure["printed"] == math.inf
    entry = BOUNDS.get("niht")
    keys = {"n": 50, "d": 20, "s": 4, "steps": 3, "x_max": 2.0, "reward_clip": 5.0, "b_max": 1.0}
    params = entry.params(**keys, epsilon=3.0, delta=3 * E**-3)
    # per step eps = 1 and delta = e^-3: r = 1/12; 4 x 2 x 5/(5 + 2) and twice 4 x 2 x 7/7
    expected = 12 / 12 * (40 / 7 + 2 * 8)
    assert entry.compute(params, ()).pure_epsilon["repaired"] == close(expected)
    assert entry.compute(params, ()).claims == ("FL-S4", "FL-LA.2")
