"""KL's three offline problems: what a user tells, how records are read, and the form of policies.

A policy is pi(a) proportional to pi0(a) exp((r(a) - beta0 Gamma(a))/eta). Those of the paper are
(8), (10) and (11), for rewards of arms, rewards of features, and preferences (policy.py).
"""

import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from dpbandits.core.divergences import log_normalise
from dpbandits.core.errors import InputError
from dpbandits.core.maximise import in_ball, share
from dpbandits.core.models import Model
from dpbandits.core.problem import Problem, Records
from dpbandits.offline.records import MOST_ARMS, Columns


def log_policy(scores: np.ndarray, log_reference: np.ndarray | None, eta: float) -> np.ndarray:
    """ln pi along the last axis; where no score is finite, the reference (left out: uniform)."""
    if log_reference is None:
        log_reference = uniform_reference(scores.shape[-1])
    log_weights = log_reference + scores / eta
    empty = np.isneginf(log_weights).all(axis=-1, keepdims=True)
    return log_normalise(np.where(empty, log_reference, log_weights))


def uniform_reference(actions: int) -> np.ndarray:
    return np.full(actions, -np.log(actions))


def log_reference_from(weights: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return log_normalise(np.log(np.asarray(weights, float)))


# --- multi-armed bandit, equation (8) ---------------------------------------------------------
@dataclass(frozen=True)
class BanditData:
    """All of a data set that (8) and its neighbours depend on, per arm."""

    counts: np.ndarray
    sums: np.ndarray  # of the rewards
    lowest: np.ndarray  # smallest reward; +inf for an arm without records
    highest: np.ndarray  # largest reward; -inf for an arm without records

    @classmethod
    def from_records(cls, arms: np.ndarray, rewards: np.ndarray, count: int) -> "BanditData":
        lowest, highest = np.full(count, np.inf), np.full(count, -np.inf)
        np.minimum.at(lowest, arms, rewards)
        np.maximum.at(highest, arms, rewards)
        counts = np.bincount(arms, minlength=count)
        return cls(counts, np.bincount(arms, rewards, minlength=count), lowest, highest)

    @property
    def arms(self) -> int:
        return len(self.counts)


def bandit_scores(counts: np.ndarray, sums: np.ndarray, beta0: float) -> np.ndarray:
    """Mean reward minus beta0/sqrt(N); -inf for an arm without records (its probability is 0)."""
    counts = np.asarray(counts, float)
    divisors = np.maximum(counts, 1.0)
    return np.where(counts > 0, sums / divisors - beta0 / np.sqrt(divisors), -np.inf)


def bandit_policy(data, eta: float, beta0: float, log_reference=None) -> np.ndarray:
    return log_policy(bandit_scores(data.counts, data.sums, beta0), log_reference, eta)


# --- RLHF, equation (11) ----------------------------------------------------------------------
@dataclass(frozen=True)
class Preferences:
    """Signed feature differences: z_i = phi1 - phi2 if the first answer won, phi2 - phi1 if not.

    Likelihood, Sigma and all neighbours depend on a record (difference, label) only through them.
    """

    signed: np.ndarray

    @classmethod
    def from_labels(cls, differences: np.ndarray, labels: np.ndarray) -> "Preferences":
        return cls(np.where(np.asarray(labels)[:, None] > 0, 1.0, -1.0) * differences)

    def covariance(self, penalty: float) -> np.ndarray:
        return penalty * np.eye(self.signed.shape[1]) + self.signed.T @ self.signed


# --- what a user tells ------------------------------------------------------------------------
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


class PolicySetting(Model):
    """The keys of every policy."""

    model_config = ConfigDict(arbitrary_types_allowed=True, populate_by_name=True)
    data: Any = Field(description="CSV file, or two arrays")
    eta: Positive = Field(description="weight of the divergence from the reference policy")
    beta0: Pessimism = Field(description="weight of the pessimism")
    neighbours: Kinds = NEIGHBOURS
    noise: Literal["exact", "simulated"] = Field("exact", description="of a sample")
    seed: int | None = Field(None, ge=0, description="of simulated noise")


class BanditSetting(PolicySetting):
    reference: Any = Field(None, description="CSV file arm, weight; left out: uniform")
    arms: int | None = Field(None, ge=1, le=MOST_ARMS, description="left out: those in the data")
    reward_max: Positive = REWARD


class FeatureSetting(PolicySetting):
    actions: Any = Field(
        None, description="CSV file x1..xd (and weight) of the actions at the context"
    )
    penalty: Positive = Field(1.0, alias="lambda", description="ridge penalty")


class LinearSetting(FeatureSetting):
    reward_max: Positive = REWARD


class PreferenceSetting(FeatureSetting):
    neighbours: Flips = NEIGHBOURS  # type: ignore[assignment]
    radius: Annotated[float, Field(allow_inf_nan=True), AfterValidator(_radius)] = Field(
        alias="B", description="radius of the parameters, up to 300, or inf"
    )


# --- the problems -----------------------------------------------------------------------------
class Stored(Problem):
    """Records that are there already, two `columns`: what was played, and what came of it. A policy
    derives from it, as a learner does from its problem; but there are no rounds."""

    model: type[PolicySetting]
    columns = ("x", "reward")
    neighbours = "of this data set: {kinds} a record"
    not_covered = (
        "another data set may lose more: this is the loss of this one",
        "this number and a setting chosen by it depend on the data: publishing them is a release",
        "each further sample costs the loss again",
        "probabilities are computed in floating point: to about 1e-9",
    )

    def __init__(self, setting):
        self.setting, self.table = setting, Columns(setting.data, *self.columns)

    @classmethod
    def reward_range(cls, setting):
        return 0.0, setting.reward_max

    def read_reward(self, reward):
        """What came, of all records of a table."""
        return reward.numbers(self.columns[1], *self.reward_range(self.setting))


class StoredBandit(Stored):
    """Arms, by number or by name (`names`), and rewards."""

    model, columns = BanditSetting, ("arm", "reward")

    def __init__(self, setting):
        super().__init__(setting)
        names, count, pi0 = None, setting.arms, None
        if setting.reference is not None:
            known = Columns(setting.reference, "arm", "weight")
            order, names = known.places("arm", len(known.values["arm"]) - 1, None)
            known.refuse("arm", np.bincount(order)[order] > 1, "each arm once")
            pi0 = log_reference_from(known.numbers("weight", 0)[np.argsort(order)])
            count = len(pi0)
        self.arms, self.names = self.table.places("arm", (count or MOST_ARMS) - 1, names)
        self.rewards = self.read_reward(self.table)
        count = len(self.names) or count or int(self.arms.max()) + 1
        if setting.arms not in (None, count):
            which = f"allowed: {count}, which have names or weights"
            raise InputError(f"policy: arms = {setting.arms}: {which}")
        self.log_reference = uniform_reference(count) if pi0 is None else pi0
        self.counts = BanditData.from_records(self.arms, self.rewards, count)

    @classmethod
    def records(cls, setting):
        """The lowest and the highest reward: of each arm one of them loses most."""
        return Records(values=cls.reward_range(setting))


class StoredFeatures(Stored):
    """Feature vectors of norm at most `longest`, and rewards."""

    model, longest, takes_context = LinearSetting, 1.0, True

    def __init__(self, setting):
        super().__init__(setting)
        self.features = self.table.vectors(self.longest)
        self.rewards = self.read_reward(self.table)

    def read_context(self, context):
        """(features of the actions there, ln pi0)."""
        table = Columns(context, "x", optional=("weight",))
        rows, d = table.vectors(1.0), self.features.shape[1]
        if rows.shape[1] != d:
            raise InputError(f"actions: {rows.shape[1]} columns; allowed: {d}, as the data")
        weights = table.numbers("weight", 0) if "weight" in table.values else np.ones(len(rows))
        return rows, log_reference_from(weights)

    @classmethod
    def records(cls, setting):
        """A vector of the ball, and a reward, both ends of its range included; also of many rows of
        normal variables at once. `setting` has the `dimension`: it is that of an audit."""
        d, highest = setting.dimension, cls.reward_range(setting)[1]

        def record(x):
            return cls.longest * in_ball(x[..., :d]), highest * share(x[..., d])

        return Records(width=d + 1, decode=record)


class StoredPreferences(StoredFeatures):
    """Differences of the features of two actions, and 1 if the first won, else 0."""

    model, columns, longest = PreferenceSetting, ("x", "label"), 2.0

    @classmethod
    def reward_range(cls, setting):
        return 0.0, 1.0

    def read_reward(self, reward):
        return reward.numbers("label", *self.reward_range(self.setting), whole=True)

    @classmethod
    def records(cls, setting):
        """A difference whose first action won: if the other did, it is turned."""
        return Records(
            width=setting.dimension,
            decode=lambda x: (cls.longest * in_ball(x), np.ones(x.shape[:-1], int)),
        )


# --- utility ----------------------------------------------------------------------------------
def objective(log_pi: np.ndarray, means: np.ndarray, log_reference: np.ndarray, eta: float):
    """J(pi) = E[mean] - eta KL(pi || pi0), the regularised objective of Section 3.1."""
    pi = np.exp(log_pi)
    with np.errstate(invalid="ignore"):
        divergence = np.where(pi > 0, pi * (log_pi - log_reference), 0.0)
    return (pi * means).sum(axis=-1) - eta * divergence.sum(axis=-1)
