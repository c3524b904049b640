"""FL's learners by hand: constants, steps, episodes, streams, penalties."""

import importlib
import math
from types import SimpleNamespace

import numpy as np
import pytest

from dpbandits.core.streams import Streams
from dpbandits.sparse import dp_signs, fliphat, jdp_linucb, problem, sa_lasso
from dpbandits.sparse.engine import zcdp
from dpbandits.sparse.engine.clipped import ClippedContexts
from dpbandits.sparse.engine.contexts import LazyContexts
from dpbandits.sparse.engine.iht import Laplace
from dpbandits.sparse.engine.selection import Fresh, OneShot
from dpbandits.sparse.problem import SparseSetting

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


# Streams of the learners: contexts, selection and release never share theirs


def test_children_of_a_run_are_named_apart(monkeypatch):
    own = SparseSetting(d=12, sparsity=3, preset="released")
    parent = Streams(77, (4, 5, 6))
    noise = fliphat.PeelingNoise(own, parent, 1)
    assert noise.rng.random() == parent.child("selection").generator(1).random()
    draws = noise.release(3)
    assert list(draws) == list(Laplace(parent.child("release").generator(1))(3))
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
    noise = fliphat.PeelingNoise(own, parent, 0)
    draw = Laplace(parent.child("selection").generator(0))
    sequence = [draw(6) for _ in range(8)]
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
