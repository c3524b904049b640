"""FL's learners and studies by hand: constants, steps, episodes, streams, penalties, tables."""

import importlib
import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from dpbandits.core.algorithms import get_study
from dpbandits.core.streams import Streams, key_of
from dpbandits.sparse import dp_signs, fliphat, jdp_linucb, problem, sa_lasso, theory
from dpbandits.sparse.engine import certificates, presets, zcdp
from dpbandits.sparse.engine.accountant import peeling_delta
from dpbandits.sparse.engine.clipped import ClippedContexts
from dpbandits.sparse.engine.contexts import LazyContexts
from dpbandits.sparse.engine.iht import laplace
from dpbandits.sparse.engine.selection import Fresh, OneShot
from dpbandits.sparse.problem import SparseSetting
from dpbandits.sparse.studies import bounds as bounds_study
from dpbandits.sparse.studies import constants, estimation, fresh_instances, privacy

E = math.e
ROOT = math.sqrt
close = pytest.approx


# JDP-LinUCB (Shariff and Sheffet 2018), dp-signs


def test_the_constants_of_jdp_linucb():
    """d = 4, T = e^9/2: ln(2 T) = 9, nodes = 1 + ceil(log2 T) = 13, ln(2 T^2) = 18 - ln 2."""
    horizon = E**9 / 2
    own = SparseSetting(d=4, sparsity=2, beta=(3.0, -4.0), sigma=0.5, delta=4 / E**2)
    found = jdp_linucb.Constants(own, 0.5, horizon)
    x = ROOT(2 * math.log(4))
    assert found.norm == close(ROOT(4 + 2 * 6 + 18))
    assert found.reward == close(x * 7 + 0.5 * ROOT(18))
    s = 4 * (34 + found.reward**2) * 2 / 0.5
    assert found.s == close(s)
    tail = 2 * (18 - math.log(2))
    assert found.shift == close(s * ROOT(26) * (8 + tail))
    assert found.size == 5
    assert found.gamma == close(s * ROOT(13 / found.shift) * (2 + ROOT(tail)))
    assert (found.sigma, found.log_failure, found.d) == (0.5, close(math.log(2 * E**9)), 4)
    explore = 0.5 * ROOT(2 * math.log(2 * E**9) + 4 * math.log(2))
    width = explore + 5 * ROOT(3 * found.shift) + found.gamma
    assert found.width(2 * found.shift * np.eye(4)) == close(width)
    assert found.width(1e-9 * found.shift * np.eye(4)) == close(width - explore)
    assert jdp_linucb.Constants(own, math.inf, 64).shift == 1
    one = jdp_linucb.Constants(own, 0.5, 1)  # nodes: 1 + ceil(log2 2)
    assert one.gamma == close(one.s * ROOT(2 / one.shift) * (2 + ROOT(2 * math.log(2))))


def test_jdp_linucb_without_noise_is_linucb_on_whole_stretches():
    """Refitted at 2, 4, 8; V = 2 + all rows' outer products, the width of the plain formula."""
    own = SparseSetting(d=3, sparsity=2, beta=(0.9, -0.7), rho=0.3, sigma=0.2, arms=2)
    random, horizon = np.random.default_rng(3), 11
    found = jdp_linucb._one(own, math.inf, horizon, np.random.default_rng(3))
    constants, signal = jdp_linucb.Constants(own, math.inf, horizon), np.array([0.9, -0.7, 0])
    factor = np.linalg.cholesky(problem.covariance(own))
    v, sums, expected, start = 2 * np.eye(3), np.zeros(3), [], 1
    while start <= horizon:
        stop = min(2 * start, horizon + 1)
        contexts = random.standard_normal((stop - start, 2, 3)) @ factor.T
        noise, theta, rows = random.standard_normal(stop - start), np.linalg.solve(v, sums), []
        width = constants.width(v)
        for x in contexts:
            length = np.linalg.norm(x, axis=1, keepdims=True)
            seen = x * np.minimum(1, constants.norm / length)
            spread = np.sqrt(np.einsum("ki,ij,kj->k", seen, np.linalg.inv(v), seen))
            arm = int(np.argmax(seen @ theta + width * spread))
            expected.append((x @ signal).max() - x[arm] @ signal)
            rows.append((seen[arm], x[arm] @ signal))
        random.standard_normal((4, 4))
        for (x, mean), e in zip(rows, noise, strict=True):
            v = v + np.outer(x, x)
            sums = sums + x * np.clip(mean + 0.2 * e, -constants.reward, constants.reward)
        start = stop
    assert found == close(np.array(expected), abs=1e-12)


