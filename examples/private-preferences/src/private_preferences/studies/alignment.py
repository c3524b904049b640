"""pp/central and pp/local: reward and J of private alignment methods, on the same data sets.

Central: at the same exact loss over all label flips. Each method is a family of configurations, and
may also play the reference, at no loss. Of those whose loss on the data set is at most epsilon, the
one of the highest J under KL's estimated rewards is taken, as in kl/choice. The choice looks at the
data: it is no release of its own. Local: against the epsilon of a report, a promise to every owner
of a label, on all data, against whoever receives the reports. The two are not compared.
"""

from itertools import product

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.core.divergences import log_normalise
from dpbandits.offline.losses.preference import PreferenceAudit
from dpbandits.offline.problem import log_policy, objective
from dpbandits.reproduction.kl import rivals
from dpbandits.reproduction.kl.preference_perturbation import ObjectivePerturbation
from dpbandits.reproduction.studies import study
from private_preferences import rewards, vpo
from private_preferences.problem import PENALTY, RADIUS, Comparison, Duels

GREEDY = "private RLHF, greedy"


class Central(Comparison):
    beta0: tuple[float, ...]
    rates: tuple[float, ...]
    levels: int = Field(16, ge=5)


class Local(Comparison):
    repeats: int = Field(20, ge=1)  # reports of each data set


@study("pp/central", params=Central)
def compute_central(params: Central) -> pd.DataFrame:
    rows = []
    for coverage, duels, _ in params.data_sets():
        fitted, families = _families(params, duels)
        for name, (losses, policies) in families.items():
            for eta, epsilon in product(params.objective_eta, params.epsilon):
                guess = objective(policies, fitted, duels.reference, eta)
                best = np.argmax(np.where(losses <= epsilon, guess, -np.inf))
                rows.append((coverage, eta, epsilon, name, *_measures(duels, policies[best], eta)))
    return _averages(rows)


@study("pp/local", params=Local)
def compute_local(params: Local) -> pd.DataFrame:
    rows = []
    for coverage, duels, generator in params.data_sets():
        signed = duels.data.signed
        for epsilon in params.epsilon:
            keep = rewards.keep_probability(epsilon)
            said = rewards.reports((params.repeats, len(signed)), keep, generator)
            likely = rewards.ppkl(signed, said, keep, RADIUS) @ duels.actions.T
            unbiased = rewards.private_rlhf(signed, said, keep, RADIUS) @ duels.actions.T
            for eta in params.objective_eta:
                methods = {"PPKL": likely, "private DPO": unbiased, GREEDY: unbiased}
                for name, scores in methods.items():
                    temperature = 1e-9 if name == GREEDY else eta
                    log_pi = log_policy(scores, duels.reference, temperature)
                    rows.append((coverage, eta, epsilon, name, *_measures(duels, log_pi, eta)))
    return _averages(rows)


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
    flips, noises = (duels.flips, np.zeros(len(duels.flips))), np.geomspace(0.1, 300, len(etas))
    laws["objective perturbation"] = [noisy.log_policies(noise, *flips) for noise in noises]
    rates = [vpo.learning_rate(scale, params.actions, params.n) for scale in params.rates]
    budgets = (vpo.calibrate(e, params.n) for e in np.geomspace(0.1, 60, params.levels))
    laws["VPO, one batch"] = np.concatenate([vpo.action_laws(duels, b, rates) for b in budgets])
    return audit.fitted, {name: _audited(of, duels.reference) for name, of in laws.items()}


def _audited(laws, reference):
    losses, policies = zip(*map(rivals.loss_of_first, laws), strict=True)
    return np.append(losses, 0.0), np.vstack([*policies, reference])


def _measures(duels: Duels, log_pi, eta: float) -> tuple[float, float]:
    """J and the expected true reward of a policy, or their means over several."""
    value = objective(log_pi, duels.means, duels.reference, eta)
    return np.mean(value), np.mean(np.exp(log_pi) @ duels.means)


def _averages(rows) -> pd.DataFrame:
    """The mean of each method and measure over data sets, with a 95% interval."""
    keys = ["coverage", "objective_eta", "epsilon", "method"]
    table = pd.DataFrame(rows, columns=[*keys, "J", "reward"]).melt(keys, var_name="measure")
    grouped = table.groupby([*keys, "measure"], sort=False)["value"]
    table = grouped.agg(mean="mean", sem="sem", data_sets="count").reset_index()
    reach = 1.96 * table["sem"]
    return table.assign(low=table["mean"] - reach, high=table["mean"] + reach)
