"""Every leaping engine against its plain loop: path by path where both read one tape, else in law.

Two-sample tests: |z| < 5 for about 440 comparisons of means (regret at three times, pulls of every
arm) with fixed seeds. If the seeds were drawn anew, one run in about 4000 would fail by chance
(pulls are lattice-valued and skewed: the normal tail is an approximation).
"""

import math

import numpy as np
import pytest
import reference

from dpbandits.core import algorithms
from dpbandits.core.models import parse
from dpbandits.core.streams import streams_for

LINEAR = (0.75, 0.625, 0.5, 0.375, 0.25)
EQUAL = (0.5, 0.4, 0.4, 0.4, 0.4)
TIES = (0.5, 0.5, 0.5)
TWENTY = tuple(0.3 + 0.02 * ((7 * k) % 20) for k in range(20))
SURE = (0.0, 1.0)
CLOSE = (0.5, 0.501)
SETTINGS = {
    "linear": LINEAR, "equal": EQUAL, "ties": TIES, "twenty": TWENTY, "sure": SURE, "close": CLOSE,
}  # fmt: skip
EPSILONS = (0.05, 0.5, 10.0, math.inf)


def simulate(name, means, epsilon, horizon, runs, checkpoints, **extra):
    setting = {"means": list(means), **extra}
    return algorithms.run(name, setting, epsilon, horizon, range(runs), np.array(checkpoints))


def states(name, means, epsilon, horizon, runs, **extra):
    """The very streams that `simulate` reads."""
    entry = algorithms.get_algorithm(name)
    setting = parse(entry.setting, {"means": list(means), **extra}, "setting")
    return streams_for(name, setting, float(epsilon), horizon, range(runs)).states()