def test_the_first_episode_of_dp_signs():
    """ln d (2 s + 3 pi sqrt(s/(2 x 0.6 rho))): s = 3, rho = 0.1, d = e^2 gives 5 under the root."""
    own = SimpleNamespace(sparsity=3, d=E**2)
    assert dp_signs.first_episode(own, 0.1) == math.ceil(2 * (6 + 3 * math.pi * 5))
    assert (dp_signs.SELECTION, dp_signs.RELEASE, dp_signs.QUARTILE) == (0.6, 0.3, 0.05)
    assert sum((dp_signs.SELECTION, dp_signs.RELEASE, 2 * dp_signs.QUARTILE)) == close(1)
    assert len(dp_signs.QUARTILES) == 163
    assert dp_signs.QUARTILES.min() == -(2.0**10)
    assert dp_signs.QUARTILES[82] == 2.0**-10


def test_a_step_of_dp_signs_by_hand(monkeypatch):
    """Quartiles -1 and 3: scale 4/1.349, centre 1. The estimate's part is taken off the rewards."""
    own, n, asked = SparseSetting(d=4, sparsity=2, true_sparsity=1, beta=(1.0,)), 3, []
    known, estimate = np.array([[1.0], [2.0], [0.0]]), np.array([0.0, 0.5, 0.0, 0.0])
    rows = SimpleNamespace(known=known, where=np.array([1]))
    rows.sign_sums = lambda signs: asked.append(signs) or np.array([3.0, -1.0, 1.0, 0.0])
    episode = SimpleNamespace(design=rows, rewards=np.array([1.5, 1.9, 1.0]))
    quartiles = []

    def quantile(rng, values, q, rho):
        quartiles.append((list(values), q, rho))
        return {0.25: -1.0, 0.75: 3.0}[q]

    monkeypatch.setattr(dp_signs, "quantile", quantile)
    monkeypatch.setattr(dp_signs, "peeling", lambda *given: given)
    rng = SimpleNamespace(standard_normal="normals")
    scores, release, select, normals = dp_signs.sign_step(own, 0.5, rng, 1, episode, estimate)
    left = close([1.0, 0.9, 1.0])
    assert quartiles == [(left, 0.25, 0.025), (left, 0.75, 0.025)]
    assert list(asked[0]) == [1, -1, 1]  # at least the centre, or below
    scale = 4 / 1.349
    sines = np.sin(math.pi / 6 * np.array([3, -1, 1, 0]))
    assert scores.values == close(estimate + scale * sines)
    moved = math.pi * scale / n  # sqrt(s/2) = 1
    assert release == close(moved / ROOT(0.3 * 0.5))
    assert select.args == (rng, 2, close(moved / ROOT(0.6 * 0.5)))
    assert normals == "normals"
    first = dp_signs.sign_step(own, 0.5, rng, 0, episode, "random")
    assert first[0].values == close(scale * sines)
    assert quartiles[2][0] == [1.5, 1.9, 1.0]
    monkeypatch.setattr(dp_signs, "quantile", lambda rng, values, q, rho: -q)
    assert dp_signs.sign_step(own, 0.5, rng, 1, episode, estimate)[1] == 0  # crossed quartiles


def test_a_quartile_by_hand():
    """Without luck the grid point whose rank is nearest to q n; noise is Gumbel/sqrt(2 rho)."""
    values = np.array([-5.0, -0.3, 0.1, 0.2, 0.9, 3.0, 70.0, 80.0])
    rng = SimpleNamespace(gumbel=lambda size: np.zeros(size))
    for q, (low, high) in ((0.25, (-0.3, 0.1)), (0.75, (3.0, 70.0))):
        assert low < dp_signs.quantile(rng, values, q, 0.5) <= high
    lucky = np.zeros(163)
    lucky[0] = 2 * ROOT(2 * 0.125) + 1e-6  # rank 0 misses q n = 2 by 2
    rng.gumbel = lambda size: lucky
    assert dp_signs.quantile(rng, values, 0.25, 0.125) == -1024
    lucky[0] -= 2e-6
    assert dp_signs.quantile(rng, values, 0.25, 0.125) > -1


