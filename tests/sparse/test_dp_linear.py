"""dp-linear: what a record moves (docs/proofs/FL.md, part K), by hand and by a search through the
code; its estimate beside plain matrices."""

import math

import numpy as np
import pytest

from dpbandits.core.gaussian import largest_rho
from dpbandits.core.maximise import maximise
from dpbandits.core.port import SimulatedNoise
from dpbandits.sparse import dp_linear
from dpbandits.sparse.dp_linear import DpLinear, LinearProblem


def learner(epsilon=1.0, noise=None, **problem):
    own = LinearProblem(**{"arms": 2, "d": 2, "delta": 0.01} | problem)
    rng = np.random.default_rng(0)
    return DpLinear(own, epsilon, noise or SimulatedNoise(rng), rng)


def added(own: DpLinear, arm: int, x, reward: float) -> np.ndarray:
    """What one record adds to the sums."""
    own.sums[:], own.n = 0, 0
    own.update(arm, reward, np.asarray(x))
    return own.sums.ravel().copy()


@pytest.mark.parametrize("d", [2, 3, 7])
@pytest.mark.parametrize(("arms", "near"), [((0, 0), 0.99999), ((0, 1), 0.94280)])
def test_two_records_are_never_further_apart_than_the_noise_is_made_for(d, arms, near):
    own = learner(d=d)
    most = own.scale * math.sqrt(2 * largest_rho(1.0, 0.01))

    def apart(row):
        x, (r, s) = np.split(row, [2 * d])
        first = added(own, arms[0], 5 * own.norm * x[:d], float(r))
        return np.linalg.norm(first - added(own, arms[1], 5 * own.norm * x[d:], float(s))) / most

    def value(rows):
        return np.array([apart(row) for row in rows])

    found = maximise(value, 2 * d + 2, 12_000, np.random.default_rng(1), parents=20, children=10)
    assert near < found.value <= 1
    assert found.crossed == 0
    assert most == pytest.approx(dp_linear.DELTA, rel=1e-6)
    assert np.sqrt(2) * 1.5 == pytest.approx(dp_linear.DELTA)


def test_hidden_sizes_of_contexts_do_not_lengthen_features():
    """Squares that vanish or overflow in floating point."""
    for norm in (1e-100, 1.0, 1e100):
        own = learner(d=100, norm=norm)
        for size in (1e-320, 1e-200, 1e-101, 1e-100, 1.0, 1e100, 1e160, 1e308):
            assert np.linalg.norm(own.features(np.full(100, size))) <= 1


class Kept:
    """A port without noise that keeps what leaves."""

    def __init__(self):
        self.values = []

    def gaussian(self, value, scale, *, sensitivity, name):
        assert sensitivity == dp_linear.DELTA
        self.values.append((np.copy(value), scale))
        return value


@pytest.mark.parametrize("shared", [False, True])
def test_estimate_is_the_ridge_of_plain_matrices(shared):
    """All that leaves, in batches of 2 K p, then half of the rounds so far; each weighted."""
    port, K, d, p = Kept(), 3, 2, 3
    own = learner(noise=port, arms=K, d=d, shared=shared, norm=1.5)
    rng, rounds = np.random.default_rng(5), 18 + 9 + 14 + 20
    records = []
    for _ in range(rounds):
        x = rng.standard_normal((K, d) if shared else d)
        arm, reward = own.act(x), float(rng.random())
        own.update(arm, reward, x)
        row = x[arm] if shared else x
        z = np.array([0.5, *(math.sqrt(0.75) * row / max(1.5, np.linalg.norm(row)))])
        records.append((0 if shared else arm, z, reward - 0.5))
    assert len(port.values) == 4
    scale, blocks = port.values[0][1], 1 if shared else K
    assert scale == pytest.approx(1.5 / math.sqrt(largest_rho(1.0, 0.01)), rel=1e-6)
    gram, moment, weights, first = np.zeros((blocks, p, p)), np.zeros((blocks, p)), 0.0, 0
    for n in (18, 9, 14, 20):
        weight = n / (n + 2 * K * p * scale**2 / 4)
        for block, z, y in records[first : first + n]:
            gram[block] += weight * np.outer(z, z)
            moment[block] += weight * y * z
        weights, first = weights + weight**2, first + n
    count = 4 * gram[:, 0, 0].sum()  # weighted rounds
    mean = 2 * moment[:, 0].sum() / (count + 4 * math.sqrt(blocks) * scale + 4)
    penalty = 1 + 0.7 * scale * math.sqrt(2 * p * weights)
    for block in range(blocks):
        base = np.array([2 * mean, 0, 0])
        ridge = np.linalg.solve(
            gram[block] + penalty * np.eye(p), moment[block] - gram[block] @ base
        )
        assert own.theta[block] == pytest.approx(ridge, abs=1e-6)
