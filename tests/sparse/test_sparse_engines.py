"""Peeling and N-IHT against plain references; the engines against each other."""

from functools import partial

import numpy as np
import pytest
from by_hand import rng
from scipy.stats import chi2, ks_2samp

from dpbandits.core.algorithms import run
from dpbandits.core.errors import InputError
from dpbandits.core.models import canonical, parse
from dpbandits.core.streams import streams_for
from dpbandits.sparse.engine.iht import Laplace, Matrix, niht, peeling, project_l1
from dpbandits.sparse.engine.presets import Tuning, tuning
from dpbandits.sparse.engine.selection import Scores, kept_winners
from dpbandits.sparse.fliphat import PeelingNoise, simulate_with
from dpbandits.sparse.problem import SparseSetting
from dpbandits.sparse.published import published


def test_laplace_draws():
    x = Laplace(rng(1))(200_001)
    assert abs(x.mean()) < 5 * np.sqrt(2 / len(x))
    assert abs(np.abs(x).mean() - 1) < 5 / np.sqrt(len(x))
    assert ks_2samp(x, rng(2).laplace(size=200_000)).pvalue > 1e-5
    plain, draw = rng(6), Laplace(rng(6))
    for size in (77, 5, 30, 400, 64):  # an odd number of 32-bit words leaves half a word
        draws, words = plain.standard_exponential(size), plain.bytes((size + 31) // 32 * 4)
        signs = np.unpackbits(np.frombuffer(words, np.uint8), count=size)
        assert list(draw(size)) == list(np.where(signs, -draws, draws))


def test_peeling_follows_algorithm_3_line_by_line():
    d, s, scale = 30, 6, 0.7
    v, noise = rng(3).standard_normal(d), rng(4).laplace(size=(s, d))
    chosen = []
    for i in range(s):
        left = [j for j in range(d) if j not in chosen]
        chosen.append(max(left, key=lambda j: abs(v[j]) + scale * noise[i, j]))
    expected = np.zeros(d)
    expected[chosen] = v[chosen] + scale * Laplace(rng(5))(s)
    kept = peeling(Scores(v), scale, partial(kept_winners, noise.copy()), Laplace(rng(5)))
    np.testing.assert_array_equal(kept, expected)


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
    made = Tuning(clip=1.5, radius=2.0, scales=(0.0,) * 5)
    got = niht(
        Matrix(x), y, made, 0.1, lambda k: partial(kept_winners, np.zeros((3, 12))), np.zeros
    )
    theta = np.zeros(12)
    clipped = np.clip(y, -1.5, 1.5)
    for _ in range(5):
        v = theta - 0.1 * 2 / 50 * x.T @ (x @ theta - clipped)
        keep = np.argsort(-np.abs(v), kind="stable")[:3]
        theta = np.zeros(12)
        theta[keep] = v[keep]
        theta = project_l1(theta, 2.0)
    np.testing.assert_allclose(got, theta, atol=1e-13)


def test_reused_noise_is_numbered_by_estimate_step_and_round():
    setting = SparseSetting(d=7, sparsity=3)
    streams = streams_for("fliphat", setting, 1.0, 100, range(2))
    vectors = PeelingNoise(setting, streams, 1)
    sequence = [vectors.numbered(number).copy() for number in range(12)]
    noise = PeelingNoise(setting, streams, 1)
    for m, k in ((0, 0), (2, 0), (2, 1), (5, 0), (6, 2)):
        expected = np.array([sequence[m + k + i] for i in range(3)])
        winners = noise.of_estimate(m)(k)(Scores(np.arange(7.0)), 2.0)
        assert winners == kept_winners(expected, Scores(np.arange(7.0)), 2.0)


def test_presets_numbers():
    """By hand, at d = 400, s* = 5, N = 1024, epsilon = 1."""
    b, x, n = 3.43622, np.sqrt(2 * np.log(400)), 1024
    released = tuning(SparseSetting(), 1.0, n)
    bound = 2 * x * b + np.sqrt(2 * np.log(1025))
    assert released.steps == 1  # 0.16 ln(1 + 1024 b^2) = 1.5
    xi = 1e-4 * bound / n * 2 * np.sqrt(30 * np.log(100))
    np.testing.assert_allclose(released.scales, [xi], rtol=1e-12)
    printed = tuning(SparseSetting(preset="printed"), 1.0, n)
    assert printed.steps == 11
    xi = 1e-4 / n * (2 * x * b + 0.1 * np.sqrt(2 * np.log(n))) * 22 * np.sqrt(30 * np.log(1100))
    np.testing.assert_allclose(printed.scales, [xi] * 11, rtol=1e-12)
    corrected = tuning(SparseSetting(preset="corrected"), 1.0, n)
    assert corrected.steps == 1
    assert corrected.scales[0] > 2 * released.scales[0]
    assert tuning(SparseSetting(), 1.0, 43).steps == 0
    assert tuning(SparseSetting(), 1.0, 44).steps == 1


def test_settings_have_one_spelling_and_refuse_what_does_not_fit():
    beta = list(SparseSetting().beta)
    same = parse(SparseSetting, {"beta": beta}, "setting")
    assert canonical(same) == canonical(SparseSetting())
    assert len(SparseSetting(true_sparsity=7).beta) == 7
    assert SparseSetting(beta=(1.0, 2.0)).true_sparsity == 2
    bad = ({"beta": [1.0], "true_sparsity": 2}, {"sparsity": 500}, {"beta": [0.0]}, {"bta": 1})
    for wrong in bad:
        with pytest.raises(InputError):
            parse(SparseSetting, wrong, "setting")


def results(engine, setting, epsilon, runs, first):
    seeds = range(first, first + runs)
    at = np.array([20, 80, 200, 350, 511])  # nine episodes; from n = 128 on two steps, not one
    streams = streams_for("fliphat", setting, epsilon, 511, seeds)
    r = simulate_with(engine, setting, epsilon, 511, streams, at)
    ends = [r.curves[name][:, -1] for name in ("error", "cosine", "support")]
    return [*r.regret.T, *ends]


@pytest.mark.parametrize("preset", ["released", "printed", "corrected"])
def test_engines_agree_in_law(preset):
    """Regret at five checkpoints, error, cosine, support: KS over 3 eps in 2 dimensions.

    96 tests in all at 1e-5: flake rate 0.1%, and the seeds are fixed. The step size is larger
    than the paper's so that the error says something.
    """
    for epsilon, d in ((1.0, 60), (10.0, 12), (np.inf, 12), (np.inf, 60)):
        setting = SparseSetting(
            d=d, sparsity=6, preset=preset, step_size=0.05, rho=0.4, steps_factor=0.3
        )
        dense = results("dense", setting, epsilon, 150, 0)
        fast = results(None, setting, epsilon, 150, 1000)
        p = [ks_2samp(a, b).pvalue for a, b in zip(dense, fast, strict=True)]
        assert min(p) > 1e-5, (epsilon, d, p)


@pytest.mark.parametrize("margin", ["0", "1", "inf"])
def test_forced_margins_agree_too(margin):
    """Dense against lazy, rows and clipped, in one and in two steps; 96 tests at 1e-5."""
    for preset, fast in (("released", ("lazy", "rows")), ("corrected", ("rows", "clipped"))):
        setting = SparseSetting(
            d=12,
            sparsity=6,
            margin=margin,
            step_size=0.05,
            rho=0.4,
            preset=preset,
            steps_factor=0.5,
        )
        dense = results("dense", setting, 10.0, 150, 0)
        for engine in fast:
            other = results(engine, setting, 10.0, 150, 1000)
            p = [ks_2samp(a, b).pvalue for a, b in zip(dense, other, strict=True)]
            assert min(p) > 1e-5, (preset, engine, p)


def test_a_seed_is_the_same_in_any_block_and_for_any_checkpoints():
    for name, epsilon in (("fliphat", 2.0), ("sa-lasso", np.inf), ("jdp-linucb", 2.0)):
        setting = {"d": 30, "sparsity": 5}
        block = run(name, setting, epsilon, 700, range(3), np.array([5, 700]))
        alone = run(name, setting, epsilon, 700, range(2, 3), np.array([700]))
        assert block.regret[2, 1] == alone.regret[0, 0]
        assert np.all(np.diff(block.regret, axis=1) >= 0)


@pytest.mark.parametrize(("noise", "arms"), [("reused", (2, 24)), ("fresh", (24,))])
def test_published_points_of_figure_3_right(noise, arms):
    """At the least and the most arms, by 60 runs each: met with reused noise (chi-square at 1e-4),
    missed without, and by more the more arms there are: at 24 arms p = 2e-6.

    All 48 by 100 runs are the claim FL-F3R.
    """
    points = published("fig3_right")
    z = []
    for row in points[points["arms"].isin(arms)].itertuples():
        setting = {"arms": int(row.arms), "peeling_noise": noise}
        x = run("fliphat", setting, row.epsilon, 10_000, range(60), np.array([10_000])).regret
        error = np.hypot(row.sem, x.std(ddof=1) / np.sqrt(60))
        z.append((row.mean - x.mean()) / error)
    p = chi2.sf(np.sum(np.square(z)), len(z))
    assert p > 1e-4 if noise == "reused" else p < 1e-4
