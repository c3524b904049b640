"""US's parts by hand: kernels, laws, spectra, the learners' constants, the mechanisms' loss.

The numbers are worked out from the paper and from docs/proofs/US.md; all exact, nothing flakes.
"""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from kernel_dense import dense_posterior, merged_operator

from dpbandits.core.errors import InputError
from dpbandits.core.streams import Streams
from dpbandits.kernel import PAPER, exponential_gp, kernels, private_gp_ucb, theory, usca
from dpbandits.kernel.engine import certificates, estimator, information, privacy, runs
from dpbandits.kernel.engine import counterexamples as closed
from dpbandits.kernel.mechanisms import usca as mechanism
from dpbandits.kernel.private_gp_ucb import Learner
from dpbandits.kernel.problem import (
    KernelSetting,
    UscaSetting,
    grid_points,
    problem_of,
    setting_of_kernel,
)
from dpbandits.kernel.studies.grids import Grid, WithDelta
from dpbandits.kernel.studies.output_density import DensityParams
from dpbandits.kernel.studies.privacy import PrivacyGrid


def same(found, expected):
    assert found == pytest.approx(expected, rel=1e-12)


# Kernels and problems -------------------------------------------------------------------------


@pytest.mark.parametrize(("kernel", "value"), [
    ("se", math.exp(-25 / 8)),  # distance 5 at lengthscale 2
    ("matern32", (1 + 2.5 * math.sqrt(3)) * math.exp(-2.5 * math.sqrt(3))),
    ("matern52", (1 + 2.5 * math.sqrt(5) + 5 * 6.25 / 3) * math.exp(-2.5 * math.sqrt(5))),
])  # fmt: skip
def test_stationary_kernels(kernel, value):
    setting = KernelSetting(kernel=kernel, lengthscale=2.0)
    found = kernels.kernel_matrix(setting, np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0, 0]]))
    same(found[0].tolist(), [value, 1.0])


def test_cosine_kernel_on_four_cells():
    """Frequencies (0,0), (0,1), (1,0), (1,1): weights 1, 1/4, 1/9, 1/16 over their sum with
    sup psi^2 = 1, 2, 2, 4; midpoints 1/4 and 3/4, where cos is +-1/sqrt 2."""
    setting = KernelSetting(kernel="cosine", grid=2)
    assert kernels.cosine_frequencies(2, 2).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    weights = np.array([1, 1 / 4, 1 / 9, 1 / 16])
    weights /= 1 + 2 / 4 + 2 / 9 + 4 / 16
    same(kernels.cosine_spectrum(setting).tolist(), weights.tolist())
    rows = kernels.cosine_rows(setting, grid_points(2, 2))
    same(rows[1].tolist(), (np.sqrt(weights) * [1, -1, 1, -1]).tolist())
    found = theory.spectrum_of(setting)
    assert (found.bound, found.exact) == (2.0, True)
    same(found.constant(2.0), weights[0])
    assert not theory.spectrum_of(setting.model_copy(update={"context_law": "beta"})).exact


def test_frequencies_are_cut_to_the_lowest():
    found = kernels.cosine_frequencies(40, 2)
    size = (found**2).sum(axis=1)
    assert len(found) == kernels.COSINES == 128
    assert (np.diff(size) >= 0).all()
    every = [(i, j) for i in range(24) for j in range(24)]
    left = set(every) - {tuple(f) for f in found.tolist()}
    assert min(i * i + j * j for i, j in left) >= size.max()
    assert kernels.cosine_frequencies(200, 1)[:, 0].tolist() == list(range(128))
    assert kernels.cosine_frequencies(9, 3).max() == 8 or len(kernels.cosine_frequencies(9, 3))


def test_spread_cells():
    assert kernels.spread_cells(5, 1, 3).tolist() == [0, 2, 4]
    assert kernels.spread_cells(5, 2, 4).tolist() == [0, 4, 20, 24]
    assert kernels.spread_cells(3, 2, 9).tolist() == list(range(9))
    assert kernels.spread_cells(3, 3, 27).tolist() == list(range(27))
    assert len(kernels.spread_cells(101, 2)) == 33**2


