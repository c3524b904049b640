"""Parts of FLIPHAT and dp-signs: of the fast engines and of the plain files.

tests/core/test_engine_agreement.py compares whole runs.
"""

from itertools import islice

import numpy as np
import pytest
from scipy.stats import chi2, ks_2samp

from dpbandits.core.algorithms import run
from dpbandits.core.port import SimulatedNoise
from dpbandits.core.streams import Streams
from dpbandits.reproduction.fl.algorithms.compiled import fliphat as compiled
from dpbandits.reproduction.fl.algorithms.compiled import rows, selection
from dpbandits.reproduction.fl.algorithms.fliphat_presets import ReusedNoise, peeling, reads_of
from dpbandits.reproduction.fl.claims.estimation import GivenNoise
from dpbandits.reproduction.fl.presets import PresetSetting
from dpbandits.reproduction.fl.published import published
from dpbandits.sparse.engine import dp_signs, episodes
from dpbandits.sparse.fliphat import Tuning, niht, project_l1
from dpbandits.sparse.problem import SparseSetting, contexts, correlations


def rng(seed):
    return np.random.Generator(np.random.Philox(key=seed))


def stream(seed):
    return Streams(77, (seed,)).states()[0]


def same_moments(first, second):
    """Means and all second moments at 5 standard errors."""
    for moment in (lambda x: x, lambda x: np.einsum("ni,nj->nij", x, x).reshape(len(x), -1)):
        p, q = moment(first), moment(second)
        error = np.sqrt(p.var(axis=0) / len(p) + q.var(axis=0) / len(q))
        assert np.all(np.abs(p.mean(axis=0) - q.mean(axis=0)) <= 5 * error + 1e-9)


def same_law(first, second):
    """And Kolmogorov and Smirnov's test of every coordinate at 1e-5."""
    first, second = np.round(first, 9), np.round(second, 9)
    same_moments(first, second)
    pairs = zip(first.T, second.T, strict=True)
    assert min(ks_2samp(p, q, method="asymp").pvalue for p, q in pairs) > 1e-5


@pytest.mark.parametrize("noise", ["reused", "fresh"])
def test_published_points_of_figure_3_right(noise):
    """At the most arms, by 60 runs each: met with reused noise (chi-square at 1e-4), missed with
    fresh noise. All 48 points are the claim FL-F3R."""
    points, z = published("fig3_right"), []
    for row in points[(points["arms"] == 24) & points["epsilon"].isin((0.5, 5))].itertuples():
        setting = {"preset": "released", "arms": int(row.arms), "peeling_noise": noise}
        x = run(
            "fliphat-presets", setting, row.epsilon, 10_000, range(60), np.array([10_000])
        ).regret
        error = np.hypot(row.sem, x.std(ddof=1) / np.sqrt(60))
        z.append((row.mean - x.mean()) / error)
    p = chi2.sf(np.sum(np.square(z)), len(z))
    assert p > 1e-4 if noise == "reused" else p < 1e-4


# Rows that are drawn where they are read


def asked(matrix, u):
    """Products and columns of dense rows, each asked for after the others as N-IHT does."""
    a = u @ matrix
    c = matrix[:, [5, 0]]
    b = (u - 0.5 * c[:, 0]) @ matrix
    return np.concatenate((a, b, matrix[:, [3, 5, 4]].T @ u, c.T @ c[:, 0]))


@pytest.mark.parametrize("rho", [0.0, 0.5, -0.6])
@pytest.mark.parametrize("n", [4, 40])
def test_products_and_columns_have_the_joint_law_of_dense_rows(rho, n):
    """Given two columns, with and without turning R^n. Over the 6 cases 1,140 moments at 5
    standard errors and 114 KS tests at 1e-5: flake rate 2e-3, fixed seeds."""
    d, where, u = 7, np.array([1, 4]), np.linspace(1, 2, n)
    sigma = correlations(rho, np.arange(d), np.arange(d))
    gain = sigma[:, where] @ np.linalg.inv(sigma[np.ix_(where, where)])
    known = rng(9).standard_normal((2, n))
    dense, lazy = [], []
    for seed in range(3000):
        random = rng(seed)
        free = random.standard_normal((n, d)) @ np.linalg.cholesky(sigma).T
        dense.append(asked(free + (known.T - free[:, where]) @ gain.T, u))
        vectors, used = rows.turned(np.vstack((known, u)), 4)
        v, drawn = vectors[2], stream(seed)
        assert len(v) == (n if n == 4 else 7)
        x = rows.known_columns(d, rho, where, vectors[:2], n, used)
        a, x = rows.product(drawn, x, v)
        c, x = rows.columns_at(drawn, x, np.array([5, 0]))
        b, x = rows.product(drawn, x, v - 0.5 * c[0])
        e, x = rows.columns_at(drawn, x, np.array([3, 5, 4]))
        np.testing.assert_allclose(e[2] @ v, u @ known[1])
        lazy.append(np.concatenate((a, b, e @ v, c @ c[0])))
    same_law(np.array(dense), np.array(lazy))


