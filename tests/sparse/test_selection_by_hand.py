"""Selection as plain Python, function by function, against the Laplace law worked out by hand."""

import math

import numpy as np
import pytest
from interpreted import Tape, interpreted

from dpbandits.sparse.engine import selection
from dpbandits.sparse.engine.selection import DOUBTFUL, FREE, TAKEN, Scores

plainly = interpreted(selection)


def cdf(x):
    return 0.5 * math.exp(x) if x < 0 else 1 - 0.5 * math.exp(-x)


@pytest.mark.parametrize("height", [-3.0, -0.1, 0.0, 0.2, 1.0, 6.0])
def test_the_mass_of_a_column_makes_it_hit_at_least_as_often_as_it_exceeds(height):
    """-ln P(L <= h): below 0 exactly, ln 2 - h; above, t (1 + t) at the tail t <= 1/2."""
    tail = 0.5 * math.exp(-height)
    mass = selection._mass(height, tail)
    if height < 0:
        assert mass == pytest.approx(-math.log(cdf(height)), rel=1e-14)
    else:
        assert -math.log1p(-tail) <= mass <= -math.log1p(-tail) + tail**2
        assert mass == pytest.approx(tail + tail**2, rel=1e-15)


@pytest.mark.parametrize("u", [0.01, 0.3, 0.5, 0.77, 0.999])
@pytest.mark.parametrize("x", [-2.0, -0.4, 0.0, 0.3, 1.5])
def test_laplace_numbers_beyond_a_point_by_their_law(u, x):
    below = selection._below(u, x)
    assert cdf(below) == pytest.approx(cdf(x) * (1 - u), rel=1e-12)
    if x < 0:
        above = selection._above(u, x)
        assert cdf(above) == pytest.approx(cdf(x) + (1 - cdf(x)) * u, rel=1e-12)


def test_powers_count_one_at_most():
    powers = np.empty(4)
    total = selection._powers(np.array([1.0, 2.0, 3.0, 900.0]), 2.0, 0.5, powers)
    assert powers[:3] == pytest.approx([math.exp(-2), 1, math.exp(2)])
    assert powers[3] == math.exp(700.0)
    assert total == pytest.approx(math.exp(-2) + 3)


def test_the_size_at_a_rank():
    sizes = np.array([3.0, 9.0, 1.0, 4.0, 4.0, 7.0])
    assert [selection._at_rank(sizes, rank) for rank in range(6)] == [9, 7, 4, 4, 3, 1]


def test_the_level_leaves_the_reserve_above_it():
    """Ten equal sizes, one round, a reserve of 2: nine columns with 2/9 each, level ln(9/4)."""
    level, tails = selection._level(np.zeros(10), 1.0, 1, 2.0)
    assert level == pytest.approx(math.log(9 / 4))
    assert tails == pytest.approx(np.full(10, 2 / 9))
    # one column far ahead: the rank after it takes its place, and it counts as one
    sizes = np.append(100.0, np.zeros(9))
    level, tails = selection._level(sizes, 2.0, 1, 2.0)
    assert level == pytest.approx(2 * math.log(9 / 4))
    assert tails[1:] == pytest.approx(np.full(9, 2 / 9))
    # all columns are needed: below everything
    assert selection._level(np.array([5.0, 3.0]), 0.5, 2, 8.0)[0] == 3.0 - 20.0
    sizes, scale = np.array([0.3, 1.0, 0.1, 0.9, 0.0, 0.2]), 0.7
    level, tails = selection._level(sizes, scale, 2, 0.5)
    assert tails == pytest.approx(0.5 * np.exp((sizes - level) / scale))
    # less than two are left beside the largest two: the third largest size is the unit
    assert np.exp((sizes - 1.0) / scale).sum() - 2 < 2
    rest = np.minimum(np.exp((sizes - 0.3) / scale), 1).sum() - 2
    assert level == pytest.approx(0.3 + scale * math.log(rest / (2 * 0.5)))
    sizes = np.append(sizes, np.full(9, 0.8))
    rest = np.exp((sizes - 1.0) / scale).sum() - 2  # now more are
    level = selection._level(sizes, scale, 2, 0.5)[0]
    assert level == pytest.approx(1.0 + scale * math.log(rest / (2 * 0.5)))


