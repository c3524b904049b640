"""pp/local: reward and J of methods that see randomised labels, against the epsilon of a report.

This epsilon is a promise to every owner of a label, on all data, against whoever receives the
reports. The exact loss of pp/central is of one action of one data set: the two are not compared.
"""

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.reproduction.studies import study
from dpbandits.offline.problem import log_policy
from private_preferences import local
from private_preferences.problem import RADIUS, Comparison, averages, measures

GREEDY = 1e-9  # an eta at which the policy takes the best answer, unless two are as good


class Local(Comparison):
    repeats: int = Field(20, ge=1)  # reports of each data set


@study("pp/local", params=Local)
def compute(params: Local) -> pd.DataFrame:
    rows = []
    for coverage, duels, generator in params.data_sets():
        signed = duels.data.signed
        for epsilon in params.epsilon:
            keep = local.keep_probability(epsilon)
            said = local.reports((params.repeats, len(signed)), keep, generator)
            likely = local.ppkl(signed, said, keep, RADIUS) @ duels.actions.T
            unbiased = local.private_rlhf(signed, said, keep, RADIUS) @ duels.actions.T
            for eta in params.objective_eta:
                policies = {
                    "PPKL": (likely, eta),
                    "private DPO": (unbiased, eta),
                    "private RLHF, greedy": (unbiased, GREEDY),
                }
                for name, (rewards, temperature) in policies.items():
                    log_pi = log_policy(rewards, duels.reference, temperature)
                    log_pi = np.maximum(log_pi, np.finfo(float).min)
                    rows += measures((coverage, eta, epsilon, name), duels, log_pi, eta)
    return averages(rows)
