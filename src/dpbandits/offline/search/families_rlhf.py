"""The family of RLHF data sets on which bounds are tested (see families.py)."""

import numpy as np

from dpbandits.core.divergences import delta_at, pure_epsilon
from dpbandits.offline import theory
from dpbandits.offline.preference.attack import policies_of
from dpbandits.offline.search.families import log_uniform, ratio, rescaled

CLAIMS = ("KL-T3-pure", "KL-C3", "KL-T4-pure", "KL-T3-approx", "KL-T4-approx", "KL-C3-approx")


class PreferenceFamily:
    """RLHF in the plane: counts of eight signed differences of norm 2; all of them as neighbours.

    Every data set and neighbour is a vector of eight counts, so that whole populations with their
    removals, additions and flips are one batch of Newton problems.
    """

    angles = np.arange(8) * np.pi / 4
    signed = 2.0 * np.column_stack([np.cos(angles), np.sin(angles)])

    def draw(self, generator) -> dict:
        angles = generator.uniform(0, 2 * np.pi, 3)
        angles[1] = angles[0] + np.pi
        even = generator.random() < 0.2  # all directions and labels alike: equal widths
        return {
            "counts": np.rint(log_uniform(generator, 0.6, 300, 1 if even else 8) * np.ones(8)),
            "actions": np.column_stack([np.cos(angles), np.sin(angles)]),
            "eta": float(log_uniform(generator, 1e-3, 1)),
            "beta0": float(log_uniform(generator, 1e-3, 10)),
            "B": float(log_uniform(generator, 0.05, 3)),
            "lambda0": float(log_uniform(generator, 1, 1e4)),
        }

    def mutate(self, data: dict, generator) -> dict:
        change = np.exp(0.4 * generator.standard_normal(8)) * (generator.random(8) < 0.6)
        counts = np.where(change > 0, np.rint(data["counts"] * change), data["counts"])
        scaled = rescaled(data, generator, "eta", "beta0", "B", "lambda0")
        return data | {"counts": counts} | scaled

    def evaluate(self, population: list[dict]) -> dict[str, np.ndarray]:
        keys = ("counts", "actions", "eta", "beta0", "B", "lambda0")
        column = {key: np.array([data[key] for data in population]) for key in keys}
        base, lambda_min, narrow = self.policies(column["counts"], column)
        pairs = self.neighbours(base, column)
        known = {"lambda_min": lambda_min, "narrow": narrow, "population": population}
        return self.ratios(base, *pairs, **known)

    def policies(self, counts, column):
        same = {"penalty": np.ones(len(counts)), "log_reference": np.zeros((len(counts), 3))}
        signed = np.broadcast_to(self.signed, (len(counts), 8, 2))
        log_pi, sigma, width = policies_of(signed, counts, column | same)
        return log_pi, np.linalg.eigvalsh(sigma)[:, 0], width.min(axis=1)

    def neighbours(self, base, column):
        """Policies after the 8 flips, and after the 8 removals and 8 additions: (sets, 8 or 16, 3).

        A removal or flip of a record that is not there is replaced by no change.
        """
        counts = column["counts"]
        unit = np.eye(8)
        there = (counts > 0)[:, :, None]
        flips = counts[:, None, :] + there * (np.roll(unit, 4, axis=1) - unit)
        removals = counts[:, None, :] - there * unit
        additions = counts[:, None, :] + unit
        every = np.concatenate([flips, removals, additions], axis=1)
        repeated = {key: np.repeat(values, 24, axis=0) for key, values in column.items()}
        policies = self.policies(every.reshape(-1, 8), repeated)[0].reshape(len(counts), 24, 3)
        return policies[:, :8], policies[:, 8:]

    def ratios(self, base, label, record, *, lambda_min, narrow, population):
        """0 where records do not cover all directions, as the theorems ask."""
        found = {name: np.zeros(len(population)) for name in CLAIMS}
        rows = np.flatnonzero(lambda_min > 4 + 1e-9)
        bounds = [self._bounds(lambda_min[i], narrow[i], population[i]) for i in rows]
        for name, own in zip(CLAIMS, zip(*bounds, strict=True), strict=False):
            pair = base[rows, None], (record if "T4" in name else label)[rows]
            epsilon = np.array([bound.epsilon for bound in own])
            if name.endswith("approx"):
                exact = delta_at(*pair, epsilon[:, None, None]).max(axis=1).tolist()
                values = [ratio(x, bound.delta) for x, bound in zip(exact, own, strict=True)]
            else:
                values = pure_epsilon(*pair).max(axis=1) / epsilon
            found[name][rows] = values
        return found

    def _bounds(self, lambda_min, narrow, data) -> tuple[theory.Bound, ...]:
        """Of one data set, in the order of CLAIMS."""
        eta, beta0, radius, lambda0 = data["eta"], data["beta0"], data["B"], data["lambda0"]
        n = data["counts"].sum()
        k1 = n / ((lambda_min - 1) * 2)
        own, share = {"radius": radius, "lambda0": lambda0}, min(0.99, 1.44 / k1)
        return (
            theory.theorem3_pure(lambda_min, 1.0, eta, radius),
            theory.corollary3_pure(n, 2, k1, eta, radius),
            theory.theorem4_pure(lambda_min, 1.0, eta, beta0, radius),
            theory.theorem3_approx(3, lambda_min, 1.0, narrow, eta, beta0, **own),
            theory.theorem4_approx(3, lambda_min, 1.0, narrow, eta, beta0, **own),
            theory.corollary3_approx(3, n, 2, k1, eta, beta0, radius=radius, c=share),
        )