def assert_same_paths(result, played, means, checkpoints):
    gaps = max(means) - np.array(means)
    np.testing.assert_array_equal(result.extras["pulls"], reference.pulls_of(played, len(means)))
    expected = reference.regret_of(played, gaps, checkpoints)
    np.testing.assert_allclose(result.regret, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("horizon", [1, 3, 9973])
def test_anytime_lazy_ucb_takes_the_path_of_its_loop(setting, epsilon, horizon):
    means, runs, name = SETTINGS[setting], 12, "anytime-lazy-ucb"
    at = sorted({1, 1 + horizon // 3, horizon})
    result = simulate(name, means, epsilon, horizon, runs, at)
    tape = states(name, means, epsilon, horizon, runs)
    played = reference.lazy(0, True, np.array(means), 1 / epsilon, horizon, tape)
    assert_same_paths(result, played, means, at)


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", ["adap-ucb", "adap-klucb"])
def test_adap_takes_the_path_of_its_loop(setting, epsilon, name):
    means, runs, horizon, at = SETTINGS[setting], 12, 9973, [10, 1000, 9973]
    result = simulate(name, means, epsilon, horizon, runs, at)
    tape = states(name, means, epsilon, horizon, runs)
    kl = name == "adap-klucb"
    played = reference.adap(kl, 3.1, True, np.array(means), 1 / epsilon, horizon, tape)
    assert_same_paths(result, played, means, at)


@pytest.mark.parametrize("setting", ["linear", "ties"])
@pytest.mark.parametrize("epsilon", [0.1, 10.0])
@pytest.mark.parametrize("name", ["dp-klucb", "dp-imed"])
def test_phases_take_the_path_of_their_loop(setting, epsilon, name):
    means, runs, horizon, at = SETTINGS[setting], 3, 700, [10, 700]
    result = simulate(name, means, epsilon, horizon, runs, at)
    tape = states(name, means, epsilon, horizon, runs)
    played = reference.phases(name == "dp-imed", 1.1, True, np.array(means), epsilon, horizon, tape)
    assert_same_paths(result, played, means, at)


def assert_same_law(one, other):
    """Means of two samples (runs x quantities) agree within 5 standard errors."""
    spread = np.sqrt(one.var(0, ddof=1) / len(one) + other.var(0, ddof=1) / len(other))
    difference = one.mean(0) - other.mean(0)
    certain = spread < 1e-9  # the same in every run, up to the rounding of sums
    np.testing.assert_allclose(difference[certain], 0, atol=1e-9)
    z = difference[~certain] / spread[~certain]
    assert np.abs(z).max(initial=0) < 5, z


def plain_loop(name, means, epsilon, horizon, tape):
    noise = 1 / epsilon
    means = np.array(means)
    if name in ("anytime-lazy-ucb", "lazy-dp-ts"):
        return reference.lazy(int(name == "lazy-dp-ts"), False, means, noise, horizon, tape)
    if name == "thompson":
        return reference.thompson(means, horizon, tape)
    if name in ("ucb1", "kl-ucb"):
        return reference.ucb(name == "kl-ucb", means, horizon, tape)
    if name == "dp-se":
        return reference.dp_se(False, means, noise, horizon, tape)
    if name == "adap-klucb":
        return reference.adap(True, 3.1, False, means, noise, horizon, tape)
    if name in ("dp-klucb", "dp-imed"):
        return reference.phases(name == "dp-imed", 1.1, False, means, epsilon, horizon, tape)
    scale = {"ftnl": len(means) * noise, "rnm-ftnl": noise, "ftl": 0.0}[name]
    return reference.full_information(name != "ftl", means, scale, horizon, tape)


CASES = [
    *[("lazy-dp-ts", s, e) for s in ("linear", "equal", "ties", "sure") for e in EPSILONS],
    *[("lazy-dp-ts", s, 0.5) for s in ("twenty", "close")],
    *[("anytime-lazy-ucb", "linear", e) for e in EPSILONS],
    *[("dp-se", s, e) for s in ("equal", "sure") for e in (0.05, 0.5)],
    *[("adap-klucb", s, 0.5) for s in ("linear", "twenty")],
    *[(n, s, 0.5) for n in ("dp-klucb", "dp-imed") for s in ("linear", "close")],
    *[("rnm-ftnl", s, e) for s in ("linear", "twenty", "sure") for e in (0.05, 0.5, 10.0)],
    ("ftnl", "equal", 0.5),
    *[(n, s, math.inf) for n in ("thompson", "ucb1", "kl-ucb", "ftl") for s in ("linear", "ties")],
    *[(n, "sure", math.inf) for n in ("thompson", "ucb1", "kl-ucb", "ftl")],
]


@pytest.mark.parametrize(("name", "setting", "epsilon"), CASES)
def test_engine_has_the_law_of_its_plain_loop(name, setting, epsilon):
    """The standard errors are those of 500 runs of the loop against 1000: where the engine costs
    nothing, it makes ten times as many runs, and the loop 360."""
    means = SETTINGS[setting]
    horizon, runs, times = 3000, 360, 10
    if name in ("lazy-dp-ts", "thompson", "kl-ucb", "ucb1"):
        horizon, runs, times = 3000 if name == "ucb1" else 800, 500, 2
    if name == "lazy-dp-ts" and setting != "linear":  # epochs of 1 to 256 rounds, thinned ones too
        horizon = 400
    if setting == "twenty":  # 20 arms cost 20 draws a round
        horizon = min(horizon, 1000)
    if name == "dp-se":
        horizon, runs = 12000, 60
    if name == "dp-klucb":  # its loop bisects over a search
        runs = 60
    at = [20, horizon // 5, horizon]
    result = simulate(name, means, epsilon, horizon, times * runs, at)
    tape = streams_for("reference", algorithms.get_algorithm(name).setting(means=means), epsilon,
                       horizon, range(runs)).states()  # fmt: skip
    played = plain_loop(name, means, epsilon, horizon, tape)
    gaps = max(means) - np.array(means)
    assert_same_law(result.regret, reference.regret_of(played, gaps, at))
    assert_same_law(result.extras["pulls"], reference.pulls_of(played, len(means)))


@pytest.mark.parametrize("variant", ["permute-and-flip", "gumbel", "prefix", "phase"])
@pytest.mark.parametrize(("setting", "epsilon"), [("linear", 0.05), ("twenty", 0.5), ("sure", 2.0)])
def test_variant_of_rnm_ftnl_has_the_law_of_its_plain_loop(variant, setting, epsilon):
    """Exponential noise against permute-and-flip itself, Gumbel noise against a softmax."""
    means, horizon, runs = SETTINGS[setting], 600, 1500
    at = [5, horizon // 5, horizon]
    result = simulate("rnm-ftnl", means, epsilon, horizon, 2 * runs, at, variant=variant)
    seeds = np.arange(runs) + 1000 * len(means)
    played = reference.variant(variant, means, epsilon, horizon, seeds)
    gaps = max(means) - np.array(means)
    assert_same_law(result.regret, reference.regret_of(played, gaps, at))
    assert_same_law(result.extras["pulls"], reference.pulls_of(played, len(means)))


def test_corrected_is_printed_at_half_the_epsilon():
    """Same rule, other streams: two-sample."""
    one = simulate("rnm-ftnl", LINEAR, 0.2, 3000, 2000, [3000], variant="corrected")
    other = simulate("rnm-ftnl", LINEAR, 0.1, 3000, 2000, [3000], variant="printed")
    assert_same_law(one.extras["pulls"], other.extras["pulls"])


@pytest.mark.parametrize("variant", ["corrected", "permute-and-flip", "gumbel", "prefix", "phase"])
def test_variant_over_checkpoints_and_a_trillion_rounds(variant):
    few = simulate("rnm-ftnl", LINEAR, 0.5, 4000, 5, [4000], variant=variant)
    many = simulate("rnm-ftnl", LINEAR, 0.5, 4000, 5, list(range(1, 4001)), variant=variant)
    np.testing.assert_array_equal(few.extras["pulls"], many.extras["pulls"])
    np.testing.assert_array_equal(few.regret[:, -1], many.regret[:, -1])
    far = simulate("rnm-ftnl", (0.9, 0.5), 0.5, 10**12, 3, [10**12], variant=variant)
    assert (far.extras["pulls"].sum(1) == 10**12).all()
    assert far.extras["pulls"][:, 1].max() < 1000


ALL = [
    "anytime-lazy-ucb", "lazy-dp-ts", "dp-se", "adap-ucb", "adap-klucb", "dp-klucb", "dp-imed",
    "rnm-ftnl", "ftnl", "ftl", "thompson", "ucb1", "kl-ucb",
]  # fmt: skip


def epsilon_of(name):
    return 0.5 if algorithms.get_algorithm(name).private else math.inf


@pytest.mark.parametrize("name", ALL)
def test_checkpoints_do_not_change_a_run(name):
    few = simulate(name, LINEAR, epsilon_of(name), 4000, 5, [4000])
    many = simulate(name, LINEAR, epsilon_of(name), 4000, 5, list(range(1, 4001)))
    np.testing.assert_array_equal(few.extras["pulls"], many.extras["pulls"])
    np.testing.assert_array_equal(few.regret[:, -1], many.regret[:, -1])
    assert (np.diff(many.regret, axis=1) >= -1e-12).all()
    gaps = max(LINEAR) - np.array(LINEAR)
    np.testing.assert_allclose(many.regret[:, -1], many.extras["pulls"] @ gaps, rtol=1e-9)


LEAPERS = [name for name in ALL if name not in ("ucb1", "kl-ucb")]


@pytest.mark.parametrize("name", LEAPERS)
def test_a_trillion_rounds(name):
    """Nothing wraps or gets lost beyond 2^31 rounds; regret stays far from linear."""
    horizon = 10**12
    result = simulate(name, (0.9, 0.5), epsilon_of(name), horizon, 3, [10**6, horizon])
    pulls = result.extras["pulls"]
    assert (pulls.sum(1) == horizon).all()
    assert (pulls >= 0).all()
    np.testing.assert_allclose(result.regret[:, 1], 0.4 * pulls[:, 1], rtol=1e-9)
    if name != "dp-imed":  # noise can exile the best arm for long
        assert pulls[:, 1].max() < 1e8


@pytest.mark.parametrize("name", ALL)
def test_a_thousand_arms(name):
    means = [0.5] * 999 + [0.9]
    result = simulate(name, means, epsilon_of(name), 3000, 1, [1, 500, 3000])
    assert result.extras["pulls"].sum() == 3000


def test_a_crossing_is_settled_by_the_index_itself_also_at_a_trillion_rounds():
    """A few ulps of ln t decide the round: the leap must stop exactly where the index does."""
    from dpbandits.stochastic.anytime_lazy_ucb import last_round, leader

    rng = np.random.default_rng(1)
    crossings = 0
    for _ in range(3000):
        used = 2.0 ** rng.integers(0, 12, 3)
        noise = 1 / rng.choice([0.05, 1, 10])
        first = int(10 ** rng.uniform(0.5, 11.9))
        last = int(first * 10 ** rng.uniform(0.01, 1))
        linear = 3 * math.log(first * 1.05)
        aim = rng.uniform(0, 1e-3, 3)  # indices that are nearly equal not long after `first`
        mean = aim - np.sqrt(linear / used) - noise * linear / used
        index = np.column_stack([mean, 1 / np.sqrt(used), noise / used])
        arm = leader(index, first)
        found = last_round(index, arm, first, last)
        assert first <= found <= last
        assert leader(index, found) == arm
        if found < last:
            crossings += 1
            assert leader(index, found + 1) != arm
            wide = min(1000, found - first)
            assert all(leader(index, t) == arm for t in range(found - wide // 50, found))
    assert crossings > 300


@pytest.mark.parametrize("name", ["adap-klucb", "adap-ucb", "anytime-lazy-ucb", "dp-se"])
def test_the_order_of_the_arms_matters_to_adap_klucb_alone_and_early(name):
    """Means of 400 runs within 5 standard errors of the difference from 10,000 rounds on (flake
    rate below 1e-5 in all); at 300 rounds AdaP-KLUCB alone is far apart."""
    means, at = (0.75, 0.625, 0.5, 0.375, 0.25), [300, 10**4, 10**6]
    first, last = (
        algorithms.run(name, {"means": list(m)}, 1.0, 10**6, range(400), at).regret
        for m in (means, means[::-1])
    )
    apart = np.abs(first.mean(axis=0) - last.mean(axis=0))
    error = np.sqrt((first.var(axis=0) + last.var(axis=0)) / 400) + 1e-9
    assert np.all(apart[1:] <= 5 * error[1:])
    assert (apart[0] > 50 * error[0]) == (name == "adap-klucb")