def test_columns_above_the_level_by_hand():
    """Three columns at heights -1, 1/2 and 2; each first exponential falls into its column. Above
    0 a hit is kept with probability tail/(1 - e^-mass), which makes it an exceedance."""
    level, scale, heights = 3.0, 2.0, np.array([-1.0, 0.5, 2.0])
    sizes = level - scale * heights
    masses = [selection._mass(h, 0.5 * math.exp(-h)) for h in heights]
    ends, state = np.cumsum(masses), np.zeros(3, np.int8)
    for column in (1, 2):
        tail = 0.5 * math.exp(-heights[column])
        chance = tail / -math.expm1(-masses[column])
        start = ends[column - 1]
        for u, kept in ((chance - 1e-9, 1), (chance + 1e-9, 0)):
            hits, noisy = np.arange(3), np.zeros(3)
            tape = Tape(standard_exponential=[start + 1e-6, 9.0, 0.4], random=[u])
            count = selection._above_level(tape, sizes, scale, level, ends, state, hits, noisy)
            assert count == kept
            if kept:
                assert (hits[0], noisy[0]) == (column, level + scale * 0.4)
    u, numbers = 0.3, [masses[0] - 1e-6, masses[1] + 1e-6, 5.0, 0.1]
    for first in (selection.TAKEN, selection.FREE):  # taken: the number is read all the same
        hits, noisy, state[0] = np.arange(3), np.full(3, np.nan), first
        tape = Tape(standard_exponential=list(numbers), random=[u, 0.0])
        assert selection._above_level(tape, sizes, scale, level, ends, state, hits, noisy) == 2
        assert np.isnan(noisy[0]) == (first == selection.TAKEN)
    assert cdf((noisy[0] - sizes[0]) / scale) == pytest.approx(cdf(-1) + (1 - cdf(-1)) * u)
    assert (list(hits[:2]), noisy[1]) == ([0, 2], level + scale * 0.1)
    tape = Tape(standard_exponential=[ends[-1]])
    assert selection._above_level(tape, sizes, scale, level, ends, state, hits, noisy) == 0


def test_the_others_below_the_level_by_hand():
    sizes, hits, noisy = np.array([1.0, 2.0, 3.0]), np.array([1, 0, 0]), np.array([9.0, 0, 0])
    count = selection._and_below(Tape(random=[0.2, 0.7]), sizes, 0.5, 2.5, hits, noisy, 1)
    assert (count, list(hits)) == (3, [1, 0, 2])
    for place, j, u in ((1, 0, 0.2), (2, 2, 0.7)):
        height = (2.5 - sizes[j]) / 0.5
        assert cdf((noisy[place] - sizes[j]) / 0.5) == pytest.approx(cdf(height) * (1 - u))
    assert noisy[0] == 9.0


def test_the_best_of_the_columns_that_are_free():
    state = np.array([FREE, TAKEN, DOUBTFUL, FREE])
    hits, noisy = np.array([0, 1, 2, 3]), np.array([1.0, 9.0, 8.0, 2.0])
    assert selection._best_free(hits, noisy, 4, state) == 2.0
    assert selection._best_free(hits, noisy, 3, state) == 1.0
    assert selection._best_free(hits, noisy, 0, state) == -np.inf


def played(rounds, slack, heard, below=(), level=1.0, d=4):
    """`_play_off` with what exceeds the level in each round given, and what lies below it."""
    heard, below = iter(heard), iter(below)

    def above(rng, sizes, scale, level, ends, state, hits, noisy):
        found = next(heard)
        hits[: len(found)] = list(found)
        noisy[: len(found)] = list(found.values())
        return len(found)

    def rest(rng, sizes, scale, level, hits, noisy, count):
        found = next(below)
        assert not {*found} & {*hits[:count]}
        hits[count : count + len(found)] = list(found)
        noisy[count : count + len(found)] = list(found.values())
        return count + len(found)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selection, "_above_level", above)
        patch.setattr(selection, "_and_below", rest)
        ends = np.ones(d)
        found = selection._play_off(None, np.zeros(d), 1.0, rounds, slack, level, ends)
    return [tuple(row) for row in zip(*(x.tolist() for x in found), strict=True)]