def test_rounds_of_jdp_linucb_come_in_blocks_that_memory_holds(monkeypatch):
    """2^19 numbers: two rounds of 1024 arms in 256 dimensions; a stretch of four is cut."""
    plain, asked = jdp_linucb.at_coordinates, []
    monkeypatch.setattr(jdp_linucb, "at_coordinates", lambda rng, where, shape, rho: (
        asked.append(shape) or plain(rng, where[:1], shape, rho) * np.ones(256)))  # fmt: skip
    own = SparseSetting(d=256, arms=1024, sparsity=2)
    assert len(jdp_linucb._one(own, 1.0, 6, np.random.default_rng(1))) == 6
    assert asked == [(1, 1024), (2, 1024), (2, 1024), (1, 1024)]


# Studies

SIZES = ("n", "d", "sparsity", "true_sparsity")
FRESH = {"instances": 2, "seeds": 1, "horizon": 1, "d": 10}
ENDS = [  # of a study's parameters: what is just allowed, and just refused
    (
        bounds_study.Params,
        {"d": [2], "n": 1, "epsilon": 1e-9, "factors": [1e-9]},
        {"d": [1], "n": 0, "epsilon": 0.0, "factors": [0.0]},
    ),
    (constants.Params, {"epsilon": 1e-9, "episodes": 2}, {"epsilon": 0.0, "episodes": 1}),
    (
        estimation.Params,
        dict.fromkeys(SIZES, 1) | {"epsilon": 1e-9, "runs": 2},
        dict.fromkeys(SIZES, 0) | {"epsilon": 0.0, "runs": 1},
    ),
    (
        fresh_instances.Params,
        FRESH | {"series": ["x"], "epsilon": [1e-9]},
        {key: value - 1 for key, value in FRESH.items()} | {"series": [], "epsilon": [0.0]},
    ),
    (privacy.Params, {"d": 2, "n": 3, "epsilon": [1e-9]}, {"d": 1, "n": 2, "epsilon": [0.0]}),
    (
        sa_lasso.LassoSetting,
        {"lambda_0": 1e-9, "refit_every": 1},
        {"lambda_0": 0.0, "refit_every": 0},
    ),
]


@pytest.mark.parametrize(("model", "inside", "outside"), ENDS)
def test_ends_of_what_parameters_allow(model, inside, outside):
    model(**inside)
    for key, value in outside.items():
        with pytest.raises(ValueError, match=key):
            model(**inside | {key: value})


def test_rows_of_the_study_of_constants():
    table = get_study("fl/constants").table({"epsilon": 2.0, "episodes": 7})
    assert list(table["preset"].unique()) == ["printed", "released", "corrected", "zcdp"]
    assert list(table["n"][:7]) == [1, 2, 4, 8, 16, 32, 64]
    assert np.isnan(table["scale"][0])  # floor(1.6 ln 1) steps: none
    row = table[(table["preset"] == "released") & (table["n"] == 64)].iloc[0]
    how = presets.tuning(SparseSetting(), 2.0, 64)
    assert (row["steps"], row["clip"], row["scale"]) == (1, how.clip, how.scales[0])
    assert row["lead"] == close(2 * 1e-4 * 0.74843 / (how.scales[0] * math.log(400)))