def test_context_laws():
    """Beta(2, 5) has the distribution function 1 - (1 - x)^5 (1 + 5 x)."""
    cut = 1 - (1 / 2) ** 5 * 3.5
    one = problem_of(KernelSetting(grid=2, context_law="beta"))
    same(one.context_law.tolist(), [cut, 1 - cut])
    same(one.cell_law.tolist(), [cut / 2, (1 - cut) / 2] * 2)
    two = problem_of(KernelSetting(grid=2, context_dim=2, context_law="beta"))
    same(two.context_law.tolist(), [cut**2, cut * (1 - cut), cut * (1 - cut), (1 - cut) ** 2])


def test_sizes_of_settings():
    setting = KernelSetting(grid=3, dim=2, context_dim=1, norm=2.0, noise=0.5)
    sizes = (setting.axes, setting.cells, setting.actions, setting.contexts, setting.bound)
    assert sizes == (3, 27, 9, 3, 2.5)
    assert KernelSetting(grid=316).cells == 316**2
    with pytest.raises(ValueError, match="at most 100000"):
        KernelSetting(grid=317)
    assert UscaSetting(grid=33, calibration="exact").model_dump()["calibration"] == "exact"
    with pytest.raises(ValueError, match="at most 1100"):
        UscaSetting(grid=34, calibration="exact")
    kept = setting_of_kernel(KernelSetting(grid=4, tau=2.0, norm=3.0, noise=0.3, function_seed=8))
    assert kept == KernelSetting(grid=4, tau=2.0)


DENSITY = {"setting": {}, "horizon": 1, "epsilon": (1.0,)}
GRID = {"settings": {}, "horizons": (1,)}
LIMITS = [  # what is allowed just within, and what is refused just beyond
    *[(KernelSetting, {}, key, 1e-9, 0.99e-9) for key in ("lengthscale", "norm", "tau")],
    *[(KernelSetting, {}, key, 1e9, 1.01e9) for key in ("lengthscale", "norm", "tau", "noise")],
    (KernelSetting, {}, "noise", 0, -1e-9),
    (KernelSetting, {}, "decay", 1.01, 1),
    (KernelSetting, {}, "dim", 1, 0),
    (KernelSetting, {}, "context_dim", 2, 3),
    (KernelSetting, {}, "grid", 2, 1),
    (KernelSetting, {}, "function_seed", 0, -1),
    (Grid, GRID, "horizons", (1, 2), (2, 0)),
    (Grid, GRID, "runs", 2, 1),
    (WithDelta, GRID, "delta", 0.001, 0),
    (WithDelta, GRID, "delta", 0.999, 1),
    (PrivacyGrid, GRID, "epsilon", (0.01,), (1, 0)),
    (DensityParams, DENSITY, "horizon", 1, 0),
    (DensityParams, DENSITY, "context", 1, 1.01),
    (DensityParams, DENSITY, "context", 0, -0.01),
    (DensityParams, DENSITY, "epsilon", (0.01,), (0,)),
    (mechanism.UscaRun, {}, "horizon", 1, 0),
    (mechanism.UscaRun, {}, "draw", 0, -1),
    (mechanism.UscaAudit, {}, "epsilon", 0.01, 0),
]


@pytest.mark.parametrize(("kind", "others", "key", "within", "beyond"), LIMITS)
def test_limits_of_settings_and_studies(kind, others, key, within, beyond):
    assert getattr(kind(**others | {key: within}), key) == within
    with pytest.raises(ValueError, match=f"validation error.*\n{key}"):
        kind(**others | {key: beyond})


def test_defaults():
    """One box per axis of length 1/101, or 1/15; the RKHS ball of norm 1; noise 0.1."""
    known = KernelSetting().model_dump()
    assert known == {
        "kernel": "se", "lengthscale": 0.2, "decay": 2.0, "dim": 1, "context_dim": 1,
        "context_law": "uniform", "norm": 1.0, "noise": 0.1, "tau": 1.0, "grid": 101,
        "function_seed": 0,
    }  # fmt: skip
    assert (WithDelta(**GRID).runs, WithDelta(**GRID).delta) == (8, 0.1)
    assert PrivacyGrid(**GRID).epsilon == (1.0,)
    assert DensityParams(**DENSITY).context == 0.5
    run = mechanism.UscaAudit()
    assert (run.horizon, run.draw, run.setting.grid, run.epsilon) == (64, 0, 12, 1.0)


