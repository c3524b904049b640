"""Attacks on Theorem 2 and Lemma 1: two groups of equal records; one more record changes."""

from functools import reduce

import numpy as np
from flint import arb

from dpbandits.audit.computed.balls import highest, upper
from dpbandits.core.divergences import log_normalise, pure_epsilon
from dpbandits.core.maximise import scale, share
from dpbandits.offline import theory
from dpbandits.reproduction.kl import corollaries
from dpbandits.reproduction.kl import theory as claimed
from dpbandits.reproduction.kl.attacks.attack import (
    ACTIONS,
    GROUPS,
    GroupAttack,
    whole,
    widths,
)
from dpbandits.reproduction.proofs import at_certificate_precision


@at_certificate_precision
def lemma_1_ratio(log_reference, scores, others, factor=2) -> float:
    """Pure loss over `factor` times the largest move of a score: at most 1 only if proved.
    ln pi'/pi = h_a - L with L = ln E exp(h) under pi. With h_m for the likeliest action taken out,
    no digits cancel: L - h_m = ln(1 + E(exp(h - h_m) - 1))."""
    weights = [arb(r) + arb(s) for r, s in zip(log_reference, scores, strict=True)]
    moves = [arb(b) - arb(a) for a, b in zip(scores, others, strict=True)]
    bound = factor * highest(abs(h) for h in moves)
    if bound.is_zero():
        return 0.0
    m = int(np.argmax(log_reference + scores))
    masses = [(w - weights[m]).exp() for w in weights]
    terms = (p * (h - moves[m]).expm1() for p, h in zip(masses, moves, strict=True))
    shift = (sum(terms, arb(0)) / sum(masses, arb(0))).log1p()
    ratios = [h - moves[m] for h in moves]
    left = [side for r in ratios for side in (bound - r + shift, bound + r - shift)]
    value = upper(1 - reduce(arb.min, left) / bound)
    return min(value, 1.0) if all(x >= 0 for x in left) else value