def test_rows_of_the_study_of_bounds():
    """P(|g| > x) = erfc(x/sqrt 2); a row of d is clipped with 1 - (1 - p)^d at most."""
    table = get_study("fl/bounds").table(
        {"d": [50, 400], "n": 4096, "epsilon": 1.0, "factors": [0.5, 2.0]}
    )
    assert len(table) == 8
    row = table[(table["varied"] == "x_max") & (table["d"] == 50)].iloc[0]
    x, b = 0.5 * ROOT(2 * math.log(50)), 3.43622
    assert (row["factor"], row["x_max"], row["b_max"]) == (0.5, close(x), close(b))
    p = math.erfc(x / ROOT(2))
    assert row["clipped_entries"] == close(p)
    assert row["clipped_rows"] == close(1 - (1 - p) ** 50)
    own = bounds_study.Tuned(d=50, preset="corrected", x_factor=0.5)
    how = presets.tuning(own, 1.0, 4096)
    assert row["lead"] == close(2e-4 * 0.74843 / (how.scales[0] * math.log(50)))
    beta = np.array(problem.PUBLISHED_BETA[5])
    sd = ROOT(beta @ problem.covariance(SparseSetting(d=5, sparsity=5)) @ beta + 0.01)
    assert row["clipped_rewards"] == close(math.erfc(how.clip / sd / ROOT(2)))
    wide = table[(table["varied"] == "b_max") & (table["d"] == 400)].iloc[1]
    assert (wide["factor"], wide["b_max"]) == (2.0, close(2 * b))
    assert wide["x_max"] == close(ROOT(2 * math.log(400)))


def test_epsilons_that_accounts_grant():
    """The least eps, by the account of zCDP or of composition, at the ratio of the worst step."""
    own = SparseSetting(preset="zcdp", steps_factor=0.3, sparsity=3)
    how = presets.tuning(own, 2.0, 4096)
    assert how.steps == 2
    assert privacy.accounted_epsilon(own, how, 4096) == close(2.0, rel=1e-9)
    own = own.model_copy(update={"preset": "corrected"})
    how = presets.tuning(own, 2.0, 4096)
    assert privacy.accounted_epsilon(own, how, 4096) == close(2.0, rel=1e-6)
    # printed noise: in one step 4 x_max R eta/n over xi
    own = SparseSetting(preset="printed", sparsity=3)
    how = presets.from_text(own, 2.0, 4096, 1, 5.0)
    ratio = own.step_size / 4096 * 4 * own.x_max * 5.0 / how.scales[0]
    found = privacy.accounted_epsilon(own, how, 4096)
    assert peeling_delta(found, ratio, 3) <= 0.01
    assert peeling_delta(found * (1 - 1e-6), ratio, 3) > 0.01


def test_rows_of_the_study_of_privacy(monkeypatch):
    """Certified only for one step, and not for zcdp."""
    monkeypatch.setattr(privacy, "accounted_epsilon", lambda *_: 7.0)
    table = get_study("fl/privacy").table({"d": 40, "n": 4096, "epsilon": [1.0]})
    rows = table.set_index("preset")
    assert list(rows.index) == ["printed", "released", "corrected", "zcdp"]
    assert list(rows["steps"]) == [13, 1, 1, 1]
    assert list(np.isnan(rows["certified_low"])) == [True, False, False, True]
    own = SparseSetting(d=40)
    how = presets.tuning(own, 1.0, 4096)
    best = max(e.epsilon(0.01) for e in certificates.flipped_reward(own, how, 4096))
    assert rows.loc["released", "certified_low"] == best
    assert rows.loc["released", "scale"] == how.scales[0]
    assert set(rows["account_high"]) == {7.0}


def test_rows_of_the_study_of_estimation(monkeypatch):
    """One factor at a time; without privacy eps does not move; s is never below its half."""
    asked = []

    def errors(point, private):
        asked.append((point.n, point.sparsity, point.d, point.epsilon, private))
        return np.array([1.0, 3.0, 5.0])

    monkeypatch.setattr(estimation, "squared_errors", errors)
    base = {"n": 1000, "d": 400, "sparsity": 12, "true_sparsity": 5, "epsilon": 2.0, "runs": 3}
    table = get_study("fl/estimation").table(base)
    factors, fewer = (0.25, 0.5, 1, 2, 4), (0.5, 1, 2, 4)
    statistical = [
        *((int(1000 * f), 12, 400, 2.0, False) for f in factors),
        *((1000, int(12 * f), 400, 2.0, False) for f in fewer),
        *((1000, 12, int(400 * f), 2.0, False) for f in factors),
    ]
    private = [(*row[:-1], True) for row in statistical]
    assert asked == [*statistical, *private, *((1000, 12, 400, 2.0 * f, True) for f in factors)]
    row = table[(table["term"] == "private") & (table["varied"] == "epsilon")].iloc[4]
    assert (row["value"], row["mean"], row["runs"]) == (8.0, 3.0, 3)
    assert row["sem"] == close(2 / ROOT(3))
    point = estimation.Params(**base | {"epsilon": 8.0})
    own = estimation.setting_of(point)
    assert (own.d, own.sparsity, own.true_sparsity, own.preset) == (400, 12, 5, "printed")
    assert own.step_size == close(1 / 6)
    assert estimation.HIGH == 3
    assert close(1.8 / 1.1) == estimation.LOW
    kappa = 3 / (1.8 / 1.1)
    terms = theory.estimation_terms(1000, 12, 5, 400, 8.0, 0.01, 0.1, kappa, 1.8 / 1.1)
    assert row["printed"] == close(sum(terms))
    again = theory.repaired_estimation_bound(own, 1000, 8.0, 1.8 / 1.1, kappa)
    assert row["repaired"] == close(again)
    free = table[(table["term"] == "statistical") & (table["varied"] == "n")].iloc[2]
    assert free["printed"] == close(terms[0])