def test_errors_by_hand():
    """f = [[1, 0], [0, 3]] under contexts (1/4, 3/4): a fair coin errs by 1/2 and 3/2."""
    problem = problem_of(KernelSetting(grid=2))
    made = type(problem)(problem.setting, problem.points, np.array([[1.0, 0.0], [0.0, 3.0]]),
                         np.array([0.25, 0.75]))  # fmt: skip
    assert made.gaps.tolist() == [[0, 3], [1, 0]]
    assert made.error_rate(np.full((2, 2), 0.5)) == 0.25 * 0.5 + 0.75 * 1.5


@pytest.mark.parametrize("kernel", ["se", "matern32"])
def test_the_function_is_one_function_on_every_grid(kernel):
    """Midpoints of 3 cells are midpoints of 9; another seed, kernel or length is another f."""
    fine, coarse = (problem_of(KernelSetting(kernel=kernel, grid=grid)).values for grid in (9, 3))
    np.testing.assert_allclose(fine[1::3, 1::3], coarse, atol=1e-12)
    others = [{"function_seed": 1}, {"lengthscale": 0.21}, {"decay": 3.0}]
    for other in others:
        changed = problem_of(KernelSetting(kernel=kernel, grid=3, **other)).values
        assert np.abs(changed - coarse).max() > 0.02


# Bounds ---------------------------------------------------------------------------------------


def test_spectrum_of_a_kernel_by_its_definition():
    """k = Psi Lambda Psi', the columns of Psi orthonormal under the law of cells."""
    setting = KernelSetting(grid=4, context_law="beta")
    law, found = problem_of(setting).cell_law, theory.spectrum_of(setting)
    points = grid_points(4, 2)
    gram = kernels.kernel_matrix(setting, points, points)
    values, vectors = np.linalg.eig(gram * law)
    order = np.argsort(-values.real)
    values, vectors = values.real[order], vectors.real[:, order]
    vectors /= np.sqrt(law @ vectors**2)
    assert found.values == pytest.approx(values, abs=1e-12)
    assert found.values.sum() == pytest.approx(1.0)
    kept = values >= 1e-8 * values[0]
    assert found.bound == pytest.approx(np.abs(vectors[:, kept]).max(), rel=1e-5)
    assert theory.Spectrum(np.array([1.0, 0.5, 0.25]), 1.0, True).constant(2.0) == 2.25


def test_constants_of_settings():
    same(theory.sub_gaussian(KernelSetting(noise=0.6)), 0.6 / math.sqrt(3))
    slopes = {"se": 1.0, "matern32": math.sqrt(3), "matern52": math.sqrt(5 / 3)}
    for kernel, slope in slopes.items():
        found = theory.lipschitz(KernelSetting(kernel=kernel, norm=3.0, lengthscale=0.5))
        same(found, 6 * slope)
    # pi^2 (2/4 + 2/9 + 2 4/16) over the sum of the weights, for norm 3
    weights = 1 + 2 / 4 + 2 / 9 + 4 / 16
    squared = math.pi**2 * (2 / 4 + 2 / 9 + 8 / 16) / weights
    found = theory.lipschitz(KernelSetting(kernel="cosine", grid=2, norm=3.0))
    same(found, 3 * math.sqrt(squared))


def test_error_rate_bound_without_privacy():
    setting = KernelSetting(grid=3)
    bound = theory.error_rate_bound(setting, 3.0, 100, math.inf, 0.1, 1.3)
    finite = theory.error_rate_bound(setting, 3.0, 100, 1.0, 0.1, 1.3)
    assert (bound.first, bound.second) == (finite.first, 0.0)
    statement = theory.error_rate_bound(setting, 3.0, 100, 1.0, 0.1, 1.3, printed="proof")
    assert statement.first < finite.first