def test_products_agree_with_columns():
    random, drawn, n, d = rng(1), stream(1), 30, 12
    x = rows.known_columns(d, 0.3, np.array([2]), random.standard_normal((1, n)), n, n)
    us = random.standard_normal((3, n))
    found = []
    for u in us:
        total, x = rows.product(drawn, x, u)
        found.append(total)
    whole, x = rows.columns_at(drawn, x, np.arange(d))
    np.testing.assert_allclose(us @ whole.T, found, atol=1e-11)
    again, _ = rows.product(drawn, x, us[0] - 2 * us[1])
    np.testing.assert_allclose(again, found[0] - 2 * found[1], atol=1e-11)


def test_excess_above_the_clip_is_below_its_bound():
    """At 1% (and the bound is not idle: the largest excess is a quarter of it). Of a known column
    it is the excess itself."""
    n, d, clip, rho = 300, 8, 2.5, 0.3
    known = rng(4).standard_normal((1, n))
    large = rows.known_columns(d, rho, np.array([3]), 0 * known + 7.5, n, n)
    assert rows.largest_excess(large, clip) >= 5 * n
    x = rows.known_columns(d, rho, np.array([3]), known, n, n)
    bound, seen, drawn = rows.largest_excess(x, clip, 0.01), [], stream(3)
    for _ in range(400):
        others, _ = rows.columns_at(drawn, x, np.array([0, 1, 2, 4, 5, 6, 7]))
        seen.append(np.maximum(np.abs(others) - clip, 0).sum(axis=1).max())
    assert np.mean(np.array(seen) > bound) < 0.01
    assert max(seen) > bound / 4


def test_scores_of_unclipped_rows_have_the_law_of_contexts():
    """x'beta*, x'theta of an arm, then x at the coordinates that they read."""
    setting = SparseSetting(d=7, sparsity=2, beta=(0.9, -0.7), arms=2, rho=0.5, sigma=0.0)
    theta, where = np.array([0.5, 0, 0, -1.0, 0, 0, 0]), np.array([0, 1, 3])
    x = contexts(setting, rng(1), 6000)
    scores = x @ setting.signal
    dense = np.column_stack((scores[:, 0], x[:, 0] @ theta, x[:, 0][:, where]))
    drawn, problem = stream(2), episodes.problem_of(setting)
    scores = episodes.play_episode(drawn, problem, theta, 6000, True, False).scores
    columns = compiled.columns_given_scores(drawn, problem, theta, where, scores, 6000, 6000)
    np.testing.assert_allclose(theta[where] @ columns, scores[1], atol=1e-9)
    np.testing.assert_allclose(setting.signal[where] @ columns, scores[0], atol=1e-9)
    same_law(dense, np.column_stack((*scores, columns.T)))


def test_sign_sums_have_the_law_of_dense_rows():
    where, u, known = np.array([0, 4]), np.array([1.0, -1.0, 1.0, 1.0]), rng(3).normal(size=(4, 2))
    sigma, fast, dense, random = correlations(0.6, np.arange(7), np.arange(7)), [], [], rng(7)
    gain = sigma[:, where] @ np.linalg.inv(sigma[np.ix_(where, where)])
    for seed in range(6000):
        fast.append(dp_signs.DrawnRows(stream(seed), 0.6, 7, where, known).sign_sums(u))
        free = random.standard_normal((4, 7)) @ np.linalg.cholesky(sigma).T
        dense.append(u @ np.where(free + (known - free[:, where]) @ gain.T >= 0, 1.0, -1.0))
    same_moments(np.array(fast), np.array(dense))


# Selections


@pytest.mark.parametrize(("d", "rounds"), [(6, 2), (6, 6), (40, 3), (100, 20)])
@pytest.mark.parametrize("xi", [0.05, 0.5, 5.0])
def test_law_of_winners_of_fresh_noise(d, rounds, xi):
    """First and last winner jointly, 12 chi-square tests at 1e-5."""
    runs, sizes, random, own = 6000, np.abs(rng(d).standard_normal(d)), rng(2), stream(2)
    drawn = [selection.winners_of_fresh_noise(own, sizes, rounds, xi) for _ in range(runs)]
    left, plain, each = np.ones((runs, d), bool), [], np.arange(runs)
    for _ in range(rounds):
        noisy = np.where(left, sizes + xi * random.laplace(size=(runs, d)), -np.inf)
        plain.append(noisy.argmax(axis=1))
        left[each, plain[-1]] = False
    groups = np.argsort(np.argsort(sizes)) * min(10, d) // d
    counts = np.zeros((2, 10, 10))
    for table, winners in zip(counts, (np.array(drawn), np.transpose(plain)), strict=True):
        np.add.at(table, (groups[winners[:, 0]], groups[winners[:, -1]]), 1)
    many = counts.sum(axis=0) >= 10
    a, b = ([*x[many], x[~many].sum()] for x in counts)
    parts = [(p - q) ** 2 / (p + q) for p, q in zip(a, b, strict=True) if p + q > 0]
    assert len(parts) < 2 or chi2.sf(sum(parts), len(parts) - 1) > 1e-5


