"""Lazy matrices and contexts as plain Python, number by number against dense linear algebra that
reads the same random numbers; their laws are tested, compiled, beside this file."""

import math

import numpy as np
import pytest
from by_hand import ENGINES, RHOS, WHERE, D, contexts_of, regression, rng, setting, sigma
from interpreted import Tape, interpreted

from dpbandits.sparse.engine import descent, known, lazy
from dpbandits.sparse.engine.clipped import ClippedContexts
from dpbandits.sparse.engine.contexts import RANDOM, DenseContexts, LazyContexts, RowContexts, Rows
from dpbandits.sparse.problem import covariance

plainly = interpreted(*ENGINES)


# Lazy


def test_turned_axes_keep_every_inner_product():
    matrix, u = lazy.LazyGaussian(40, 5, rng(23)), np.linspace(1, 2, 40)
    image = matrix.matvec(np.arange(5.0))
    matrix.rmatvec(image - u)
    before = np.vstack((matrix.images.rows, matrix.left.rows, u))
    turned = matrix.rotated(u, 3)
    after = np.vstack((matrix.images.rows, matrix.left.rows, turned))
    np.testing.assert_allclose(after @ after.T, before @ before.T, atol=1e-9)
    assert (len(turned), matrix.used) == (6, 3)
    assert matrix.rotated(turned, 3) is turned
    matrix.rng = Tape(standard_normal=[np.array([1.0, 2.0, 3.0])])
    matrix.rng.chisquare = lambda df: {37: 16.0}[df]  # of the axes that nothing has used
    assert list(matrix._fresh_image()) == [1, 2, 3, 4, 0, 0]
    assert matrix.used == 4
    for rows, turns in ((5, True), (4, False)):
        few = lazy.LazyGaussian(rows, 3, rng(24))
        few.matvec(np.ones(3))
        assert (len(few.rotated(np.arange(float(rows)), 2)) == 4) == (turns or rows == 4)
        assert (few.used is not None) == turns


def test_a_direction_is_split_twice_and_rounding_counts_as_nothing():
    basis = np.linalg.qr(rng(25).standard_normal((6, 2)))[0].T
    inside, rest, length = lazy._split(basis, basis.T @ [3.0, -2.0] + 1e-12 * np.ones(6))
    np.testing.assert_allclose(inside, [3, -2], atol=1e-11)
    assert length > 0
    np.testing.assert_allclose(basis @ rest, 0, atol=1e-12)
    assert rest @ rest == pytest.approx(1)
    for size in (1.0, 1e6, 1e-20):  # rounding is relative
        assert lazy._split(basis, size * (basis.T @ [3.0, -2.0]))[1:] == (None, 0.0)
        assert lazy._split(basis, size * np.ones(6))[2] > 0.1 * size
    stack = lazy.Stack(2, 1)
    for k in range(5):
        stack.add(np.full(2, k))
    assert stack.rows.tolist() == [[k, k] for k in range(5)]


# Contexts


def test_forced_gaps_are_those_asked_for():
    for margin in ("inf", "1", "0"):
        own = contexts_of(LazyContexts, margin=margin, gap=0.7, arms=4)
        scores = rng(18).standard_normal((5, 4))
        moved = scores + own.force_margin(scores)
        ranked, best = np.sort(moved, axis=1), np.argmax(scores, axis=1)
        gaps = ranked[:, -1] - ranked[:, -2]
        assert list(np.argmax(moved, axis=1)) == list(best)
        u = rng(17).random(5)
        wanted = {"inf": np.full(5, 0.7), "1": 0.7 * u, "0": 0.7 * 10.0 ** (-6 * u)}[margin]
        np.testing.assert_allclose(gaps, wanted, atol=1e-12)
        assert np.count_nonzero(moved != scores) <= 5
    assert not contexts_of(LazyContexts).force_margin(scores).any()
    forced = contexts_of(LazyContexts, margin="inf", gap=0.7).signal_scores(6)
    np.testing.assert_allclose(np.sort(forced)[:, -1] - np.sort(forced)[:, -2], 0.7)


def test_scores_arms_rewards_and_regret():
    own = contexts_of(LazyContexts, sigma=0.0, arms=4)
    size = math.sqrt(own.signal @ sigma(0.4) @ own.signal)
    np.testing.assert_allclose(own.signal_scores(5), size * rng(17).standard_normal((5, 4)))
    assert own.clip == np.inf
    assert contexts_of(RowContexts, preset="zcdp").clip == math.sqrt(2 * math.log(8))
    scores = np.array([[1.0, 3.0, 2.0, 0.0], [5.0, 5.0, 1.0, 2.0], [0.0, 1.0, 2.0, 4.0]])
    assert list(own.choose(None, None, 3)) == [0, 0, 0]
    assert list(own.choose(np.ones(8), scores, 3)) == [1, 0, 3]
    rest = rng(17)
    rest.standard_normal((5, 4))
    assert list(own.choose(RANDOM, None, 3)) == list(rest.integers(0, 4, 3))
    episode = own.episode("design", scores, np.array([0, 1, 2]))
    assert list(episode.rewards) == [1, 5, 2]
    assert list(episode.regret) == [2, 0, 2]


@pytest.mark.parametrize(("part", "new"), [(1.5e-13, True), (0.7e-13, False)])
def test_a_remainder_below_1e13th_is_rounding(part, new):
    """In each of the three splittings; and an estimate is parallel to beta* up to 1e-12."""
    v = np.array([1.0, part, 0.0])
    assert (lazy._split(np.eye(3)[:1], v)[2] > 0) == new
    assert (descent._split_left(np.eye(3)[:1], v)[2] > 0) == new
    k = known.known(known.powers(0.0, 6), 5, 6, 4, 3, 5)
    known.adopt(k, np.eye(6)[0], np.zeros((3, 5)), 0)
    assert (known.split_right(k, np.array([0, 1]), v[:2])[2] > 0) == new
    own = contexts_of(ClippedContexts, rho=0.0, preset="corrected")
    aside = 10 * part * own.scale * np.eye(D)[7]
    assert (own.law(own.signal + aside)[3] > 0) == new


