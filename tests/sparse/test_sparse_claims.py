"""The accountant and the certificates against other derivations; searches behind the lemmas."""

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from flint import arb, ctx
from scipy.stats import norm

from dpbandits.audit.balls import precision
from dpbandits.audit.peeling import delta_upper
from dpbandits.core.claims import claims
from dpbandits.core.streams import Streams
from dpbandits.sparse.claims import peeling as peeling_claims
from dpbandits.sparse.claims import privacy as privacy_claims
from dpbandits.sparse.claims.estimation import orthonormal_ratios
from dpbandits.sparse.claims.lower_bound import worst_regret_of_class
from dpbandits.sparse.claims.margin import gap_at_most, margin_scale
from dpbandits.sparse.claims.peeling import basic_peeling_sides, contraction_sides
from dpbandits.sparse.claims.tails import largest_tail
from dpbandits.sparse.engine.certificates import flipped_reward
from dpbandits.sparse.fliphat import Noise, niht
from dpbandits.sparse.presets import Tuning, from_text, largest_ratio, tuning
from dpbandits.sparse.problem import SparseSetting


def test_calibration_meets_its_target():
    for epsilon, delta, s, steps in ((1, 0.01, 10, 1), (5, 1e-6, 10, 3), (0.5, 0.01, 60, 1)):
        ratio = largest_ratio(epsilon, delta, s, 400, steps)
        assert delta_upper(arb(ratio), s, 400, epsilon, steps) <= delta
        assert not delta_upper(arb(1.001 * ratio), s, 400, epsilon, steps) <= delta


def rng(seed):
    return np.random.Generator(np.random.Philox(key=seed))