class LinearAttack(GroupAttack):
    def __init__(self, dimension: int):
        super().__init__(dimension, rest=5)
        self.exact = {"KL-L1-pure": self.exact_sensitivity}

    def decode(self, x):
        vectors, rest = self.split(x)
        counts, means, rest = np.split(rest, [GROUPS, 2 * GROUPS], axis=1)
        reward, reference, rest = np.split(rest, [1, 1 + ACTIONS], axis=1)
        return {
            "groups": vectors[:, :GROUPS],
            "record": vectors[:, GROUPS],
            "actions": vectors[:, GROUPS + 1 :],
            "counts": whole(counts, 1, 1e5),
            "means": share(means),
            "reward": share(reward[:, 0]),
            "log_reference": log_normalise(np.log(scale(reference, 1e-9, 1.0))),
            "penalty": scale(rest[:, 0], 1e-3, 1e4),
            "eta": scale(rest[:, 1], 1e-4, 10.0),
            "beta0": scale(rest[:, 2], 1e-4, 1e3),
            "removal": rest[:, 3] > 0,
        }

    def states(self, data):
        """(Sigma^-1, theta, n) with the record and without it."""
        groups, z, counts = data["groups"], data["record"], data["counts"]
        sigma = np.einsum("mg,mgd,mge->mde", counts, groups, groups)
        sigma += data["penalty"][:, None, None] * np.eye(self.dimension)
        b = np.einsum("mg,mgd->md", counts * data["means"], groups)
        states = []
        for added in (1.0, 0.0):
            inverse = np.linalg.inv(sigma + added * np.einsum("md,me->mde", z, z))
            response = b + added * data["reward"][:, None] * z
            theta = np.einsum("mde,me->md", inverse, response)
            states.append((inverse, theta, counts.sum(axis=1) + added))
        return states

    def scores(self, data, state):
        """Scores over eta."""
        inverse, theta, _ = state
        mean = np.einsum("mad,md->ma", data["actions"], theta)
        score = mean - data["beta0"][:, None] * widths(data["actions"], inverse)
        return score / data["eta"][:, None]

    def prepared(self, x, uniform=False):
        """data, both policies, and n, lambda_min, Sigma^-1 of D."""
        data = self.decode(x)
        if uniform:
            data["log_reference"] = np.full((len(x), ACTIONS), -np.log(ACTIONS))
        more, less = self.states(data)
        reference = data["log_reference"]
        pair = [log_normalise(reference + self.scores(data, state)) for state in (more, less)]
        removal = data["removal"]
        inverse = np.where(removal[:, None, None], more[0], less[0])
        records = np.where(removal, more[2], less[2])
        lambda_min = 1.0 / np.linalg.eigvalsh(inverse)[:, -1]
        return data, pair, records, lambda_min, inverse

    def pure(self, x):
        data, pair, records, lambda_min, _ = self.prepared(x)
        known = records, lambda_min, data["penalty"], data["eta"], data["beta0"]
        bound = theory.corrected_theorem2_pure(*known).epsilon
        return np.where(lambda_min > 1 + 1e-9, pure_epsilon(*pair) / bound, 0.0)

    def approx(self, x, most_delta=1.0):
        data, pair, records, lambda_min, inverse = self.prepared(x)
        *sets, _ = theory.linear_sets(data["actions"], inverse, data["log_reference"])
        known = records, lambda_min, data["penalty"], data["eta"], data["beta0"]
        bounds = [theory.corrected_theorem2_approx(chosen, *known) for chosen in sets]
        return np.where(lambda_min > 1 + 1e-9, self.best(pair, bounds, most_delta), 0.0)

    def sensitivity(self, x):
        """Lemma 1: the pure loss over twice the largest move of a score over eta."""
        reference, more, less = self.both_scores(x)
        pair = log_normalise(reference + more), log_normalise(reference + less)
        return pure_epsilon(*pair) / (2 * np.abs(more - less).max(axis=1))

    def exact_sensitivity(self, x):
        """The same in balls, of the scores as the floats that they are: where scores move by 1e-10
        of their size, `sensitivity` is wrong by 1e-4."""
        return np.array([lemma_1_ratio(*row) for row in zip(*self.both_scores(x), strict=True)])

    def both_scores(self, x):
        data = self.decode(x)
        return data["log_reference"], *(self.scores(data, state) for state in self.states(data))

    def printed_ratio(self, x, claim):
        """Uniform reference policy in the approximate statements, as in their proof."""
        if claim == "KL-L1-pure":
            return self.sensitivity(x)
        data, pair, n, least, inverse = self.prepared(x, uniform=claim.endswith("approx"))
        d, c, noise = self.dimension, scale(x[:, -1], 1e-3, 0.99), (data["eta"], data["beta0"])
        known, k1 = (n, d, least, *noise), n / ((least - 1) * d)
        narrow = widths(data["actions"], inverse).min(axis=1)
        coverage = claimed.Coverage(ACTIONS, narrow, least / c**2)
        bound = {
            "KL-T2-pure": lambda: claimed.theorem2_pure(*known),
            "KL-T2-pure-appendix": lambda: corollaries.theorem2_pure_appendix(*known),
            "KL-C2": lambda: corollaries.corollary2_pure(n, d, k1, *noise),
            "KL-T2-approx": lambda: claimed.theorem2_approx(coverage, *known),
            "KL-C2-approx": lambda: corollaries.corollary2_approx(ACTIONS, n, d, k1, *noise, c=c),
        }[claim]()
        return np.where(least > 1 + 1e-9, self.ratio_to(bound, claim, pair), 0.0)


CLAIMS = (
    "KL-L1-pure", "KL-T2-pure", "KL-T2-pure-appendix", "KL-C2", "KL-T2-approx", "KL-C2-approx",
)  # fmt: skip
CORRECTED = (*LinearAttack(1).attacks("T2"), *LinearAttack(2).attacks("T2"))
PRINTED = tuple(LinearAttack(d).printed(claim) for claim in CLAIMS for d in (1, 2))