def test_what_an_error_is_measured_on(monkeypatch):
    """Rewards X beta* (+ noise) of n lazy rows; the squared distance of the estimate to beta*."""
    keys = {"d": 4, "sparsity": 3, "beta": (0.9, -0.5), "preset": "printed", "rho": 0.0}
    own, seen = SparseSetting(**keys, step_size=1 / 6), []

    def niht(design, rewards, how, step_size, select, release):
        seen.append((how, step_size, select.rounds, release(2).shape, rewards))
        left = rewards - design.matvec(own.signal)
        assert len(left) == 40
        assert np.std(left) == close(0.1, rel=0.4)  # sigma
        return own.signal + np.array([1.0, 0.0, -2.0, 0.0])

    monkeypatch.setattr(estimation, "niht", niht)
    streams = Streams(5, (0, 1))
    assert [estimation._one(own, 2.0, 40, streams, i) for i in (1, 1, 0)] == close([5, 5, 5])
    assert seen[0][:4] == (presets.tuning(own, 2.0, 40), 1 / 6, 3, (2,))
    same = [list(row[4]) == list(seen[0][4]) for row in seen]
    assert same == [True, True, False]


def test_errors_have_streams_of_their_point(monkeypatch):
    base = {"n": 50, "d": 20, "sparsity": 3, "true_sparsity": 2, "epsilon": 2.0, "runs": 2}
    point, seen = estimation.Params(**base), []
    monkeypatch.setattr(estimation, "_one", lambda *given: seen.append(given) or float(len(seen)))
    assert list(estimation.squared_errors(point, True)) == [1, 2]
    assert list(estimation.squared_errors(point, False)) == [3, 4]
    for (own, epsilon, n, streams, i), private in zip(seen, (1, 1, 0, 0), strict=True):
        assert own == estimation.setting_of(point)
        assert (epsilon, n) == (2.0 if private else math.inf, 50)
        assert streams == Streams(key_of("fl/estimation", point, bool(private)), (0, 1))
        assert i in (0, 1)
    assert [given[4] for given in seen] == [0, 1, 0, 1]


def test_fresh_instances_have_signals_of_their_kind_and_number(monkeypatch):
    """Each learner's regret over that of the random arm; what is not private runs at infinity."""
    seen = []

    def regret(params, name, setting, epsilon):
        seen.append((name, setting, epsilon))
        return {"random-arm": 4.0, "dp-signs": 1.0, "sa-lasso": 3.0}[name]

    monkeypatch.setattr(fresh_instances, "_regret", regret)
    series = ["dp-signs", {"id": "l", "name": "sa-lasso", "with": {"lambda_0": 2.0}}]
    keys = {"instances": 2, "seeds": 1, "horizon": 9, "d": 30, "epsilon": [0.5], "series": series}
    table = get_study("fl/fresh_instances").table(keys)
    assert list(table["mean"]) == [0.25, 0.75] * 3
    assert list(table["kind"].unique()) == ["alike", "uneven", "noisy"]
    assert list(table["best"]) == [1.0, 0.0] * 3
    place = iter(seen)
    for kind, (sizes, more) in fresh_instances.KINDS.items():
        for i in range(2):
            rng = Streams(key_of("fl/fresh_instances", kind), (i,)).generator(0)
            count = int(rng.integers(3, 9))
            beta = np.round(sizes(rng, count) * rng.choice([-1.0, 1.0], count), 5).tolist()
            setting = {"d": 30, "beta": beta, **more}
            assert 3 <= count <= 8
            assert next(place) == ("random-arm", setting, math.inf)
            assert next(place) == ("dp-signs", setting, 0.5)
            assert next(place) == ("sa-lasso", setting | {"lambda_0": 2.0}, math.inf)
    runs = []
    monkeypatch.undo()
    answer = SimpleNamespace(regret=np.array([[1.0], [2.0]]))
    monkeypatch.setattr(fresh_instances, "run", lambda *given: runs.append(given) or answer)
    params = SimpleNamespace(seeds=2, horizon=9)
    assert fresh_instances._regret(params, "x", {"d": 3}, 0.5) == 1.5
    assert runs == [("x", {"d": 3}, 0.5, 9, range(2), [9])]


