"""The parts that audits are made of, each against its definition."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from plain import difference_cdf
from scipy.integrate import quad
from scipy.stats import beta, binom

from dpbandits.audit import balls, calibrate, laplace, lazy, peeling, selection
from dpbandits.audit.engine import lazy_ucb
from dpbandits.audit.engine.lazy_ts import Quadrature, beats, ts_law
from dpbandits.audit.engine.outcomes import coded
from dpbandits.audit.engine.piecewise import Piecewise
from dpbandits.audit.selection import selection_probabilities, two_levels
from dpbandits.audit.studies import zoo
from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import MECHANISMS


def random(*key):
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(key)))


# Balls


@pytest.mark.parametrize("case", range(20))
def test_upper_and_lower_are_the_nearest_floats_outside(case):
    g = random(1, case)
    exact = Fraction(int(g.integers(1, 10**9)), int(g.integers(1, 10**9))) * (-1) ** case
    with balls.precision(200):
        x = balls.ball(exact)
    high, low = balls.upper(x), balls.lower(x)
    assert Fraction(low) <= exact <= Fraction(high)
    assert Fraction(math.nextafter(high, -math.inf)) < exact < Fraction(math.nextafter(low, 9e9))


def test_deltas_are_cut_to_their_range():
    for x, expected in ((arb(-1), 0.0), (arb(0), 0.0), (arb(3), 1.0), (arb("0.25"), 0.25)):
        assert balls.as_delta(x) == pytest.approx(expected, abs=1e-15)
    tiny = arb(2) ** -2000
    assert 0 < balls.as_delta(tiny) < 1e-300  # above 0 stays above 0
    assert balls.as_delta(arb(0, 1e-9)) == pytest.approx(1e-9)
    assert balls.as_delta(arb(-1, 0.5)) == 0.0


def test_widths_are_relative_above_a_floor():
    assert balls.width(arb(2, 1e-3)) == pytest.approx(5e-4, rel=1e-6)
    assert balls.width(arb(-2, 1e-3)) == pytest.approx(5e-4, rel=1e-6)
    assert balls.width(arb(0, 1e-40)) == pytest.approx(1e-10, rel=1e-6)
    assert balls.width(arb.nan()) == 1e300


def test_sharp_doubles_its_bits_while_it_helps():
    asked = []

    def third():
        asked.append(balls.ctx.prec)
        return arb(1) / 3

    assert balls.width(balls.sharp(third, 1e-100, start=64)) <= 1e-100
    assert asked == [64, 128, 256, 512]
    asked.clear()
    balls.sharp(lambda: third() * arb(1, 1e-3), 1e-9, start=64)
    assert asked == [64, 128]


def test_certificates_start_from_exact_numbers():
    with pytest.raises(TypeError, match="integers and fractions"):
        balls.ball(0.1)
    with balls.precision(100):
        assert balls.ball(Fraction(1, 4)) == arb("0.25")
        p = balls.policy([1, None, 0], 2)
    total = math.exp(0.5) + 1
    assert [float(x) for x in p] == pytest.approx([math.exp(0.5) / total, 0, 1 / total])
    assert balls.shown(arb(2) / 3, 3) == "0.667"

    @balls.precisely
    def bits():
        return balls.ctx.prec

    assert bits() == balls.CERTIFICATE_BITS != balls.ctx.prec


@pytest.mark.parametrize("case", range(10))
def test_losses_of_pairs_by_exact_fractions(case):
    """Pure loss and delta of random laws, and which of several pairs is the worst."""
    g = random(2, case)

    def law():
        weights = [Fraction(int(x)) for x in g.integers(1, 9, size=4)]
        return [x / sum(weights) for x in weights]

    pairs = [({"pair": i}, law(), law()) for i in range(5)]
    ratio = max((max(max(a / b, b / a) for a, b in zip(p, q, strict=True)), i)
                for i, (_, p, q) in enumerate(pairs))  # fmt: skip
    factor = Fraction(5, 4)
    excess = max(
        (max(sum(max(0, a - factor * b) for a, b in zip(*ab, strict=True))
             for ab in ((p, q), (q, p))), i)
        for i, (_, p, q) in enumerate(pairs)
    )  # fmt: skip
    at = math.log(1.25)
    found = balls.audit_pairs(pairs, [at])
    assert found.pure_epsilon == pytest.approx(math.log(ratio[0]), rel=1e-12)
    assert found.worst_neighbour["pair"] == ratio[1]
    assert found.delta_at[at] == pytest.approx(float(excess[0]), rel=1e-12)
    (where,) = found.worst_neighbour["delta_at"].values()
    assert where["pair"] == excess[1]


def test_an_impossible_outcome():
    p, q = [Fraction(1, 2), Fraction(1, 2), 0], [Fraction(1, 2), 0, Fraction(1, 2)]
    assert not balls.max_divergence(p, q).is_finite()
    assert float(balls.delta_at(p, q, 3)) == 0.5
    assert float(balls.max_divergence([1, 0], [Fraction(1, 2), Fraction(1, 2)])) == pytest.approx(
        math.log(2)
    )


# Laplace releases, exactly at their atoms


@pytest.mark.parametrize("epsilon", [0, 0.5, 1.0, -0.5, -1.0, -2.0])
def test_two_releases_where_atoms_meet_epsilon(epsilon):
    """By the definition: P(L > e) - e^e Q(L > e), the losses of two releases on dyadic atoms."""
    shift, step = 1.0, 2.0**-11
    x = np.arange(0, 1 + step / 2, step)
    inside = np.exp(-(x[:-1] + x[1:]) / 2) * 2 * math.sinh(step / 2) / 2
    losses = np.r_[shift, shift - (x[:-1] + x[1:]), -shift]
    masses = np.r_[0.5, inside, math.exp(-1) / 2]
    total = losses[:, None] + losses[None, :]
    excess = np.outer(masses, masses) * -np.expm1(np.minimum(0, epsilon - total))
    found = laplace.composed_delta(shift, 2, epsilon)
    assert float(found) == pytest.approx(excess.sum(), abs=2e-6)
    assert balls.width(found) < 1e-15


def test_one_release_where_the_balls_cannot_tell():
    with balls.precision(53):
        below = laplace.single_delta(arb(1), arb(-1, 1e-9))
    assert below.contains(1 - arb(-1).exp())
    assert float(below.rad()) < 1e-8
    assert laplace.single_delta(arb(1), arb(1)).is_zero()
    assert float(laplace.single_delta(arb(1), arb(-3))) == pytest.approx(1 - math.exp(-3))
    assert laplace.composed_delta(arb(1), 0, 0.5).is_zero()
    assert float(laplace.composed_delta(arb(1), 0, -0.5)) == pytest.approx(1 - math.exp(-0.5))


@pytest.mark.parametrize(("epsilon", "tie"), [(0, True), (1e-9, True), (0.5, False)])
def test_where_an_atom_cannot_be_told_from_epsilon_both_readings_count(monkeypatch, epsilon, tie):
    """Of two releases with shift 1/2: losses of -1, 0 and 1 have probabilities of their own."""
    tail, asked = laplace._tail, []

    def noted(*arguments):
        asked.append(arguments[-1])
        return tail(*arguments)

    monkeypatch.setattr(laplace, "_tail", noted)
    shift = arb(0.5, 1e-8)
    (found,) = laplace.composed_deltas(shift, 2, [arb(epsilon)])
    assert asked == ([False, True, True, False] if tie else [True, False])
    monkeypatch.undo()
    for exact in (0.5, 0.5 + 5e-9, 0.5 - 5e-9):
        assert found.overlaps(laplace.composed_delta(exact, 2, epsilon))


# Selection


def test_a_gap_of_unknown_sign_stays_narrow():
    with balls.precision(64):
        found = two_levels(arb(0, 1e-10), 1, 2)
    assert found.contains(arb(1) / 3)
    assert float(found.rad()) < 1e-8


UNEQUAL = {
    "a pure loss": lambda: balls.max_divergence([1], [0.5, 0.5]),
    "a delta": lambda: balls.hockey_stick([0.5, 0.5], [1], 1),
    "a primitive": lambda: Piecewise([arb(0)], [{}, {}, {}]).primitive(),
    "thompson": lambda: Quadrature(3, 1.0).log_probability(
        (0, 1, 0), lazy.epochs_of((0, 1, 0)), (0,)
    ),
    "ucb": lambda: lazy_ucb.probability((0, 1, 0), lazy.epochs_of((0, 1, 0)), (0,), 1.0),
    "gumbel": lambda: selection._gumbel([arb(0)], [1, 1]),
    "exponential": lambda: selection._exponential([arb(0), arb(1)], [1]),
    "laplace": lambda: selection._laplace([arb(0), arb(1)], [1]),
}


@pytest.mark.parametrize("what", UNEQUAL)
def test_lists_of_unequal_lengths_are_refused(what):
    with pytest.raises(ValueError, match="zip"):
        UNEQUAL[what]()


# Lazy algorithms


@pytest.mark.parametrize("sizes", [(1, 1), (2, 1), (1, 4), (4, 2)])
def test_comparison_of_betas_by_quadrature(sizes):
    means = np.array([0.0, 0.31, 1.0]), np.array([0.12, 0.5, 1.0])
    found = beats(*means, *sizes)
    for i, a in enumerate(means[0]):
        for j, b in enumerate(means[1]):
            first = beta(a * sizes[0] + 1, (1 - a) * sizes[0] + 1)
            second = beta(b * sizes[1] + 1, (1 - b) * sizes[1] + 1)
            value = quad(lambda x, f=first, s=second: f.pdf(x) * s.cdf(x), 0, 1)[0]
            assert found[i, j] == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(("size", "total"), [(1, 0), (2, 1), (4, 4)])
def test_nodes_carry_the_whole_law_of_a_noisy_mean(size, total):
    engine = Quadrature(6, 1.3)
    assert engine.line(size).masses(total, 1.3).sum() == pytest.approx(1, abs=1e-10)


SIZES = [(2, 1), (2, 2), (2, 3), (2, 6), (3, 2), (3, 3), (3, 4), (3, 5), (3, 6)]


@pytest.mark.parametrize(("arms", "horizon"), SIZES)
def test_laws_of_transcripts_add_up_to_one(arms, horizon):
    law = lazy.ucb_law(horizon, 1.2, arms=arms)
    assert len(law.transcripts) == arms ** max(0, horizon - arms)
    assert law.log_p.shape == (2 ** (arms * (horizon - 1)), len(law.transcripts))
    np.testing.assert_allclose(np.exp(law.log_p).sum(axis=1), 1.0, atol=1e-12)
    assert law.worst([])[0] <= 1.2 + 1e-9


@pytest.mark.parametrize("horizon", [1, 2, 3, 4])
def test_laws_of_thompson_sampling_add_up_to_one(horizon):
    law = ts_law(horizon, 6.0)
    np.testing.assert_allclose(np.exp(law.log_p).sum(axis=1), 1.0, atol=1e-10)


def test_epochs_by_hand():
    """Arm 0 in rounds 1, 3, 4, 6; arm 1 in 2, 5: epochs of 1, 2 rounds; open ones do not count."""
    epochs = lazy.epochs_of((0, 1, 0, 0, 1, 0, 0))
    read = [(e.arm, e.rounds, e.used_from) for e in epochs]
    assert read == [(0, (1,), 2), (1, (2,), 3), (0, (3, 4), 5)]
    assert [e.size for e in epochs] == [1, 1, 2]


# Calibration


def test_bisection_finds_a_threshold_from_either_side():
    for threshold in (3e-5, 0.7, 1.0, 2e4):
        for enough, least in ((1.0, 0.5), (threshold, threshold / 2), (1e6, 1e-3)):
            found = calibrate.bisect(lambda x, t=threshold: x >= t, enough, least, 1e-6, 1e-9)
            assert threshold <= found <= threshold * (1 + 2e-6)
    assert calibrate.bisect(lambda x: True, 1.0, 1e-3, 1e-6) == 1e-3  # never below the least
    assert calibrate.bisect(lambda x: True, 1.0, 1e-3, 1e-6, 1e-5) == 1e-5  # nor the floor
    with pytest.raises(InputError, match="no amount"):
        calibrate.bisect(lambda x: False, 1.0, 0.5, 1e-6)


def test_audited_epsilon_by_hand():
    """One release at scale 2: delta(e) = 1 - e^{(e - 1/2)/2} is 1% at e = 1/2 + 2 ln 0.99."""

    def audit(scale, at):
        return laplace.audit_laplace(laplace.LaplaceParams(scale=scale), at)

    found = calibrate.certificate(audit, 2.0, {"scale": 2.0}, 0.7, 0.01)
    assert found.audited_epsilon == pytest.approx(0.5 + 2 * math.log(0.99), rel=1e-8)
    pure = calibrate.certificate(audit, 2.0, {"scale": 2.0}, 0.7, 0.0)
    assert (pure.audited_epsilon, pure.noise) == (0.5, {"scale": 2.0})
    exact = laplace.calibrate_laplace(laplace.LaplaceTarget(), 0.7, 0.01).noise["scale"]
    assert exact == pytest.approx(1 / (0.7 - 2 * math.log(0.99)), rel=1e-6)


# Lemma A.2


def test_every_answer_of_the_lemma():
    verdicts = [peeling.lemma(7, 400, epsilon, 0.01) for epsilon in (1.0, 60.0, 300.0)]
    assert [v[0] for v in verdicts] == ["proved", "open", "violated"]
    for verdict, low, high in verdicts:
        assert balls.lower(low) <= balls.upper(high)
        assert (verdict == "proved") == (high <= 0.01)
        assert (verdict == "violated") == (low > 0.01)


# Outcomes


def test_codes_tell_apart_what_differs_and_say_what_they_mean():
    found = coded(["a", "b", "a"], ["c", "b", "b"], 1)
    assert found.first.tolist() == [0, 1, 0]
    assert found.second.tolist() == [2, 1, 1]
    assert found.said(np.array([0, 2])) == "a, c"
    tuples = coded([(1, "x"), (2, "x")], [(1, "y"), (1, "x")], 1)
    assert len({*tuples.first.tolist(), *tuples.second.tolist()}) == 3
    assert tuples.first[0] == tuples.second[1]
    lengths = coded([[1], [1, 2]], [[1], []], 1)
    assert lengths.first[0] == lengths.second[0]
    assert len({*lengths.first.tolist(), *lengths.second.tolist()}) == 3


def test_bins_are_intervals_learnt_from_the_first_half():
    first, second = random(3).normal(size=(2, 4000))
    found = coded(first, second, 2000)
    order = np.argsort(first)
    assert (np.diff(found.first[order]) >= 0).all()
    assert found.said(np.array([0, 1, 3])).count("(") == 2
    assert found.said(np.array([0])).startswith("outcome in (-inf, ")
    moved = first.copy()
    moved[2000:] += 50  # what is measured does not move the bins
    again = coded(moved, second, 2000)
    np.testing.assert_array_equal(again.first[:2000], found.first[:2000])
    np.testing.assert_array_equal(again.second, found.second)
    moved = second.copy()
    moved[2000:] += 50
    again = coded(first, moved, 2000)
    np.testing.assert_array_equal(again.first, found.first)


# The zoo


def test_trials_of_the_zoo_share_no_random_numbers():
    specimen = zoo.specimens()[0]
    keys = [(0, 500, 0), (0, 500, 1), (1, 500, 0), (0, 501, 0)]
    bounds = [zoo._trial(specimen, 2000, 0.9, key) for key in keys]
    assert len(set(bounds)) == len(keys)
    assert bounds[0] == zoo._trial(specimen, 2000, 0.9, keys[0])


def test_true_losses_of_the_zoo_by_hand():
    """Noise of half the scale doubles eps, a change of 4 makes it 4, reused noise cancels."""
    true = {(s.mechanism, s.defect): s.exact() for s in zoo.specimens()}
    assert true["noisy sum", ""] == pytest.approx(1)
    assert true["noisy sum", "half the noise"] == pytest.approx(2)
    assert true["noisy sum", "missing clip"] == pytest.approx(4)
    assert true["two noisy sums", ""] == pytest.approx(1)
    assert true["two noisy sums", "reused noise"] == math.inf
    # P(X - Y <= -x) = e^-x (2 + x)/4: from a difference of -62 to -64, at scale 2 and 1
    sound, broken = 1 + math.log(33 / 34), 2 + math.log(64 / 66)
    assert true["report noisy max, replacement", ""] == pytest.approx(sound)
    assert true["report noisy max, replacement", "half the noise"] == pytest.approx(broken)
    assert true["anytime-lazy-ucb, 7 rounds", ""] <= 1 + 1e-9
    assert true["anytime-lazy-ucb, 7 rounds", "half the noise"] > 1.5


# Samplers of the mechanisms: 200,000 runs, every frequency within 5 standard errors, fixed seeds
# (flake rate 6e-7 per frequency for new ones)


def frequencies_agree(mechanism, keys, law):
    entry = MECHANISMS.get(mechanism)
    params = entry.params(**keys)
    for which in (0, 1):
        codes = entry.sample(params, which, 200_000, random(9, which))
        p = np.asarray(law(which), float)
        found = np.bincount(codes, minlength=len(p)) / len(codes)
        assert len(found) == len(p)
        assert np.all(np.abs(found - p) <= 5 * np.sqrt(p * (1 - p) / len(codes)) + 1e-12)


def test_samplers_follow_their_laws():
    def exponential(which):  # action 0 three below the others, or moved: up 2, the others down 2
        scores = np.r_[-3.0, 0, 0] * 2 * 2 / 1.2 + which * 2.0 * np.r_[1, -1, -1]
        weights = np.exp(1.2 * scores / 4)
        return [weights[1:].sum() / weights.sum(), weights[0] / weights.sum()]

    frequencies_agree("exponential", {"epsilon": 1.2, "sensitivity": 2, "actions": 3}, exponential)
    response = np.array([math.e, 1, 1]) / (math.e + 2)
    frequencies_agree(
        "randomized-response", {"epsilon": 1, "actions": 3}, lambda which: np.roll(response, which)
    )
    frequencies_agree(
        "laplace",
        {"scale": 2, "sensitivity": 1, "releases": 3},
        lambda which: binom(3, 0.5 * math.exp(-which / 2)).pmf(range(4)),
    )
    counts = [[1, 2, 2], [0, 3, 3]]
    for noise in ("laplace", "exponential", "gumbel"):
        frequencies_agree(
            "rnm",
            {"scale": 1.5, "arms": 3, "rounds": 3, "adjacency": "replace", "noise": noise},
            lambda which, noise=noise: list(
                map(float, selection_probabilities(counts[which], 1.5, noise))
            ),
        )


def test_sampler_of_peeling():
    """s = 1, d = 2 at xi = 2 lambda sqrt(3 ln 10)/eps: two below, then 2 r further below."""
    ratio = 2 / (2 * math.sqrt(3 * math.log(10)))

    def law(which):
        first = float(difference_cdf(-2 + 2 * which * ratio))
        low = 0.5 * math.exp(-which * ratio)
        return [1 - first, first * (1 - low), first * low]

    frequencies_agree("peeling", {"s": 1, "d": 2, "epsilon": 2, "delta": 0.1}, law)
