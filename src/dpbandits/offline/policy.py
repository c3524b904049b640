"""KL's policies on one's own data, CSV files or arrays: sample an action, and audit it.

    policy = dpbandits.policy("kl-linear", (features, rewards), eta=0.1, beta0=0.5)
    action = policy.sample(actions)          # the rows phi(x, a) of all actions at a context
    policy.privacy(actions)                  # the loss of one sample at this context

One model per problem; the command line, audits, bounds and calibrations take its keys too. No noise
is added: the policy is random itself. The loss is that of this data set and context; it is a
function of the data, so that publishing it, or a setting chosen by it, is a release too.
"""

import math
from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from dpbandits.core.errors import InputError, entry_of, extras
from dpbandits.core.mechanisms import PrivacyLoss
from dpbandits.core.models import parse
from dpbandits.core.port import FINENESS, ExactNoise, SimulatedNoise
from dpbandits.core.promise import SIMULATED, Privacy
from dpbandits.offline.losses.bandit import exact_loss
from dpbandits.offline.losses.linear import LinearAudit
from dpbandits.offline.losses.preference import PreferenceAudit
from dpbandits.offline.mle import SeparableData
from dpbandits.offline.neighbours import ENUMERATED, Worst
from dpbandits.offline.problem import (
    Preferences,
    Stored,
    StoredBandit,
    StoredFeatures,
    StoredPreferences,
    bandit_policy,
)
from dpbandits.offline.repaired import (
    Bounds,
    concluded,
    described,
    linear_bounds,
    preference_bounds,
)

ROUNDING = 4 * FINENESS**2  # ln pi is rounded to steps of at most FINENESS^2 before it is sampled


class Policy(Stored):
    """One data set and one setting of a policy; `law` is ln pi at a context."""

    # what a calibration tries: beta0, and eta (start, step, precision), in units of the rewards
    beta0s: tuple[float, ...] = (0.0, 0.5, 2.0)
    etas = 1.0, 2.0, 1e-3

    def having(self, **keys) -> "Policy":
        """The same data with other keys."""
        other = copy(self)
        other.setting = self.setting.model_copy(update=keys)
        return other

    def law(self, actions=None) -> np.ndarray:
        raise NotImplementedError

    def fitted(self) -> tuple[np.ndarray, np.ndarray]:
        """(estimated means, ln pi0) of the actions."""
        raise NotImplementedError

    def loss(self, actions=None, at_epsilon=(), searched=True) -> PrivacyLoss:
        """The worst over neighbours. Not `searched`: additions are bounded by the theorem alone."""
        raise NotImplementedError

    @cached_property
    def port(self) -> ExactNoise | SimulatedNoise:
        if self.setting.noise == "exact":
            if self.setting.seed is not None:
                raise InputError("policy: noise = exact: allowed: no seed")
            return ExactNoise()
        return SimulatedNoise(np.random.Generator(np.random.Philox(self.setting.seed)))

    @extras()
    def sample(self, actions=None) -> int:
        """An action at the context whose actions have these features (kl-mab: an arm)."""
        law = self.law(actions)
        return self.port.exponential_mechanism(law, 1.0, sensitivity=FINENESS, name="ln pi")

    @extras()
    def privacy(self, actions=None) -> Privacy:
        """What one sample at this context loses of this data set."""
        loss, kinds = self.loss(actions), ", ".join(self.setting.neighbours)
        exact = "exponential mechanism, drawn exactly by OpenDP"
        found = loss.worst_neighbour.get("found", {}).get("attained", {}).get("pure", 0.0)
        how = "exact over all neighbours"
        if loss.method == "bound":
            how = f"at most this by {loss.worst_neighbour['theorem']}; at least {found:.6g}"
        elif loss.pure_epsilon == math.inf:
            how += ": an arm with fewer than 2 records shows its record"
        noise = exact if self.setting.noise == "exact" else SIMULATED
        notion, about = "pure, at this data set", self.neighbours.replace("{kinds}", kinds)
        epsilon = loss.pure_epsilon + ROUNDING
        return Privacy(notion, about, epsilon, 0.0, how, noise, self.not_covered)


