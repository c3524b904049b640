"""The accountant and the certificates against other derivations; searches behind the lemmas."""

import math

import numpy as np
import pytest
from flint import arb
from scipy.stats import norm

from dpbandits.core.streams import Streams
from dpbandits.reproduction.fl.certified_loss import flipped_reward
from dpbandits.reproduction.fl.claims import privacy as privacy_claims
from dpbandits.reproduction.fl.claims.margin import gap_at_most, margin_scale
from dpbandits.reproduction.fl.studies import privacy
from dpbandits.sparse.fliphat import GivenNoise, niht, simulated_noise
from dpbandits.sparse.mechanisms.peeling import delta_upper
from dpbandits.sparse.presets import FliphatSetting, from_text, largest_ratio, tuning_for
from dpbandits.sparse.problem import SparseSetting


def test_calibration_meets_its_target():
    for epsilon, delta, s, steps in ((1, 0.01, 10, 1), (5, 1e-6, 10, 3), (0.5, 0.01, 60, 1)):
        ratio = largest_ratio(epsilon, delta, s, 400, steps)
        assert delta_upper(arb(ratio), s, 400, epsilon, steps) <= delta
        assert not delta_upper(arb(1.001 * ratio), s, 400, epsilon, steps) <= delta


def rng(seed):
    return np.random.Generator(np.random.Philox(key=seed))


def step_on(setting, tuning, n, reward, runs, seed):
    """How often event k happens for the data of the certificate, by the engine's own N-IHT."""
    s = setting.sparsity
    x = np.zeros((n, setting.d))
    x[:, :s] = setting.x_max
    x[0, s // 2 : s] *= -1
    y = np.full(n, tuning.R)
    y[0] = reward
    counts = np.zeros(s // 2 + 1)
    steps = ((run * s + 1, m) for run in range(runs) for m in range(tuning.M))  # own vectors
    noise = GivenNoise(simulated_noise(setting, Streams(seed, (0,)), 0, steps))
    for _ in range(runs):
        theta = niht(x, y, setting, tuning, noise)
        counts[np.count_nonzero(theta[: s // 2] > theta[s // 2 : s])] += 1
    return np.cumsum(counts[::-1])[::-1] / runs


def test_certified_probabilities_are_those_of_the_algorithm():
    """Bounds against 4000 runs of N-IHT on both data sets, 5 standard errors; fixed seeds (flake
    rate 6e-7 per share for new ones)."""
    setting = FliphatSetting(d=30, sparsity=6, preset="released")
    n, runs = 600, 4000
    tuning = tuning_for(setting, 2.0, n)
    shares = [step_on(setting, tuning, n, sign * tuning.R, runs, 7) for sign in (1, -1)]
    for event in flipped_reward(setting, tuning, n):
        for share, value in zip(shares, (event.low, event.high), strict=True):
            bound = float(value)
            error = math.sqrt(bound * (1 - bound) / runs)
            assert abs(share[event.at_least] - bound) <= 5 * error + 1e-9


def test_corrected_noise_is_never_refuted():
    for epsilon in (0.1, 1.0, 10.0):
        setting = FliphatSetting(preset="corrected")
        for event in flipped_reward(setting, tuning_for(setting, epsilon, 4096), 4096):
            assert event.epsilon(setting.delta) <= epsilon


def test_certificate_refutes_nothing_where_noise_is_large():
    weak = from_text(FliphatSetting(), 0.01, 64, 1, 1.0)  # noise far above the lead
    assert all(e.epsilon(0.01) == 0 for e in flipped_reward(FliphatSetting(), weak, 64))


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


def test_margin_scale_for_two_arms():
    """K = 2: the gap is |N(0, 2 sd^2)|, of density 1/(sd sqrt(pi)) at 0."""
    setting = SparseSetting(arms=2, rho=0.0)
    sd = np.linalg.norm(setting.beta)
    assert margin_scale(setting) == pytest.approx(sd * math.sqrt(math.pi), rel=1e-9)
    exact = 2 * norm.cdf(0.7 / (sd * math.sqrt(2))) - 1
    assert gap_at_most(setting, 0.7) == pytest.approx(exact, rel=1e-7)


def test_accounted_epsilon():
    """The least eps, by the account of zCDP or of composition, at the ratio of the worst step."""
    own = FliphatSetting(preset="zcdp", steps_factor=0.3, sparsity=3)
    tuning = tuning_for(own, 2.0, 4096)
    assert tuning.M == 2
    assert privacy.accounted_epsilon(own, tuning, 4096) == pytest.approx(2.0, rel=1e-9)
    own = own.model_copy(update={"preset": "corrected"})
    tuning = tuning_for(own, 2.0, 4096)
    assert privacy.accounted_epsilon(own, tuning, 4096) == pytest.approx(2.0, rel=1e-6)
    # printed noise: in one step 4 x_max R eta/n over xi
    own = FliphatSetting(preset="printed", sparsity=3)
    tuning = from_text(own, 2.0, 4096, 1, 5.0)
    ratio = own.step_size / 4096 * 4 * own.x_max * 5.0 / tuning.xi[0]
    found = privacy.accounted_epsilon(own, tuning, 4096)
    assert float(delta_upper(arb(ratio), 3, 400, found * (1 + 1e-9))) <= 0.01
    assert float(delta_upper(arb(ratio), 3, 400, found * (1 - 1e-6))) > 0.01
