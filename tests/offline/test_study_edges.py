"""Edge cases of rivals and studies."""

from math import inf, log

import numpy as np
import pytest

from dpbandits.offline import rivals
from dpbandits.offline.problem import BanditData, Preferences
from dpbandits.offline.studies import loss_vs


@pytest.mark.parametrize("angles", [(0, 0, 3), (0, np.pi, 4), (0, 4, 5), (0, 2, 1), (3, 4, 5),
                                    (0, 1, 1, 3, 5), (0, 1, 0.9, 3, 5)])  # fmt: skip
def test_actions_must_go_once_round(angles):
    with pytest.raises(ValueError, match="once round the circle"):
        rivals.gaps_of(np.array(angles, float))


def test_a_loss_that_rounding_hides_is_infinite():
    """One probability of all is hidden; or none, and the largest of two neighbours' counts."""
    seen = np.array([[0.5, 0.5], [0.25, 0.75], [0.125, 0.875]])
    for laws, loss in ((seen, log(4)), (np.vstack([seen, [1.0, 0.0]]), inf)):
        found, own = rivals.loss_of_first(rivals.log_masses(laws))
        assert found == pytest.approx(loss)
        assert np.exp(own) == pytest.approx([0.5, 0.5])


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