def test_first_useful_horizon_is_the_first():
    """1% later the bound is below 2 norm, 2% earlier above; gamma by its lower end."""
    setting = KernelSetting(kernel="cosine", grid=4, norm=0.5)
    spectrum = theory.spectrum_of(setting)
    found = theory.first_useful_horizon(setting, 0.3, 0.2)

    def bound(horizon):
        gamma = sum(math.log(1 + horizon * x) for x in spectrum.values) / 4
        return theory.error_rate_bound(setting, gamma, horizon, 0.3, 0.2, spectrum.bound).total

    assert bound(found * 1.0001) < 1.0 < bound(found * 0.98)
    assert theory.first_useful_horizon(setting, 1e-9, 0.2) > found


def test_effective_quantities_by_their_definitions():
    setting = KernelSetting(grid=3, tau=0.4, context_law="beta")
    e = theory.effective_of(setting, 50)
    law = problem_of(setting).cell_law
    same(e.largest, np.diag(merged_operator(setting, 50 * law)).max())
    gram = kernels.kernel_matrix(setting, grid_points(3, 2), grid_points(3, 2))
    values = np.linalg.eigvals(50 * gram * law).real
    assert e.dimension == pytest.approx((values / (values + 0.4)).sum())
    assert e.share == pytest.approx(values.max() / (values.max() + 0.4))
    assert (e.horizon, e.tau) == (50, 0.4)


def test_repaired_bounds_by_hand():
    """L = 0.01, N = 2, s = 1/2, delta = 0.5: u = ln 16; at K = 10 and at K = 1."""
    e, u = theory.Effective(0.01, 2.0, 0.5, 100, 1.0), math.log(16)
    for k in (1, 10):
        linear = 0.01 * u / 3 / k
        b = linear + math.sqrt(linear**2 + 2 * 0.005 * u / k)
        same(theory.relative_spectral_bound(e, k, 0.5), b)
        same(theory.repaired_variance_bound(e, k, 0.5), 0.01 / (1 - b))
    wide = theory.Effective(1.0, 2.0, 0.5, 100, 1.0)
    known = {"points": 3, "norm": 1.0, "noise": 0.1}
    assert theory.relative_spectral_bound(wide, 1, 0.1) > 1
    assert theory.repaired_variance_bound(wide, 1, 0.1) == math.inf
    assert theory.repaired_uniform_error(wide, 1, 0.1, **known) == math.inf
    assert theory.repaired_uniform_error(wide, 10**6, 0.1, **known) < math.inf
    assert theory.repaired_difference(wide, 10**6, 0.1, **known) == math.inf  # b_1 >= 1


# Information gain and estimates ---------------------------------------------------------------


def test_ends_of_the_gain_by_their_definitions():
    """gain(n) = ln det(1 + K/tau)/2 at greedy's picks; the slack (T max s - sum n s)/(2 tau)."""
    setting = KernelSetting(kernel="matern32", grid=4, tau=0.3)
    low, high = information.gain_bounds(setting, 7)
    picks = information.known_picks(setting, 7)[1][:7]
    points = grid_points(4, 2)[picks]
    gram = kernels.kernel_matrix(setting, points, points)
    assert low == pytest.approx(np.linalg.slogdet(np.eye(7) + gram / 0.3)[1] / 2)
    _, variance = dense_posterior(setting, picks, np.zeros(7))
    slack = (7 * variance.max() - variance[picks].sum()) / 0.6
    assert slack > 0.01
    assert high == pytest.approx(low + slack)


def test_fresh_points_per_round(monkeypatch):
    monkeypatch.setattr(information, "information_gain", lambda s, t: np.array([9.0, 3.0]))
    assert [information.fresh_multiple(None, t) for t in (9, 10, 12)] == [3, 4, 4]


def test_an_estimate_s_certificate_takes_the_worse_error(monkeypatch):
    """And the range twice the variance's error: M - M^ is positive semidefinite."""
    setting = KernelSetting(grid=2, noise=0.0)
    stub = SimpleNamespace(mean=lambda sums: sums, largest_variance=lambda: (0.5, 0.125),
                           largest_range=lambda contexts: 3.0 * (contexts == 2))  # fmt: skip
    monkeypatch.setattr(estimator, "operator_of", lambda setting, weights: stub)
    for other, error in ((0.01, 0.125), (0.7, 0.7)):
        monkeypatch.setattr(estimator, "mean_error", lambda *_, e=other: e)
        args = (setting, np.array([1, 1]), np.array([2.0, 0.5]), np.array([3.0, 0, 0, 0]), 1)
        found = estimator.estimate(*args, with_range=True)
        assert (found.mean.tolist(), found.largest_variance) == ([0, 2.5, 0, 0], 0.5)
        assert (found.error, found.largest_range) == (error, 3.25)
        assert math.isnan(estimator.estimate(*args).largest_range)


