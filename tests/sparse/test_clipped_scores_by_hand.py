"""The arms of clipped contexts as plain Python, number by number against dense linear algebra that
reads the same random numbers; their laws are tested, compiled, beside this file."""

import itertools
import math

import numpy as np
import pytest
from by_hand import ENGINES, RHOS, contexts_of, rng, setting, sigma
from interpreted import Tape, interpreted
from scipy.stats import norm

from dpbandits.sparse.engine import clipped, clipped_scores
from dpbandits.sparse.engine.clipped import ClippedContexts
from dpbandits.sparse.engine.clipped_scores import BINS, DIRECT, STEP, Law
from dpbandits.sparse.engine.contexts import RANDOM

plainly = interpreted(*ENGINES)


def a_law(rho=0.5, clip=1.2, second=(0.0, 0.6, 0.0, 0.0, -0.4)):
    """Five coordinates; two independent standard normal combinations of them, one of beta*."""
    where = np.array([0, 1, 2, 4, 7])
    s = sigma(rho)[np.ix_(where, where)]
    first = np.array([0.9, -0.7, 0.5, 0.0, 0.0])
    first /= math.sqrt(first @ s @ first)
    second = np.array(second)
    second = second - (second @ s @ first) * first
    second /= math.sqrt(second @ s @ second)
    read = np.array([first, second])
    theta = np.array([0.0, 0.6, 0.0, 0.2, -0.4])
    return Law(clipped_scores.steps(where, rho), read @ s, read, theta, clip), s


def test_correlations_end_where_rounding_begins():
    assert clipped_scores.correlation(0.5, 3) == 0.125
    assert clipped_scores.correlation(-0.5, 3) == -0.125
    assert clipped_scores.correlation(0.1, 17) == pytest.approx(1e-17)
    assert clipped_scores.correlation(0.1, 19) == 0
    for least in (1.5e-18, 1e-18):
        assert clipped_scores.correlation(least, 1) == least
    assert clipped_scores.correlation(0.9e-18, 1) == 0
    known = Law(None, np.array([[1.0], [0.0]]), None, None, None)
    assert clipped_scores._spread(known, 0) == 1e-9  # not quite 0
    assert list(clipped_scores.steps(np.array([2, 3, 5]), -0.5)) == [0.0, -0.5, 0.25]


def test_a_row_given_its_two_combinations_is_a_moved_free_one():
    law, s = a_law()
    fresh, x = np.sqrt(1 - law.ratio**2), np.empty(5)
    clipped_scores._draw(rng(11), law, fresh, 0.7, -1.1, x)
    free = np.linalg.cholesky(s) @ rng(11).standard_normal(5)
    expected = free + law.pull.T @ (np.array([0.7, -1.1]) - law.read @ free)
    np.testing.assert_allclose(x, expected, atol=1e-12)
    np.testing.assert_allclose(law.read @ x, [0.7, -1.1], atol=1e-12)


@pytest.mark.parametrize("j", range(5))
def test_a_row_moves_to_a_coordinate_by_regression(j):
    law, s = a_law()
    given = s - law.pull.T @ law.pull  # covariance given the two combinations
    x = rng(12).standard_normal(5)
    sd = clipped_scores._spread(law, j)
    assert sd**2 == pytest.approx(given[j, j])
    expected = x + given[:, j] / given[j, j] * (2.5 - x[j])
    clipped_scores._move(law, j, sd, 2.5, x)
    np.testing.assert_allclose(x, expected, atol=1e-12)
    assert x[j] == 2.5


def test_scores_clip_and_counts_look_at_what_theta_reads():
    law, _ = a_law(clip=1.0)
    x = np.array([5.0, 2.0, 0.0, -0.5, -3.0])
    assert clipped_scores._score(law, x) == pytest.approx(0.6 * 1 - 0.2 * 0.5 + 0.4 * 1)
    assert clipped_scores._number_exceeding(law, x) == 2
    assert clipped_scores._number_exceeding(law, np.array([9.0, 1.0, 9.0, -1.0, 1.0])) == 0


def chances(law, a, b):
    """For each coordinate that theta reads: P(above the clip), P(below minus the clip)."""
    mean, found = np.array([a, b]) @ law.pull, {}
    for j in np.flatnonzero(law.theta):
        sd = math.sqrt(1 - law.pull[0, j] ** 2 - law.pull[1, j] ** 2)
        found[int(j)] = norm.sf((law.clip - mean[j]) / sd), norm.cdf((-law.clip - mean[j]) / sd)
    return found


