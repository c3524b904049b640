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
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from dpbandits.core.errors import InputError, entry_of, extras
from dpbandits.core.mechanisms import PrivacyLoss
from dpbandits.core.models import Model, parse
from dpbandits.core.port import FINENESS, ExactNoise, SimulatedNoise
from dpbandits.core.promise import SIMULATED, Privacy
from dpbandits.offline.losses.bandit import exact_loss
from dpbandits.offline.losses.linear import LinearAudit
from dpbandits.offline.losses.preference import PreferenceAudit
from dpbandits.offline.mle import SeparableData
from dpbandits.offline.neighbours import ENUMERATED, Worst
from dpbandits.offline.problem import (
    MAX_DIFFERENCE_NORM,
    BanditData,
    Preferences,
    bandit_policy,
    log_reference_from,
    uniform_reference,
)
from dpbandits.offline.records import MOST_ARMS, Columns
from dpbandits.offline.repaired import (
    Bounds,
    concluded,
    described,
    linear_bounds,
    preference_bounds,
)

ROUNDING = 4 * FINENESS**2  # ln pi is rounded to steps of at most FINENESS^2 before it is sampled
NOT_COVERED = (
    "another data set may lose more: this is the loss of this one",
    "this number and a setting chosen by it depend on the data: publishing them is a release",
    "each further sample costs the loss again",
    "probabilities are computed in floating point: to about 1e-9",
)


def _listed(value):
    return tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else value


def _radius(value: float) -> float:
    """No number of a theorem overflows: they have e^2B."""
    if not (0 < value <= 300 or value == math.inf):
        raise ValueError("allowed: up to 300, or inf")
    return value


Positive = Annotated[float, Field(ge=1e-100, le=1e100)]  # no quotient of two overflows
Pessimism = Annotated[float, Field(ge=0, le=1e100)]
Kinds = Annotated[tuple[Literal["remove", "add", "swap"], ...], BeforeValidator(_listed)]
Flips = Annotated[tuple[Literal["remove", "add", "swap", "flip"], ...], BeforeValidator(_listed)]
NEIGHBOURS: Any = Field(
    ("remove", "add"), min_length=1, description="what a neighbour may be: a list"
)
REWARD = Field(1.0, description="largest reward")
PENALTY = Field(1.0, alias="lambda", description="ridge penalty")
ACTIONS = Field(None, description="CSV file x1..xd (and weight) of the actions at the context")


class Policy(Model):
    """One data set and one setting of a policy; `law` is ln pi at a context."""

    model_config = ConfigDict(arbitrary_types_allowed=True, populate_by_name=True)
    data: Any = Field(description="CSV file, or two arrays")
    eta: Positive = Field(description="weight of the divergence from the reference policy")
    beta0: Pessimism = Field(description="weight of the pessimism")
    neighbours: Kinds = NEIGHBOURS
    noise: Literal["exact", "simulated"] = Field("exact", description="of a sample")
    seed: int | None = Field(None, ge=0, description="of simulated noise")

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
        if self.noise == "exact":
            if self.seed is not None:
                raise InputError("policy: noise = exact: allowed: no seed")
            return ExactNoise()
        return SimulatedNoise(np.random.Generator(np.random.Philox(self.seed)))

    @extras()
    def sample(self, actions=None) -> int:
        """An action at the context whose actions have these features (kl-mab: an arm)."""
        law = self.law(actions)
        return self.port.exponential_mechanism(law, 1.0, sensitivity=FINENESS, name="ln pi")

    @extras()
    def privacy(self, actions=None) -> Privacy:
        """What one sample at this context loses of this data set."""
        loss, about = self.loss(actions), self.neighbours
        exact = "exponential mechanism, drawn exactly by OpenDP"
        found = loss.worst_neighbour.get("found", {}).get("attained", {}).get("pure", 0.0)
        how = "exact over all neighbours"
        if loss.method == "bound":
            how = f"at most this by {loss.worst_neighbour['theorem']}; at least {found:.6g}"
        elif loss.pure_epsilon == math.inf:
            how += ": an arm with fewer than 2 records shows its record"
        noise = exact if self.noise == "exact" else SIMULATED
        notion, kinds = "pure, at this data set", f"of this data set: {', '.join(about)} a record"
        return Privacy(notion, kinds, loss.pure_epsilon + ROUNDING, 0.0, how, noise, NOT_COVERED)


