"""Studies at the smoke scale, rivals against sampling, and composition against enumeration."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.special import log_softmax
from smoke_tables import golden, made, names

from dpbandits.core.models import parse
from dpbandits.offline.losses.linear import LinearAudit
from dpbandits.offline.problem import bandit_scores
from dpbandits.reproduction.kl import rivals
from dpbandits.reproduction.kl.draws import circle, draw_bandit, draw_linear
from dpbandits.reproduction.kl.linear_perturbation import PerturbedRidge
from dpbandits.reproduction.kl.studies import choice
from dpbandits.reproduction.kl.studies.repeated_sampling import epsilon_of_draws
from dpbandits.reproduction.studies import get_study


@pytest.mark.parametrize("name", names("kl"))
def test_a_table_is_the_golden_one_complete_and_finite(name, tmp_path):
    path = tmp_path / f"{name}.csv"
    assert made("kl", name, path) == golden("kl", name)
    frame = pd.read_csv(path)
    numbers = frame.select_dtypes("number")
    # a printed delta can underflow (infinite ratio); a pure loss has no eps of its own
    if name not in ("tightness", "counterexamples"):
        assert np.isfinite(numbers.to_numpy()).all()


def test_noisy_argmax_against_sampling():
    """10^6 draws: each frequency within 5 standard errors (all three: flake rate below 2e-6)."""
    centres, scales = np.array([0.3, 0.1, 0.25]), np.array([0.1, 0.3, 0.05])
    exact = np.exp(rivals.noisy_argmax(centres, scales))
    assert exact.sum() == pytest.approx(1.0, abs=1e-12)
    generator = np.random.default_rng(0)
    draws = centres + scales * generator.laplace(size=(10**6, 3))
    frequency = np.bincount(draws.argmax(axis=1), minlength=3) / 10**6
    error = np.sqrt(exact * (1 - exact) / 10**6)
    assert (np.abs(frequency - exact) < 5 * error).all()


def test_noisy_argmax_of_two_arms_in_closed_form():
    """Pr[Lap - Lap' > g] = (1 + g/2) e^-g/2 at scale 1, also far out in the tail."""
    for gap in (0.5, 5.0, 60.0):
        exact = rivals.noisy_argmax(np.array([0.0, gap]), np.ones(2))[0]
        assert exact == pytest.approx(np.log((1 + gap / 2) / 2) - gap, abs=1e-9)


def test_exact_composition_against_all_sequences():
    """delta of T=4 draws by enumerating the 2^4 outcomes."""
    p, q, times, delta = 0.3, 0.4, 4, 0.01
    epsilon = epsilon_of_draws(p, q, times, delta)

    def excess(a, b):
        total = 0.0
        for outcome in itertools.product([0, 1], repeat=times):
            first = np.prod([a if x else 1 - a for x in outcome])
            second = np.prod([b if x else 1 - b for x in outcome])
            total += max(0.0, first - np.exp(epsilon) * second)
        return total

    assert max(excess(p, q), excess(q, p)) == pytest.approx(delta, rel=1e-6)


def test_a_choice_again_by_hand():
    """One data set: every pair of the grid refitted on every neighbour."""
    params = parse(get_study("kl/choice").params, CHOICE, "choice")
    means, _, families = choice.bandit_policies(params, 40, 1.0, np.random.default_rng(3))
    data = draw_bandit(40, means, 1.0, np.random.default_rng(3))
    grid = choice.grid_of(params, 3e-4, 30)
    for loss, law, (eta, beta0) in zip(*families[choice.KL], grid, strict=True):
        scores = [bandit_scores(*other, beta0) for other in rivals.bandit_neighbours(data)]
        own = data.sums / data.counts - beta0 / np.sqrt(data.counts)
        pi = log_softmax(own / eta)
        np.testing.assert_allclose(law, pi, rtol=1e-9)
        worst = np.abs(log_softmax(np.array(scores) / eta, axis=1) - pi).max()
        assert loss == pytest.approx(worst, rel=1e-9)


def test_a_linear_choice_again_by_hand():
    """One data set: ridge regression refitted on every neighbour, for (10) and the rivals."""
    params = parse(get_study("kl/choice").params, CHOICE, "choice")
    _, _, families = choice.linear_policies(params, 30, 0.5, np.random.default_rng(3))
    x, r = draw_linear(30, np.array([0.5, 0.0]), 0.5, np.random.default_rng(3))
    data = [(x, r), *((np.delete(x, i, 0), np.delete(r, i)) for i in range(30))]
    data += [
        (np.vstack([x, size * a]), np.append(r, reward))
        for reward in (0.0, 1.0) for size in (1.0, 0.5) for a in circle(24)[1]
    ]  # fmt: skip
    angles, actions = circle(params.actions)
    grid = choice.grid_of(params, 1e-3, 10)
    for loss, law, (eta, beta0) in zip(*families[choice.KL], grid, strict=True):
        options = {"eta": eta, "beta0": beta0, "penalty": 1.0}
        fits = [LinearAudit(*each, actions, **options) for each in data]
        laws = np.array([fit.log_pi for fit in fits])
        np.testing.assert_allclose(law, laws[0], rtol=1e-9, atol=1e-12)
        assert loss == pytest.approx(np.abs(laws[1:] - laws[0]).max(), rel=1e-9)
    sigmas = np.array([np.eye(2) + x.T @ x for x, _ in data])
    responses = np.array([x.T @ r for x, r in data])
    for kind, noise in (("output", 3.0), ("objective", 300.0)):
        rival = PerturbedRidge(angles, sigmas, responses, kind)
        losses, _ = families[f"{kind} perturbation"]
        assert losses[-1] == pytest.approx(rival.loss(noise)[0], rel=1e-9)


CHOICE = {
    "n": [40], "coverage": [1], "preferences": [20], "actions": 3, "objective_eta": [0.05, 0.5],
    "beta0": [0, 1], "epsilon": [0.1, 1], "levels": 6, "draws": 2,
}  # fmt: skip