def test_bounds_are_sums_of_tails_at_the_far_end_of_each_range():
    law, _ = a_law(clip=3.0)
    found, reach = [clipped_scores._bound(law, i) for i in range(BINS + 1)], np.hypot(*law.pull)
    assert found[BINS] == 1
    for i in range(BINS):
        total = 0.0
        for j in np.flatnonzero(law.theta):
            sd, mean = math.sqrt(1 - reach[j] ** 2), (i + 1) * STEP * reach[j]
            total += norm.sf((3 - mean) / sd) + norm.sf((3 + mean) / sd)
        assert found[i] == pytest.approx(total if total < DIRECT else 1.0)
    assert (STEP, BINS, DIRECT) == (0.5, 20, 0.5)
    assert 0 < found[0] < 0.1
    assert found[BINS - 1] == 1
    for angle in np.linspace(0, 6, 13):  # a bound wherever the two point
        total = sum(
            map(sum, chances(law, 0.999 * math.cos(angle), 0.999 * math.sin(angle)).values())
        )
        assert total <= found[1]


def exceeding(law, u, tape, number, bound=0.4):
    """`_exceeding` with the drawn row, the number that exceed and the tail beyond replaced."""
    moved = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clipped_scores, "_draw", lambda *_: moved.append("drawn"))
        patch.setattr(clipped_scores, "_beyond", lambda rng, z: z + 0.5)
        patch.setattr(
            clipped_scores, "_move", lambda law, j, sd, target, x: moved.append((j, target))
        )
        patch.setattr(clipped_scores, "_number_exceeding", lambda *_: number)
        seen = clipped_scores._exceeding(tape, law, None, u, bound, 0.3, -0.2, np.zeros(5))
    return bool(seen), moved


def test_a_coordinate_is_picked_in_proportion_and_counted_once():
    law, _ = a_law()
    tails = chances(law, 0.3, -0.2)
    mean = np.array([0.3, -0.2]) @ law.pull
    start = 0.0
    for j, (above, below) in tails.items():
        sd = math.sqrt(1 - law.pull[0, j] ** 2 - law.pull[1, j] ** 2)
        share = above / (above + below)
        for u in (start + 1e-9, start + above + below - 1e-9):
            for side, target in (
                (share - 1e-9, 1.2 + 0.5 * sd),
                (share + 1e-9, mean[j] - sd * ((1.2 + mean[j]) / sd + 0.5)),
            ):
                seen, moved = exceeding(law, u, Tape(random=[side, 0.49]), 2)
                assert (seen, moved) == (True, ["drawn", (j, pytest.approx(target))])
                assert not exceeding(law, u, Tape(random=[side, 0.51]), 2)[0]
        start += above + below
    assert exceeding(law, start + 1e-9, Tape(), 2) == (False, [])
    assert exceeding(law, 0.99, Tape(), 2, DIRECT) == (True, ["drawn"])


def test_normals_beyond_a_point_by_rejection():
    assert clipped_scores._beyond(Tape(standard_normal=[0.1, 0.4, 9.0]), 0.4 - 1e-9) == 0.4
    z = 2.0
    rate = (z + math.sqrt(z * z + 4)) / 2
    g = z + 0.7 / rate
    accept = math.exp(-0.5 * (g - rate) ** 2)
    tape = Tape(standard_exponential=[5.0, 0.7], random=[0.999, accept - 1e-9])
    assert clipped_scores._beyond(tape, z) == g
    tape = Tape(standard_exponential=[0.7, 0.0], random=[accept + 1e-9, 0.0])
    assert clipped_scores._beyond(tape, z) == z
    assert clipped_scores._beyond(Tape(standard_exponential=[0.0], random=[0.0]), 0.5) == 0.5
    assert clipped_scores._tail(1.3) == pytest.approx(norm.sf(1.3))


@pytest.mark.parametrize("clip", [1e9, 0.3])
def test_arms_are_the_argmax_of_what_the_learner_sees(clip):
    """Nothing exceeds 1e9: scores are linear, and rows are drawn last. At 0.3 every arm's row is
    drawn at once, and the leader's is kept."""
    law, _ = a_law(clip=clip)
    fresh, n, arms, slope, spread = np.sqrt(1 - law.ratio**2), 7, 3, 0.8, 0.5
    first, chosen = rng(13).standard_normal((n, arms)), np.zeros(n, np.int64)
    known = clipped_scores.play(rng(14), law, first, slope, spread, True, chosen)
    random, row = rng(14), np.empty(5)
    for t in range(n):
        rows, scores, second = [], [], []
        for k in range(arms):
            second.append(random.standard_normal())
            random.random()
            scores.append(slope * first[t, k] + spread * second[k])
            if clip < 1:
                clipped_scores._draw(random, law, fresh, first[t, k], second[k], row)
                rows.append(row.copy())
                scores[k] = np.clip(row, -clip, clip) @ law.theta
        best = int(np.argmax(scores))
        assert chosen[t] == best
        if clip > 1:
            clipped_scores._draw(random, law, fresh, first[t, best], second[best], row)
            rows = {best: row}
        np.testing.assert_allclose(known[t], rows[best])
    arms = np.array([2, 0, 1, 0, 0, 1, 2])
    known = clipped_scores.play(rng(15), law, first, slope, spread, False, arms)
    np.testing.assert_allclose(
        known @ law.read.T, np.column_stack((first[np.arange(n), arms], np.zeros(n))), atol=1e-12
    )
    assert list(arms) == [2, 0, 1, 0, 0, 1, 2]