def test_a_round_goes_to_its_best_free_column():
    assert played(2, 0.0, [{3: 5.0, 1: 4.0}, {3: 6.0, 2: 2.0}]) == [(0, 3, 5.0), (1, 2, 2.0)]


def test_with_slack_all_that_may_win_are_listed():
    """5 and 4 are 1 <= 2 x 0.6 apart: both may win round 0, neither is taken for sure. In round 1
    column 2 alone is free; 3.5 - 1.2 = 2.3 is the bar, which the doubtful column 1 passes."""
    rounds = [{3: 5.0, 1: 4.0, 0: 3.7}, {1: 4.0, 2: 3.5, 3: 2.2}]
    found = played(2, 0.6, rounds)
    assert found == [(0, 3, 5.0), (0, 1, 4.0), (1, 1, 4.0), (1, 2, 3.5)]
    # alone at exactly the bar, and a column that is taken for good
    found = played(3, 0.5, [{0: 5.0}, {0: 9.0, 1: 4.0, 2: 3.0}, {3: 2.5}])
    assert found == [(0, 0, 5.0), (1, 1, 4.0), (1, 2, 3.0), (2, 3, 2.5)]


def test_what_lies_below_the_level_is_drawn_where_it_may_win():
    """Nothing free above; or the best so near the level that one below may beat it."""
    assert played(1, 0.0, [{}], [{0: 0.5, 1: 0.7, 2: 0.1, 3: 0.0}]) == [(0, 1, 0.7)]
    rounds = [{0: 5.0}, {0: 6.0}]
    assert played(2, 0.0, rounds, [{1: 0.2, 2: 0.3, 3: 0.1}]) == [(0, 0, 5.0), (1, 2, 0.3)]
    near = played(1, 0.25, [{2: 1.5}], [{0: 0.9, 1: 1.0, 3: 0.0}])
    assert near == [(0, 2, 1.5), (0, 1, 1.0)]
    assert played(1, 0.25, [{2: 1.51}]) == [(0, 2, 1.51)]


def test_what_is_handed_to_the_rounds(monkeypatch):
    """The level less two slacks; for each column at least the mass -ln P(L <= height)."""
    seen = []
    monkeypatch.setattr(selection, "_play_off", lambda *given: seen.append(given))
    sizes, scale = np.array([0.3, 2.0, 0.1, 0.9, 0.0, 0.2]), 0.7
    for slack in (0.0, 0.4):
        selection.contenders("rng", 2, sizes, slack, scale, 0.5)
        rng, _, given, rounds, off, level, ends = seen.pop()
        assert (rng, given, rounds, off) == ("rng", scale, 2, slack)
        assert level == pytest.approx(selection._level(sizes, scale, 2, 0.5)[0] - 2 * slack)
        heights = (level - sizes) / scale
        tails = 0.5 * np.exp(-np.maximum(heights, 0))
        masses = np.where(heights >= 0, tails * (1 + tails), math.log(2) - heights)
        assert ends == pytest.approx(np.cumsum(masses))
    selection.contenders("rng", 2, sizes, 0.4, 0.0, 0.5)
    assert seen.pop()[5] == -np.inf


def test_without_noise_all_within_two_slacks_of_the_best_contend():
    sizes = np.array([1.0, 5.0, 4.2, 3.9])
    number, columns, heard = selection.contenders(None, 2, sizes, 0.5, 0.0, 8.0)
    # round 0: 5 and 4.2; round 1: neither is sure, 3.9 is the best free one
    assert list(zip(number, columns, heard, strict=True)) == [
        (0, 1, 5.0), (0, 2, 4.2), (1, 1, 5.0), (1, 2, 4.2), (1, 3, 3.9),
    ]  # fmt: skip


