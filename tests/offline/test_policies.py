"""The paper's policies, written as in the paper, against what the audits compute."""

import numpy as np
import pytest

from dpbandits.offline.bandit.pessimistic_mab import bandit_policy, pessimistic_mab
from dpbandits.offline.linear.loss import LinearAudit
from dpbandits.offline.linear.pessimistic_linear import pessimistic_linear
from dpbandits.offline.preference.loss import PreferenceAudit
from dpbandits.offline.preference.rlhf_mle import rlhf_mle
from dpbandits.offline.problem import BanditData, Preferences, log_reference_from


@pytest.mark.parametrize("seed", range(5))
def test_policies_of_the_paper_equal_those_of_the_audits(seed):
    g = np.random.default_rng(seed)
    pi_0, eta, beta_0 = g.dirichlet(np.ones(4)), 0.3, 0.7
    log_reference = log_reference_from(pi_0)

    arms, rewards = np.append(np.arange(4), g.integers(0, 4, 20)), g.random(24)
    D = list(zip(arms, rewards, strict=True))
    data = BanditData.from_records(arms, rewards, 4)
    fast = np.exp(bandit_policy(data, eta, beta_0, log_reference))
    assert pessimistic_mab(D, pi_0, beta_0, eta) == pytest.approx(fast, rel=1e-12)

    first, second, phi = (v / np.linalg.norm(v, axis=1, keepdims=True)
                          for v in g.standard_normal((3, 24, 3)))  # fmt: skip
    phi, own = phi[:4], {"eta": eta, "beta0": beta_0, "penalty": 0.5}
    audit = LinearAudit(first, rewards, phi, log_reference=log_reference, **own)
    D = list(zip(first, rewards, strict=True))
    plain = pessimistic_linear(D, phi, pi_0, beta_0, eta, lambda_=0.5)
    assert plain == pytest.approx(np.exp(audit.log_pi), rel=1e-10)

    labels = g.integers(0, 2, 24)
    D = list(zip(first, second, labels, strict=True))
    data = Preferences.from_labels(first - second, labels)
    for B in (0.4, 3.0, np.inf):  # on the sphere, inside the ball, without one
        audit = PreferenceAudit(data, phi, radius=B, log_reference=log_reference, **own)
        plain = rlhf_mle(D, phi, pi_0, beta_0, eta, lambda_=0.5, B=B)
        assert plain == pytest.approx(np.exp(audit.log_pi), rel=1e-3)
