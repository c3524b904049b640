"""Would dp-signs gain from more than one episode's data? Tried here, and it does not.

    python tests/sparse/test_sparse_reuse.py     # the table of docs/rivals.md, half a minute

`window` k: an estimate is made of the rows of the last k episodes, their residuals taken anew; a
row then serves k times, at rho/k each. `weight` w: steps of known coordinates are shortened, which
averages over all past releases at no price (docs/proofs/FL.md, Theorem C3: w = 3/4 is the best).
"""

import math
from functools import partial

import numpy as np
import pytest

from dpbandits.core import algorithms
from dpbandits.core.streams import streams_for
from dpbandits.sparse import dp_signs
from dpbandits.sparse.engine.contexts import RowContexts
from dpbandits.sparse.engine.selection import Scores, largest_noisy
from dpbandits.sparse.engine.zcdp import largest_rho
from dpbandits.sparse.fliphat import run_one
from dpbandits.sparse.problem import SparseSetting

HORIZON = 20_000


class Reuse:
    """dp-signs, with a window of episodes and a weight of the steps."""

    def __init__(self, setting, rho, rng, window, weight):
        self.setting, self.rho, self.rng = setting, rho / window, rng
        self.window, self.weight, self.past, self.served = window, weight, [], {}

    def signs(self, episode, sign):
        if self.window == 1:  # a row is asked for once
            return episode.design.sign_sums(sign)
        return sum(sign[part] @ np.sign(x) for part, x in episode.design.blocks())

    def learn(self, number, episode, estimate):
        s, rng = self.setting, self.rng
        self.past = [*self.past, episode][-self.window :]
        for age in range(len(self.past)):
            self.served[number - age] = self.served.get(number - age, 0) + 1
        before, residuals = np.zeros(s.d), [each.rewards for each in self.past]
        if isinstance(estimate, np.ndarray):
            before = estimate
            known = episode.design.known @ estimate[episode.design.where]
            residuals = [each.rewards - each.design.matvec(estimate) for each in self.past[:-1]]
            residuals.append(episode.rewards - known)
        together = np.concatenate(residuals)
        quartile = partial(dp_signs.quantile, rng, together, rho=dp_signs.QUARTILE * self.rho)
        low, high = quartile(q=0.25), quartile(q=0.75)
        scale, n = max(high - low, 0.0) / dp_signs.SPREAD, len(together)
        sums = sum(
            self.signs(each, np.where(r >= 0.5 * (low + high), 1.0, -1.0))
            for each, r in zip(self.past, residuals, strict=True)
        )
        weight = np.where(before != 0, self.weight, 1.0)
        values = before + weight * scale * np.sin(0.5 * math.pi / n * sums)
        moved = math.pi * scale / n * math.sqrt(s.sparsity / 2)
        select, release = (
            moved / math.sqrt(share * self.rho) for share in (dp_signs.SELECTION, dp_signs.RELEASE)
        )
        chosen = largest_noisy(rng, s.sparsity, Scores(values), select)
        after = np.zeros(s.d)
        noise = release * rng.standard_normal(len(chosen))
        after[chosen] = values[chosen] + weight[chosen] * noise
        return after


def regrets(epsilon, window, weight, runs, horizon=HORIZON, **keys):
    setting = SparseSetting(**keys)
    rho = largest_rho(epsilon, setting.delta)
    streams, found, served = streams_for("dp-signs", setting, epsilon, horizon, range(runs)), [], 0
    for i in range(runs):
        contexts = RowContexts(setting, streams.child("contexts").generator(i))
        contexts.clip = np.inf
        reuse = Reuse(setting, rho, streams.child("privacy").generator(i), window, weight)
        first = dp_signs.first_episode(setting, rho / window)
        found.append(run_one(contexts, reuse.learn, horizon, np.array([horizon]), first)["regret"])
        served = max(served, *reuse.served.values())
    return np.array(found)[:, 0], served


def test_one_episode_at_full_weight_is_dp_signs():
    """To the last digits, on the same streams."""
    keys = {"d": 60, "sparsity": 6, "true_sparsity": 5}
    plain = algorithms.run("dp-signs", keys, 2.0, 2000, range(4), [2000]).regret[:, 0]
    np.testing.assert_allclose(regrets(2.0, 1, 1.0, 4, 2000, **keys)[0], plain, rtol=1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_two_episodes_regret_more_and_no_row_serves_more_than_its_share(epsilon):
    """6 runs each, 5 standard errors of the difference: it is above 10, so that 5 more are missing
    to a failure (flake rate 3e-4 by Student's t with 10 degrees of freedom); fixed seeds."""
    one, served = regrets(epsilon, 1, 1.0, 6)
    two, served_twice = regrets(epsilon, 2, 1.0, 6)
    assert (served, served_twice) == (1, 2)  # rho/k each: rho in all
    assert two.mean() - one.mean() > 5 * math.hypot(one.std(ddof=1), two.std(ddof=1)) / math.sqrt(6)


def test_shorter_steps_change_nothing():
    """12 runs: within a twentieth; the same streams."""
    one, shorter = (regrets(1.0, 1, weight, 12)[0].mean() for weight in (1.0, 0.75))
    assert abs(shorter / one - 1) < 0.05


def test_c3_no_weights_beat_three_quarters():
    """Of how much rows of each age count: 2^-age attains it (all ages), nothing random beats it."""
    ages = np.arange(60)

    def variance(weights):
        return np.sum(weights**2) / np.sum(weights * 2.0**-ages) ** 2

    assert variance(2.0**-ages) == pytest.approx(0.75)
    assert variance(np.where(ages == 0, 1.0, 0.0)) == 1
    rng = np.random.default_rng(0)
    for _ in range(2000):
        assert variance(2.0**-ages * rng.lognormal(0, rng.exponential(), 60)) >= 0.75


if __name__ == "__main__":
    epsilons = (0.5, 1.0, 2.0, 5.0, 10.0)
    print("variant".ljust(28), *(f"eps = {e:<6g}" for e in epsilons))
    for name, window, weight in (
        ("dp-signs", 1, 1.0), ("steps 3/4 as long", 1, 0.75), ("two episodes", 2, 1.0),
        ("three episodes", 3, 1.0), ("all episodes", 8, 1.0),
    ):  # fmt: skip
        cells = [regrets(e, window, weight, 20)[0] for e in epsilons]
        said = (f"{c.mean():5.0f} ± {1.96 * c.std(ddof=1) / math.sqrt(20):<3.0f}" for c in cells)
        print(name.ljust(28), *said)
