"""Designed and mutated data sets, on which every bound is set against the exact loss.

A family draws a data set with a configuration at random, mutates one, and evaluates a list of them:
claim -> exact loss / bound (or exact delta / delta). Ratios above 1 are crossings.
"""

import numpy as np

from dpbandits.core.divergences import delta_at, pure_epsilon
from dpbandits.offline import theory
from dpbandits.offline.losses.bandit import exact_losses
from dpbandits.offline.losses.linear import LinearAudit
from dpbandits.offline.problem import BanditData
from dpbandits.reproduction.kl.attacks.preference import policies_of


def log_uniform(generator, low, high, size=None):
    return np.exp(generator.uniform(np.log(low), np.log(high), size))


def rescaled(data: dict, generator, *keys: str) -> dict:
    """These parameters of a data set, each times a random factor."""
    factors = np.exp(0.3 * generator.standard_normal(len(keys)))
    return {key: data[key] * factor for key, factor in zip(keys, factors, strict=True)}


def ratio(measured: float, bound: float) -> float:
    return 0.0 if measured <= 0 else measured / bound if bound > 0 else np.inf


def ratio_to(bound: theory.Bound, claim: str, log_p, log_q) -> float:
    """The worst loss over these neighbours / bound: delta at its eps if the claim is approximate,
    else the pure loss."""
    if claim.endswith("approx"):
        return ratio(float(delta_at(log_p, log_q, bound.epsilon).max()), bound.delta)
    return float(pure_epsilon(log_p, log_q).max()) / bound.epsilon


class BanditFamily:
    """Two to five arms with 1 to 10^4 records of rewards 0 and 1."""

    def draw(self, generator) -> dict:
        arms = int(generator.integers(2, 6))
        counts = np.rint(log_uniform(generator, 1, 1e4, arms)).astype(int)
        means = generator.choice([0.0, 1.0, generator.random()], arms)
        return {
            "counts": counts,
            "wins": np.rint(means * counts).astype(int),
            "eta": float(log_uniform(generator, 1e-3, 1)),
            "beta0": float(log_uniform(generator, 1e-2, 10)),
            "n0": float(log_uniform(generator, 1, 2 * counts.max())),
        }

    def mutate(self, data: dict, generator) -> dict:
        change = np.exp(0.5 * generator.standard_normal(len(data["counts"])))
        change[generator.random(len(change)) < 0.5] = 1.0
        counts = np.clip(np.rint(data["counts"] * change).astype(int), 1, 10**6)
        means = data["wins"] / data["counts"]
        new = generator.choice([0.0, 1.0, generator.random()], len(means))
        means = np.where(generator.random(len(means)) < 0.2, new, means)
        records = {"counts": counts, "wins": np.rint(means * counts).astype(int)}
        return records | rescaled(data, generator, "eta", "beta0", "n0")

    def evaluate(self, population: list[dict]) -> dict[str, np.ndarray]:
        """Data sets of equally many arms are one batch."""
        arms = np.array([len(data["counts"]) for data in population])
        ratios = {}
        for count in np.unique(arms):
            rows = np.flatnonzero(arms == count)
            batch = {key: np.array([population[i][key] for i in rows]) for key in population[0]}
            for claim, values in self.ratios(**batch).items():
                ratios.setdefault(claim, np.zeros(len(arms)))[rows] = values
        return ratios

    def ratios(self, counts, wins, eta, beta0, n0):
        arms, least, most = counts.shape[1], counts.min(axis=1), counts.max(axis=1)
        settings = list(zip(*(x.tolist() for x in (least, most, eta, beta0, n0)), strict=True))
        pure = [theory.theorem1_pure(n, e, b).epsilon if n > 1 else np.inf
                for n, _, e, b, _ in settings]  # fmt: skip
        approx = [theory.theorem1_approx(arms, *setting) for _, *setting in settings]
        corollary = [theory.corollary1(arms, n, e, b, n / n0) for _, n, e, b, n0 in settings]
        epsilon = np.array([bound.epsilon for bound in approx])
        data = BanditData.from_wins(counts, wins)
        worst, deltas = exact_losses(data, eta, beta0, epsilon=epsilon)
        ratios = {"KL-T1-pure": np.where(least > 1, worst, 0.0) / pure}
        for claim, bounds in (("KL-T1-approx", approx), ("KL-C1", corollary)):
            pairs = zip(deltas.tolist(), bounds, strict=True)
            ratios[claim] = [ratio(delta, bound.delta) for delta, bound in pairs]
        return ratios