def test_each_length_has_a_stream_of_its_own():
    """Named by the seed and by T, whatever else is run."""
    at = np.array([3, 8])
    drawn = runs.each_run(lambda rng, t: {"regret": rng.random(), "t": t}, Streams(4, (5, 6)), at)
    alone = runs.each_run(lambda rng, t: {"regret": rng.random(), "t": t}, Streams(4, (6,)), at[1:])
    assert drawn.curves["t"].tolist() == [[3, 8], [3, 8]]
    assert drawn.regret[1, 1] == alone.regret[0, 0]
    assert len(np.unique(drawn.regret)) == 4


# Private GP-UCB -------------------------------------------------------------------------------


def learner(mu, rounds, rows, **setting):
    problem = problem_of(KernelSetting(**{"grid": 3, "norm": 2.0, "noise": 0.5} | setting))
    return Learner(problem, rows, mu, rounds, np.random.default_rng(0))


@pytest.mark.parametrize(("rounds", "levels"), [(1, 1), (2, 2), (64, 7), (65, 8)])
def test_constants_of_shariff_and_sheffet(rounds, levels):
    """Lt^2 = 1 + 2.5^2, alpha = 1/n, two features, tau = 1: Upsilon = scale sqrt(2 m) (4 sqrt 2 +
    2 ln(2 n^2)); shift 2, range 1 to 3 of it, each with tau on top."""
    made = learner(0.7, rounds, np.ones((9, 2)), tau=1.5)
    scale, tail = math.sqrt(levels) * 7.25 / 0.7, 2 * math.log(2 * rounds**2)
    upsilon = scale * math.sqrt(2 * levels) * (4 * math.sqrt(2) + tail)
    same(made.scale, scale)
    same([made.shift, made.low, made.high], [x * upsilon + 1.5 for x in (2, 1, 3)])
    noise_norm = scale * math.sqrt(levels) * (math.sqrt(2) + math.sqrt(tail))
    same(made.bias, 2 * math.sqrt(made.high) + noise_norm / math.sqrt(made.low))


def test_a_release_by_hand(monkeypatch):
    """One feature: theta = (s + n_2)/(g + n_1 + shift), width beta |r|/root; no noise at mu = inf
    but what is put there."""
    rows = np.arange(9.0)[:, None]
    made = learner(math.inf, 16, rows, tau=1.5)
    assert (made.shift, made.low, made.high) == (1.5, 1.5, 1.5)
    made.gram, made.response = np.array([[4.0]]), np.array([3.0])
    monkeypatch.setattr(made, "tree_noise", lambda t: np.array([[0.5, 0.25], [9.0, 9.0]]) * t)
    mean, width = made.release(1)
    same(mean.tolist(), (rows[:, 0] * 3.25 / 6.0).tolist())
    beta = 0.5 * math.sqrt(2 * math.log(32) + math.log(6.0 / 1.5)) + 2 * math.sqrt(1.5)
    same(width.tolist(), (beta * rows[:, 0] / math.sqrt(6.0)).tolist())
    made.low = 1e9  # a determinant that is too small counts as none
    made.bias = 0.0
    assert (made.release(1)[1] == 0).all()


def test_releases_at_powers_of_two(monkeypatch):
    """13 rounds: 1, 1, 2, 4 and 5 of them under the policies of 0, 1, 2, 4 and 8 rounds."""
    made, seen = learner(math.inf, 13, np.ones((9, 1))), []
    monkeypatch.setattr(made, "release", lambda t: (10.0 * t, 1.0))
    monkeypatch.setattr(made, "play", lambda index, n: seen.append((index, n)))
    assert made.learn() == 130.0
    assert seen == [(1.0, 1), (11.0, 1), (21.0, 2), (41.0, 4), (81.0, 5)]
    made.rounds = 8
    seen.clear()
    assert made.learn() == 80.0
    assert [n for _, n in seen] == [1, 1, 2, 4]