# Streams of the learners: contexts, selection and release never share theirs


def test_children_of_a_run_are_named_apart(monkeypatch):
    own = SparseSetting(d=12, sparsity=3, preset="released")
    parent = Streams(77, (4, 5, 6))
    noise = fliphat.PeelingNoise(own, parent, 1)
    assert noise.rng.random() == parent.child("selection").generator(1).random()
    draws = noise.release(3)
    assert list(draws) == list(laplace(parent.child("release").generator(1), 3))
    zcdp_noise = fliphat.PeelingNoise(own.model_copy(update={"preset": "zcdp"}), parent, 2)
    same = parent.child("release").generator(2).standard_normal(3)
    assert list(zcdp_noise.release(3)) == list(same)
    assert isinstance(zcdp_noise.of_estimate(0), OneShot)
    fresh = own.model_copy(update={"peeling_noise": "fresh"})
    assert isinstance(fliphat.PeelingNoise(fresh, parent, 0).of_estimate(3), Fresh)
    corrected = own.model_copy(update={"preset": "corrected"})
    assert isinstance(fliphat.PeelingNoise(corrected, parent, 0).of_estimate(3), Fresh)
    assert fliphat.PeelingNoise(own, parent, 0).reused
    seen = []

    def play(contexts, learn, horizon, checkpoints, first=1):
        seen.append((contexts, learn, horizon, first))
        return {name: np.zeros(1) for name in fliphat.CURVES}

    monkeypatch.setattr(fliphat, "run_one", play)
    monkeypatch.setattr(dp_signs, "run_one", play)
    fliphat.simulate(own, 2.0, 50, parent, np.array([50]))
    dp_signs.simulate(own, 2.0, 50, parent, np.array([50]))
    for place, (contexts, *_) in enumerate(seen):
        expected = parent.child("contexts").generator(place % 3)
        assert contexts.rng.random() == expected.random()
    for i in range(3):
        contexts, learn, horizon, first = seen[3 + i]
        assert (contexts.clip, horizon) == (np.inf, 50)
        rho = zcdp.largest_rho(2.0, 0.01)
        assert first == dp_signs.first_episode(own, rho)
        assert learn.args[:2] == (own, rho)
        assert learn.args[2].random() == parent.child("privacy").generator(i).random()
    assert isinstance(seen[0][0], LazyContexts)
    fliphat.simulate(corrected, 2.0, 50, parent, np.array([50]))
    assert isinstance(seen[-1][0], ClippedContexts)


@pytest.mark.parametrize("name", ["jdp-linucb", "sa-lasso", "random-arm"])
def test_each_seed_of_a_baseline_has_its_own_stream(name, monkeypatch):
    module = importlib.import_module(f"dpbandits.sparse.{name.replace('-', '_')}")
    parent, seen = Streams(77, (4, 5)), []

    class Stop:
        regret = np.arange(9.0)

        def __init__(self, setting, rng):
            self.setting = setting
            seen.append(rng.random())

        def play(self, estimate, n):
            assert n == 9
            return self

    if name == "jdp-linucb":
        one = lambda setting, epsilon, horizon, rng: Stop(setting, rng).regret  # noqa: E731
        monkeypatch.setattr(module, "_one", one)
    else:
        contexts = "RowContexts" if name == "sa-lasso" else "LazyContexts"
        monkeypatch.setattr(module, contexts, Stop)
        monkeypatch.setattr(module, "_one", lambda c, *_: c.regret, raising=False)
    found = module.simulate(SparseSetting(), 1.0, 9, parent, np.array([1, 3, 9]))
    assert found.regret.tolist() == [[0, 3, 36]] * 2
    assert seen == [parent.generator(i).random() for i in range(2)]


