"""Attacks on Theorems 3 and 4: two groups of differences, one record changes."""

import numpy as np

from dpbandits.core.divergences import log_normalise, pure_epsilon
from dpbandits.core.maximise import scale
from dpbandits.offline import theory
from dpbandits.offline.mle import fit_many
from dpbandits.reproduction.kl import corollaries
from dpbandits.reproduction.kl import theory as claimed
from dpbandits.reproduction.kl.attacks.attack import (
    ACTIONS,
    GROUPS,
    GroupAttack,
    whole,
    widths,
)


def policies_of(signed, weights, data):
    """(ln pi, Sigma, widths) of many data sets, each of as many weighted records and actions.
    `data`: actions, eta, beta0, B, penalty, log_reference, by data set."""
    dimension = signed.shape[-1]
    empty = np.zeros((0, dimension)), np.zeros(0)
    theta = fit_many(*empty, signed, weights, data["B"])
    sigma = np.einsum("mk,mkd,mke->mde", weights, signed, signed)
    sigma += data["penalty"][:, None, None] * np.eye(dimension)
    width = widths(data["actions"], np.linalg.inv(sigma))
    score = np.einsum("mad,md->ma", data["actions"], theta) - data["beta0"][:, None] * width
    return log_normalise(data["log_reference"] + score / data["eta"][:, None]), sigma, width


class PreferenceAttack(GroupAttack):
    """`label`: the record's label flips; else the record is added or removed."""

    def __init__(self, dimension: int, label: bool, longest: float = 2.0):
        super().__init__(dimension, rest=6)
        self.label, self.longest = label, longest

    def decode(self, x):
        vectors, rest = self.split(x)
        ends = GROUPS, 2 * GROUPS, 2 * GROUPS + ACTIONS
        won, lost, reference, rest = np.split(rest, ends, axis=1)
        return {
            "differences": self.longest * vectors[:, :GROUPS],
            "record": self.longest * vectors[:, GROUPS],
            "actions": vectors[:, GROUPS + 1 :],
            "won": whole(won, 1, 3e3),
            "lost": whole(lost, 1, 3e3),
            "log_reference": log_normalise(np.log(scale(reference, 1e-6, 1.0))),
            "penalty": scale(rest[:, 0], 1e-3, 1e2),
            "eta": scale(rest[:, 1], 1e-2, 10.0),
            "beta0": scale(rest[:, 2], 1e-3, 1e2),
            "B": scale(rest[:, 3], 1e-2, 3.0),
            "removal": rest[:, 4] > 0,
        }

    def records(self, data):
        """Signed differences, and their multiplicities in both data sets: with the record, and
        without it or with its label flipped."""
        z, v = data["differences"], data["record"]
        signed = np.concatenate([z, -z, v[:, None], -v[:, None]], axis=1)
        one, none = np.ones((len(v), 1)), np.zeros((len(v), 1))
        common = np.concatenate([data["won"], data["lost"]], axis=1)
        before = np.concatenate([common, one, none], axis=1)
        after = np.concatenate([common, none, one if self.label else none], axis=1)
        return signed, before, after

    def prepared(self, x, uniform=False):
        """data, both policies, and Sigma, lambda_min of D."""
        data = self.decode(x)
        if uniform:
            data["log_reference"] = np.full((len(x), ACTIONS), -np.log(ACTIONS))
        signed, before, after = self.records(data)
        first, sigma_first, _ = policies_of(signed, before, data)
        second, sigma_second, _ = policies_of(signed, after, data)
        sigma = np.where(data["removal"][:, None, None], sigma_first, sigma_second)
        return data, first, second, sigma, np.linalg.eigvalsh(sigma)[:, 0]

    def pure(self, x):
        data, first, second, _, lambda_min = self.prepared(x)
        penalty, eta, beta0 = data["penalty"], data["eta"], data["beta0"]
        known = lambda_min, penalty, eta
        if self.label:
            bound = theory.corrected_theorem3_pure(*known, data["B"], self.longest)
        else:
            bound = theory.corrected_theorem4_pure(*known, beta0, data["B"])
        covered = lambda_min > penalty * (1 + 1e-6) + 1e-6
        return np.where(covered, pure_epsilon(first, second) / bound.epsilon, 0.0)

    def approx(self, x, most_delta=1.0):
        data, first, second, sigma, lambda_min = self.prepared(x)
        penalty, unit = data["penalty"], np.eye(self.dimension)
        covered = lambda_min > penalty * (1 + 1e-6) + 1e-6
        spread = sigma - penalty[:, None, None] * unit
        spread = np.where(covered[:, None, None], spread, unit)
        forms = np.linalg.inv(sigma), np.linalg.inv(spread)
        *sets, _ = theory.preference_sets(data["actions"], *forms, data["log_reference"])
        theorems = theory.corrected_theorem4_approx, theory.corrected_theorem3_approx
        known = lambda_min, penalty, data["eta"], data["beta0"], data["B"]
        bounds = [theorems[self.label](chosen, *known) for chosen in sets]
        return np.where(covered, self.best((first, second), bounds, most_delta), 0.0)

    def printed_ratio(self, x, claim):
        """Of data whose lambda_min is above 4, so that a removal leaves some."""
        data, first, second, sigma, least = self.prepared(x, uniform=claim.endswith("approx"))
        penalty, eta, beta0 = data["penalty"], data["eta"], data["beta0"]
        n = data["won"].sum(axis=1) + data["lost"].sum(axis=1) + data["removal"]
        k1, c = n / ((least - penalty) * self.dimension), scale(x[:, -1], 1e-3, 0.99)
        narrow = widths(data["actions"], np.linalg.inv(sigma)).min(axis=1)
        coverage = claimed.Coverage(ACTIONS, narrow, penalty + (least - penalty) / c**2)
        known = coverage, least, penalty, eta, beta0, data["B"]
        d, B = self.dimension, data["B"]
        bound = {
            "KL-T3-pure": lambda: claimed.theorem3_pure(least, penalty, eta, B),
            "KL-C3": lambda: corollaries.corollary3_pure(n, d, k1, eta, B),
            "KL-T4-pure": lambda: claimed.theorem4_pure(least, penalty, eta, beta0, B),
            "KL-T3-approx": lambda: claimed.theorem3_approx(*known),
            "KL-T4-approx": lambda: claimed.theorem4_approx(*known),
            "KL-C3-approx": lambda: corollaries.corollary3_approx(
                ACTIONS, n, d, k1, eta, beta0, radius=B, c=c
            ),
        }[claim]()
        covered = (least > 4 * (1 + 1e-9)) & (least > penalty * (1 + 1e-6) + 1e-6)
        return np.where(covered, self.ratio_to(bound, claim, (first, second)), 0.0)


COSTS = ((1, 1), (2, 30))  # dimension, cost: a maximum likelihood in the plane is slow
CLAIMS = ("KL-T3-pure", "KL-C3", "KL-T4-pure", "KL-T3-approx", "KL-T4-approx", "KL-C3-approx")
CORRECTED = tuple(
    attack
    for label, name in ((True, "T3"), (False, "T4"))
    for dimension, cost in COSTS
    for attack in PreferenceAttack(dimension, label).attacks(name, cost)
)
CORRECTED += PreferenceAttack(1, True, longest=1.0).attacks("T3 unit", 1)[:1]
PRINTED = tuple(
    PreferenceAttack(dimension, label="T4" not in claim).printed(claim, cost)
    for claim in CLAIMS
    for dimension, cost in COSTS
)
