"""Attacks on the repaired Theorems 3 and 4: three groups of differences, one record changes."""

import numpy as np

from dpbandits.core.divergences import delta_at, log_normalise, pure_epsilon
from dpbandits.offline import repaired
from dpbandits.offline.engine.attack import (
    Attack,
    both_sizes,
    in_ball,
    ratio_of_deltas,
    scale,
    whole,
)
from dpbandits.offline.preference.mle import fit_many

GROUPS, ACTIONS = 2, 3


class PreferenceAttack:
    """`label`: the record's label flips; else the record is added or removed."""

    def __init__(self, dimension: int, label: bool):
        self.dimension, self.label = dimension, label
        self.size = (GROUPS + 1 + ACTIONS) * dimension + 2 * GROUPS + ACTIONS + 6

    def decode(self, x):
        d, m = self.dimension, len(x)
        vectors, rest = np.split(x, [(GROUPS + 1 + ACTIONS) * d], axis=1)
        vectors = in_ball(vectors.reshape(m, -1, d))
        counts, rest = whole(rest[:, : 2 * GROUPS], 1, 3e3), rest[:, 2 * GROUPS :]
        return {
            "differences": 2.0 * vectors[:, :GROUPS],
            "record": 2.0 * vectors[:, GROUPS],
            "actions": vectors[:, GROUPS + 1 :],
            "won": counts[:, :GROUPS],
            "lost": counts[:, GROUPS:],
            "log_reference": log_normalise(np.log(scale(rest[:, :ACTIONS], 1e-6, 1.0))),
            "penalty": scale(rest[:, ACTIONS], 1e-3, 1e2),
            "eta": scale(rest[:, ACTIONS + 1], 1e-2, 10.0),
            "beta0": scale(rest[:, ACTIONS + 2], 1e-3, 1e2),
            "B": scale(rest[:, ACTIONS + 3], 1e-2, 3.0),
            "removal": rest[:, ACTIONS + 4] > 0,
        }

    def pair(self, data):
        """log-policies of the two data sets, and Sigma of the first and second."""
        z, v = data["differences"], data["record"]
        signed = np.concatenate([z, -z, v[:, None], -v[:, None]], axis=1)
        m = len(v)
        one, none = np.ones((m, 1)), np.zeros((m, 1))
        common = np.concatenate([data["won"], data["lost"]], axis=1)
        second = none + 1.0 if self.label else none
        weights = (
            np.concatenate([common, one, none], axis=1),
            np.concatenate([common, none, second], axis=1),
        )
        return [self._policy(data, signed, weight) for weight in weights]

    def _policy(self, data, signed, weights):
        empty = np.zeros((0, self.dimension)), np.zeros(0)
        theta = fit_many(*empty, signed, weights, data["B"])
        sigma = np.einsum("mk,mkd,mke->mde", weights, signed, signed)
        sigma += data["penalty"][:, None, None] * np.eye(self.dimension)
        inverse, actions = np.linalg.inv(sigma), data["actions"]
        widths = np.sqrt(np.einsum("mad,mde,mae->ma", actions, inverse, actions))
        score = np.einsum("mad,md->ma", actions, theta) - data["beta0"][:, None] * widths
        return log_normalise(data["log_reference"] + score / data["eta"][:, None]), sigma

    def prepared(self, x):
        data = self.decode(x)
        (first, with_it), (second, without) = self.pair(data)
        sigma = np.where(data["removal"][:, None, None], with_it, without)
        return data, first, second, sigma, np.linalg.eigvalsh(sigma)[:, 0]

    def pure(self, x):
        data, first, second, _, floor = self.prepared(x)
        penalty, eta, beta0 = data["penalty"], data["eta"], data["beta0"]
        if self.label:
            bound = repaired.theorem3_pure(floor, penalty, eta, data["B"])
        else:
            bound = repaired.theorem4_pure(floor, penalty, eta, beta0, data["B"])
        covered = floor > penalty * (1 + 1e-6) + 1e-6
        return np.where(covered, pure_epsilon(first, second) / bound.epsilon, 0.0)

    def approx(self, x, most_delta=1.0):
        data, first, second, sigma, floor = self.prepared(x)
        penalty, plain = data["penalty"], np.broadcast_to(np.eye(self.dimension), sigma.shape)
        covered = floor > penalty * (1 + 1e-6) + 1e-6
        inverse = np.linalg.inv(sigma)
        spread = sigma - penalty[:, None, None] * np.eye(self.dimension)
        spread = np.where(covered[:, None, None], spread, np.eye(self.dimension))
        context = repaired.context_of(
            data["actions"], inverse, np.linalg.inv(spread), plain, data["log_reference"]
        )
        theorem = repaired.theorem3_approx if self.label else repaired.theorem4_approx
        rest = penalty, data["eta"], data["beta0"], data["B"]
        best = np.zeros(len(x))
        for count in range(1, ACTIONS):
            bound = theorem(context, count, floor, *rest)
            exact = delta_at(first, second, bound.epsilon[:, None])
            best = np.fmax(best, ratio_of_deltas(exact, bound.delta, most_delta))
        return np.where(covered, best, 0.0)

    def told(self, row):
        data = self.decode(row[None])
        plain = {key: np.round(value[0] * 1.0, 6).tolist() for key, value in data.items()}
        plain["log_reference"] = np.round(data["log_reference"][0], 3).tolist()
        return {"d": self.dimension} | plain


def attacks():
    found = []
    for label, name in ((True, "T3"), (False, "T4")):
        for dimension in (1, 2):
            target = PreferenceAttack(dimension, label)
            shape, cost = (target.size, target.pure, target.told), 1 if dimension == 1 else 30
            found.append(Attack(f"{name} pure", *shape, cost))
            found += both_sizes(f"{name} approx", target.size, target.approx, target.told, cost)
    return tuple(found)


ATTACKS = attacks()
