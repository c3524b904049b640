"""KL's attacks: what is compared, how variables are decoded, which theorems there are."""

import numpy as np
import pytest

from dpbandits.core.maximise import in_ball, maximise, scale, share
from dpbandits.reproduction.kl.attacks import attack as attacks
from dpbandits.reproduction.kl.attacks.attack import whole


def test_attack_returns_the_best_instance_and_counts_all():
    """value = 2 - |x - (1, ..)|^2: the search comes near to 2."""
    seen = []

    def value(rows):
        seen.append(2 - ((rows - 1) ** 2).sum(axis=1))
        return seen[-1]

    found = maximise(value, 2, 20_000, np.random.default_rng(0), tolerance=0.5)
    values = np.concatenate(seen)
    assert found.instances == len(values) == 10_000 + 2000 * 5
    assert found.crossed == (values > 1.5).sum()
    assert found.value == values.max() > 1.999
    assert value(found.row[None])[0] == found.value


def test_attack_begins_from_the_given_starts():
    """A peak too narrow to be met at random."""
    peak = np.full((1, 3), 0.123)

    def value(rows):
        return np.exp(-(((rows - peak) / 1e-4) ** 2).sum(axis=1))

    small = {"parents": 3, "children": 2}
    assert maximise(value, 3, 600, np.random.default_rng(0), starts=peak, **small).value == 1.0
    assert maximise(value, 3, 600, np.random.default_rng(0), **small).value < 0.5


# --- attacks ------------------------------------------------------------------------------------


def test_ratios_of_deltas_that_promise_something():
    bound = np.array([0.5, 0.1, 0.05, 1e-6, 9e-7])
    exact = bound / 2
    assert attacks.ratio_of_deltas(exact, bound, 1.0).tolist() == [0.5, 0.5, 0.5, 0.5, 0]
    assert attacks.ratio_of_deltas(exact, bound, attacks.SMALL).tolist() == [0, 0.5, 0.5, 0.5, 0]
    large, small = attacks.both_sizes("T", 3, lambda x, most_delta=1.0: most_delta, None, 7)
    assert (large.bound, small.bound) == ("T", "T (small delta)")
    assert (large.ratio(0), small.ratio(0), large.cost, small.cost) == (1.0, 0.1, 7, 7)


def test_decoded_variables_by_hand():
    ends = np.array([-9.0, 0.0, 9.0])
    assert share(ends).tolist() == [0, 0.5, 1]
    assert scale(ends, 1e-2, 1e4) == pytest.approx([1e-2, 10, 1e4])
    assert whole(ends, 1, 100).tolist() == [1, 10, 100]
    balls = in_ball(np.array([[3.0, 4.0], [0.3, 0.4]]))
    assert balls == pytest.approx(np.array([[0.6, 0.8], [0.3, 0.4]]))
    form = np.array([[[2.0, 1.0], [1.0, 3.0]]])
    assert attacks.widths(np.array([[[1.0, 2.0]]]), form) == pytest.approx(np.array([[18**0.5]]))