def step_on(setting, how, n, reward, runs, seed):
    """How often event k happens for the data of the certificate, by the engine's own N-IHT."""
    s = setting.sparsity
    x = np.zeros((n, setting.d))
    x[:, :s] = setting.x_max
    x[0, s // 2 : s] *= -1
    y = np.full(n, how.clip)
    y[0] = reward
    counts = np.zeros(s // 2 + 1)
    noise = Noise(setting, Streams(seed, (0,)), 0)
    for run in range(runs):
        theta = niht(x, y, setting, how, partial(noise.of_step, run * s))  # vectors of its own
        counts[np.count_nonzero(theta[: s // 2] > theta[s // 2 : s])] += 1
    return np.cumsum(counts[::-1])[::-1] / runs


def test_certified_probabilities_are_those_of_the_algorithm():
    """Bounds against 4000 runs of N-IHT on both data sets, 5 standard errors; fixed seeds (flake
    rate 6e-7 per share for new ones)."""
    setting = SparseSetting(d=30, sparsity=6, preset="released")
    n, runs = 600, 4000
    how = tuning(setting, 2.0, n)
    shares = [step_on(setting, how, n, sign * how.clip, runs, 7) for sign in (1, -1)]
    for event in flipped_reward(setting, how, n):
        for share, value in zip(shares, (event.low, event.high), strict=True):
            bound = float(value)
            error = math.sqrt(bound * (1 - bound) / runs)
            assert abs(share[event.at_least] - bound) <= 5 * error + 1e-9


def test_corrected_noise_is_never_refuted():
    for epsilon in (0.1, 1.0, 10.0):
        setting = SparseSetting(preset="corrected")
        for event in flipped_reward(setting, tuning(setting, epsilon, 4096), 4096):
            assert event.epsilon(setting.delta) <= epsilon


def test_certificate_refuses_where_it_does_not_apply():
    setting = SparseSetting(sparsity=9)
    with pytest.raises(ValueError, match="even"):
        flipped_reward(setting, tuning(setting, 1.0, 4096), 4096)
    weak = from_text(SparseSetting(), 0.01, 64, 1, 1.0)  # noise far above the lead
    assert all(e.epsilon(0.01) == 0 for e in flipped_reward(SparseSetting(), weak, 64))


def test_certificates_leave_the_precision_of_others_alone():
    setting = SparseSetting()
    with precision(60):
        events = flipped_reward(setting, tuning(setting, 1.0, 4096), 4096)
        assert ctx.prec == 60
    assert all(float(event.low.rad()) < 2**-110 for event in events)  # 128 bits themselves


@pytest.mark.parametrize("id", ["FL-LA.2", "FL-S4", "FL-T5.1", "FL-RDP", "FL-LD.1", "FL-LD.2"])
def test_refuted_claims_certify(id):
    verdict = claims()[id].verdicts(None)[0]
    assert verdict.verdict == "violated"
    assert verdict.method in ("certified", "exact")


def test_where_printed_niht_is_refuted_at_the_printed_number_of_steps():
    """13 steps: nowhere at the figures' x_max, from 6.92 (epsilon = 10) and 14.7 (1) on."""
    found = privacy_claims.more_steps()
    assert privacy_claims.STEPS[-1] == math.floor(1.6 * math.log(privacy_claims.ROWS)) == 13
    assert {e: found[None, e, 13] for e in (5.0, 10.0)} == {5.0: 0.0, 10.0: 0.0}
    beyond = {key for key, low in found.items() if low > 0.01}
    assert {(None, 5.0, 2), (None, 10.0, 3), (7.0, 10.0, 13), (15.0, 1.0, 13)} <= beyond
    for epsilon, low, high in ((10.0, 6.9, 6.93), (1.0, 14.6, 14.7)):
        at_low, at_high = (privacy_claims.delta_at_promise(x, epsilon, 13) for x in (low, high))
        assert at_low < 0.01 < at_high
    assert privacy_claims.proved_at_13_steps() < 0.002
    for id in ("FL-S4", "FL-T5.1", "FL-RDP"):
        row = claims()[id].verdicts(None)[0]
        assert (
            r"$\delta \ge 0.234$ at $M = 2$, $x_{\max} = 3.46$, $\varepsilon = 10$" in row.measured
        )
        assert "the constants of Section 6" not in row.scope
        assert r"13 steps and $x_{\max} = 3.46$ nothing is refuted" in row.scope


def test_peeling_range_includes_the_papers_use():
    proved, refuted = peeling_claims.peeling_range(peeling_claims.peeling_scan(10, 0.01))
    assert proved >= 10
    assert refuted <= 100


def test_lemma_d1_survives_a_search_where_s_is_at_most_the_size_of_i():
    """Random and adversarial (large noise just below a kept entry) instances."""
    random = rng(11)
    for _ in range(3000):
        d, size = 8, int(random.integers(2, 7))
        s = int(random.integers(1, size + 1))
        s_hat = int(random.integers(0, min(s, size - 1) + 1))
        v = np.zeros(d)
        v[:size] = random.choice([0.1, 1, 1, 3], size) * random.choice([-1, 1], size)
        v_hat = np.zeros(d)
        near = np.argsort(-np.abs(v), kind="stable")[:s_hat]
        v_hat[near] = v[near] * random.choice([1.0, 1.0, 0.5])
        noise = random.choice([0.0, 0.5, 1.0]) * random.choice([-1.0, 1.0], (s, d))
        c = float(random.choice([0.01, 0.5, 1, 10]))
        left, right = basic_peeling_sides(v, range(size), v_hat, s_hat, s, noise, c)
        assert left <= float(right) + 1e-9


def test_lemma_d2_survives_a_search_for_s_at_least_true_sparsity():
    random = rng(12)
    for _ in range(2000):
        d, true = 9, int(random.integers(1, 4))
        s = int(random.integers(true, 6))
        target, theta = np.zeros(d), np.zeros(d)
        target[:true] = random.choice([-1.0, 1.0], true)
        theta[: s + true] = random.choice([-1.0, -0.5, 0.5, 1.0], s + true)[:d]
        noise = random.choice([0.0, 0.3, 1.0]) * random.choice([-1.0, 1.0], (s, d))
        release = random.choice([0.0, 1.0]) * random.standard_normal(d)
        c = [float(x) for x in random.choice([0.05, 0.5, 1, 10], 3)]
        left, right = contraction_sides(theta, target, s, noise, release, *c)
        assert left <= right + 1e-9


def test_lemma_sides_in_exact_arithmetic():
    one = Fraction(1)
    zeros = [[Fraction(0)] * 3 for _ in range(3)]
    v, near = [one, one, 0 * one], [one, 0 * one, 0 * one]
    assert basic_peeling_sides(v, [0, 1], near, 1, 3, zeros, one) == (0, -2)


def test_laplace_tail_against_draws():
    exact, bound = largest_tail(20, 1.3)
    draws = np.abs(rng(13).laplace(size=20 * 20_000)).reshape(-1, 20).max(axis=1)
    share = np.mean(draws > 1.3 * math.log(20))
    assert abs(share - exact) < 5 * math.sqrt(exact / 20_000)
    assert exact <= bound


def test_theorem_4_1_with_the_proofs_constants():
    assert orthonormal_ratios(6).max() < 1


def test_margin_scale_for_two_arms():
    """K = 2: the gap is |N(0, 2 sd^2)|, of density 1/(sd sqrt(pi)) at 0."""
    setting = SparseSetting(arms=2, rho=0.0)
    sd = np.linalg.norm(setting.beta)
    assert margin_scale(setting) == pytest.approx(sd * math.sqrt(math.pi), rel=1e-9)
    exact = 2 * norm.cdf(0.7 / (sd * math.sqrt(2))) - 1
    assert gap_at_most(setting, 0.7) == pytest.approx(exact, rel=1e-7)


def test_worst_regret_of_the_lower_bounds_class():
    """T E|z'beta|, z ~ N(0, 2 sd^2 I), against its closed form for one d."""
    d, true, horizon = 1000, 5, 100
    value = worst_regret_of_class(d, true, horizon, 0.1, 1.0, 0.01)
    rho = 20 ** (4 / 3) / (4 * math.log(100))
    r = math.sqrt(0.01 * math.log(200) * math.log(1000) / (16 * rho)) / horizon
    sd = math.sqrt(2 / math.log(1000)) * r * math.sqrt(true)
    assert value == pytest.approx(horizon * sd * 2 * norm.pdf(0), rel=1e-12)


def test_plans_of_infinite_epsilon_have_no_noise():
    for preset in ("released", "printed", "corrected"):
        how = tuning(SparseSetting(preset=preset), math.inf, 1024)
        assert isinstance(how, Tuning)
        assert set(how.scales) == {0.0}