def test_rounds_are_settled_in_their_order():
    number, columns = np.array([0, 0, 1, 1, 2]), np.array([4, 2, 2, 4, 7])
    noisy = np.array([1.0, 3.0, 9.0, 0.5, -1.0])
    assert list(selection._settle(number, columns, noisy, 3)) == [2, 4, 7]


def test_drawn_winners_are_refined_before_they_are_settled(monkeypatch):
    """Columns 3 and 1 contend twice; exactly known, column 1 wins first and 3 next."""
    found = np.array([0, 0, 1, 1]), np.array([3, 1, 3, 1]), np.array([5.0, 4.9, 6.0, 7.0])
    monkeypatch.setattr(selection, "contenders", lambda *_: found)
    values, asked = np.array([0.0, -2.0, 0.0, 2.0]), []

    def exact(columns):
        asked.append(columns.tolist())
        return np.array([-2.5, 1.8])

    scores = Scores(values.copy(), 0.5, exact)
    # noisy sizes: round 0: 5 - 2 + 1.8 = 4.8 and 4.9 - 2 + 2.5 = 5.4; round 1: 5.8 of column 3
    assert list(selection.drawn_winners(None, 2, scores, 1.0)) == [1, 3]
    assert asked == [[1, 3]]
    assert list(scores.values) == [0.0, -2.5, 0.0, 1.8]
    assert list(selection.drawn_winners(None, 2, Scores(values), 1.0)) == [3, 1, 3, 1]
    seen = []
    monkeypatch.setattr(selection, "contenders", lambda *given: seen.extend(given) or found)
    selection.Fresh("rng", 2)(5)(Scores(values, 0.0), 0.7)
    assert (seen[:2], list(seen[2]), seen[3:]) == (["rng", 2], [0, 2, 0, 2], [0.0, 0.7, 8.0])


def test_kept_noise_decides_round_by_round():
    noise = [np.array([0.0, 2.0, -9.0]), np.array([0.0, 5.0, 0.5]), np.zeros(3)]
    scores = Scores(np.array([1.0, -2.0, 3.0]))
    assert selection.kept_winners(noise, scores, 1.0) == [1, 2, 0]  # 4; 3.5 (1 is gone); 1
    assert selection.kept_winners(noise, scores, 0.1) == [1, 2, 0]
    assert selection.kept_winners(noise, scores, 0.0) == [2, 1, 0]


def test_one_shot_winners_are_the_largest_with_noise():
    noise = np.array([0.5, 3.0, 0.0, -1.0, 0.2])
    v = np.array([1.0, -0.1, 3.0, -4.0, 2.4])
    # |v| + 0.5 noise: 1.25, 1.6, 3, 3.5, 2.5
    tape = lambda: Tape(gumbel=[noise.copy()])  # noqa: E731
    rng = tape()
    rng.gumbel = lambda size: noise[:size]
    assert list(selection.largest_noisy(rng, 3, Scores(v), 0.5)) == [3, 2, 4]
    asked = []

    def exact(columns):
        asked.append(columns.tolist())
        return np.array([3.4, 3.0, 2.4])[: len(columns)]

    # the third largest is 2.5: the true one is 2.1 at least, so all from 1.7 on are looked at
    scores = Scores(v.copy(), 0.4, exact)
    assert list(selection.largest_noisy(rng, 3, scores, 0.5)) == [2, 3, 4]
    assert asked == [[2, 3, 4]]
    step = selection.OneShot(rng, 3)(0)
    assert list(step(Scores(v), 0.5)) == [3, 2, 4]


def test_scores_times_a_factor():
    scores = Scores(np.array([1.0, 2.0]), 0.5, lambda columns: np.full(len(columns), 3.0)).times(2)
    assert (list(scores.values), scores.slack) == ([2, 4], 1.0)
    scores.refine(np.array([1]))
    assert list(scores.values) == [2, 6]
    plain = Scores(np.array([1.0])).times(3)
    plain.refine(np.array([0]))
    assert (plain.values[0], plain.slack, plain.exact) == (3, 0, None)
