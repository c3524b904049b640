"""The compiled engines as plain Python, number by number against dense linear algebra that reads
the same random numbers; their laws are tested, compiled, beside this file."""

import itertools
import math

import numpy as np
import pytest
from interpreted import Tape, interpreted
from scipy.stats import norm

from dpbandits.core.streams import streams_for
from dpbandits.sparse.engine import (
    autoregressive,
    clipped,
    clipped_scores,
    contexts,
    dense,
    descent,
    lazy,
    selection,
)
from dpbandits.sparse.engine.clipped import LAST, NONE, ClippedContexts, ClippedRows
from dpbandits.sparse.engine.clipped_scores import BINS, DIRECT, STEP, Law
from dpbandits.sparse.engine.contexts import (
    RANDOM,
    DenseContexts,
    LazyContexts,
    LazyRows,
    RowContexts,
    Rows,
)
from dpbandits.sparse.engine.iht import Design
from dpbandits.sparse.fliphat import simulate_with
from dpbandits.sparse.problem import SparseSetting, covariance

plainly = interpreted(
    autoregressive, clipped, clipped_scores, contexts, dense, descent, selection
)  # fmt: skip
RHOS = [0.0, 0.4, -0.6]
WHERE = np.array([1, 2, 6])
D = 8


def rng(seed):
    return np.random.Generator(np.random.Philox(key=seed))


def sigma(rho, d=D):
    return np.array([[rho ** abs(i - j) for j in range(d)] for i in range(d)], float)


def setting(rho=0.4, **keys):
    return SparseSetting(**{"d": D, "sparsity": 3, "beta": (0.9, -0.7, 0.5), "rho": rho} | keys)


def regression(rho, where=WHERE, d=D):
    """The matrix W of E(x | x at `where`) = W x[where]."""
    s = sigma(rho, d)
    return s[:, where] @ np.linalg.inv(s[np.ix_(where, where)])


# Autoregressive


@pytest.mark.parametrize("rho", RHOS)
def test_the_factor_is_cholesky(rho):
    factor = np.linalg.cholesky(sigma(rho))
    g = rng(1).standard_normal((2, 3, D))
    np.testing.assert_allclose(autoregressive.colour(g.copy(), rho), g @ factor.T, atol=1e-14)
    v = g[0, 0]
    np.testing.assert_allclose(autoregressive.colour_transposed(v, rho), factor.T @ v, atol=1e-14)
    np.testing.assert_allclose(autoregressive.covariance_times(v, rho), sigma(rho) @ v, atol=1e-13)
    some = autoregressive.at_coordinates(rng(2), WHERE, (2, 3), rho)
    z = rng(2).standard_normal((2, 3, 3))
    own = np.linalg.cholesky(sigma(rho)[np.ix_(WHERE, WHERE)])
    np.testing.assert_allclose(some, z @ own.T, atol=1e-14)


@pytest.mark.parametrize("rho", [*RHOS, 1e-7])
def test_pins_are_the_regression(rho):
    found = np.zeros((D, 3))
    where, target, source, weight = autoregressive.pins(WHERE, D, rho)
    assert len({*zip(target, source, strict=True)}) == len(target)
    found[target, source] = weight
    np.testing.assert_allclose(found, regression(rho), atol=1e-13)
    assert where is WHERE
    # beyond 1e-18 nothing is read: at rho = 1e-7 two places on each side, and a third
    alone = autoregressive.pins(np.array([20]), 41, 1e-7)
    assert sorted(alone.target) == [*range(17, 24)]
    assert list(autoregressive.pins(np.array([20]), 41, 0).target) == [20]


# Dense


