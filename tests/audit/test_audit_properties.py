"""Properties of all privacy losses, on inputs that hypothesis draws (always the same ones).

Monotonicity, convexity, symmetry, post-processing, composition, and invariance to scale. They do
not check constants, but hardly any mistake keeps all of them.
"""

import math
from functools import partial

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from dpbandits.audit import balls, laplace, peeling, rnm
from dpbandits.audit.balls import lower, upper
from dpbandits.audit.selection import event_excess, selection_probabilities

deterministic = settings(max_examples=12, derandomize=True, deadline=None)
shifts, losses = st.floats(0.05, 2), st.floats(0, 2.5)
counts = st.lists(st.integers(0, 6), min_size=2, max_size=4)
noises = st.sampled_from(["laplace", "exponential", "gumbel"])
weights = st.lists(st.integers(1, 9), min_size=3, max_size=5)


def law(raw):
    return [arb(x) / sum(raw) for x in raw]


# Finite laws


@deterministic
@given(weights, st.randoms(use_true_random=False), losses)
def test_pairs_of_laws(raw, random, at):
    p, q = law(raw), law(random.sample(raw, len(raw)))
    delta, loss = balls.delta_at(p, q, at), balls.pure_loss(p, q)
    assert delta.overlaps(balls.delta_at(q, p, at))
    assert loss.overlaps(balls.pure_loss(q, p))
    one = balls.hockey_stick(p, q, at)  # S is worst for (p, q) at eps, its complement at -eps
    assert one.overlaps(1 - arb(at).exp() + arb(at).exp() * balls.hockey_stick(q, p, -at))
    merged = [[x[0] + x[1], *x[2:]] for x in (p, q)]
    assert lower(balls.delta_at(*merged, at)) <= upper(delta)
    assert lower(balls.pure_loss(*merged)) <= upper(loss)
    twice = [[a * b for a in x for b in x] for x in (p, q)]
    assert balls.pure_loss(*twice).overlaps(2 * loss) or loss < 1e-9
    assert lower(balls.delta_at(*twice, 2 * at)) <= 2 * upper(delta) + 1e-12
    assert lower(delta) <= upper(balls.delta_at(*twice, at)) + 1e-12


# Selection


@deterministic
@given(counts, noises, st.floats(0.5, 3), st.randoms(use_true_random=False))
def test_selection_is_equivariant_and_invariant_to_shifts(scores, noise, scale, random):
    p = list(map(float, selection_probabilities(scores, scale, noise)))
    order = random.sample(range(len(scores)), len(scores))
    mixed = selection_probabilities([scores[i] for i in order], scale, noise)
    assert list(map(float, mixed)) == pytest.approx([p[i] for i in order], rel=1e-9)
    higher = selection_probabilities([c + 5 for c in scores], scale, noise)
    assert list(map(float, higher)) == pytest.approx(p, rel=1e-9)
    twice = selection_probabilities([2 * c for c in scores], 2 * scale, noise)
    assert list(map(float, twice)) == pytest.approx(p, rel=1e-12)
    assert sum(p) == pytest.approx(1, abs=1e-12)
    one, two = (
        selection_probabilities(scores, s, noise)[scores.index(max(scores))] for s in (2, 1)
    )
    assert lower(one) <= upper(two) + 1e-12  # less noise: the best wins more often
    excess = event_excess(scores, scores, 1, scale, 0.3, noise)
    assert float(excess) == pytest.approx(p[0] * (1 - math.exp(0.3)), rel=1e-9)


@deterministic
@given(st.integers(2, 3), st.integers(1, 3), noises, st.floats(0.5, 3), st.floats(0, 0.9))
def test_worst_pairs_of_report_noisy_max(arms, rounds, noise, scale, share):
    def audit(**changed):
        keys = {"arms": arms, "rounds": rounds, "noise": noise, "scale": scale}
        params = rnm.RnmParams(**(keys | {"adjacency": "replace"} | changed))
        return rnm.audit_rnm(params, (share / scale,))

    whole, at = audit(), share / scale
    for less in (audit(adjacency="add-remove"), audit(scale=scale * 1.1)):
        assert less.pure_epsilon <= whole.pure_epsilon * (1 + 1e-12)
        assert less.delta_at[at] <= whole.delta_at[at] + 1e-12
    assert whole.pure_epsilon <= audit(rounds=rounds + 1).pure_epsilon * (1 + 1e-12)
    assert whole.delta_at[at] <= audit(rounds=rounds + 1).delta_at[at] + 1e-12
    reported = whole.worst_neighbour["delta_at"].get(f"{at!r}".removesuffix(".0"), {})
    if reported:
        pair = reported["counts"], reported["neighbour"], len(reported["outputs"])
        least = reported.get("delta_at_least", whole.delta_at[at])
        assert float(event_excess(*pair, scale, at, noise)) == pytest.approx(least)
    p, q = (
        selection_probabilities(whole.worst_neighbour[side], scale, noise)[0]
        for side in ("counts", "neighbour")
    )
    assert float((p / q).log()) == pytest.approx(whole.pure_epsilon, rel=1e-9)