def test_without_noise_the_largest_win():
    sizes = np.abs(rng(3).standard_normal(50))
    expected = np.argsort(-sizes)[:5]
    np.testing.assert_array_equal(
        selection.winners_of_fresh_noise(stream(1), sizes, 5, 0.0), expected
    )
    np.testing.assert_array_equal(selection.winners(sizes, 1.0, np.zeros((5, 50)), 5), expected)


def test_winners_with_uncertain_entries():
    true, asked_for = rng(2).standard_normal(60), 0
    for seed in range(200):
        noise = rng(seed).laplace(size=(5, 60))
        v = true + rng(seed + 1000).uniform(-0.1, 0.1, 60)
        inexact, to_refine = np.ones(60, bool), selection.winners(v, 1.0, noise, 5)
        while len(to_refine):
            assert inexact[to_refine].all()
            v[to_refine], inexact[to_refine] = true[to_refine], False
            chosen, to_refine = selection.certain_winners(v, 1.0, noise, 5, inexact, 0.1)
        np.testing.assert_array_equal(chosen, selection.winners(true, 1.0, noise, 5))
        assert not inexact[chosen].any()
        asked_for += 60 - inexact.sum()
    assert 5 * 200 < asked_for < 12 * 200


# The plain algorithms


def test_peeling_by_hand():
    """|v| = 3, 2, 1, 0: round 1 lifts the third to 5; round 2 the first, which falls in round 1."""
    v = np.array([3.0, -2.0, 1.0, 0.0])
    w = np.array([[-9.0, 0, 2, 0], [0, 0, 9, 0]])
    assert peeling(v, 2, 2.0, GivenNoise(w, np.ones(4))).tolist() == [5, 0, 3, 0]


def test_projection_is_the_nearest_point_of_the_ball():
    for seed in range(20):
        v = 2 * rng(seed).standard_normal(9)
        p = project_l1(v, 1.5)
        assert np.abs(p).sum() <= 1.5 + 1e-12
        for other in rng(seed + 100).standard_normal((200, 9)):
            q = other * 1.5 / max(1.5, np.abs(other).sum())
            assert (v - p) @ (q - p) <= 1e-10  # the variational inequality of a projection
    small = np.array([0.1, -0.2])
    np.testing.assert_array_equal(project_l1(small, 1.0), small)


def test_noiseless_niht_is_iterative_hard_thresholding():
    x = rng(8).standard_normal((50, 12))
    y = x[:, 0] * 2 - x[:, 3] + 0.1 * rng(9).standard_normal(50)
    setting = PresetSetting(preset="released", d=12, sparsity=3, true_sparsity=3, step_size=0.1)
    noise = SimulatedNoise(rng(0))  # of scale 0
    got = niht(x, y, setting, Tuning(1.5, 2.0, np.zeros(5)), noise, peel=peeling)
    theta = np.zeros(12)
    for _ in range(5):
        v = theta - 0.1 * 2 / 50 * x.T @ (x @ theta - np.clip(y, -1.5, 1.5))
        keep = np.argsort(-np.abs(v), kind="stable")[:3]
        theta = np.zeros(12)
        theta[keep] = v[keep]
        theta = project_l1(theta, 2.0)
    np.testing.assert_allclose(got, theta, atol=1e-13)
    assert not niht(x, y, setting, Tuning(1.5, 2.0, np.zeros(0)), None).any()


def test_reused_noise_is_numbered_by_estimate_step_and_round():
    """Round i of step m for the estimate of episode l: vector l - 1 + m + i; releases are fresh."""
    setting = PresetSetting(preset="released", d=7, sparsity=3, steps_factor=0.3)
    steps = [setting.tuning(1.0, 2**e).M for e in range(12)]
    assert (min(steps), max(steps)) == (0, 3)
    numbers = [e + m for e, M in enumerate(steps) for m in range(M)]
    assert list(islice(reads_of(setting, 1.0), len(numbers))) == numbers
    noise, vectors, released = ReusedNoise(rng(3), iter([0, 2, 3, 3])), {}, []
    for start in (0, 2, 3, 3):
        for i in range(3):
            noise.argmax(np.zeros(7), 1.0)
            vectors.setdefault(start + i, noise.vectors[start + i])
            assert vectors[start + i] is noise.vectors[noise.next]
        released.append(noise.laplace(0.0, 1.0))
    assert len(noise.vectors) == 6
    assert len(set(released)) == 4