def test_a_stretch_of_play_counts_its_rounds():
    """The greedy action at each context; noiseless, against a sum over rounds."""
    rows = np.random.default_rng(1).random((9, 2))
    made = learner(math.inf, 40, rows, noise=0.0, context_law="beta")
    index = np.array([0.0, 5, 5, 9, 5, 1, 2, 6, 3])  # best actions 1, 2 and 0 by context
    made.play(index, 40)
    same_draws, problem = np.random.default_rng(0), made.problem
    contexts = same_draws.choice(3, size=40, p=problem.context_law)
    cells = np.array([1, 2, 0])[contexts] * 3 + contexts
    gram = sum(np.outer(rows[c], rows[c]) for c in cells)
    response = sum(rows[c] * problem.values.reshape(-1)[c] for c in cells)
    np.testing.assert_allclose(made.gram, gram)
    np.testing.assert_allclose(made.response, response)
    made.play(index, 40)
    assert made.gram.trace() > 1.5 * gram.trace()  # added, not replaced


def test_tree_nodes_cover_each_prefix_once(monkeypatch):
    """13 = 8 + 4 + 1: nodes that end at 8, 12 and 13; only the latest is kept."""
    made, names = learner(1.0, 16, np.ones((9, 1))), []
    monkeypatch.setattr(made, "node", lambda name, size: names.append(name) or np.eye(size))
    assert made.tree_noise(13).tolist() == [[3, 0], [0, 3]]
    assert names == [(8, 3), (12, 2), (13, 0)]
    monkeypatch.undo()
    one = made.node((8, 3), 2)
    assert one is made.node((8, 3), 2)
    assert (one == one.T).all()
    assert (one != made.node((4, 2), 2)).all()


def test_quadrature_is_a_law_with_unit_variance():
    """Sum of weights 1; sum of weight u^2 = 1 and u^4 = 3 in each axis, from 3 nodes on."""
    for axes in (1, 2):
        frequencies, weights = private_gp_ucb.quadrature(6, axes)
        assert len(weights) == 6**axes // 2
        assert (frequencies[:, 0] > 0).all()
        same(weights.sum(), 1.0)
        for axis in range(axes):
            same(weights @ frequencies[:, axis] ** 2, 1.0)
            same(weights @ frequencies[:, axis] ** 4, 3.0)


def test_nodes_needed_are_the_fewest_even_ones():
    """The first whose error on the grid, times the axes, is at most 0.05."""
    for setting in (KernelSetting(grid=9, lengthscale=0.5), KernelSetting(grid=30)):
        distance = np.arange(setting.grid)[:, None] / setting.grid
        exact = np.exp(-(distance[:, 0] ** 2) / 2 / setting.lengthscale**2)
        for nodes in range(2, 64, 2):
            rows = private_gp_ucb.fourier_rows(distance, setting.lengthscale, nodes)
            if 2 * np.abs(rows @ rows[0] - exact).max() <= 0.05:
                break
        assert private_gp_ucb.nodes_needed(setting) == nodes


@pytest.mark.parametrize(("calibration", "mu"), [
    ("printed", 2 / (4 * math.log(400))), ("exact", private_gp_ucb.gaussian_mu(2.0)),
])  # fmt: skip
def test_the_executed_mu(calibration, mu, monkeypatch):
    asked = []

    def stub(problem, rows, mu, rounds, rng):
        asked.append((mu, rounds))
        return SimpleNamespace(learn=lambda: np.zeros(9))

    monkeypatch.setattr(private_gp_ucb, "Learner", stub)
    setting = private_gp_ucb.CalibratedSetting(grid=3, lengthscale=0.5, calibration=calibration)
    private_gp_ucb.simulate(setting, 2.0, 7, Streams(1, (0,)), np.array([7]))
    assert asked == [(pytest.approx(mu), 7)]


# Exponential mechanisms -----------------------------------------------------------------------