@pytest.mark.parametrize(("rho", "clip"), [(0.4, np.inf), (-0.6, 0.8)])
@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("greedy", [False, True])
def test_dense_rows_are_those_of_their_normals(rho, clip, forced, greedy):
    n, arms, s = 6, 3, setting(rho)
    gaps, theta = rng(2).random(n), rng(3).standard_normal(D)
    direction = sigma(rho) @ s.signal / (s.signal @ sigma(rho) @ s.signal)
    world = dense.World(arms, rho, clip, s.signal, forced, direction)
    chosen = np.array([0, 2, 1, 1, 0, 2])
    expected = chosen.copy()
    rows, scores = dense.play_dense(rng(4), world, theta, greedy, chosen, gaps)
    x = rng(4).standard_normal((n, arms, D)) @ np.linalg.cholesky(sigma(rho)).T
    if forced:
        for t in range(n):
            own = x[t] @ s.signal
            best = np.argmax(own)
            x[t, best] += (np.sort(own)[-2] + gaps[t] - own[best]) * direction
    np.testing.assert_allclose(scores, x @ s.signal, atol=1e-12)
    x = np.clip(x, -clip, clip)
    if greedy:
        expected = np.argmax(x @ theta, axis=1)
    assert list(chosen) == list(expected)
    np.testing.assert_allclose(rows, x[np.arange(n), expected], atol=1e-12)


@pytest.mark.parametrize("rho", RHOS)
def test_rows_given_some_coordinates_are_moved_free_ones(rho):
    n, known = 4, rng(5).standard_normal((4, 3))
    fixed = autoregressive.pins(WHERE, D, rho)
    free = rng(6).standard_normal((n, D)) @ np.linalg.cholesky(sigma(rho)).T
    expected = free + (known - free[:, WHERE]) @ regression(rho).T
    x = np.empty((n, D))
    dense.fill_rows(rng(6), x, rho, 0.9, known, fixed)
    np.testing.assert_allclose(x, np.clip(expected, -0.9, 0.9), atol=1e-12)
    weights, sums = np.array([1.0, -2.0, 0.5, 1.5]), np.full(D, 10.0)
    dense.add_signs(rng(6), sums, rho, weights, known, fixed)
    np.testing.assert_allclose(sums, 10 + weights @ np.sign(expected), atol=1e-12)


# Descent


def plain_descent(self, target, rate, tuning, select, release):
    queue = iter(release(tuning.steps * select.rounds).reshape(tuning.steps, -1))
    target = self.white.rotated(target, tuning.steps)
    return Design.descend(self, target, rate, tuning, select, lambda size: next(queue))


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("preset", ["printed", "released"])
def test_the_sparse_descent_is_the_plain_one(rho, preset, monkeypatch):
    """Few and many rows, axes turned or not, directions that repeat and that do not."""
    for sparsity, epsilon in ((2, 50.0), (7, np.inf)):
        s = setting(rho, preset=preset, sparsity=sparsity, peeling_noise="fresh", steps_factor=0.9)
        streams, at = streams_for("fliphat", s, epsilon, 70, range(1)), np.array([3, 20, 70])
        sparse = simulate_with("lazy", s, epsilon, 70, streams, at)
        with monkeypatch.context() as patch:
            patch.setattr(LazyRows, "descend", plain_descent)
            plain = simulate_with("lazy", s, epsilon, 70, streams, at)
        np.testing.assert_allclose(sparse.regret, plain.regret, rtol=1e-10)
        for name, curve in plain.curves.items():
            np.testing.assert_allclose(sparse.curves[name], curve, rtol=1e-8, atol=1e-12)


def test_products_of_columns_far_apart_are_those_of_sigma():
    """The sweeps over sorted columns, and from them to all of R^d; some gaps exceed all powers."""
    d = 90
    for rho in (0.3, -0.5, 0.0):
        k = descent.known(rho, 5, d, 6, 1, -1, 5)
        descent._enter(k, np.array([70, 3, 4, 88]))
        descent._enter(k, np.array([3, 0, 70]))
        assert list(k.columns[: k.counts[0]]) == [70, 3, 4, 88, 0]
        assert list(k.order[: k.counts[0]]) == [4, 1, 2, 0, 3]
        columns, v = k.columns[:5], np.array([1.0, -2.0, 0.5, 3.0, 0.7])
        whole = np.zeros(d)
        whole[columns] = v
        exact = sigma(rho, d) @ whole
        np.testing.assert_allclose(descent._covariance_times(k, v), exact[columns], atol=1e-15)
        out = np.ones(d)
        descent._add_covariance_times(k, v, out)
        np.testing.assert_allclose(out, 1 + exact, atol=1e-15)
    assert (
        len(descent.known(0.3, 5, 90, 6, 1, -1, 5).powers) == math.ceil(18 / -math.log10(0.3)) + 1
    )
    assert len(descent.known(0.3, 5, 9, 20, 1, -1, 5).powers) == 10
    assert descent.known(0.3, 5, 9, 20, 1, -1, 5).directions.shape == (1, 9)
    assert list(descent.known(0.0, 5, 9, 6, 1, -1, 5).powers) == [1.0, 0.0]