# An episode at a time


def scripted(n, at, first=1):
    """`run_one` on contexts whose regret is 1 a round, with a learner that counts."""
    plays, learnt = [], []

    class Contexts:
        signal = np.array([3.0, 4.0, 0.0])

        def play(self, estimate, n):
            plays.append((estimate if isinstance(estimate, str) else estimate[2], n))
            return SimpleNamespace(regret=np.ones(n))

    def learn(number, episode, estimate):
        learnt.append((number, len(episode.regret)))
        return np.array([3.0, 0.0, float(number)])

    found = fliphat.run_one(Contexts(), learn, n, np.array(at), first)
    return found, plays, learnt


def test_episodes_double_and_end_with_the_horizon():
    """The estimate (3, 0, k) of episode k against beta* = (3, 4, 0): half of the support, distance
    sqrt(16 + k^2), cosine 9/(5 sqrt(9 + k^2)); none yet: |beta*|, 0, 0."""
    found, plays, learnt = scripted(20, [1, 2, 3, 15, 16, 20])
    assert plays == [("random", 1), (0, 2), (1, 4), (2, 8), (3, 5)]
    assert learnt == [(0, 1), (1, 2), (2, 4), (3, 8)]  # none from the last
    assert list(found["regret"]) == [1, 2, 3, 15, 16, 20]
    assert list(found["error"]) == close([5, 4, 4, ROOT(20), 5, 5])
    at_2, at_3 = 9 / 5 / ROOT(13), 9 / 5 / ROOT(18)
    assert list(found["cosine"]) == close([0, 0.6, 0.6, at_2, at_3, at_3])
    assert list(found["support"]) == [0, 0.5, 0.5, 0.5, 0.5, 0.5]
    _, plays, learnt = scripted(15, [15])
    assert plays[-1] == (2, 8)
    assert len(learnt) == 3
    assert fliphat._quality(np.zeros(2), np.array([3.0, 4.0])) == (5, 0, 0)


def test_a_long_first_episode_is_doubled_from_its_end():
    found, plays, _ = scripted(60, [6, 7, 60], 6)
    assert [n for _, n in plays] == [6, 7, 14, 28, 5]
    assert list(found["regret"]) == [6, 7, 60]
    assert list(found["support"]) == [0, 0.5, 0.5]
    assert scripted(4, [4], 6)[1] == [("random", 4)]


def test_the_released_noise_is_numbered():
    """Estimate m, step k, round i: vector m + k + i of one sequence; what is past is let go."""
    own = SparseSetting(d=6, sparsity=2, preset="released")
    parent = Streams(77, (4,))
    noise, rng = fliphat.PeelingNoise(own, parent, 0), parent.child("selection").generator(0)
    sequence = [laplace(rng, 6) for _ in range(8)]
    select = noise.of_estimate(3)(1)
    assert np.array_equal(select.args[0], sequence[4:6])
    assert sorted(noise.kept) == [0, 1, 2, 3, 4, 5]
    assert np.array_equal(noise.of_estimate(4)(2).args[0], sequence[6:8])
    assert sorted(noise.kept) == [4, 5, 6, 7]