def test_sensitivity_of_a_posterior_mean():
    """g = max s/(tau + s^2) over s <= 1: 1/(2 sqrt tau) or 1/(1 + tau); B = 2.5, T = 5."""
    of = lambda tau, norm, rounds: exponential_gp.sensitivity_bound(  # noqa: E731
        KernelSetting(grid=3, tau=tau, norm=norm, noise=0.5), rounds
    )
    same(of(0.25, 2.0, 1), 4.0)  # 2 1 2.5, but no more than 2 norm
    same(of(4.0, 2.0, 5), 2 * 0.2 * 2.5 * 1.5)
    same(of(1.0, 99.0, 2), 2 * 0.5 * 99.5 * 1.5)
    same(of(0.64, 99.0, 1), 2 * 0.625 * 99.5)


def test_least_noise_of_clipped_scores():
    """sinh(eps/2)/(A - 1) is undone by asinh; eps = 2, nine actions; far out it is x - ln 8."""
    setting = KernelSetting(grid=9, norm=3.0)
    of = exponential_gp.least_sensitivity
    same(of(setting, 2.0), 6.0 / (1 + math.asinh(math.sinh(1.0) / 8)))
    for epsilon in (590.0, 600.0, 610.0, 5000.0):  # either side of the branch
        same(of(setting, epsilon), 3 * epsilon / (epsilon - math.log(8)))
    assert of(setting, math.inf) == 3.0


def test_scales_of_the_mechanism():
    """m = 2 B sup sigmabar^2 and B times the range; B = 1.5."""
    setting = KernelSetting(grid=3, noise=0.5)
    assert usca.printed_scale(setting, 0.2) == pytest.approx(0.6)
    assert usca.exact_scale(setting, 0.2) == pytest.approx(0.3)
    score = np.array([[0.0, 1.0], [1.0, 1.0 - 1e-13], [0.9, 1.0 - 1e-9]])
    assert usca.first_best(score).tolist() == [1, 0]


def test_audit_of_many_cells_gives_the_lemma_s_bound():
    large = mechanism.UscaAudit(setting=UscaSetting(grid=34), epsilon=0.7)
    found = mechanism.audit_usca(large, (0.2, 0.7))
    assert (found.pure_epsilon, found.method) == (0.7, "bound")
    same(found.delta_at[0.2], (1 - math.exp(-0.5)) / (1 + math.exp(-0.7)))
    assert found.delta_at[0.7] == 0
    assert "out of reach" in found.worst_neighbour["theorem"]
    printed = mechanism.bound_usca(large)
    assert printed.pure_epsilon == {"printed": 0.7, "repaired": 0.7, "exact": 0.7}


def test_targets_of_calibration(monkeypatch):
    """loss = eps/2: (1 - e^(t - L))/(1 + e^-L) = d has L = t + ln((1 + d e^-t)/(1 - d))."""
    monkeypatch.setattr(mechanism, "audit_usca", lambda params, at: SimpleNamespace(
        pure_epsilon=params.epsilon / 2, delta_at={}))  # fmt: skip
    params = mechanism.UscaRun()
    monkeypatch.setattr(mechanism, "Calibration", lambda noise, audited, reached: (noise, reached))
    found = mechanism.calibrate_usca(params, 1.5)
    assert found == ({"epsilon": pytest.approx(3.0)}, pytest.approx(1.5))
    assert found[0]["epsilon"] < 3.0
    loss = 1.5 + math.log((1 + 0.01 * math.exp(-1.5)) / 0.99)
    found = mechanism.calibrate_usca(params, 1.5, 0.01)
    assert found == ({"epsilon": pytest.approx(2 * loss)}, 1.5)
    for wrong in ((0.0, 0.0), (math.inf, 0.0), (1.0, 1.0), (1.0, -0.1)):
        with pytest.raises(InputError, match="target"):
            mechanism.calibrate_usca(params, *wrong)