def test_the_projection_is_the_soft_threshold():
    v = np.array([3.0, -1.0, 0.5, 0.1])
    descent.project_l1(v, 2.5)
    np.testing.assert_allclose(v, [2.25, -0.25, 0, 0])  # level 3/4
    small = np.array([0.1, -0.2])
    descent.project_l1(small, 0.3 + 1e-12)
    assert list(small) == [0.1, -0.2]


# Clipped sums


@pytest.mark.parametrize("rho", RHOS)
def test_bridges_are_the_regression(rho):
    s, columns = sigma(rho), np.array([0, 3, 4, 7])
    for drawn in (False, True):
        left, right, weights, spread = clipped.bridges(columns, WHERE, rho, drawn)
        for k, j in enumerate(columns):
            given = [*WHERE, *(columns[:k] if drawn else [])]
            exact = np.linalg.solve(s[np.ix_(given, given)], s[given, j])
            got = np.zeros(len(given))
            for place, weight in zip((left[k], right[k]), weights[k], strict=True):
                if place == LAST:
                    got[given.index(columns[k - 1], 3)] += weight
                elif place != NONE:
                    got[place] += weight
            np.testing.assert_allclose(got, exact, atol=1e-13)
            assert spread[k] ** 2 == pytest.approx(1 - exact @ s[given, j], abs=1e-13)
        assert (left[0], right[3]) == (NONE, NONE)
        assert left[2] == (LAST if drawn else 1)
    # a known column itself is its own left neighbour's next: nothing is left of it
    _, right, weights, spread = clipped.bridges(WHERE, WHERE, rho, False)
    assert list(right) == [0, 1, 2]
    assert weights[:, 1] == pytest.approx([1, 1, 1])
    assert spread == pytest.approx([0, 0, 0])


def test_the_largest_of_each_row():
    assert list(clipped._largest(np.array([[1.0, -3.0], [0.5, 0.2]]))) == [3.0, 0.5]


@pytest.mark.parametrize(("theta", "low"), [(0.7, 3.0), (2.0, 3.5), (1.0, -0.5)])
def test_the_growth_by_its_two_tails(theta, low):
    """E exp(theta (|g| - low)) over |g| > low is 2 e^(theta^2/2 - theta low) P(g > low - theta)."""
    moved = 2 * math.exp(theta**2 / 2 - theta * low) * norm.sf(low - theta)
    assert clipped._growth(theta, low) == pytest.approx(moved - 2 * norm.sf(low), rel=1e-12)


def test_the_excess_bound_is_chernoffs_over_rounded_up_bins():
    weights, reach, odds = np.array([0.2, 1.0, 0.55, 0.0]), np.array([0.5, 0.1, 0.0, 0.25]), 3.0
    up = lambda x: (np.minimum((x / x.max() * 12).astype(int), 11) + 1) / 12 * x.max()  # noqa: E731
    for clip in (1.0, 2.5):
        sums = []
        for rate in clipped.RATES:
            grown = [
                clipped._growth(rate * w, clip - r)
                for w, r in zip(up(weights), up(reach), strict=True)
            ]
            sums.append((odds + sum(grown)) / rate)
        found = clipped._excess_bound(weights, reach, clip, odds)
        assert found == pytest.approx(min(sums), rel=1e-12)
        twice = clipped._excess_bound(2 * weights, reach, clip, odds)
        assert twice == pytest.approx(2 * found, rel=1e-12)  # a scale law
    assert list(clipped.RATES) == [0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6]
    none = clipped._excess_bound(weights, np.zeros(4), 2.5, odds)
    assert none < found