class SwapFamily(BanditFamily):
    """Proposition 1: the loss of a swap against the two steps that it is made of."""

    def ratios(self, counts, wins, eta, beta0, n0):
        def loss(counts, wins, kind):
            return exact_losses(BanditData.from_wins(counts, wins), eta, beta0, (kind,))[0]

        swap, step = loss(counts, wins, "swap"), loss(counts, wins, "remove")
        for arm, fewer in enumerate(np.eye(counts.shape[1], dtype=int)):
            for reward in (wins[:, arm] > 0, wins[:, arm] == counts[:, arm]):
                left = wins - reward[:, None] * fewer
                step = np.maximum(step, loss(counts - fewer, left, "add"))
        return {"KL-P1a": np.where(np.isfinite(step), swap, 0.0) / (2 * step)}


class LinearFamily:
    """2 to 200 records in one to three dimensions; all removals, additions where steep."""

    claims = ("KL-L1-pure", "KL-T2-pure", "KL-T2-pure-appendix", "KL-C2", "KL-T2-approx",
              "KL-C2-approx")  # fmt: skip

    def draw(self, generator) -> dict:
        kind = generator.choice(3, p=[0.8, 0.1, 0.1])
        return (self.draw_any, self.draw_tie, self.draw_lone)[kind](generator)

    def draw_lone(self, generator) -> dict:
        """One long feature vector that carries all reward, among many short ones without any."""
        n = int(log_uniform(generator, 20, 200))
        features = np.full(n, float(log_uniform(generator, 0.05, 0.3)))
        features[0] = 1.0
        eta, beta0 = log_uniform(generator, 1e-3, 1e-1), log_uniform(generator, 0.1, 10)
        return self.on_a_line(features, 1, -1.0, eta, beta0, generator)

    def draw_tie(self, generator) -> dict:
        """One covered direction whose score is about that of the null action (phi = 0)."""
        n, beta0 = int(log_uniform(generator, 20, 200)), float(log_uniform(generator, 0.1, 3))
        wins = int(np.clip(np.rint(beta0 * np.sqrt(n)), 0, n))
        eta = log_uniform(generator, 1e-4, 1e-2)
        return self.on_a_line(np.ones(n), wins, 0.0, eta, beta0, generator)

    def on_a_line(self, features, wins, other_action, eta, beta0, generator) -> dict:
        """d = 1: the first `wins` records have reward 1; the actions are 1 and another one."""
        return {
            "features": features[:, None],
            "rewards": (np.arange(len(features)) < wins).astype(float),
            "actions": np.array([[1.0], [other_action]]),
            "eta": float(eta),
            "beta0": float(beta0),
            "penalty": 1.0,
            "lambda0": len(features) * float(log_uniform(generator, 1, 1e3)),
        }

    def draw_any(self, generator) -> dict:
        d, n = int(generator.integers(1, 4)), int(log_uniform(generator, 2, 200))
        actions = generator.standard_normal((int(generator.integers(2, 5)), d))
        actions /= np.linalg.norm(actions, axis=1, keepdims=True)
        actions *= generator.choice([0.0, 1.0], (len(actions), 1), p=[0.15, 0.85])
        if generator.random() < 0.5:
            actions[1] = -actions[0]
        features = generator.standard_normal((n, d)) * log_uniform(generator, 0.1, 1, d)
        features /= np.linalg.norm(features, axis=1, keepdims=True)
        features *= generator.choice([1.0, generator.random()], (n, 1))
        return {
            "features": features,
            "rewards": generator.choice([0.0, 1.0], n, p=generator.dirichlet([1, 1])),
            "actions": actions,
            "eta": float(log_uniform(generator, 1e-3, 1)),
            "beta0": float(log_uniform(generator, 1e-3, 10)),
            "penalty": float(generator.choice([1.0, 2.0, 10.0])),
            "lambda0": float(log_uniform(generator, 1, 1e4)),
        }

    def mutate(self, data: dict, generator) -> dict:
        features = data["features"].copy()
        moved = generator.random(len(features)) < 0.3
        features[moved] += 0.3 * generator.standard_normal((int(moved.sum()), features.shape[1]))
        features /= np.maximum(1.0, np.linalg.norm(features, axis=1, keepdims=True))
        flip = generator.random(len(features)) < 0.1
        rewards = np.where(flip, 1.0 - data["rewards"], data["rewards"])
        records = {"features": features, "rewards": rewards}
        return data | records | rescaled(data, generator, "eta", "beta0", "lambda0")

    def evaluate(self, population: list[dict]) -> dict[str, np.ndarray]:
        """Ratio 0 where a claim does not apply."""
        rows = [self._one(**data) for data in population]
        return {claim: np.array([row.get(claim, 0.0) for row in rows]) for claim in self.claims}

    def _additions(self, audit, actions):
        """Where additions are worst to first order: the actions, and the steepest contrasts."""
        steep = (actions - actions[:1]) @ audit.inverse
        length = np.linalg.norm(steep, axis=1, keepdims=True)
        steep = steep[length[:, 0] > 0] / length[length[:, 0] > 0]
        axes = np.linalg.eigh(audit.inverse)[1].T
        return np.concatenate([actions, -actions, steep, -steep, axes])

    def _one(self, features, rewards, actions, *, eta, beta0, penalty, lambda0):
        audit = LinearAudit(features, rewards, actions, eta=eta, beta0=beta0, penalty=penalty)
        n, d = features.shape
        lambda_min = audit.lambda_min
        added = self._additions(audit, actions)
        records = np.concatenate([features, added, added])
        signs = np.where(np.arange(len(records)) < n, -1.0, 1.0)
        records_rewards = np.concatenate([rewards, np.repeat([0.0, 1.0], len(added))])
        weights = audit.weights_after(records, records_rewards, signs)
        weights_before = audit.log_reference + (audit.fitted - beta0 * np.sqrt(audit.squares)) / eta
        policies = weights - np.logaddexp.reduce(weights, axis=1, keepdims=True)
        pure = pure_epsilon(audit.log_pi, policies)
        # Weights of size 1e4 carry rounding of 1e-12: it counts with the sensitivity.
        moves = 2 * np.abs(weights - weights_before).max(axis=1)
        moves += 1e-14 * np.abs(weights_before).max()
        ratios = {"KL-L1-pure": float(np.max(pure / np.maximum(moves, 1e-300)))}
        if lambda_min <= 1 + 1e-9:
            return ratios
        shape, k1 = (n, d, lambda_min), n / ((lambda_min - 1) * d)
        narrow, c = float(np.sqrt(audit.squares.min())), min(0.99, 1.44 / k1)
        approx = {"beta0": beta0, "lambda0": lambda0}
        bounds = {
            "KL-T2-pure": theory.theorem2_pure(*shape, eta, beta0),
            "KL-T2-pure-appendix": theory.theorem2_pure_appendix(*shape, eta, beta0),
            "KL-C2": theory.corollary2_pure(n, d, k1, eta, beta0),
            "KL-T2-approx": theory.theorem2_approx(len(actions), *shape, narrow, eta, **approx),
            # the printed delta starts to shrink at c = 1/k1
            "KL-C2-approx": theory.corollary2_approx(len(actions), n, d, k1, eta, beta0, c=c),
        }
        return ratios | {
            claim: ratio_to(bound, claim, audit.log_pi, policies) for claim, bound in bounds.items()
        }


