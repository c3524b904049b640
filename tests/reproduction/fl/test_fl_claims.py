"""The accountant and the certificates against other derivations; searches behind the lemmas."""

import math

import numpy as np
import pytest
from flint import arb
from scipy.stats import norm

from dpbandits.audit.replayed.functions import FunctionParams, audit_function
from dpbandits.core.port import SimulatedNoise
from dpbandits.reproduction.fl.algorithms.fliphat_presets import peeling
from dpbandits.reproduction.fl.certified_loss import flipped_reward
from dpbandits.reproduction.fl.claims import privacy as privacy_claims
from dpbandits.reproduction.fl.claims.margin import gap_at_most, margin_scale
from dpbandits.reproduction.fl.mechanisms.peeling import delta_upper
from dpbandits.reproduction.fl.presets import (
    PresetSetting,
    from_text,
    largest_ratio,
    printed_sensitivity,
)
from dpbandits.reproduction.fl.studies import privacy
from dpbandits.sparse.fliphat import niht
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
    noise = SimulatedNoise(rng(seed))
    for _ in range(runs):
        theta = niht(x, y, setting, tuning, noise, peel=peeling)
        counts[np.count_nonzero(theta[: s // 2] > theta[s // 2 : s])] += 1
    return np.cumsum(counts[::-1])[::-1] / runs


def test_certified_probabilities_are_those_of_the_algorithm():
    """Bounds against 4000 runs of N-IHT on both data sets, 5 standard errors; fixed seeds (flake
    rate 6e-7 per share for new ones)."""
    setting = PresetSetting(d=30, sparsity=6, preset="released")
    n, runs = 600, 4000
    tuning = setting.tuning(2.0, n)
    shares = [step_on(setting, tuning, n, sign * tuning.R, runs, 7) for sign in (1, -1)]
    for event in flipped_reward(setting, tuning, n):
        for share, value in zip(shares, (event.low, event.high), strict=True):
            bound = float(value)
            error = math.sqrt(bound * (1 - bound) / runs)
            assert abs(share[event.at_least] - bound) <= 5 * error + 1e-9


def test_corrected_noise_is_never_refuted():
    for epsilon in (0.1, 1.0, 10.0):
        setting = PresetSetting(preset="corrected")
        for event in flipped_reward(setting, setting.tuning(epsilon, 4096), 4096):
            assert event.epsilon(setting.delta) <= epsilon


def test_certificate_refutes_nothing_where_noise_is_large():
    weak = from_text(PresetSetting(), 0.01, 64, 1, 1.0)  # noise far above the lead
    assert all(e.epsilon(0.01) == 0 for e in flipped_reward(PresetSetting(), weak, 64))


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
    own = PresetSetting(preset="zcdp", steps_factor=0.3, sparsity=3)
    tuning = own.tuning(2.0, 4096)
    assert tuning.M == 2
    assert privacy.accounted_epsilon(own, tuning, 4096) == pytest.approx(2.0, rel=1e-9)
    own = own.model_copy(update={"preset": "corrected"})
    tuning = own.tuning(2.0, 4096)
    assert privacy.accounted_epsilon(own, tuning, 4096) == pytest.approx(2.0, rel=1e-6)
    # printed noise: in one step 4 x_max R eta/n over xi
    own = PresetSetting(preset="printed", sparsity=3)
    tuning = from_text(own, 2.0, 4096, 1, 5.0)
    ratio = own.step_size / 4096 * 4 * own.x_max * 5.0 / tuning.xi[0]
    found = privacy.accounted_epsilon(own, tuning, 4096)
    assert float(delta_upper(arb(ratio), 3, 400, found * (1 + 1e-9))) <= 0.01
    assert float(delta_upper(arb(ratio), 3, 400, found * (1 - 1e-6))) > 0.01


def recorded(function, **keys):
    keys = {"neighbours": "replace", "runs": 0} | keys
    return audit_function(function, FunctionParams(**keys))


def printed_step():
    """One step of N-IHT on records [x, y]; x_max = 3, R = 2, C = 1: B = R + x_max C = 5."""
    setting = PresetSetting(d=4, sparsity=2, true_sparsity=2, preset="printed", sigma=0.0, clip=2.0,
                            beta=(0.5, 0.5))  # fmt: skip

    def step(data, generator):
        X, y = (np.array([record[i] for record in data], float) for i in (0, 1))
        tuning = from_text(setting, 1.0, len(y), 1, 2.0)
        moved = [printed_sensitivity(setting, tuning.R, len(y))]
        return niht(X, y, setting, tuning, generator, moved, peeling)

    return setting, step


def test_step_of_fl_s4_moves_by_more_than_the_printed_sensitivity():
    setting, step = printed_step()
    x = [setting.x_max] * 4
    data = [[x, 2.0], [x, 2.0], [x, 2.0]]
    keys = {"data": data, "neighbour": [*data[:2], [x, -2.0]], "epsilon": 1, "delta": 0.01}
    result = recorded(step, **keys)
    moves = 4 * setting.step_size * setting.x_max * 2.0 / 3
    declared = setting.step_size * (2.0 + setting.x_max * setting.b_max) / 3
    assert f"moves by {moves:.6g}, declared: {declared:.6g}" in result.above_declared


@pytest.mark.parametrize(("s", "d"), [(1, 3), (2, 4), (3, 3)])
def test_peeling_is_the_exact_audit(s, d):
    """3 s r, or (3 s - 2) r if all are selected (docs/proofs/AUDIT.md)."""
    move = np.where(np.arange(d) < (1 if s == d else s), -1.0, 1.0)
    start = np.where(np.arange(d) < s, 9.0, 3.0)

    def peel(data, generator):
        return peeling(start + data[0] * move, s, 2.0, generator)

    result = recorded(peel, data=[0], neighbour=[1], epsilon=5, transcripts=9)
    assert result.epsilon == pytest.approx((3 * s - 2 * (s == d)) / 2, rel=1e-9)
