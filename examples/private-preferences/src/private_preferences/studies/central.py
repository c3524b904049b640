"""pp/central: reward and J of central methods at the same exact loss over all label flips.

Each method is a family of configurations: (eta, beta0) of KL's policy, a level of noise, the budget
and the rate of VPO; all may also play the reference, at no loss. Of those whose exact loss on the
data set is at most epsilon, the one with the highest J under the rewards that KL estimates is
taken, as in kl/choice. The choice looks at the data: it is no release of its own.
"""

from itertools import product

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.reproduction.studies import study
from dpbandits.core.divergences import log_normalise
from dpbandits.offline import rivals
from dpbandits.offline.losses.preference import PreferenceAudit
from dpbandits.offline.preference_perturbation import ObjectivePerturbation
from dpbandits.offline.problem import objective
from private_preferences import vpo
from private_preferences.problem import PENALTY, RADIUS, Comparison, Duels, averages, measures


class Central(Comparison):
    beta0: tuple[float, ...]
    rates: tuple[float, ...]
    levels: int = Field(16, ge=5)


@study("pp/central", params=Central)
def compute(params: Central) -> pd.DataFrame:
    rows = []
    for coverage, duels, _ in params.data_sets():
        fitted, families = _families(params, duels)
        for name, (losses, policies) in families.items():
            for eta, epsilon in product(params.objective_eta, params.epsilon):
                guess = objective(policies, fitted, duels.reference, eta)
                best = np.argmax(np.where(losses <= epsilon, guess, -np.inf))
                rows += measures((coverage, eta, epsilon, name), duels, policies[best], eta)
    return averages(rows)


def _families(params: Central, duels: Duels):
    """(rewards as KL estimates them, method -> (exact losses, ln pi) of its configurations)"""
    laws = {}
    for beta0 in params.beta0:
        fixed = {"eta": 1.0, "beta0": beta0, "penalty": PENALTY, "radius": RADIUS}
        audit = PreferenceAudit(duels.data, duels.actions, **fixed)
        changes = np.stack([duels.flips, -duels.flips], axis=1)
        signs = np.tile([-1.0, 1.0], (len(changes), 1))
        flipped = audit.changed(changes, signs, squares=audit.squares[None, :])
        scores, etas = np.vstack([audit.log_pi, flipped]), np.geomspace(1e-3, 10, 2 * params.levels)
        laws[f"KL, β₀ = {beta0:g}"] = [log_normalise(scores / eta) for eta in etas]
    noisy = ObjectivePerturbation(duels.data.signed, duels.angles, PENALTY)
    signs, noises = np.zeros(len(duels.flips)), np.geomspace(0.1, 300, 2 * params.levels)
    laws["objective perturbation"] = [
        noisy.log_policies(noise, duels.flips, signs) for noise in noises
    ]
    rates = [vpo.learning_rate(scale, params.actions, params.n) for scale in params.rates]
    budgets = (vpo.calibrate(e, params.n) for e in np.geomspace(0.1, 60, params.levels))
    laws["VPO, one batch"] = np.concatenate([vpo.action_laws(duels, b, rates) for b in budgets])
    return audit.fitted, {name: _audited(of, duels.reference) for name, of in laws.items()}


def _audited(laws, reference):
    losses, policies = zip(*map(rivals.loss_of_first, laws), strict=True)
    return np.append(losses, 0.0), np.vstack([*policies, reference])