class BanditPolicy(Policy):
    """(8). data: arm, reward."""

    reference: Any = Field(None, description="CSV file arm, weight; left out: uniform")
    arms: int | None = Field(None, ge=1, le=MOST_ARMS, description="left out: those in the data")
    reward_max: Positive = REWARD

    @cached_property
    def records(self):
        """(arms, rewards, names of the arms, ln pi0)."""
        table, labels, last, pi0 = Columns(self.data, "arm", "reward"), None, MOST_ARMS - 1, None
        if self.reference is not None:
            known = Columns(self.reference, "arm", "weight")
            order, labels = known.places("arm", len(known.values["arm"]) - 1, None)
            known.refuse("arm", np.bincount(order)[order] > 1, "each arm once")
            pi0 = log_reference_from(known.numbers("weight", 0)[np.argsort(order)])
            last = len(pi0) - 1
        last = last if self.arms is None else self.arms - 1
        arms, labels = table.places("arm", last, labels)
        rewards = table.numbers("reward", 0, self.reward_max)
        pi0 = uniform_reference(self.arms or int(arms.max()) + 1) if pi0 is None else pi0
        return arms, rewards, labels, pi0

    @cached_property
    def counts(self) -> BanditData:
        arms, rewards, _, pi0 = self.records
        return BanditData.from_records(arms, rewards, len(pi0))

    def law(self, actions=None):
        if actions is not None:
            raise InputError("policy: kl-mab takes no actions")
        return bandit_policy(self.counts, self.eta, self.beta0, self.records[3])

    def fitted(self):
        return self.counts.sums / np.maximum(self.counts.counts, 1), self.records[3]

    def worst(self, kinds, at_epsilon=()) -> Worst:
        options = self.eta, self.beta0, self.reward_max, kinds, at_epsilon
        return exact_loss(self.counts, *options, log_reference=self.records[3])

    def loss(self, actions=None, at_epsilon=(), searched=True) -> PrivacyLoss:
        self.law(actions)
        arms, rewards, labels, _ = self.records
        worst = self.worst(self.neighbours, at_epsilon)
        for found in worst.found():
            if found.get("kind") in ("remove", "swap"):
                same = (arms == found["arm"]) & (rewards == found["reward"])
                found["row"] = int(np.argmax(same)) + 1
            for key in ("arm", "to_arm") if labels else ():
                found[key] = labels[found[key]] if type(found.get(key)) is int else found.get(key)
        about = described(worst) | {"arms": self.counts.arms}
        return PrivacyLoss(worst.pure, worst.delta, about, "exact")


class Featured(Policy):
    """What (10) and (11) share: features, and the actions at a context."""

    actions: Any = ACTIONS
    penalty: Positive = PENALTY
    theorem: ClassVar[Callable[..., Bounds]]

    def at(self, actions=None) -> LinearAudit | PreferenceAudit:
        raise NotImplementedError

    def law(self, actions=None):
        return self.at(actions).log_pi

    def fitted(self):
        audit = self.at()
        return audit.fitted, audit.log_reference

    def context(self, vectors: np.ndarray, actions) -> dict[str, Any]:
        """The actions at a context and ln pi0, beside the keys of the policy."""
        sigma, d = vectors.T @ vectors, vectors.shape[1]
        covered = np.linalg.eigvalsh(sigma)[0] - (vectors**2).sum(axis=1).max()
        least = 1e5 * np.finfo(float).epsneg * d * np.trace(sigma)
        if max(covered, 0.0) + self.penalty < least:  # in a direction without records
            raise InputError(f"lambda is lost in rounding; allowed: at least {least:.1g}")
        given = self.actions if actions is None else actions
        if given is None:
            raise InputError("actions: those of a context are needed")
        table = Columns(given, "x", optional=("weight",))
        rows = table.vectors(1.0)
        if rows.shape[1] != d:
            raise InputError(f"actions: {rows.shape[1]} columns; allowed: {d}, as the data")
        weights = table.numbers("weight", 0) if "weight" in table.values else np.ones(len(rows))
        keys = {key: getattr(self, key) for key in ("eta", "beta0", "penalty")}
        return keys | {"actions": rows, "log_reference": log_reference_from(weights)}

    def loss(self, actions=None, at_epsilon=(), searched=True) -> PrivacyLoss:
        audit, kinds = self.at(actions), self.neighbours
        tried = kinds if searched else tuple(ENUMERATED.intersection(kinds))
        try:
            worst = audit.worst(tried, at_epsilon)
        except SeparableData as error:
            raise InputError(f"policy: {error}") from None
        return concluded(audit, kinds, worst, self.theorem(audit, kinds))


class LinearPolicy(Featured):
    """(10). data: x1..xd (features of the action played), reward."""

    reward_max: Positive = REWARD
    theorem = staticmethod(linear_bounds)

    def at(self, actions=None) -> LinearAudit:
        table = Columns(self.data, "x", "reward")
        features, rewards = table.vectors(1.0), table.numbers("reward", 0, self.reward_max)
        context = self.context(features, actions)
        return LinearAudit(features, rewards, reward_max=self.reward_max, **context)


class PreferencePolicy(Featured):
    """(11). data: x1..xd (difference of two actions), label (1 if the first won)."""

    neighbours: Flips = NEIGHBOURS  # type: ignore[assignment]
    theorem = staticmethod(preference_bounds)
    radius: Annotated[float, Field(allow_inf_nan=True), AfterValidator(_radius)] = Field(
        alias="B", description="radius of the parameters, up to 300, or inf"
    )

    def at(self, actions=None) -> PreferenceAudit:
        table = Columns(self.data, "x", "label")
        differences = table.vectors(MAX_DIFFERENCE_NORM)
        labels = table.numbers("label", 0, 1, whole=True)
        context = self.context(differences, actions)
        data = Preferences.from_labels(differences, labels)
        try:
            return PreferenceAudit(data, radius=self.radius, **context)
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
    model = entry_of(name, POLICIES, "policy: unknown policy", "")
    made = parse(model, {"data": data, **keys}, f"policy {name}")
    made.port  # noqa: B018  (refused at once, as wrong arrays are)
    Columns(data, "arm" if model is BanditPolicy else "x", "label" if "rlhf" in name else "reward")
    return made