def test_clipped_sums_meet_the_sums_of_unclipped_columns():
    """Columns are drawn in turn from their neighbours, then moved along u to the given sums."""
    rho, n, clip = 0.5, 3, 0.8
    columns, u, sums = np.array([0, 3, 4]), np.array([0.5, -1.0, 2.0]), np.array([0.3, -1.0, 4.0])
    known = rng(7).standard_normal((n, 3))
    path = clipped.bridges(columns, WHERE, rho, True)
    found = clipped._clipped_sums(rng(8), u, sums, clip, known, path)
    z, x = rng(8).standard_normal((3, n)), np.zeros((3, n))
    s = sigma(rho)
    for k, j in enumerate(columns):
        given = [*WHERE, *columns[:k]]
        gain = np.linalg.solve(s[np.ix_(given, given)], s[given, j])
        left = math.sqrt(1 - gain @ s[given, j])
        x[k] = np.column_stack((known, *x[:k])) @ gain + left * z[k]
    x += np.outer((sums - x @ u) / (u @ u), u)
    np.testing.assert_allclose(x @ u, sums)
    np.testing.assert_allclose(found, np.clip(x, -clip, clip) @ u, atol=1e-12)


def test_a_product_is_free_noise_moved_to_the_known_columns():
    rho, clip, seen = 0.5, 0.9, {}
    known, u = rng(9).standard_normal((4, 3)), np.array([0.5, -1.0, 2.0, 0.1])
    rows = ClippedRows(setting(rho), clip, WHERE, known, 5, rng(10))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clipped, "_excess_bound", lambda *given: seen.update(bound=given) or 0.25)
        patch.setattr(
            clipped, "_clipped_sums", lambda *given: seen.update(sums=given) or given[2] + 9
        )
        scores = rows.only_product(u)
        free = np.linalg.norm(u) * np.linalg.cholesky(sigma(rho)) @ rng(10).standard_normal(D)
        gain = regression(rho)
        unclipped = free + gain @ (u @ known - free[WHERE])
        expected = unclipped.copy()
        expected[WHERE] = u @ np.clip(known, -clip, clip)
        np.testing.assert_allclose(scores.values, expected, atol=1e-12)
        assert scores.slack == 0.25
        weights, reach, at, odds = seen["bound"]
        others = np.setdiff1d(np.arange(D), WHERE)
        pull = np.abs(gain[others]).sum(axis=1).max()
        np.testing.assert_allclose(weights, np.abs(u))
        np.testing.assert_allclose(reach, pull * np.abs(known).max(axis=1))
        assert (at, odds) == (clip, pytest.approx(math.log(8e18)))
        scores.refine(np.array([0, 2, 5]))
        np.testing.assert_allclose(seen["sums"][2], unclipped[[0, 5]])
        expected[[0, 5]] = unclipped[[0, 5]] + 9
        np.testing.assert_allclose(scores.values, expected, atol=1e-12)
        path = clipped.bridges(np.array([0, 5]), WHERE, rho, True)
        for ours, theirs in zip(seen["sums"][5], path, strict=True):
            np.testing.assert_allclose(ours, theirs)


# Clipped scores


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
    found, reach = clipped_scores._bounds(law), np.hypot(*law.pull)
    assert len(found) == BINS + 1
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
    bounds = np.arange(BINS + 1) / 100
    monkeypatch.setattr(clipped_scores, "_bounds", lambda law: bounds)
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


def contexts_of(engine, seed=17, **keys):
    return engine(setting(**keys), rng(seed))


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
    k = descent.known(0.0, 5, 6, 4, 3, -1, 5)
    descent.adopt(k, np.array([0]), np.ones(1), np.zeros((3, 5)))
    assert (descent._split_right(k, np.array([0, 1]), v[:2])[2] > 0) == new
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
    parts = [(part, rows.copy()) for part, rows in episode.design.blocks()]
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