class BanditPolicy(Policy, StoredBandit):
    """(8). data: arm, reward."""

    beta0s, etas = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0), (1e9, 2**0.25, 1e-10)

    def law(self, actions=None):
        if actions is not None:
            raise InputError("policy: kl-mab takes no actions")
        setting = self.setting
        return bandit_policy(self.counts, setting.eta, setting.beta0, self.log_reference)

    def fitted(self):
        return self.counts.sums / np.maximum(self.counts.counts, 1), self.log_reference

    def worst(self, kinds, at_epsilon=()) -> Worst:
        setting = self.setting
        options = setting.eta, setting.beta0, setting.reward_max, kinds, at_epsilon
        return exact_loss(self.counts, *options, log_reference=self.log_reference)

    def loss(self, actions=None, at_epsilon=(), searched=True) -> PrivacyLoss:
        self.law(actions)
        worst, names = self.worst(self.setting.neighbours, at_epsilon), self.names
        for found in worst.found():
            if found.get("kind") in ("remove", "swap"):
                same = (self.arms == found["arm"]) & (self.rewards == found["reward"])
                found["row"] = int(np.argmax(same)) + 1
            for key in ("arm", "to_arm") if names else ():
                found[key] = names[found[key]] if type(found.get(key)) is int else found.get(key)
        about = described(worst) | {"arms": self.counts.arms}
        return PrivacyLoss(worst.pure, worst.delta, about, "exact")


class Featured(Policy, StoredFeatures):
    """What (10) and (11) share: features, and the actions at a context."""

    theorem: ClassVar[Callable[..., Bounds]]

    def at(self, actions=None) -> LinearAudit | PreferenceAudit:
        raise NotImplementedError

    def law(self, actions=None):
        return self.at(actions).log_pi

    def fitted(self):
        audit = self.at()
        return audit.fitted, audit.log_reference

    def context(self, actions) -> dict[str, Any]:
        """The actions at a context and ln pi0, beside the keys of the policy."""
        vectors, setting = self.features, self.setting
        sigma, d = vectors.T @ vectors, vectors.shape[1]
        covered = np.linalg.eigvalsh(sigma)[0] - (vectors**2).sum(axis=1).max()
        least = 1e5 * np.finfo(float).epsneg * d * np.trace(sigma)
        if max(covered, 0.0) + setting.penalty < least:  # in a direction without records
            raise InputError(f"lambda is lost in rounding; allowed: at least {least:.1g}")
        given = setting.actions if actions is None else actions
        if given is None:
            raise InputError("actions: those of a context are needed")
        rows, log_reference = self.read_context(given)
        keys = {key: getattr(setting, key) for key in ("eta", "beta0", "penalty")}
        return keys | {"actions": rows, "log_reference": log_reference}

    def loss(self, actions=None, at_epsilon=(), searched=True) -> PrivacyLoss:
        audit, kinds = self.at(actions), self.setting.neighbours
        tried = kinds if searched else tuple(ENUMERATED.intersection(kinds))
        try:
            worst = audit.worst(tried, at_epsilon)
        except SeparableData as error:
            raise InputError(f"policy: {error}") from None
        return concluded(audit, kinds, worst, self.theorem(audit, kinds))


class LinearPolicy(Featured):
    """(10). data: x1..xd (features of the action played), reward."""

    theorem = staticmethod(linear_bounds)

    def at(self, actions=None) -> LinearAudit:
        most, context = self.setting.reward_max, self.context(actions)
        return LinearAudit(self.features, self.rewards, reward_max=most, **context)


class PreferencePolicy(Featured, StoredPreferences):
    """(11). data: x1..xd (difference of two actions), label (1 if the first won)."""

    theorem = staticmethod(preference_bounds)

    def at(self, actions=None) -> PreferenceAudit:
        context = self.context(actions)
        data = Preferences.from_labels(self.features, self.rewards)
        try:
            return PreferenceAudit(data, radius=self.setting.radius, **context)
        except SeparableData as error:
            raise InputError(f"policy: {error}") from None


POLICIES: dict[str, type[Policy]] = {
    "kl-mab": BanditPolicy,
    "kl-linear": LinearPolicy,
    "kl-rlhf": PreferencePolicy,
}


def policy(name: str, data, **keys) -> Policy:
    """A policy of the KL paper on one's own data: kl-mab, kl-linear or kl-rlhf.

    data: two arrays of the same length, or a CSV file. kl-mab: (arms as whole numbers from 0,
    rewards from 0 to reward_max=1.0); kl-linear: (features, rows of norm at most 1; rewards from 0
    to reward_max); kl-rlhf: (differences of features, rows of norm at most 2; labels, 1 if the
    first won), and radius=. eta: weight of the divergence from the reference, beta0: of the
    pessimism. noise: "exact", or "simulated" with a seed. `dpbandits list NAME` shows all keys.
    """
    kind = entry_of(name, POLICIES, "policy: unknown policy", "")
    made = kind(parse(kind.model, {"data": data, **keys}, f"policy {name}"))
    made.port  # noqa: B018  (refused at once, as wrong arrays are)
    return made
