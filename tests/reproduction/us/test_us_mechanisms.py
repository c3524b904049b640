"""US's mechanisms by hand: Private GP-UCB, the exponential mechanisms and their loss.

The expected numbers follow from the paper and docs/proofs/US.md; nothing is random.
"""

import math

import numpy as np
import pytest
from made_up_tables import same

from dpbandits.kernel import privacy, usca
from dpbandits.kernel.problem import KernelSetting, problem_of
from dpbandits.reproduction.us.algorithms import exponential_gp
from dpbandits.reproduction.us.algorithms.private_gp_ucb import GpLearner
from dpbandits.reproduction.us.studies.privacy import sensitivity_over_all_data


def learner(mu, rounds, rows, **setting):
    problem = problem_of(KernelSetting(**{"grid": 3, "norm": 2.0, "noise": 0.5} | setting))
    return GpLearner(problem, rows, mu, rounds, np.random.default_rng(0))


@pytest.mark.parametrize(("rounds", "levels"), [(1, 1), (2, 2), (64, 7), (65, 8)])
def test_constants_of_shariff_and_sheffet(rounds, levels):
    """Lt^2 = 1 + 2.5^2, alpha = 1/n, two features, tau = 1: Upsilon = scale sqrt(2 m) (4 sqrt 2 +
    2 ln(2 n^2)); shift 2, range 1 to 3 of it, each with tau on top."""
    one = learner(0.7, rounds, np.ones((9, 2)), tau=1.5).linucb
    scale, tail = math.sqrt(levels) * 7.25 / 0.7, 2 * math.log(2 * rounds**2)
    upsilon = scale * math.sqrt(2 * levels) * (4 * math.sqrt(2) + tail)
    same(one.scale, scale)
    same([one.upsilon, one.rho_min, one.rho_max], [upsilon, upsilon + 1.5, 3 * upsilon + 1.5])
    noise_norm = scale * math.sqrt(levels) * (math.sqrt(2) + math.sqrt(tail))
    same(one.bias, 2 * math.sqrt(one.rho_max) + noise_norm / math.sqrt(one.rho_min))


def test_a_release_by_hand():
    """One feature: theta = (s + n_2)/(g + n_1 + shift), width beta |r|/root; mu = inf has no noise,
    so it is set here."""
    rows = np.arange(9.0)[:, None]
    one = learner(math.inf, 16, rows, tau=1.5).linucb
    assert (one.upsilon, one.rho_min, one.rho_max) == (0, 1.5, 1.5)
    one.sums[0] = 4.0, 3.0
    one.refit(np.array([[0.5, 0.25], [9.0, 9.0]]))
    same(one.theta.tolist(), [3.25 / 6.0])
    beta = 0.5 * math.sqrt(2 * math.log(32) + math.log(6.0 / 1.5)) + 2 * math.sqrt(1.5)
    index = rows[:, 0] * 3.25 / 6.0 + beta * rows[:, 0] / math.sqrt(6.0)
    same(one.index(rows).tolist(), index.tolist())
    one.rho_min, one.bias = 1e9, 0.0  # the logarithm of too small a determinant counts as 0
    one.refit()
    assert one.beta == 0


def test_statistics_after_rounds_of_one_policy():
    """The greedy action at each context, without noise, compared with a sum over rounds."""
    rows = np.random.default_rng(1).random((9, 2))
    one = learner(math.inf, 40, rows, noise=0.0, context_law="beta")
    index = np.array([0.0, 5, 5, 9, 5, 1, 2, 6, 3])  # best actions 1, 2 and 0 by context
    one.play(index, 40)
    problem = one.problem
    contexts = np.random.default_rng(0).choice(3, size=40, p=problem.context_law)
    cells = np.array([1, 2, 0])[contexts] * 3 + contexts
    gram = sum(np.outer(rows[c], rows[c]) for c in cells)
    response = sum(rows[c] * problem.values.reshape(-1)[c] for c in cells)
    np.testing.assert_allclose(one.linucb.sums[:2, :2], gram)
    np.testing.assert_allclose(one.linucb.sums[:2, 2], response)
    one.play(index, 40)
    assert one.linucb.sums.trace() > 1.5 * gram.trace()  # added, not replaced


def test_tree_nodes_cover_each_prefix_once(monkeypatch):
    """13 = 8 + 4 + 1: nodes that end at 8, 12 and 13; the noise of the latest is stored."""
    one, names = learner(1.0, 16, np.ones((9, 1))), []
    monkeypatch.setattr(one, "node", lambda name: names.append(name) or np.eye(2))
    assert one.tree_noise(13).tolist() == [[3, 0], [0, 3]]
    assert names == [(8, 3), (12, 2), (13, 0)]
    monkeypatch.undo()
    noise = one.node((8, 3))
    assert noise is one.node((8, 3))
    assert (noise == noise.T).all()
    assert (noise != one.node((4, 2))).all()


def test_sensitivity_of_a_posterior_mean():
    """g = max s/(tau + s^2) over s <= 1: 1/(2 sqrt tau) or 1/(1 + tau); B = 2.5, T = 5."""

    def bound(tau, norm, rounds):
        setting = KernelSetting(grid=3, tau=tau, norm=norm, noise=0.5)
        return exponential_gp.sensitivity_bound(setting, rounds)

    same(bound(0.25, 2.0, 1), 4.0)  # 2 1 2.5, but no more than 2 norm
    same(bound(4.0, 2.0, 5), 2 * 0.2 * 2.5 * 1.5)
    same(bound(1.0, 99.0, 2), 2 * 0.5 * 99.5 * 1.5)
    same(bound(0.64, 99.0, 1), 2 * 0.625 * 99.5)


def test_scales_of_the_mechanism():
    """m = 2 B sup sigmabar^2 and B times the range; B = 1.5."""
    setting = KernelSetting(grid=3, noise=0.5)
    assert usca.printed_scale(setting, 0.2) == pytest.approx(0.6)
    assert usca.exact_scale(setting, 0.2) == pytest.approx(0.3)
    score = np.array([[0.0, 1.0], [1.0, 1.0 - 1e-13], [0.9, 1.0 - 1e-9]])
    assert usca.first_best(score).tolist() == [1, 0]


def test_worst_swap_of_a_known_operator():
    """Two actions, two contexts: M's ranges are 3 - 1 = 2, 1, ...; the loss is eps B range/m."""
    operator = np.array([[3.0, 1, 1, 0], [1, 4, 2, 1], [1, 2, 5, 3], [0, 1, 3, 6]])
    setting = KernelSetting(grid=2, noise=0.5)
    printed = privacy.OutputLaw(setting, operator, 2.0)
    assert printed.ranges.tolist() == [[2, 1, 4, 3], [1, 3, 1, 5]]
    assert printed.sensitivity == 2 * 1.5 * 6
    loss, worst = privacy.worst_over_all_data(printed)
    same(loss, 2.0 * 1.5 * 5 / 18)
    assert worst == {"query": 1, "context": 1, "new_context": 1, "reward": 1.5,
                     "new_reward": -1.5, "final_context": 1}  # fmt: skip
    # two contexts of one query: at most |M(w, v)| + |M(w, v')|, twice the largest: 6
    same(sensitivity_over_all_data(printed), 2 * 1.5 * 6)
    exact = privacy.OutputLaw(setting, operator, 2.0, "exact")
    assert exact.sensitivity == 1.5 * 5
    same(privacy.worst_over_all_data(exact)[0], 2.0)