class PreferenceFamily:
    """RLHF in the plane: counts of eight signed differences of norm 2; all of them as neighbours.

    Every data set and neighbour is a vector of eight counts, so that whole populations with their
    removals, additions and flips are one batch of Newton problems.
    """

    angles = np.arange(8) * np.pi / 4
    signed = 2.0 * np.column_stack([np.cos(angles), np.sin(angles)])
    claims = ("KL-T3-pure", "KL-C3", "KL-T4-pure", "KL-T3-approx", "KL-T4-approx", "KL-C3-approx")

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
        """Ratio 0 where records do not cover all directions, as the theorems ask."""
        batch = {key: np.array([data[key] for data in population]) for key in population[0]}
        policies, lambda_min, narrow = self.policies(batch["counts"], batch)
        label, record = self.neighbours(batch)
        ratios = {claim: np.zeros(len(population)) for claim in self.claims}
        for i in np.flatnonzero(lambda_min > 4 + 1e-9):
            for claim, bound in self.bounds(lambda_min[i], narrow[i], population[i]).items():
                neighbours = (record if "T4" in claim else label)[i]
                ratios[claim][i] = ratio_to(bound, claim, policies[i], neighbours)
        return ratios

    def policies(self, counts, batch):
        """(ln pi, lambda_min, narrowest width) of each data set."""
        shared = {"penalty": np.ones(len(counts)), "log_reference": np.zeros((len(counts), 3))}
        signed = np.broadcast_to(self.signed, (len(counts), 8, 2))
        log_pi, sigma, width = policies_of(signed, counts, batch | shared)
        return log_pi, np.linalg.eigvalsh(sigma)[:, 0], width.min(axis=1)

    def neighbours(self, batch):
        """Policies after the 8 flips, and after the 8 removals and 8 additions: (sets, 8 or 16, 3).

        A removal or flip of a record that does not exist is replaced by no change.
        """
        counts = batch["counts"]
        unit = np.eye(8)
        exists = (counts > 0)[:, :, None]
        flips = counts[:, None, :] + exists * (np.roll(unit, 4, axis=1) - unit)
        removals = counts[:, None, :] - exists * unit
        additions = counts[:, None, :] + unit
        every = np.concatenate([flips, removals, additions], axis=1)
        repeated = {key: np.repeat(values, 24, axis=0) for key, values in batch.items()}
        policies = self.policies(every.reshape(-1, 8), repeated)[0].reshape(len(counts), 24, 3)
        return policies[:, :8], policies[:, 8:]

    def bounds(self, lambda_min, narrow, data) -> dict[str, theory.Bound]:
        """Of one data set."""
        eta, beta0, radius, lambda0 = data["eta"], data["beta0"], data["B"], data["lambda0"]
        n = data["counts"].sum()
        k1 = n / ((lambda_min - 1) * 2)
        c = min(0.99, 1.44 / k1)
        coverage, ball = (3, lambda_min, 1.0, narrow, eta, beta0), {"radius": radius}
        return {
            "KL-T3-pure": theory.theorem3_pure(lambda_min, 1.0, eta, radius),
            "KL-C3": theory.corollary3_pure(n, 2, k1, eta, radius),
            "KL-T4-pure": theory.theorem4_pure(lambda_min, 1.0, eta, beta0, radius),
            "KL-T3-approx": theory.theorem3_approx(*coverage, **ball, lambda0=lambda0),
            "KL-T4-approx": theory.theorem4_approx(*coverage, **ball, lambda0=lambda0),
            "KL-C3-approx": theory.corollary3_approx(3, n, 2, k1, eta, beta0, **ball, c=c),
        }