# Delta as a function of r and eps


CURVES = {
    "one release": lambda r, e: laplace.composed_delta(r, 1, e),
    "three releases": lambda r, e: laplace.composed_delta(r, 3, e),
    "a selection and a release": lambda r, e: peeling.composed_upper(arb(r), 1, 1, e),
    "selections": lambda r, e: peeling.composed_upper(arb(r), 3, 0, e),
    "scores": lambda r, e: rnm.gumbel_delta(arb(r), e),
    "responses": lambda r, e: peeling.responses_upper(arb(r), 2, 2, arb(e)),
}


@pytest.mark.parametrize("curve", CURVES)
@deterministic
@given(shifts, losses, st.floats(0.01, 0.5))
def test_delta_falls_in_epsilon_is_convex_and_rises_with_the_shift(curve, shift, at, step):
    delta = partial(CURVES[curve], shift)
    rounding = 1e-12
    middle = math.log((math.exp(at) + math.exp(at + 2 * step)) / 2)
    first, second, third = (delta(e) for e in (at, middle, at + 2 * step))
    assert 0 <= upper(third) <= upper(second) + rounding <= upper(first) + 2 * rounding
    assert upper(first) <= 1 + rounding
    assert lower(second) <= (upper(first) + upper(third)) / 2 + rounding
    assert lower(first) <= upper(CURVES[curve](shift * 1.01, at)) + rounding


@deterministic
@given(shifts, st.integers(1, 5), losses)
def test_more_releases_lose_more_and_no_more_than_their_sum(shift, releases, at):
    def delta(n, e):
        return laplace.composed_delta(shift, n, e)

    assert lower(delta(releases, at)) <= upper(delta(releases + 1, at)) + 1e-15
    split = delta(releases, at / 2), delta(1, at / 2)
    assert lower(delta(releases + 1, at)) <= sum(map(upper, split)) + 1e-15
    mirrored = 1 - arb(at).exp() + arb(at).exp() * delta(releases, -at)  # the law is symmetric
    assert abs(float(delta(releases, at) - mirrored)) < 1e-12
    more = peeling.composed_upper(arb(shift), 1, releases, at)
    assert lower(delta(releases, at)) <= upper(more) + 1e-15
    assert lower(delta(releases, at)) <= upper(peeling.responses_upper(arb(shift), 0, releases, at))


@deterministic
@given(st.integers(1, 3), st.integers(0, 4), shifts, st.floats(0, 1))
def test_peeling_from_both_sides(s, others, ratio, share):
    d, ratio = s + others, arb(ratio)
    at = share * float(peeling.pure_loss(ratio, s, d))
    low, _ = peeling.delta_lower(ratio, s, d, at)
    high = peeling.delta_upper(ratio, s, d, at)
    assert lower(low) <= upper(high) + 1e-12
    assert lower(peeling.delta_upper(ratio, s, d + 1, at)) >= lower(high) - 1e-12
    assert lower(peeling.delta_upper(ratio, s, d, at, 2)) >= lower(high) - 1e-12
    pure = [peeling.pure_loss(ratio, s, size) for size in (d, d + 1)]
    assert lower(pure[0]) <= upper(pure[1])


# Scale


@deterministic
@given(st.floats(0.3, 3), st.floats(0.2, 2), st.integers(1, 3))
def test_audit_depends_on_ratios_only(factor, scale, releases):
    one = laplace.LaplaceParams(scale=scale, releases=releases)
    other = laplace.LaplaceParams(scale=factor * scale, sensitivity=factor, releases=releases)
    loss, scaled = (laplace.audit_laplace(p, (0.4,)) for p in (one, other))
    assert scaled.pure_epsilon == pytest.approx(loss.pure_epsilon, rel=1e-12)
    assert scaled.delta_at[0.4] == pytest.approx(loss.delta_at[0.4], rel=1e-9, abs=1e-15)

    keys = {"s": 2, "d": 5, "epsilon": scale, "delta": 0.1}
    loss, scaled = (
        peeling.audit_peeling(peeling.PeelingParams(**keys, **{"lambda": x}), (0.4,))
        for x in (1.0, factor)
    )
    before, after = (x.worst_neighbour.pop("scale") for x in (loss, scaled))
    assert after == pytest.approx(factor * before, rel=1e-12)
    assert scaled == loss
