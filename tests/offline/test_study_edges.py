"""Edge cases of rivals and studies."""

from math import inf, log

import numpy as np
import pytest

from dpbandits.offline.linear.perturbation import PerturbedRidge
from dpbandits.offline.preference.perturbation import ObjectivePerturbation
from dpbandits.offline.problem import BanditData, Preferences, objective
from dpbandits.offline.studies import loss_vs

EVEN = np.log([0.5, 0.5])


# --- perturbations ------------------------------------------------------------------------------
@pytest.mark.parametrize("angles", [(0, 0, 3), (0, np.pi, 4), (0, 4, 5), (0, 2, 1), (3, 4, 5),
                                    (0, 1, 1, 3, 5), (0, 1, 0.9, 3, 5)])  # fmt: skip
def test_actions_must_go_once_round(angles):
    angles, one = np.array(angles, float), np.ones((1, 2))
    with pytest.raises(ValueError, match="once round the circle"):
        PerturbedRidge(angles, np.eye(2)[None], one, "output")
    with pytest.raises(ValueError, match="once round the circle"):
        ObjectivePerturbation(one, angles)


@pytest.mark.parametrize("law", [PerturbedRidge, ObjectivePerturbation])
def test_a_loss_that_rounding_hides_is_infinite(law, monkeypatch):
    """One probability of all is hidden; or none, and the largest of two neighbours' counts."""
    rival, rest = object.__new__(law), () if law is PerturbedRidge else (None, None)
    seen = np.array([[0.5, 0.5], [0.25, 0.75], [0.125, 0.875]])
    for laws, loss in ((seen, log(4)), (np.vstack([seen, [1.0, 0.0]]), inf)):
        with np.errstate(divide="ignore"):
            logs = np.log(laws)
        monkeypatch.setattr(law, "log_policies", lambda *a, logs=logs: logs)
        found, own = rival.loss(1.0, *rest)
        assert found == pytest.approx(loss)
        assert np.exp(own) == pytest.approx([0.5, 0.5])


# --- problems, rivals, studies ------------------------------------------------------------------
def test_objective_of_a_policy_with_a_zero():
    with np.errstate(divide="ignore"):
        found = objective(np.log([1.0, 0.0]), np.array([0.75, 0.5]), EVEN, 1.0)
    assert found == pytest.approx(0.75 - log(2))


def test_study_shows_a_theorem_only_under_its_hypothesis(monkeypatch):
    """min N > 1, lambda_min > 1, and > 4 for preferences: not at the limit itself."""
    point = loss_vs.Point(n=4, actions=2, dimension=1, coverage=1.0, eta=1.0, beta0=1.0,
                          penalty=1.0, B=1.0)  # fmt: skip
    data = BanditData(np.array([1, 3]), np.ones(2), np.ones(2), np.ones(2))
    monkeypatch.setattr(loss_vs, "draw_bandit", lambda *a: data)
    assert "theorem" not in loss_vs.evaluate_bandit(point, None)
    generator = np.random.default_rng(0)
    for size, known in ((0.0, False), (0.5, True)):
        drawn = np.full((4, 1), size), np.ones(4)
        monkeypatch.setattr(loss_vs, "draw_linear", lambda *a, drawn=drawn: drawn)
        with np.errstate(all="raise"):
            assert ("theorem" in loss_vs.evaluate_linear(point, generator)) == known
    for size, known in ((1.0, False), (2.0, True)):  # lambda_min = 1 + 3 size^2
        duels = Preferences(np.array([[size], [-size], [size]]))
        monkeypatch.setattr(loss_vs, "draw_preferences", lambda *a, duels=duels: duels)
        assert ("theorem" in loss_vs.evaluate_rlhf(point, generator)) == known