def test_a_leader_that_seemed_not_to_exceed_is_drawn_until_it_does_not(monkeypatch):
    law, _ = a_law(clip=2.0)
    draws = itertools.count()
    monkeypatch.setattr(clipped_scores, "_exceeding", lambda *_: False)

    def draw(rng, law, fresh, a, b, x):
        x[:] = 9.0 if next(draws) < 2 else a + 10 * b

    monkeypatch.setattr(clipped_scores, "_draw", draw)
    monkeypatch.setattr(clipped_scores, "_number_exceeding", lambda law, x: int(x[0] == 9.0))
    chosen = np.zeros(1, np.int64)
    tape = Tape(standard_normal=[0.1, 0.3], random=[0.0, 0.0])
    known = clipped_scores.play(tape, law, np.array([[1.0, 2.0]]), 1.0, 1.0, True, chosen)
    assert (chosen[0], known[0, 0]) == (1, 5.0)
    assert next(draws) == 3


def test_each_arm_is_asked_with_the_bound_of_its_range(monkeypatch):
    """Norms 0.36, 5 and 30 of the two scores: ranges 0, 10 and the last; u below it asks."""
    law, _ = a_law()
    asked = []
    monkeypatch.setattr(clipped_scores, "_bound", lambda law, place: place / 100)
    monkeypatch.setattr(clipped_scores, "_exceeding", lambda *given: asked.append(given[3:7]))
    monkeypatch.setattr(clipped_scores, "_draw", lambda *given: asked.append(given[3:5]))
    monkeypatch.setattr(clipped_scores, "_number_exceeding", lambda *_: 0)
    normals, first = [0.2, 3.0, 0.0], np.array([[0.3, 4.0, 30.0]])
    for u, count in ((0.0, 2), (0.0999, 2), (0.1, 1), (0.2, 0)):
        asked.clear()
        tape = Tape(standard_normal=normals, random=[u] * 3)
        chosen = np.zeros(1, np.int64)
        clipped_scores.play(tape, law, first, 1.0, 1.0, True, chosen)
        expected = [(u, 0.1, 4.0, 3.0), (u, 0.2, 30.0, 0.0)][2 - count :]
        assert asked == [*expected, (30.0, 0.0)]
        assert chosen[0] == 2


@pytest.mark.parametrize("rho", RHOS)
def test_the_law_of_the_scores(rho):
    contexts_ = ClippedContexts(setting(rho, preset="corrected"), rng(16))
    estimate = np.array([0.5, 0, 0, 0, 0.3, 0, 0, -0.2])
    where, law, slope, spread = contexts_.law(estimate)
    s, beta = sigma(rho), contexts_.signal
    assert list(where) == [0, 1, 2, 4, 7]
    own = s[np.ix_(where, where)]
    np.testing.assert_allclose(law.read @ own @ law.read.T, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(law.pull, law.read @ own, atol=1e-12)
    size = math.sqrt(beta @ s @ beta)
    assert contexts_.scale == pytest.approx(size)
    assert slope == pytest.approx(estimate @ s @ beta / size**2)
    np.testing.assert_allclose(
        slope * size * law.read[0] + spread * law.read[1], law.theta, atol=1e-12
    )
    assert list(law.theta) == list(estimate[where])
    assert law.clip == math.sqrt(2 * math.log(8))
    _, law, slope, spread = contexts_.law(-2.0 * beta)
    assert (slope, spread) == (pytest.approx(-2), 0.0)
    assert not law.read[1].any()


def test_an_episode_on_clipped_contexts(monkeypatch):
    """Its own quick generator, seeded from the run's; scores are standardised for the thinning."""
    own, seen = contexts_of(ClippedContexts, preset="corrected", sigma=0.0), []
    seed = rng(17).integers(0, 2**63)
    quick = np.random.Generator(np.random.SFC64(seed))
    monkeypatch.setattr(clipped, "play", lambda *given: seen.append(given) or "known")
    estimate = np.array([0.5, 0, 0, 0, 0.3, 0, 0, -0.2])
    scores = own.scale * quick.standard_normal((6, 3))
    episode = own.play(estimate, 6)
    random, law, first, slope, spread, greedy, arms = seen.pop()
    assert (random, greedy, list(arms)) == (own.rng, True, [0] * 6)
    np.testing.assert_allclose(first, scores / own.scale)
    where, expected, plain, left = own.law(estimate)
    assert (slope, spread) == (plain * own.scale, left)
    np.testing.assert_allclose(law.read, expected.read)
    assert list(episode.design.where) == list(where)
    assert (episode.design.known, episode.design.clip) == ("known", own.clip)
    assert episode.design.seed == quick.integers(0, 2**63)
    np.testing.assert_allclose(episode.rewards, scores[:, 0])
    own.play(RANDOM, 6)
    assert seen[0][5] is False
    assert set(seen[0][6]) <= {0, 1, 2}
    assert not seen[0][1].theta.any()