def test_rows_of_sa_lasso_and_their_penalty(monkeypatch):
    """Refits every 3 rounds and at the end; 2 lambda_0 sqrt((4 ln t + 2 ln d)/t), from t = 6 on."""
    played, solved, added = [], [], []

    class Contexts:
        def play(self, estimate, n):
            played.append((estimate, n))
            blocks = [(slice(0, 1), np.ones((1, 2))), (slice(1, n), 2 * np.ones((n - 1, 2)))]
            design = SimpleNamespace(blocks=lambda: blocks)
            return SimpleNamespace(regret=np.ones(n), rewards=np.arange(n), design=design)

    class Fit:
        def __init__(self, d):
            assert d == 7

        def add(self, x, y):
            added.append((x[0, 0], list(y)))

        def solve(self, alpha):
            solved.append(alpha)
            return len(solved)

    monkeypatch.setattr(sa_lasso, "GrowingLasso", Fit)
    own = sa_lasso.LassoSetting(d=7, sparsity=2, refit_every=3, lambda_0=0.5)
    assert len(sa_lasso._one(Contexts(), own, 11)) == 11
    assert played == [(None, 3), (None, 3), (1, 3), (2, 2)]
    rates = [ROOT((4 * math.log(t) + 2 * math.log(7)) / t) for t in (6, 9, 11)]
    assert solved == close(rates)
    assert added[:2] == [(1, [0]), (2, [1, 2])]
    assert (sa_lasso.LassoSetting().lambda_0, sa_lasso.LassoSetting().refit_every) == (1, 200)


def test_the_growing_lasso_solves_the_whole_problem():
    """Against its optimality conditions, on rows that come in two parts: a coordinate in use has
    x_j'(y - X b) = n alpha sign(b_j), any other at most that."""
    rng = np.random.default_rng(4)
    fit, x = sa_lasso.GrowingLasso(30), rng.standard_normal((40, 30))
    y = 3 * x[:, 2] - 2 * x[:, 5] + 0.5 * rng.standard_normal(40)
    for part in (slice(0, 25), slice(25, 40)):
        fit.add(x[part], y[part])
        n = part.stop
        for alpha in (0.4, 0.1):
            b = fit.solve(alpha)
            pull = x[:n].T @ (y[:n] - x[:n] @ b)
            used = b != 0
            assert 2 <= used.sum() < 30
            assert pull[used] == close(n * alpha * np.sign(b[used]), rel=1e-5)
            assert np.abs(pull).max() <= n * alpha * (1 + 2e-6)
    assert len(fit.active) < 30
    assert not sa_lasso.GrowingLasso(3).solve(1.0).any()


def test_a_summary_of_fresh_instances_by_hand():
    rows = [("k", 0, 1.0, "a", 2.0), ("k", 0, 1.0, "b", 1.0), ("k", 0, 1.0, "free", 0.1)]
    rows += [("k", 1, 1.0, "a", 4.0), ("k", 1, 1.0, "b", 4.0), ("k", 1, 1.0, "free", 5.0)]
    data = pd.DataFrame(rows, columns=["kind", "instance", "epsilon", "algorithm", "share"])
    table = fresh_instances._summary(data, ["a", "b"]).set_index("algorithm")
    assert list(table["mean"]) == [3, 2.5, 2.55]
    assert list(table["worst"]) == [4, 4, 5]
    assert list(table["best"]) == [0.5, 1, 0.5]  # ties count; below the private ones counts
    assert table.loc["a", "low"] == close(3 - 1.96)  # sem: sqrt(2)/sqrt(2)
    assert table.loc["a", "high"] == close(3 + 1.96)
    assert set(table["instances"]) == {2}


def test_which_series_promise_something_finite_and_true():
    series = [
        SimpleNamespace(id=n, name=n, with_=w)
        for n, w in (
            ("fliphat", {"preset": "released"}), ("fliphat", {"preset": "zcdp"}),
            ("sa-lasso", {}), ("dp-signs", {}),
        )
    ]  # fmt: skip
    assert [fresh_instances._is_private(s) for s in series] == [False, True, False, True]


def test_kinds_of_fresh_signals():
    """alike: [1/2, 1]; uneven: logarithms uniform in [-1, 0]; noisy: alike, another setting."""
    for kind, (low, high), middle in (
        ("alike", (0.5, 1), 0.75), ("uneven", (0.1, 1), 10**-0.5), ("noisy", (0.5, 1), 0.75),
    ):  # fmt: skip
        sizes, more = fresh_instances.KINDS[kind]
        drawn = sizes(np.random.default_rng(1), 4001)
        assert low <= drawn.min() < 1.01 * low
        assert 0.99 * high < drawn.max() <= high
        assert np.median(drawn) == close(middle, rel=0.05)
        assert more == ({"sigma": 1.0, "rho": 0.5} if kind == "noisy" else {})
