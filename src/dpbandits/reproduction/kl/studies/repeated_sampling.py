"""kl/repeated_sampling: the exact eps of T draws beside compositions."""

import numpy as np
import pandas as pd
from pydantic import Field
from scipy.optimize import brentq

from dpbandits.core.models import Model
from dpbandits.core.streams import Streams, key_of
from dpbandits.offline import theory
from dpbandits.offline.losses.bandit import Candidates, exact_loss
from dpbandits.reproduction.kl import corollaries
from dpbandits.reproduction.kl import theory as claimed
from dpbandits.reproduction.kl.draws import draw_bandit
from dpbandits.reproduction.studies import study


class RepeatedSampling(Model):
    n: int = Field(1000, gt=1)
    actions: int = Field(5, ge=2)
    coverage: float = Field(0.25, gt=0, le=1)
    eta: float = Field(0.1, gt=0)
    beta0: float = Field(1.0, ge=0)
    delta: float = Field(1e-6, gt=0, lt=1)
    times: tuple[int, ...] = (1, 3, 10, 30, 100, 300, 1000, 3000, 10000)
    seed: int = 0


@study("kl/repeated_sampling", params=RepeatedSampling)
def repeated_sampling(params: RepeatedSampling) -> pd.DataFrame:
    """The exact eps of T draws at one delta, beside Section 4.4's compositions.
    Between neighbours all other arms keep their proportions, so the number of draws of the changed
    arm is sufficient: T draws are a binomial pair."""
    generator = Streams(key_of("kl/repeated_sampling"), (params.seed,)).generator(0)
    means = np.linspace(0.75, 0.25, params.actions)
    data = draw_bandit(params.n, means, params.coverage, generator)
    single = exact_loss(data, params.eta, params.beta0).pure
    printed = claimed.theorem1_pure(int(data.counts.min()), params.eta, params.beta0).epsilon
    changes = Candidates(data, params.eta, params.beta0).changes(("remove", "add"))
    pairs = [np.exp([before[:, 0], after[:, 0]]).T for _, before, after, _ in changes]
    pairs, one = np.concatenate(pairs), theory.Bound(single)  # of the changed arm: at D, at D'
    rows = [
        {
            "T": times,
            "exact": max(epsilon_of_draws(p, q, times, params.delta) for p, q in pairs),
            "basic": corollaries.composition_pure(one, times).epsilon,
            "advanced": corollaries.composition_approx(one, times, params.delta, times).epsilon,
            "theorem": times * printed,
            "delta": params.delta,
        }
        for times in params.times
    ]
    return pd.DataFrame(rows)


def epsilon_of_draws(p: float, q: float, times: int, delta: float) -> float:
    """The smallest eps at which T draws of Bernoulli(p) and Bernoulli(q) are (eps, delta)-close."""
    from scipy.stats import binom  # takes a second: not at every start

    k = np.arange(times + 1)
    log_p, log_q = binom.logpmf(k, times, p), binom.logpmf(k, times, q)

    def excess(epsilon, a, b):
        gap = np.minimum(epsilon - (a - b), 0.0)
        return float(np.sum(np.exp(a) * -np.expm1(gap)))

    def both(epsilon):
        return max(excess(epsilon, log_p, log_q), excess(epsilon, log_q, log_p)) - delta

    top = float(np.abs(log_p - log_q).max())
    return 0.0 if both(0.0) <= 0 else brentq(both, 0.0, top + 1e-9, xtol=1e-12)