@pytest.mark.parametrize("rho", RHOS)
def test_lazy_rows_show_the_scores_that_chose_them(rho):
    own, estimate = contexts_of(LazyContexts, rho=rho, sigma=0.0), rng(19).standard_normal(D)
    n, s = 9, sigma(rho)
    episode = own.play(estimate, n)
    first = math.sqrt(own.signal @ s @ own.signal) * rng(17).standard_normal((n, 3))
    again = rng(17)
    again.standard_normal((n, 3))
    slope = estimate @ s @ own.signal / (own.signal @ s @ own.signal)
    left = math.sqrt(estimate @ s @ estimate - slope**2 * (own.signal @ s @ own.signal))
    other = slope * first + left * again.standard_normal((n, 3))
    arms = np.argmax(other, axis=1)
    rows = (np.arange(n), arms)
    np.testing.assert_allclose(episode.rewards, first[rows], atol=1e-12)
    np.testing.assert_allclose(episode.regret, first.max(axis=1) - first[rows], atol=1e-12)
    np.testing.assert_allclose(episode.design.matvec(own.signal), first[rows], atol=1e-12)
    np.testing.assert_allclose(episode.design.matvec(estimate), other[rows], atol=1e-12)
    idle = contexts_of(LazyContexts, rho=rho).play(None, n)
    np.testing.assert_allclose(idle.design.matvec(own.signal), first[:, 0], atol=1e-12)


@pytest.mark.parametrize("keys", [{}, {"margin": "inf"}, {"preset": "zcdp"}])
def test_rows_are_drawn_where_scores_read_and_filled_in_blocks(keys, monkeypatch):
    monkeypatch.setattr(Rows, "ENTRIES", 3 * D)  # three rows a block
    own, estimate = contexts_of(RowContexts, **keys), np.zeros(D)
    estimate[[1, 6]] = 0.8, -0.5
    n, where = 7, [0, 1, 2, 6]
    episode = own.play(estimate, n)
    random, s = rng(17), sigma(0.4)
    x = random.standard_normal((n, 3, 4)) @ np.linalg.cholesky(s[np.ix_(where, where)]).T
    if "margin" in keys:
        scores = x @ own.signal[where]
        for t in range(n):
            best, ranked = np.argmax(scores[t]), np.sort(scores[t])
            along = (s @ own.signal)[where] / (own.signal @ s @ own.signal)
            x[t, best] += (ranked[-2] + 1.0 - ranked[-1]) * along
    scores = x @ own.signal[where]
    arms = np.argmax(np.clip(x, -own.clip, own.clip) @ estimate[where], axis=1)
    played = x[np.arange(n), arms]
    np.testing.assert_allclose(
        episode.regret, scores.max(axis=1) - scores[np.arange(n), arms], atol=1e-12
    )
    np.testing.assert_allclose(episode.design.known, played, atol=1e-12)
    parts = list(episode.design.blocks())
    assert [(part.start, part.stop) for part, _ in parts] == [(0, 3), (3, 6), (6, 7)]
    whole = np.concatenate([rows for _, rows in parts])
    np.testing.assert_allclose(whole[:, where], np.clip(played, -own.clip, own.clip), atol=1e-12)
    assert len(np.unique(np.round(whole, 9))) > n * 6  # no block repeats another
    v, u = rng(20).standard_normal(D), rng(21).standard_normal(n)
    np.testing.assert_allclose(episode.design.matvec(v), whole @ v)
    np.testing.assert_allclose(episode.design.rmatvec(u), u @ whole)


def test_signs_of_rows_are_summed_with_their_weights():
    rows, u = Rows(setting(), np.inf, WHERE, rng(22).standard_normal((5, 3)), 3), np.arange(1.0, 6)
    free = np.random.Generator(np.random.SFC64(3)).standard_normal((5, D))
    free = free @ np.linalg.cholesky(sigma(0.4)).T
    x = free + (rows.known - free[:, WHERE]) @ regression(0.4).T
    np.testing.assert_allclose(rows.sign_sums(u), u @ np.sign(x))


def test_dense_contexts_force_margins_and_draw_what_they_say():
    own = contexts_of(DenseContexts, margin="inf", gap=0.7, sigma=0.0)
    episode = own.play(np.ones(D), 6)
    assert episode.design.x.shape == (6, D)
    np.testing.assert_allclose(episode.design.x @ own.signal, episode.rewards)
    lost = episode.regret[episode.regret > 1e-12]
    assert lost.min() >= 0.7 - 1e-12
    free = contexts_of(DenseContexts, sigma=0.0).play(np.ones(D), 6)
    x = rng(17).standard_normal((6, 3, D)) @ np.linalg.cholesky(sigma(0.4)).T
    chosen = x[np.arange(6), np.argmax(x.sum(axis=2), axis=1)]
    np.testing.assert_allclose(free.design.x, chosen)
    v, u = np.arange(8.0), np.arange(6.0)
    np.testing.assert_allclose(free.design.matvec(v), chosen @ v)
    np.testing.assert_allclose(free.design.rmatvec(u), chosen.T @ u)


def test_the_covariance_is_that_of_the_paper():
    np.testing.assert_allclose(covariance(setting(-0.6)), sigma(-0.6))