def test_worst_swap_of_a_known_operator():
    """Two actions, two contexts: M's ranges are 3 - 1 = 2, 1, ...; loss = eps B range/m."""
    operator = np.array([[3.0, 1, 1, 0], [1, 4, 2, 1], [1, 2, 5, 3], [0, 1, 3, 6]])
    setting = KernelSetting(grid=2, noise=0.5)
    made = privacy.Instance(setting, operator, 2.0)
    assert made.ranges.tolist() == [[2, 1, 4, 3], [1, 3, 1, 5]]
    assert made.sensitivity == 2 * 1.5 * 6
    loss, where = privacy.worst_over_all_data(made)
    same(loss, 2.0 * 1.5 * 5 / 18)
    assert where == {"query": 1, "context": 1, "new_context": 1, "reward": 1.5,
                     "new_reward": -1.5, "final_context": 1}  # fmt: skip
    # two contexts of one query: at most |M(w, v)| + |M(w, v')|, twice the largest: 6
    same(privacy.sensitivity_over_all_data(made), 2 * 1.5 * 6)
    exact = privacy.Instance(setting, operator, 2.0, "exact")
    assert exact.sensitivity == 1.5 * 5
    same(privacy.worst_over_all_data(exact)[0], 2.0)


# Closed forms ---------------------------------------------------------------------------------


def test_lengths_above_a_floor():
    from fractions import Fraction as F

    above = certificates._length_above
    assert above(F(0), F(2), F(1), F(3), F(2)) == 1
    assert above(F(0), F(2), F(3), F(1), F(1)) == 2
    assert above(F(0), F(2), F(3), F(1), F(3)) == 0
    assert above(F(0), F(2), F(3), F(1), F(4)) == 0
    assert above(F(1), F(3), F(5), F(5), F(5)) == 2


def test_two_point_errors_and_first_entries_by_hand():
    """T = 1, K = 1, tau = 1: mu_T = n/(n + 1) and mubar = n/(m + 1), n and m fair coins."""
    from fractions import Fraction as F

    usual, private = closed.two_point_errors(1, 1, F(1))
    assert usual == F(1, 2) * 1 + F(1, 2) * F(1, 4)
    assert private == F(1, 4) * (1 + 1 + 0 + F(1, 4))
    first, second = closed.first_entries()
    assert first == {0: F(1, 4), 1: F(1, 2), 2: F(1, 4)}
    assert second == {F(k, 2): F(math.comb(4, k), 16) for k in range(5)}


def test_each_series_has_a_look_of_its_own():
    """Numbers 33 to 41. The third paper of the house."""
    assert sorted(PAPER.looks.values()) == list(range(33, 42))
    assert (PAPER.key, PAPER.order) == ("us", 3)


def test_theorem_8_2_s_certificate_by_hand():
    """T = 100, tau = B = 1, F^2 = 2, L_f = pi/2, delta = 1/10, |U_T| = T^2; gamma_T between
    ln(101)/2 and ln 51; the bracket is -1."""
    found, low, c = (
        certificates.theorem_8_2_is_negative(100),
        math.log(101) / 2,
        2592 * math.pi / 13,
    )
    epsilon = low / math.e * (0.1 / 3) / (100 * c)
    same(found["epsilon"], epsilon)
    beta_1 = theory.beta_1(0.1 / 12e4, 1.0, math.sqrt(2), 0.0, 1.0)
    first = 10 * (11 / 300 + beta_1 * math.sqrt(math.log(51) / 100))
    assert found["bound"] == pytest.approx(first - low / (100 * epsilon) * 1296 / 13)
    assert found["certified"]


def test_lemma_6_2_s_certificate_by_hand():
    """gap 3/4 B 3/8/tau - 5/4 B; B = 100, tau = 1e-7, and B = 1, tau = 1e-5."""
    for form, b, tau in (("statement", 100.0, 1e-7), ("proof", 1.0, 1e-5)):
        found = certificates.lemma_6_2_counterexample(form)
        assert (found["B"], found["delta"]) == (b, pytest.approx(0.05))
        same(found["gap"], 9 / 32 * b / tau - 1.25 * b)
        beta_1 = theory.beta_1(0.05, b, math.sqrt(2), 0.0, tau, form)
        same(found["bound"], beta_1 * math.sqrt(math.log(1 + 1 / tau) / 2))


def test_what_is_certified_needs_the_gap_and_the_negative_total(monkeypatch):
    from flint import arb

    monkeypatch.setattr(certificates, "_beta_1", lambda *_: arb(10) ** 30)
    assert not certificates.lemma_6_2_counterexample("statement")["certified"]
    assert not certificates.theorem_8_2_is_negative(100)["certified"]
